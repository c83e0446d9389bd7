// One rank's part of a run on several ranks.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/simulation/run.hpp>
#include <shardy/simulation/sharded_io.hpp>
#include <shardy/simulation/tensor.hpp>
#include <shardy/simulation/transport.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardy::simulation {

/// Ranks own contiguous blocks whose sizes differ by one at most.
/// Requires: 0 <= rank < ranks <= num_devices.
DeviceBlock devices_of_rank(int64_t num_devices, int64_t rank, int64_t ranks);
/// Requires: 0 <= device < num_devices, 1 <= ranks <= num_devices.
int64_t rank_of_device(int64_t num_devices, int64_t device, int64_t ranks);

/// Something that must be the same on all ranks, by a hash of it.
struct Agreement {
  std::string what;   // "the program", as messages name it
  uint64_t hash = 0;  // of what must be the same on all ranks
};

/// FNV-1a, the same on every platform: for agreements.
uint64_t hash_of_text(std::string_view text);

/// An argument or result of a per-device program as a whole.
struct WholeValue {
  ir::Type type;                           // global
  std::optional<TensorSharding> sharding;  // how the devices hold it; nothing: each holds all
};

/// Requires: a function of the module.
std::vector<WholeValue> whole_arguments(const ir::Module& module, ir::OpId function);
/// Requires: a function of the module.
std::vector<WholeValue> whole_results(const ir::Module& module, ir::OpId function);

/// Returns the arguments of run_on_rank for these devices, sliced from global values, of which only
/// the shards are read: they may be mapped files. Errors: another number of values, values of other
/// types.
Result<std::vector<Tensors>> arguments_of(const ir::Module& module, ir::OpId function,
                                          std::span<const Tensor> inputs,
                                          const DeviceBlock& devices, Fill fill = Fill::Zero);

/// How a rank takes part in a run.
struct RankOptions {
  int64_t num_devices = 1;  // of all ranks
  RunOptions run = {};      // of this rank; its results depend on no other rank's threads
  /// Compared between all ranks before the first op runs. The engine adds the number of devices
  /// and the ops of the program; the text of it, what constants hold, options and inputs are for
  /// the caller to add.
  std::vector<Agreement> agreements = {};
  /// A rank of which nothing was heard for so long is lost. Ranks that compute are heard of.
  std::chrono::milliseconds patience = std::chrono::seconds(5);
  /// Until all ranks have begun the run.
  std::chrono::milliseconds start_patience = std::chrono::seconds(30);
  /// In an all_reduce of three or more members whose operands together have this many bytes, each
  /// rank folds a part and sends it to the others: less is sent, in two steps. The same on all
  /// ranks.
  int64_t min_divided_bytes = int64_t{1} << 19;
};

/// Bytes of values that this rank sent to others, without headers and heartbeats.
struct RankTraffic {
  int64_t messages_sent = 0;  // packets with values
  int64_t bytes_sent = 0;     // of values
  friend bool operator==(const RankTraffic&, const RankTraffic&) = default;
};

/// Outcome of a run on one rank.
struct RankResult {
  DeviceBlock devices;  // of this rank
  /// Outputs and accounts of these devices, in their order, and the checks on them.
  RunResult run;
  RankTraffic traffic;  // what it sent to other ranks
};

/// Runs the devices of this rank; `arguments` has one list for each of them, in their order. All
/// ranks call it, each with its end of one transport. Results are bit for bit those of
/// simulation::run with all arguments, whatever the ranks and their threads.
///
/// Errors: those of simulation::run. The run ends as it does there, when no device can go on, and
/// its error is the same on all ranks: that of the smallest device that failed, or of those that
/// wait for each other. Besides, on all ranks that can still be reached:
/// E_RANKS_DIFFER: ranks do not agree on the program, the options or the inputs;
/// E_RANK_LOST: a rank was not heard of within the patience, or did not begin;
/// E_TRANSPORT: a packet was lost, cut off or is none of ours, or the transport failed.
/// They name the ranks, and a note says at which ops devices of this rank wait. After one of the
/// three, and after E_CANCELLED, the transport is of no use for another run. Never a hang.
Result<RankResult> run_on_rank(const ir::Module& module, std::string_view function,
                               std::vector<Tensors> arguments, Transport& transport,
                               const RankOptions& options, const RunContext& context = {});

/// Gathers the bytes of each rank on rank 0; empty on the others. All ranks call it, at the
/// same place of their runs; none goes on before all have. Of the options the patience at the start
/// and the token that cancels count. Errors: E_RANK_LOST, E_TRANSPORT, E_CANCELLED.
Result<std::vector<std::vector<std::byte>>> gather_on_rank_0(Transport& transport,
                                                             std::span<const std::byte> own,
                                                             const RankOptions& options);

}  // namespace shardy::simulation
