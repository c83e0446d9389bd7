// Runs of whole programs on one worker, with poisoned padding, and the load of their devices.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "shardy/ir/module.hpp"
#include "shardy/simulation/run.hpp"
#include "support/catch.hpp"

namespace shardy_test {

inline shardy::simulation::GlobalResult run(const shardy::ir::Module& program,
                                            const shardy::simulation::Tensors& inputs) {
  shardy::simulation::RunOptions options;
  options.num_workers = 1;
  options.kernels.fill = shardy::simulation::Fill::Poison;
  auto result = shardy::simulation::run_global(program, "main", inputs, options);
  INFO((result ? std::string() : result.error().message));
  REQUIRE(result.has_value());
  return *std::move(result);
}

/// The most that one device sends, and the most that one holds.
struct Load {
  int64_t bytes_sent = 0;
  int64_t peak_bytes = 0;
};

inline Load load_of(const shardy::simulation::GlobalResult& result) {
  Load load;
  for (const shardy::simulation::DeviceAccount& device : result.devices) {
    int64_t sent = 0;
    for (const auto& [kind, traffic] : device.traffic) sent += traffic.bytes_sent;
    load.bytes_sent = std::max(load.bytes_sent, sent);
    load.peak_bytes = std::max(load.peak_bytes, device.peak_live_bytes);
  }
  return load;
}

}  // namespace shardy_test
