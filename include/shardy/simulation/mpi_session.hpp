// Ranks that are the processes of an MPI job. Needs no MPI to compile: the code that does is in
// modules, one per MPI implementation, which a program loads at run time.
#pragma once

#include <cstddef>
#include <shardy/simulation/transport.hpp>

namespace shardy::simulation {

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
