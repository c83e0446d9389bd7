// run --engine=mpi: the devices of a program on the ranks of an MPI job.
#pragma once

#include <string>
#include <vector>

#include "shardy/checking/check.hpp"
#include "shardy/simulation/rank_run.hpp"
#include "tools/commands.hpp"

namespace shardy::tools {

/// Each rank of the job calls it with the same options; rank 0 prints. After any failure, all
/// processes of the job end with a nonzero status.
int run_on_mpi(const CommandOptions& options);

// Values of a run on several ranks: each rank holds only the values of its devices.

/// Arguments of the devices: from `--input`, a `.npy` file each; only the shards are read
/// (`{device}` in its name: a file per device with its shard alone); else the random values of a
/// run on one rank, made row by row. Errors: other files, bad ones, too few or too many.
Result<std::vector<simulation::Tensors>> read_shards(const ir::Module& program, ir::OpId function,
                                                     const simulation::DeviceBlock& devices,
                                                     const CommandOptions& options);

/// Writes the results of the devices: all ranks write their parts into `FOLDER/resultN.npy`, or
/// with `--shard-files` each device a file `FOLDER/resultN.deviceD.npy`, padding included. Of
/// devices with the same part the first writes it. Errors: partial results; the file.
Status write_shards(const ir::Module& program, ir::OpId function,
                    const simulation::RankResult& result, const CommandOptions& options);

/// Makes the files of results with their final sizes, on rank 0 before the others write.
Status make_result_files(const ir::Module& program, ir::OpId function,
                         const CommandOptions& options);

/// Returns the differences between the devices' shards of a result and those of a whole value.
Result<checking::Difference> compare_shards(const simulation::WholeValue& value,
                                            const simulation::RankResult& result, std::size_t index,
                                            const simulation::Tensor& reference,
                                            const checking::Tolerance& tolerance);

/// The same with the devices' parts in another run on these ranks; any difference counts. Requires:
/// the other run has its results under the same shardings.
Result<checking::Difference> compare_shards(const simulation::WholeValue& value,
                                            const simulation::RankResult& result, std::size_t index,
                                            const simulation::RankResult& reference);

}  // namespace shardy::tools
