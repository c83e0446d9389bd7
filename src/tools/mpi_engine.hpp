// The module that joins this process to an MPI job.
#pragma once

#include <memory>

#include "shardy/simulation/rank_run.hpp"
#include "shardy/support/result.hpp"

namespace shardy::tools {

/// Loads the module of the MPI whose launcher has started this process: `$SHARDY_MPI_MODULE`, else
/// `libshardy_mpi_{openmpi,mpich,default}.so` beside the program or in `../lib*/shardy`. Errors: no
/// module, with a note on installation; errors of MPI. Call it once per process.
Result<std::unique_ptr<simulation::MpiSession>> begin_mpi();

}  // namespace shardy::tools
