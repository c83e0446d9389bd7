// Distributed runs: the devices of one rank, and communication between ranks, which are processes,
// threads or machines.
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

/// Immutable bytes with shared ownership.
struct SharedBytes {
  std::shared_ptr<const std::byte> data;  // owner of the bytes; null: no bytes
  std::size_t size = 0;                   // number of bytes
};
/// Former name of SharedBytes.
using Bytes [[deprecated("renamed to SharedBytes")]] = SharedBytes;

/// The connection of one rank to all other ranks of a run. Ranks are numbered from 0. Each rank
/// owns some devices of the mesh (devices_of_rank) and runs them on its own threads. Ranks
/// communicate only by packets: byte strings from one rank to another.
///
/// The library has two transports: between threads of one process (thread_transports), and over MPI
/// (MpiSession). Users may derive other transports. Contract of a derived class:
///
/// - A packet arrives completely and once, or not at all: `poll` returns the concatenated pieces of
///   `post`. The engine verifies this: each packet has a header with checksum, sequence number and
///   size. A truncated, duplicated or lost packet ends the run with an error that names both ranks.
/// - Packets may arrive in any order, also those between two given ranks.
/// - No call waits for another rank. `post` queues packets that the transport cannot send yet, and
///   `poll` continues sending them; some thread of the engine always polls.
/// - Calls never overlap, but come from different threads. `rank` and `ranks` may also be called
///   during other calls.
/// - Every posted packet is sent even if no rank polls any more, at the latest in the destructor,
///   so that all ranks learn that the run has ended.
///
/// Functions do not throw. `post` and `poll` return failures as errors, which end the run.
class Transport {
 public:
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport() = default;

  /// Returns the number of this rank: 0 <= rank() < ranks().
  virtual int64_t rank() const = 0;
  /// Returns the number of ranks, at least 1.
  virtual int64_t ranks() const = 0;

  /// Sends a packet to rank `to`. The packet is the concatenation of `pieces`, which the transport
  /// may share instead of copying. Requires: `to` is another rank. Errors: the rank is unreachable.
  virtual Status post(int64_t to, std::vector<SharedBytes> pieces) = 0;

  /// Returns the next packet from any rank, in one piece with 64-byte alignment; std::nullopt if no
  /// packet has arrived. Does not block. Errors: no packet can arrive any more.
  virtual Result<std::optional<SharedBytes>> poll() = 0;

  /// Checks whether packets of this rank are in flight. The engine then polls without pauses for a
  /// while.
  virtual bool is_moving() const { return false; }

  /// Abandons the run, so that other ranks need not wait for the timeout; their `poll` may fail
  /// with `reason`. Called at most once. Must return.
  virtual void abort(const Error& reason) = 0;

  /// Returns the number of the next run. The engine calls this function once per run on each rank.
  int64_t begin_run() { return ++num_runs_; }

 private:
  int64_t num_runs_ = 0;
};

/// Returns one transport per rank, for ranks that are threads of this process. Each thread takes
/// one transport. The transports may be destroyed in any order. Requires: 1 <= ranks <= 65,536.
std::vector<std::unique_ptr<Transport>> thread_transports(int64_t ranks);

/// A session from MPI_Init_thread to MPI_Finalize. Threads: the thread that begins the session must
/// also end it; for the transport see Transport.
class MpiSession {
 public:
  MpiSession() = default;
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;
  /// Waits for all ranks, as MPI_Finalize does. After a run that lost a rank, call `abort` instead.
  virtual ~MpiSession() = default;

  /// Returns the transport of this rank.
  virtual Transport& transport() = 0;
  /// Ends all processes of the MPI job, including stopped ones, with exit status `status`.
  virtual void abort(int status) = 0;
};

/// Signature of `shardy_begin_mpi`, the only function of an MPI module. Call it once per process.
/// On failure it returns null, and writes the reason to `message`, a buffer of `size` bytes.
using BeginMpi = MpiSession* (*)(char* message, std::size_t size);
/// Name of the function that an MPI module exports.
inline constexpr const char* kBeginMpi = "shardy_begin_mpi";

// ---- The part of one rank in a distributed run -------------------------------------------------

/// Returns the devices of a rank. Ranks have contiguous blocks of devices, whose sizes differ by at
/// most one. Requires: 0 <= rank < ranks <= num_devices.
DeviceBlock devices_of_rank(int64_t num_devices, int64_t rank, int64_t ranks);
/// Returns the rank that owns a device. Requires: 0 <= device < num_devices, 1 <= ranks <=
/// num_devices.
int64_t rank_of_device(int64_t num_devices, int64_t device, int64_t ranks);

