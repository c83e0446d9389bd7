// How the ranks of a run talk to each other: processes, threads, machines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <shardy/support/result.hpp>
#include <vector>

namespace shardy::simulation {

/// Bytes with several owners, none of whom writes them any more.
struct Bytes {
  std::shared_ptr<const std::byte> data;  // keeps them alive; null: none
  std::size_t size = 0;                   // how many there are
};

/// The end that one rank holds of what connects all ranks of a run. Ranks are numbered from 0; each
/// owns some devices of the mesh (rank_run.hpp) and runs them on its own threads. All that they
/// know of each other comes in packets: strings of bytes, each from one rank to another.
///
/// Two come with the library: between threads of one process (thread_transports), and over MPI
/// (mpi_session.hpp). A user may derive others. What such a class promises:
///
/// - A packet arrives whole and once, or not at all. The bytes that `post` was given, one piece
///   behind the other, are the bytes that `poll` of the other rank gives. The engine checks it:
///   packets have a header with a checksum, a running number and their size, so a packet that was
///   cut off, doubled or lost ends the run with an error that names both ranks, never in a hang.
/// - Packets may overtake each other, also those between the same two ranks.
/// - No call waits for another rank. `post` keeps what it cannot send yet, and `poll` goes on with
///   it: the engine polls all the time, from some thread or other.
/// - Calls never overlap, but they come from several threads. Only `rank` and `ranks` may be called
///   at any time.
/// - Every posted packet is sent even if no rank polls any more, at the latest
///   in the destructor. So the last rank to hear of the end of a run hears of it.
///
/// No call throws. What is broken is told as an error by `post` and `poll`; the run then ends.
class Transport {
 public:
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport() = default;

  /// Returns the rank of this end: 0 <= rank() < ranks().
  virtual int64_t rank() const = 0;
  /// How many there are; 1 at least.
  virtual int64_t ranks() const = 0;

  /// Sends a packet of consecutive pieces. The pieces may be shared as long as they are
  /// needed instead of copied. Requires: `to` is another rank.
  /// Errors: the rank is not reachable any more.
  virtual Status post(int64_t to, std::vector<Bytes> pieces) = 0;

  /// The next packet that has arrived, from whichever rank, in one piece that is aligned to 64
  /// bytes; nullopt if none has. Returns at once. Errors: nothing will arrive any more.
  virtual Result<std::optional<Bytes>> poll() = 0;

  /// Returns whether packets are on their way at this end: then the engine polls without a rest for
  /// a while.
  virtual bool is_moving() const { return false; }

  /// This rank gives the run up. Helps the others to hear of it sooner than by silence: their
  /// `poll` may fail with this reason. Called once at most; it returns.
  virtual void abort(const Error& reason) = 0;

  /// The number of the run that begins: the engine calls it once per run, on all ranks.
  int64_t begin_run() { return ++num_runs_; }

 private:
  int64_t num_runs_ = 0;
};

/// One transport per rank, between threads of this process; each thread takes one. They may outlive
/// each other. Requires: 1 <= ranks <= 65,536.
std::vector<std::unique_ptr<Transport>> thread_transports(int64_t ranks);

/// Between MPI_Init_thread and MPI_Finalize. Threads: the one that began it also ends it; what the
/// transport takes from several of them says Transport.
class MpiSession {
 public:
  MpiSession() = default;
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;
  /// Waits for all ranks, as MPI_Finalize does. After a run that has lost a rank call abort.
  virtual ~MpiSession() = default;

  /// The end of this rank.
  virtual Transport& transport() = 0;
  /// Ends all processes of the job, stopped ones too, with this exit status.
  virtual void abort(int status) = 0;
};

/// The one function of a module, `shardy_begin_mpi`. Once per process. Null: it has not worked, and
/// `message` of `size` bytes says why.
using BeginMpi = MpiSession* (*)(char* message, std::size_t size);
/// The function that a module for one MPI exports.
inline constexpr const char* kBeginMpi = "shardy_begin_mpi";

}  // namespace shardy::simulation
