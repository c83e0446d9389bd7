// Folds of elements by a reducer region, many lanes at once: over dims, at positions of a buffer
// (for scatter and select_and_scatter), over the operands of a group in the order of its ranks.
// Spec: stablehlo 24.1, 24.3, 25.3, partitioning 5.8, 11.4.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "shardy/simulation/kernels/kernel.hpp"
#include "shardy/simulation/tensor.hpp"
#include "shardy/support/result.hpp"
#include "simulation/kernels/elementwise.hpp"
#include "simulation/kernels/lane_function.hpp"
#include "simulation/strided_copy.hpp"
#include "simulation/thread_pool.hpp"

namespace shardy::simulation {

/// `acc := op(acc, x)`: element by element, or all x into one accumulator.
using FoldLoop = void (*)(std::byte* acc, const std::byte* x, std::size_t count, bool into_one);

/// Rows of a matrix; `row_step` elements from one to the next.
struct FoldRows {
  const std::byte* x;
  int64_t num_rows;
  int64_t row_size;
  int64_t row_step;
};

/// Folds each row into an element of its own: `acc[row] := op(acc[row], x[row][0])`, then with
/// x[row][1], ...; or each column: `acc[i] := op(acc[i], x[0][i])`, then with x[1][i], ...
using RowsFoldLoop = void (*)(std::byte* acc, const FoldRows& rows);

/// Loops of an op. Null: rows are folded one by one.
struct FoldLoops {
  FoldLoop one = nullptr;
  RowsFoldLoop rows = nullptr;
  RowsFoldLoop columns = nullptr;
};

/// Accumulators and operands, lane by lane: `acc := body(acc.., x..)`.
using LaneFold = std::function<Result<Tensors>(const Tensors& acc, const Tensors& x)>;

/// The loop of a recognized reducer: add, multiply, maximum, minimum, and, or, xor. Null for other
/// ops and for element types that it is not defined on.
FoldLoop pick_fold_loop(ir::OpKind kind, ir::ElementType type);

/// A region of an op that takes n accumulators and n elements, all rank 0.
///
/// Three forms, by the ops of the body: one common op per pair, or one of the two values (loops),
/// elementwise ops (each run once on all lanes), anything (the body run once per lane).
class Fold {
 public:
  /// Errors: another form of region, ops without kernel.
  static Result<Fold> make(const KernelRequest& request, std::size_t num_pairs,
                           std::size_t region = 0);

  /// Element types of accumulators, and of the folded elements.
  std::span<const ir::ElementType> accumulators() const { return function_.results(); }
  std::span<const ir::ElementType> inputs() const {
    return function_.arguments().subspan(function_.results().size());
  }
  /// Returns the loops of each pair if each result combines only its own pair; else empty.
  std::span<const FoldLoops> loops() const { return loops_; }
  /// Returns true if each result depends on its own pair only: then a pair may have more
  /// lanes than another, and unused lanes may hold any value.
  bool keeps_pairs_apart() const { return keeps_pairs_apart_; }
  /// Returns the fold of up to `max_lanes` lanes: tensors of shape [n].
  Result<LaneFold> lanes(int64_t max_lanes, std::span<const Tensor> captured) const;

 private:
  explicit Fold(LaneFunction function) : function_(std::move(function)) {}
  void pick_loops(const KernelRequest& request, std::size_t region);

  LaneFunction function_;
  std::vector<FoldLoops> loops_;
  bool keeps_pairs_apart_ = false;
};

/// Slices of a tensor, one per index of a space: as many elements as a fold has lanes.
struct FoldSlices {
  std::vector<int64_t> sizes;    // of the space
  std::vector<int64_t> strides;  // from one slice to the next along each of its dims
  std::vector<CopyDim> lanes;    // from the tensor to a slice
};

/// Folds the slices of all inputs, in row-major order of the indices, into accumulators of these
/// types. The operands of the call are the inputs before conversion, the initial values and the
/// values that the reducer uses from outside.
Result<Tensors> fold_slices(const Fold& fold, const FoldSlices& slices,
                            std::span<const Tensor> inputs, std::span<const ir::Type> results,
                            const KernelCall& call);

/// Operands of each member of a group.
using ByRank = std::span<const Tensors>;

/// The members whose results are used on this rank: all of them, or some.
struct UsedResults {
  const std::vector<bool>* by_rank = nullptr;
  bool has(std::size_t rank) const { return by_rank == nullptr || (*by_rank)[rank]; }
};

/// Folds operand by operand over all ranks: acc = x_0, then acc = reducer(acc, x_r). `captured` are
/// the outer values of the reducer.
Result<Tensors> fold_ranks(const Fold& fold, ByRank by_rank, ThreadPool* pool,
                           std::span<const Tensor> captured = {});

/// Folds one operand of all ranks with a loop for its elements. Requires: operands of one type.
Result<Tensor> fold_ranks(FoldLoop loop, ByRank by_rank, std::size_t operand, ThreadPool* pool);

/// By rank r: block r along `dim` of the folded operands; std::nullopt if it is not
/// wanted. Requires: the fold has loops, the number of ranks divides the dim.
Result<std::vector<Tensors>> fold_blocks(const Fold& fold, ByRank by_rank, std::size_t dim,
                                         ThreadPool* pool, UsedResults wanted);

/// One folded element: its source and its target.
struct ScatterWrite {
  int64_t target;
  int64_t source;
};

/// Returns the elements at these positions, one after the other.
Result<Tensor> take(const std::byte* from, ir::ElementType element,
                    std::span<const int64_t> places);

/// Applies a region to one write after the other, many at once if their targets differ: each run of
/// writes with different targets is one call on lanes.
class ScatterWriteBatches {
 public:
  /// Maps the values at `targets` and `sources` to the new values of the targets.
  using Apply = std::function<Result<Tensors>(std::span<const int64_t> targets,
                                              std::span<const int64_t> sources)>;
  static constexpr int64_t kMaxLanes = 4096;

  /// `targets` are the buffers that are written; all have one shape.
  ScatterWriteBatches(std::vector<TensorWriter>& targets, Apply apply);

  Status add(ScatterWrite write);
  /// Applies the remaining writes.
  Status finish();

 private:
  std::vector<TensorWriter>& targets_;
  Apply apply_;
  std::vector<int64_t> waiting_targets_;
  std::vector<int64_t> waiting_sources_;
  std::vector<uint32_t> batch_of_;  // per target element: the batch it was last in
  uint32_t batch_ = 1;
};

}  // namespace shardy::simulation
