// Kernels of collectives, which run when all members of a group have arrived. Spec: partitioning
// 4.2, 4.3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "shardy/simulation/run.hpp"
#include "shardy/simulation/tensor.hpp"
#include "shardy/support/result.hpp"
#include "simulation/device_group.hpp"
#include "simulation/kernels/fold.hpp"
#include "simulation/kernels/kernel_table.hpp"

namespace shardy::simulation {

// ---- Data movement among the members of a group, in both dialects -------------------------------
// Spec: partitioning 4.2, stablehlo 31.3.

/// The results by rank in the group, and the bytes that each rank sent to others.
struct Exchanged {
  std::vector<Tensors> results;
  std::vector<int64_t> bytes_sent;
};

int64_t bytes_of(const Tensors& tensors);
Result<Tensors> zeros(std::span<const ir::Type> types);

/// Gives each rank the operands of all ranks, concatenated along `dim`. Requires: the results have
/// the types `types`.
Result<Exchanged> all_gather(ByRank by_rank, std::size_t dim, std::span<const ir::Type> types);

/// Gives rank r block r along `split` of each rank's operand, concatenated along `concat`.
/// Requires: the group size divides the split dim, the results have the types `types`.
Result<Exchanged> all_to_all(ByRank by_rank, std::size_t split, std::size_t concat,
                             std::span<const ir::Type> types, UsedResults wanted = {});

/// Gives each rank `folded`, the reduced operands. `bytes` is the size of one rank's operands.
Exchanged all_reduce(std::size_t num_ranks, int64_t bytes, const Tensors& folded);

/// Gives rank r block r of `folded` along `dim`. Requires: the group size divides the dim.
Result<Exchanged> reduce_scatter(ByRank by_rank, const Tensors& folded, std::size_t dim);
/// Folds the operands with `fold`, then gives rank r block r of the result along `dim`.
Result<Exchanged> reduce_scatter(ByRank by_rank, const Fold& fold, std::size_t dim,
                                 ThreadPool* pool, UsedResults wanted = {});

/// Gives rank r the operands of rank sources[r]; zeros if sources[r] is negative.
Result<Exchanged> permute(ByRank by_rank, std::span<const int64_t> sources);

/// Gives each rank operand i of rank roots[i].
Exchanged broadcast(ByRank by_rank, std::span<const std::size_t> roots);

// ---- Kernels ------------------------------------------------------------------------------------

/// A group whose members have all arrived.
struct Gathered {
  ByRank by_rank;              // each member's operands, then the outer values of its region
  int64_t leader = 0;          // identifies the group
  ThreadPool* pool = nullptr;  // threads that may help; null: none
  UsedResults wanted = {};
};
using GroupExchange = std::function<Result<Exchanged>(const Gathered& group)>;

/// A function from a group's leader to the source rank of each receiving rank; -1 without a source.
using SourceMap = std::function<Result<std::vector<int64_t>>(int64_t leader)>;

/// Folds the operands of all members, or one range of elements of all operands.
using PartFold = std::function<Result<Tensors>(const Gathered& group)>;

struct CollectiveKernel {
  ir::OpKind kind;
  int64_t channel;  // 0 if the op has no channel
  ReplicaGroups groups;
  GroupExchange exchange;
  /// Set for ops in which each rank reads the operands of one other rank only.
  SourceMap sources = {};
  /// Set for ops in which rank r reads only block r of all operands: the dim of the blocks.
  std::optional<std::size_t> block_dim = {};
  /// Set for an all_reduce that folds elementwise: folds one range of elements.
  PartFold fold_part = {};
};

/// Returns true for the collectives of the spmd dialect and of StableHLO.
bool is_communication(ir::OpKind kind);

/// Returns true for the StableHLO collectives, whose groups contain processes of the grid.
bool is_process_collective(ir::OpKind kind);

/// Makes the kernel of a collective. Errors: those of ir::verify_types; a group with a device that
/// the run does not have. Requires: is_communication.
Result<CollectiveKernel> make_collective(const KernelRequest& request);

/// Makes the kernel of a manual computation that is nested in others on one mesh. All devices take
/// part, because collectives in the body may cross the outer axes. If the body has no collectives
/// and is in a branch or loop that some devices may not reach, only devices with equal coordinates
/// along the outer axes take part. Errors: those of manual_computation; a wrong number of devices.
Result<CollectiveKernel> make_nested_manual(const KernelRequest& request,
                                            std::span<const std::string> outer_axes);

/// Returns the source ranks for a map. Errors: numbers or lists that do not fit the map. Spec:
/// partitioning 4.3.
Result<SourceMap> make_source_map(const ir::PermuteMap& map, const DeviceGroups& groups);

}  // namespace shardy::simulation
