// The part of one rank in a distributed run.
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

/// Returns the devices of a rank: contiguous blocks whose sizes differ by at most one. Requires: 0
/// <= rank < ranks <= num_devices.
DeviceBlock devices_of_rank(int64_t num_devices, int64_t rank, int64_t ranks);
/// Returns the rank that owns a device. Requires: 0 <= device < num_devices, 1 <= ranks <=
/// num_devices.
int64_t rank_of_device(int64_t num_devices, int64_t device, int64_t ranks);

/// A property that must be equal on all ranks, compared by hash.
struct Agreement {
  std::string what;   // name in messages: "the program"
  uint64_t hash = 0;  // of the property
};

/// Returns the FNV-1a hash, equal on every platform; for agreements.
uint64_t hash_of_text(std::string_view text);

/// An argument or result of a per-device program in global form.
struct WholeValue {
  ir::Type type;                           // global
  std::optional<TensorSharding> sharding;  // std::nullopt: replicated
};

/// Returns the global arguments of a function. Requires: a function of the module.
std::vector<WholeValue> whole_arguments(const ir::Module& module, ir::OpId function);
/// Returns the global results of a function. Requires: a function of the module.
std::vector<WholeValue> whole_results(const ir::Module& module, ir::OpId function);

/// Returns the arguments of run_on_rank for these devices, sliced from global values. Only the
/// shards are read, so values may be mapped files. Errors: another number or other types of values.
Result<std::vector<Tensors>> arguments_of(const ir::Module& module, ir::OpId function,
                                          std::span<const Tensor> inputs,
                                          const DeviceBlock& devices, Fill fill = Fill::Zero);

/// Options of run_on_rank.
struct RankOptions {
  int64_t num_devices = 1;  // of all ranks
  RunOptions run = {};      // of this rank; results do not depend on the threads of other ranks
  /// Compared between all ranks before the first op. The engine adds the number of devices and the
  /// ops of the program; callers add its text, the contents of constants, options and inputs.
  std::vector<Agreement> agreements = {};
  /// A rank without any message for this time is lost. Computing ranks send heartbeats.
  std::chrono::milliseconds patience = std::chrono::seconds(5);
  /// Limit until all ranks have started the run.
  std::chrono::milliseconds start_patience = std::chrono::seconds(30);
  /// If the operands of an all_reduce of three or more devices have this many bytes in total, each
  /// rank reduces a part and sends it to the others: fewer bytes in two steps. Must be equal on all
  /// ranks.
  int64_t min_divided_bytes = int64_t{1} << 19;
};

/// Traffic of this rank for values, without headers and heartbeats.
struct RankTraffic {
  int64_t messages_sent = 0;  // packets with values
  int64_t bytes_sent = 0;     // of values
  friend bool operator==(const RankTraffic&, const RankTraffic&) = default;
};

/// Result of a run on one rank.
struct RankResult {
  DeviceBlock devices;  // of this rank
  /// Outputs, counters and checks of these devices, in their order.
  RunResult run;
  RankTraffic traffic;  // sent to other ranks
};

/// Runs the devices of this rank; `arguments` has one list per device, in their order. All ranks
/// call it with their end of one transport. Results equal those of simulation::run with all
/// arguments bit by bit, independent of the numbers of ranks and threads.
///
/// Errors: those of simulation::run. The run ends as there, when no device can continue, with the
/// same error on all ranks: that of the failed device with the lowest number, or the deadlock.
/// Additional errors, on all reachable ranks:
/// E_RANKS_DIFFER: ranks have different programs, options or inputs;
/// E_RANK_LOST: a rank sent nothing within the patience, or did not start;
/// E_TRANSPORT: a packet was lost, truncated or is foreign, or the transport failed.
/// They name the ranks; a note lists the ops at which devices of this rank wait. After one of the
/// three, or E_CANCELLED, the transport cannot be reused. The call never hangs.
Result<RankResult> run_on_rank(const ir::Module& module, std::string_view function,
                               std::vector<Tensors> arguments, Transport& transport,
                               const RankOptions& options, const RunContext& context = {});

/// Gathers the bytes of each rank on rank 0; empty on other ranks. A barrier: all ranks call it at
/// the same point of their runs. Uses the start patience and the cancel token of the options.
/// Errors: E_RANK_LOST, E_TRANSPORT, E_CANCELLED.
Result<std::vector<std::vector<std::byte>>> gather_on_rank_0(Transport& transport,
                                                             std::span<const std::byte> own,
                                                             const RankOptions& options);

}  // namespace shardy::simulation