/// A property that must be equal on all ranks. Ranks compare its hash.
struct Agreement {
  std::string what;   // name of the property in errors: "the program"
  uint64_t hash = 0;  // hash of the property
};

/// Returns the FNV-1a hash of `text`, which is equal on every platform.
uint64_t hash_of_text(std::string_view text);

/// An argument or result of a per-device program in global form.
struct WholeValue {
  ir::Type type;                           // global type
  std::optional<TensorSharding> sharding;  // std::nullopt: replicated
};

/// Returns the global arguments of a function. Requires: a function of the module.
std::vector<WholeValue> whole_arguments(const ir::Module& module, ir::OpId function);
/// Returns the global results of a function. Requires: a function of the module.
std::vector<WholeValue> whole_results(const ir::Module& module, ir::OpId function);

/// Returns the arguments of run_on_rank for `devices`: slices of the global values `inputs`. Only
/// the needed shards are read, so the values may be memory-mapped files. Errors: another number or
/// other types of values.
Result<std::vector<Tensors>> arguments_of(const ir::Module& module, ir::OpId function,
                                          std::span<const Tensor> inputs,
                                          const DeviceBlock& devices, Fill fill = Fill::Zero);

/// Options of run_on_rank.
struct RankOptions {
  int64_t num_devices = 1;  // number of devices of all ranks together
  RunOptions run = {};  // options of this rank; results do not depend on the threads of other ranks
  /// Properties that are compared between all ranks before the first op. The engine adds the number
  /// of devices and the ops of the program. Callers add the text of the program, the contents of
  /// constants, options and inputs.
  std::vector<Agreement> agreements = {};
  /// Time without any message after which a rank counts as lost. Ranks that compute send
  /// heartbeats.
  std::chrono::milliseconds patience = std::chrono::seconds(5);
  /// Maximal time until all ranks have started the run.
  std::chrono::milliseconds start_patience = std::chrono::seconds(30);
  /// Minimum size of an all-reduce, in bytes of the operands of all devices of a replica group, for
  /// which ranks divide the work: each rank reduces a part and sends it to the others. Groups of
  /// fewer than three devices never do. The division sends
  /// fewer bytes, in two steps. Must be equal on all ranks.
  int64_t min_divided_bytes = int64_t{1} << 19;
};

/// Traffic of values from this rank, without headers and heartbeats.
struct RankTraffic {
  int64_t messages_sent = 0;  // number of packets with values
  int64_t bytes_sent = 0;     // bytes of values
  friend bool operator==(const RankTraffic&, const RankTraffic&) = default;
};

/// Result of a run on one rank.
struct RankResult {
  DeviceBlock devices;  // devices of this rank
  /// Outputs, counters and checks of these devices, in their order.
  RunResult run;
  RankTraffic traffic;  // traffic to other ranks
};

/// Runs the devices of this rank. `arguments` has one list per device, in their order. Every rank
/// calls this function with its transport. Results are bitwise equal to simulation::run with the
/// arguments of all devices, for any numbers of ranks and threads.
///
/// Errors: those of simulation::run. The run ends when no device can continue. All ranks return one
/// error: the error of the failed device with the lowest number, or the deadlock. Further errors,
/// on all reachable ranks: E_RANKS_DIFFER: ranks have different programs, options or inputs;
/// E_RANK_LOST: a rank sent nothing within `patience`, or did not start; E_TRANSPORT: a packet was
/// lost, truncated or foreign, or the transport failed. These errors name the ranks, and a note
/// lists the ops at which devices of this rank wait. After one of these three errors or
/// E_CANCELLED, the transport cannot be used again. The call always returns.
Result<RankResult> run_on_rank(const ir::Module& module, std::string_view function,
                               std::vector<Tensors> arguments, Transport& transport,
                               const RankOptions& options, const RunContext& context = {});

/// Gathers the bytes `own` of each rank on rank 0; the result is empty on other ranks. The call is
/// a barrier: all ranks must call it at the same point of their runs. Uses `start_patience` and the
/// cancel token of the options. Errors: E_RANK_LOST, E_TRANSPORT, E_CANCELLED.
Result<std::vector<std::vector<std::byte>>> gather_on_rank_0(Transport& transport,
                                                             std::span<const std::byte> own,
                                                             const RankOptions& options);

}  // namespace shardy::simulation
