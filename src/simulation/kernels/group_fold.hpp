// Folds the operands of a group in the order of its ranks. Spec: partitioning 11.4.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "shardy/simulation/tensor.hpp"
#include "shardy/support/result.hpp"
#include "simulation/kernels/fold.hpp"
#include "simulation/thread_pool.hpp"

namespace shardy::simulation {

/// Operands of each member of a group.
using ByRank = std::span<const Tensors>;

/// The members whose results are used on this rank: all of them, or some.
struct Wanted {
  const std::vector<bool>* by_rank = nullptr;
  bool has(std::size_t rank) const { return by_rank == nullptr || (*by_rank)[rank]; }
};

/// Operand by operand over all ranks: acc = x_0, then acc = reducer(acc, x_r).
/// `captured` are the values that the reducer uses from outside.
Result<Tensors> fold_ranks(const Fold& fold, ByRank by_rank, ThreadPool* pool,
                           std::span<const Tensor> captured = {});

/// One operand of all ranks with a loop for its elements. Requires: operands of one type.
Result<Tensor> fold_ranks(FoldLoop loop, ByRank by_rank, std::size_t operand, ThreadPool* pool);

/// By rank r: block r along `dim` of what the operands are folded to; nothing where it is not
/// wanted. Requires: the fold has loops, the number of ranks divides the dim.
Result<std::vector<Tensors>> fold_blocks(const Fold& fold, ByRank by_rank, std::size_t dim,
                                         ThreadPool* pool, Wanted wanted);

}  // namespace shardy::simulation
