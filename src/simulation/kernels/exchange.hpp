// Data movement among the members of a group, shared by both dialects of collectives.
// Spec: partitioning 4.2, stablehlo 31.3.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shardy/simulation/tensor.hpp"
#include "shardy/support/result.hpp"
#include "simulation/kernels/fold.hpp"

namespace shardy::simulation {

/// By rank in the group: the results, and the bytes this rank sent to others.
struct Exchanged {
  std::vector<Tensors> results;
  std::vector<int64_t> bytes_sent;
};

int64_t bytes_of(const Tensors& tensors);
Result<Tensors> zeros(std::span<const ir::Type> types);

/// All devices get the operands of all, concatenated along a dim. Requires: the results have these
/// types.
Result<Exchanged> all_gather(ByRank by_rank, std::size_t dim, std::span<const ir::Type> types);

/// Rank r gets block r along `split` of all, concatenated along `concat`. Requires: the group's
/// size divides that dim, the results have these types.
Result<Exchanged> all_to_all(ByRank by_rank, std::size_t split, std::size_t concat,
                             std::span<const ir::Type> types, UsedResults wanted = {});

/// All devices get the folded operands; `bytes`: of the operands of one device.
Exchanged all_reduce(std::size_t num_ranks, int64_t bytes, const Tensors& folded);

/// Rank r gets block r of the folded operands. Requires: the group's size divides that dim.
Result<Exchanged> reduce_scatter(ByRank by_rank, const Tensors& folded, std::size_t dim);
/// The same with operands that are not folded yet.
Result<Exchanged> reduce_scatter(ByRank by_rank, const Fold& fold, std::size_t dim,
                                 ThreadPool* pool, UsedResults wanted = {});

/// Rank r gets the operands of rank sources[r], zeros where that is negative.
Result<Exchanged> permute(ByRank by_rank, std::span<const int64_t> sources);

/// All devices get operand i of rank roots[i].
Exchanged broadcast(ByRank by_rank, std::span<const std::size_t> roots);

}  // namespace shardy::simulation
