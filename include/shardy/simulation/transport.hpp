// Communication between the ranks of a run: processes, threads, machines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <shardy/support/result.hpp>
#include <vector>

namespace shardy::simulation {

/// Reference-counted immutable bytes.
struct Bytes {
  std::shared_ptr<const std::byte> data;  // owner; null: no bytes
  std::size_t size = 0;                   // number of bytes
};

/// The end of one rank in the connection of all ranks of a run. Ranks are numbered from 0; each
/// owns some devices of the mesh (rank_run.hpp) and runs them on its own threads. Ranks communicate
/// only by packets: byte strings from one rank to another.
///
/// The library has two transports: between threads of one process (thread_transports), and over MPI
/// (mpi_session.hpp). Users may derive others. Contract of such a class:
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

}  // namespace shardy::simulation
