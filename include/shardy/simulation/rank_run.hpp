// The part of one rank in a distributed run, and the communication between the ranks: processes,
// threads, machines.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/simulation/run.hpp>
#include <shardy/simulation/tensor.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardy::simulation {

/// Reference-counted immutable bytes.
struct Bytes {
  std::shared_ptr<const std::byte> data;  // owner; null: no bytes
  std::size_t size = 0;                   // number of bytes
};

/// The end of one rank in the connection of all ranks of a run. Ranks are numbered from 0; each
/// owns some devices of the mesh (devices_of_rank) and runs them on its own threads. Ranks
/// communicate only by packets: byte strings from one rank to another.
///
/// The library has two transports: between threads of one process (thread_transports), and over MPI
/// (MpiSession). Users may derive others. Contract of such a class:
///
/// - A packet arrives completely and once, or not at all: `poll` returns the concatenated pieces of
///   `post`. The engine checks this: packets have a header with checksum, sequence number and size,
///   so a truncated, duplicated or lost packet ends the run with an error that names both ranks.
/// - Packets may arrive out of order, also between the same two ranks.
/// - No call waits for another rank. `post` queues packets that it cannot send yet, and `poll`
///   continues sending them: some thread of the engine polls all the time.
/// - Calls never overlap, but come from several threads. Only `rank` and `ranks` may be called
///   at any time.
/// - Every posted packet is sent even if no rank polls any more, in the destructor at the
///   latest, so that all ranks receive the end of a run.
///
/// No call throws. `post` and `poll` return failures as errors, which end the run.
class Transport {
 public:
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport() = default;

  /// Returns the rank of this end: 0 <= rank() < ranks().
  virtual int64_t rank() const = 0;
  /// Returns the number of ranks; at least 1.
  virtual int64_t ranks() const = 0;

  /// Sends a packet of consecutive pieces, which may be shared instead of copied while needed.
  /// Requires: `to` is another rank. Errors: the rank is unreachable.
  virtual Status post(int64_t to, std::vector<Bytes> pieces) = 0;

  /// Returns the next arrived packet of any rank, in one piece aligned to 64 bytes; std::nullopt if
  /// there is none. Does not block. Errors: no packet can arrive any more.
  virtual Result<std::optional<Bytes>> poll() = 0;

  /// Checks whether packets are in flight at this end: the engine then polls without pauses for a
  /// while.
  virtual bool is_moving() const { return false; }

  /// Abandons the run, so that other ranks need not wait for the timeout: their `poll` may fail
  /// with this reason. Called at most once; returns.
  virtual void abort(const Error& reason) = 0;

  /// Returns the number of the run that starts: the engine calls it once per run on all ranks.
  int64_t begin_run() { return ++num_runs_; }

 private:
  int64_t num_runs_ = 0;
};

/// Returns one transport per rank, between threads of this process; each thread takes one. They may
/// outlive each other. Requires: 1 <= ranks <= 65,536.
std::vector<std::unique_ptr<Transport>> thread_transports(int64_t ranks);

/// Scope between MPI_Init_thread and MPI_Finalize. Threads: the starting thread also ends it; for
/// the transport, see Transport.
class MpiSession {
 public:
  MpiSession() = default;
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;
  /// Waits for all ranks, as MPI_Finalize. After a run that lost a rank, call abort instead.
  virtual ~MpiSession() = default;

  /// Returns the end of this rank.
  virtual Transport& transport() = 0;
  /// Ends all processes of the job, including stopped ones, with this exit status.
  virtual void abort(int status) = 0;
};

/// Signature of `shardy_begin_mpi`, the only function of an MPI module. Call it once per process.
/// Returns null on failure, with the reason in `message` of `size` bytes.
using BeginMpi = MpiSession* (*)(char* message, std::size_t size);
/// Name of the function that an MPI module exports.
inline constexpr const char* kBeginMpi = "shardy_begin_mpi";

// ---- The part of one rank in a distributed run -------------------------------------------------

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
