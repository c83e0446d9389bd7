// Runs a program on ranks that are threads of the test.
#pragma once

#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "checking/faulty_transport.hpp"
#include "shardy/simulation/rank_run.hpp"
#include "support/catch.hpp"

namespace shardy_test {

using RankOutcome = shardy::Result<shardy::simulation::RankResult>;

/// A function that a rank runs with its end of the network.
using RankBody = std::function<RankOutcome(shardy::simulation::Transport& transport)>;

inline std::vector<RankOutcome> on_ranks(
    const std::vector<std::unique_ptr<shardy::simulation::Transport>>& transports,
    const RankBody& body) {
  std::vector<RankOutcome> outcomes(transports.size(), shardy::fail("has not run"));
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < transports.size(); ++rank) {
    threads.emplace_back([&, rank] { outcomes[rank] = body(*transports[rank]); });
  }
  for (std::thread& thread : threads) thread.join();
  return outcomes;
}

/// Runs @main of a per-device program on the devices of one rank, with their part of the inputs.
inline RankOutcome run_part(const shardy::ir::Module& program,
                            const shardy::simulation::Tensors& inputs,
                            shardy::simulation::Transport& transport,
                            shardy::simulation::RankOptions options) {
  using namespace shardy::simulation;
  const shardy::ir::OpId main = *program.main_function();
  options.num_devices = num_devices(program, main);
  const DeviceBlock block =
      devices_of_rank(options.num_devices, transport.rank(), transport.ranks());
  SHARDY_TRY(std::vector<Tensors> arguments,
             arguments_of(program, main, inputs, block, options.run.kernels.fill));
  return run_on_rank(program, program.symbol_name(main), std::move(arguments), transport, options);
}

/// Returns the outputs and accounts of all devices in order. Requires: all ranks have succeeded.
inline shardy::simulation::RunResult put_together(std::vector<RankOutcome> outcomes) {
  shardy::simulation::RunResult all;
  for (RankOutcome& each : outcomes) {
    if (!each) FAIL(each.error().headline());
    auto& run = each->run;
    all.outputs.insert(all.outputs.end(), run.outputs.begin(), run.outputs.end());
    all.devices.insert(all.devices.end(), run.devices.begin(), run.devices.end());
    all.checks.count += run.checks.count;
  }
  return all;
}

}  // namespace shardy_test
