// Environment variables for long runs of a test.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace shardy_test {

/// The number in a variable of the environment, `otherwise` without one.
inline uint64_t setting(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

}  // namespace shardy_test
