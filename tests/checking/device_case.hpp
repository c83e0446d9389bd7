// Programs for one device with inputs, used for runs on several ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "shardy/checking/check.hpp"
#include "shardy/checking/sweep.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/simulation/run.hpp"

namespace shardy_test {

struct DeviceCase {
  shardy::ir::Module program;
  shardy::simulation::Tensors inputs;
  int64_t num_devices = 1;
};

/// Makes a case. The inputs are floats whose sums depend on the order. Returns std::nullopt if the
/// program is refused.
inline std::optional<DeviceCase> device_case(shardy::ir::Module module, uint64_t seed) {
  using namespace shardy;
  static const passes::PassRegistry registry = passes::built_in_passes();
  const std::vector<passes::PassCall> import = {{"sdy-sharding-group-import"}};
  if (!passes::run_pipeline(module, registry, import).empty()) return std::nullopt;
  auto compiled = checking::compile(module);
  auto inputs = checking::random_inputs(module, seed);
  if (!compiled || !inputs) return std::nullopt;
  const int64_t devices =
      simulation::num_devices(compiled->program, *compiled->program.main_function());
  return DeviceCase{std::move(compiled->program), *std::move(inputs), devices};
}

/// Programs with collectives, orders of devices, loops and calls.
inline std::optional<DeviceCase> random_device_case(uint64_t seed) {
  shardy::checking::RandomProgramOptions options;
  options.collectives = true;
  options.device_orders = true;
  options.max_depth = 2;
  options.indexed = true;
  return device_case(shardy::checking::random_program(seed, options).module, seed);
}

}  // namespace shardy_test
