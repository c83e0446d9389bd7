// The module by which this process joins an MPI job.
#pragma once

#include <memory>

#include "shardy/simulation/rank_run.hpp"
#include "shardy/support/result.hpp"

namespace shardy::tools {

/// Loads the module for the MPI whose launcher started this process: `$SHARDY_MPI_MODULE`, else
/// `libshardy_mpi_{openmpi,mpich,default}.so` next to the program or in `../lib*/shardy`. Errors:
/// no module is found, with a note on installation; errors of MPI. Must be called at most once per
/// process.
Result<std::unique_ptr<simulation::MpiSession>> begin_mpi();

}  // namespace shardy::tools
