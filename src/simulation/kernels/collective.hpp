// Kernels of collectives, run when all members of a group arrived. Spec: partitioning 4.2, 4.3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "shardy/simulation/kernels/kernel.hpp"
#include "shardy/simulation/tensor.hpp"
#include "shardy/support/result.hpp"
#include "simulation/device_group.hpp"
#include "simulation/kernels/fold.hpp"
#include "simulation/kernels/op_reader.hpp"

namespace shardy::simulation {

// ---- Data movement among the members of a group, in both dialects -------------------------------
// Spec: partitioning 4.2, stablehlo 31.3.

/// By rank in the group: the results, and the bytes this rank sent to others.
struct Exchanged {
  std::vector<Tensors> results;
  std::vector<int64_t> bytes_sent;
};

int64_t bytes_of(const Tensors& tensors);
Result<Tensors> zeros(std::span<const ir::Type> types);

/// All get the operands of all, side by side along a dim. Requires: the results have these types.
Result<Exchanged> all_gather(ByRank by_rank, std::size_t dim, std::span<const ir::Type> types);

/// Rank r gets block r along `split` of all, side by side along `concat`. Requires: the group's
/// size divides that dim, the results have these types.
Result<Exchanged> all_to_all(ByRank by_rank, std::size_t split, std::size_t concat,
                             std::span<const ir::Type> types, UsedResults wanted = {});

/// All get what the operands were folded to; `bytes`: of the operands of one.
Exchanged all_reduce(std::size_t num_ranks, int64_t bytes, const Tensors& folded);

/// Rank r gets block r of it. Requires: the group's size divides that dim.
Result<Exchanged> reduce_scatter(ByRank by_rank, const Tensors& folded, std::size_t dim);
/// The same of what is still to be folded.
Result<Exchanged> reduce_scatter(ByRank by_rank, const Fold& fold, std::size_t dim,
                                 ThreadPool* pool, UsedResults wanted = {});

/// Rank r gets the operands of rank sources[r], zeros where that is negative.
Result<Exchanged> permute(ByRank by_rank, std::span<const int64_t> sources);

/// All get operand i of rank roots[i].
Exchanged broadcast(ByRank by_rank, std::span<const std::size_t> roots);

// ---- Kernels ------------------------------------------------------------------------------------

/// All members of a group are there.
struct Gathered {
  ByRank by_rank;              // the operands of each, then the outer values of its region
  int64_t leader = 0;          // the logical position of rank 0
  ThreadPool* pool = nullptr;  // threads that may take part
  UsedResults wanted = {};
};
using GroupExchange = std::function<Result<Exchanged>(const Gathered& group)>;

/// Source rank per receiving rank of a group, -1 without a source.
using SourceMap = std::function<Result<std::vector<int64_t>>(int64_t leader)>;

/// Folds the operands of all members, or the same range of elements of each.
using PartFold = std::function<Result<Tensors>(const Gathered& group)>;

struct CollectiveKernel {
  ir::OpKind kind;
  int64_t channel;  // 0 if it has none
  ReplicaGroups groups;
  GroupExchange exchange;
  /// For ops where each rank reads the operands of one other rank only: the map to that rank.
  SourceMap sources = {};
  /// For ops where rank r reads block r along one dim of all operands: the dim.
  std::optional<std::size_t> block_dim = {};
  /// For an all_reduce that folds element by element: the fold of a range.
  PartFold fold_part = {};
};

/// True for the communication ops of the spmd dialect and for the StableHLO collectives.
bool is_communication(ir::OpKind kind);

/// True for the StableHLO collectives, whose members are processes of the grid.
bool is_process_collective(ir::OpKind kind);

/// Errors: as of ir::verify_types; a group with devices that the run does not have. Requires:
/// is_communication.
Result<CollectiveKernel> make_collective(const KernelRequest& request);

/// A manual computation nested in others on the same mesh, whose devices run the program. All
/// devices take part, because its collectives may cross the outer axes. Without collectives, inside
/// of a branch or loop that some devices may not reach, only devices with equal coordinates along
/// the outer axes take part. Errors: as of manual_computation; another number of devices.
Result<CollectiveKernel> make_nested_manual(const KernelRequest& request,
                                            std::span<const std::string> outer_axes);

/// Errors: numbers or lists that do not fit the map. Spec: partitioning 4.3.
Result<SourceMap> make_source_map(const ir::PermuteMap& map, const DeviceGroups& groups);

}  // namespace shardy::simulation
