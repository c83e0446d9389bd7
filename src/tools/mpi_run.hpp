// The command run --engine=mpi: runs the devices of a program on the ranks of an MPI job.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "shardy/checking/check.hpp"
#include "shardy/simulation/rank_run.hpp"
#include "shardy/support/result.hpp"
#include "tools/commands.hpp"

namespace shardy::tools {

/// Runs the program. Each rank of the job calls this function with the same options; rank 0 prints.
/// After a failure, all processes of the job end with a nonzero status.
int run_on_mpi(const CommandOptions& options);

// The values of a run on several ranks. Each rank has only the values of its devices.

/// Returns the arguments of this rank's devices. With `--input`, each argument is a `.npy` file,
/// and only the shards of these devices are read. If the name contains `{device}`, each device has
/// a file with its shard. Without inputs, generates the random values of a run on one rank, row by
/// row. Errors: other files, invalid files, too few or too many files.
Result<std::vector<simulation::Tensors>> read_shards(const ir::Module& program, ir::OpId function,
                                                     const simulation::DeviceBlock& devices,
                                                     const CommandOptions& options);

/// Writes the results of this rank's devices. All ranks write their parts to `FOLDER/resultN.npy`;
/// with `--shard-files`, each device writes `FOLDER/resultN.deviceD.npy`, including padding. If
/// several devices have the same part, the first one writes it. Errors: partial results; errors of
/// files.
Status write_shards(const ir::Module& program, ir::OpId function,
                    const simulation::RankResult& result, const CommandOptions& options);

/// Creates the result files with their final sizes. Rank 0 calls this function before other ranks
/// write.
Status make_result_files(const ir::Module& program, ir::OpId function,
                         const CommandOptions& options);

/// Returns the differences between the devices' shards of a result and the shards of a global
/// value.
Result<checking::TensorDifference> compare_shards(const simulation::WholeValue& value,
                                                  const simulation::RankResult& result,
                                                  std::size_t index,
                                                  const simulation::Tensor& reference,
                                                  const checking::Tolerance& tolerance);

/// Returns the differences between the devices' shards in two runs on these ranks. Any difference
/// counts. Requires: the results of both runs have the same shardings.
Result<checking::TensorDifference> compare_shards(const simulation::WholeValue& value,
                                                  const simulation::RankResult& result,
                                                  std::size_t index,
                                                  const simulation::RankResult& reference);

// -------------------------------------------------------------------------------------------------

// The module by which this process joins an MPI job.

/// Loads the module for the MPI whose launcher started this process: `$SHARDY_MPI_MODULE`, else
/// `libshardy_mpi_{openmpi,mpich,default}.so` next to the program or in `../lib*/shardy`. Errors:
/// no module is found, with a note on installation; errors of MPI. Must be called at most once per
/// process.
Result<std::unique_ptr<simulation::MpiSession>> begin_mpi();

}  // namespace shardy::tools
