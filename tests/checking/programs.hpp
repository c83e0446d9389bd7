// Helpers for tests of whole programs: inputs, and errors as text.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "shardy/checking/sweep.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/support/result.hpp"

namespace shardy_test {

inline std::string text_of(const shardy::Diagnostics& errors) {
  std::string text;
  for (const shardy::Error& error : errors)
    text += error.location.text() + ": " + error.headline() + "\n";
  return text;
}

/// Returns small integers, whose sums are exact in any order.
inline shardy::simulation::Tensors small_integers(const shardy::ir::Module& module, uint64_t seed) {
  shardy::checking::Random random(seed);
  shardy::simulation::Tensors inputs;
  for (const shardy::ir::Type& type : module.arg_types(*module.main_function())) {
    inputs.push_back(shardy::checking::random_tensor(random, type));
  }
  return inputs;
}

/// Returns the bytes that the busiest device sends.
inline int64_t most_bytes_sent(const shardy::simulation::GlobalResult& run) {
  int64_t most = 0;
  for (const shardy::simulation::DeviceAccount& device : run.devices) {
    int64_t bytes = 0;
    for (const auto& [kind, traffic] : device.traffic) bytes += traffic.bytes_sent;
    most = std::max(most, bytes);
  }
  return most;
}

}  // namespace shardy_test
