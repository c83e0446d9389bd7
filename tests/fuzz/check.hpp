// The report of a fuzz target if a law does not hold.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace fuzz {

/// Stops the process, which is how libFuzzer learns of a failure.
inline void check(bool holds, const char* law, std::string_view text) {
  if (holds) return;
  std::fprintf(stderr, "%s does not hold for: %.*s\n", law, static_cast<int>(text.size()),
               text.data());
  std::abort();
}

}  // namespace fuzz
