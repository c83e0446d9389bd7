// run --engine=mpi: the devices of a program on the ranks of an MPI job.
#pragma once

#include "tools/commands.hpp"

namespace shardy::tools {

/// Each rank of the job calls it with the same options; rank 0 prints. Whatever goes wrong, all
/// processes of the job end with a status that is not 0.
int run_on_mpi(const CommandOptions& options);

}  // namespace shardy::tools
