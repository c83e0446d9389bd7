// Folds of elements by a reducer region, for many lanes at once: over dims, at positions of a
// buffer (scatter and select_and_scatter), or over the operands of a group in rank order. Spec:
// stablehlo 24.1, 24.3, 25.3, partitioning 5.8, 11.4.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "shardy/simulation/run.hpp"
#include "shardy/simulation/tensor.hpp"
#include "shardy/support/result.hpp"
#include "simulation/kernels/elementwise.hpp"
#include "simulation/kernels/lane_function.hpp"
#include "simulation/strided_copy.hpp"
#include "simulation/thread_pool.hpp"

namespace shardy::simulation {

/// Computes `acc := op(acc, x)`: element by element, or for all x into one accumulator.
using FoldLoop = void (*)(std::byte* acc, const std::byte* x, std::size_t count, bool into_one);

/// The rows of a matrix; `row_step` is the distance of two rows in elements.
struct FoldRows {
  const std::byte* x;
  int64_t num_rows;
  int64_t row_size;
  int64_t row_step;
};

/// Folds the rows or the columns of a matrix. A fold of rows has one accumulator per row. It sets
/// `acc[row] := op(acc[row], x[row][i])` for i = 0, 1, and so on. A fold of columns has one
/// accumulator per column. It sets `acc[i] := op(acc[i], x[row][i])` for row = 0, 1, and so on.
using RowsFoldLoop = void (*)(std::byte* acc, const FoldRows& rows);

/// The loops of an op. If the row loop is null, rows are folded one by one.
struct FoldLoops {
  FoldLoop one = nullptr;
  RowsFoldLoop rows = nullptr;
  RowsFoldLoop columns = nullptr;
};

/// Maps accumulators and operands, lane by lane: `acc := body(acc.., x..)`.
using LaneFold = std::function<Result<Tensors>(const Tensors& acc, const Tensors& x)>;

/// Returns the loop of a recognized reducer: add, multiply, maximum, minimum, and, or, xor. Null
/// for other ops and for element types on which the op is not defined.
FoldLoop pick_fold_loop(ir::OpKind kind, ir::ElementType type);

/// A reducer region that takes n accumulators and n elements, all of rank 0.
///
/// The ops of the body select one of three forms. If the result of each pair is a common op of the
/// pair, or one of its two values, loops run. If all ops are elementwise, each op runs once on all
/// lanes. Otherwise the body runs once per lane.
class Fold {
 public:
  /// Errors: a region of another form, ops without a kernel.
  static Result<Fold> make(const KernelRequest& request, std::size_t num_pairs,
                           std::size_t region = 0);

  /// Returns the element types of the accumulators. `elements` returns the types of the folded
  /// elements.
  std::span<const ir::ElementType> accumulators() const { return function_.results(); }
  std::span<const ir::ElementType> inputs() const {
    return function_.arguments().subspan(function_.results().size());
  }
  /// Returns the loops of each pair if each result combines only its own pair; empty otherwise.
  std::span<const FoldLoops> loops() const { return loops_; }
  /// Returns true if each result depends only on its own pair. A pair may then have more lanes than
  /// another, and unused lanes may contain any value.
  bool keeps_pairs_apart() const { return keeps_pairs_apart_; }
  /// Returns the fold of up to `max_lanes` lanes, which are tensors of shape [n].
  Result<LaneFold> lanes(int64_t max_lanes, std::span<const Tensor> captured) const;

 private:
  explicit Fold(LaneFunction function) : function_(std::move(function)) {}
  void pick_loops(const KernelRequest& request, std::size_t region);

  LaneFunction function_;
  std::vector<FoldLoops> loops_;
  bool keeps_pairs_apart_ = false;
};

/// Slices of a tensor, one per index of an index space. A slice has as many elements as the fold
/// has lanes.
struct FoldSlices {
  std::vector<int64_t> sizes;    // sizes of the index space
  std::vector<int64_t> strides;  // distance of two slices along each dim of the index space
  std::vector<CopyDim> lanes;    // copies from the tensor to a slice
};

/// Folds the slices of all inputs, in row-major order of the indices, into accumulators of the
/// given types. The call's operands are the inputs before conversion, the initial values and the
/// captured values of the reducer.
Result<Tensors> fold_slices(const Fold& fold, const FoldSlices& slices,
                            std::span<const Tensor> inputs, std::span<const ir::Type> results,
                            const KernelCall& call);

/// The operands of each member of a group.
using ByRank = std::span<const Tensors>;

/// The ranks whose results are used by this process: all, or a list.
struct UsedResults {
  const std::vector<bool>* by_rank = nullptr;
  bool has(std::size_t rank) const { return by_rank == nullptr || (*by_rank)[rank]; }
};

/// Folds operand by operand over all ranks: acc = x_0, then acc = reducer(acc, x_r). `captured` are
/// the outer values of the reducer.
Result<Tensors> fold_ranks(const Fold& fold, ByRank by_rank, ThreadPool* pool,
                           std::span<const Tensor> captured = {});

/// Folds one operand of all ranks by a loop. Requires: the operands have equal types.
Result<Tensor> fold_ranks(FoldLoop loop, ByRank by_rank, std::size_t operand, ThreadPool* pool);

/// Returns for each rank r block r along `dim` of the folded operands; std::nullopt if the block is
/// not used. Requires: the fold has loops, and the number of ranks divides the dim.
Result<std::vector<Tensors>> fold_blocks(const Fold& fold, ByRank by_rank, std::size_t dim,
                                         ThreadPool* pool, UsedResults wanted);

/// One folded element: indices of its source and its target.
struct ScatterWrite {
  int64_t target;
  int64_t source;
};

/// Returns a tensor of the elements at these positions, in this order.
Result<Tensor> take(const std::byte* from, ir::ElementType element,
                    std::span<const int64_t> places);

/// Applies a region to a sequence of writes. Consecutive writes with different targets become one
/// call with a lane per write.
class ScatterWriteBatches {
 public:
  /// Maps the values at `targets` and `sources` to the new values at `targets`.
  using Apply = std::function<Result<Tensors>(std::span<const int64_t> targets,
                                              std::span<const int64_t> sources)>;
  static constexpr int64_t kMaxLanes = 4096;

  /// `targets` are the written buffers; all have one shape.
  ScatterWriteBatches(std::vector<TensorWriter>& targets, Apply apply);

  Status add(ScatterWrite write);
  /// Applies the remaining writes.
  Status finish();

 private:
  std::vector<TensorWriter>& targets_;
  Apply apply_;
  std::vector<int64_t> waiting_targets_;
  std::vector<int64_t> waiting_sources_;
  std::vector<uint32_t> batch_of_;  // per target element: the last batch that wrote it
  uint32_t batch_ = 1;
};

/// An op with a static function `fold_all` that folds many elements of T into one.
template <class Op, class T>
concept FoldsAll = requires(T acc, const T* x) {
  Op::fold_all(acc, x, std::size_t{});
};

namespace detail {

template <class Op, class T>
void fold_into(std::byte* acc, const std::byte* from, std::size_t count, bool into_one) {
  auto* result = reinterpret_cast<T*>(acc);
  const auto* x = reinterpret_cast<const T*>(from);
  if (!into_one) return apply_to_all<Op, T>(result, x, result, count);
  if constexpr (FoldsAll<Op, T>) {
    *result = Op::fold_all(*result, x, count);
  } else {
    T total = *result;
    for (std::size_t at = 0; at < count; ++at) total = Op::apply(total, x[at]);
    *result = total;
  }
}

/// Number of columns whose accumulators fit the L1 cache.
inline constexpr int64_t kFoldColumns = 1024;

template <class Op, class T>
void fold_columns(std::byte* acc, const FoldRows& rows) {
  auto* result = reinterpret_cast<T*>(acc);
  const auto* x = reinterpret_cast<const T*>(rows.x);
  for (int64_t begin = 0; begin < rows.row_size; begin += kFoldColumns) {
    const int64_t end = std::min(begin + kFoldColumns, rows.row_size);
    for (int64_t row = 0; row < rows.num_rows; ++row) {
      const T* each = x + row * rows.row_step;
      apply_to_all<Op, T>(result + begin, each + begin, result + begin,
                          static_cast<std::size_t>(end - begin));
    }
  }
}

/// Folds some rows at a time, so that no sum waits for the one before.
template <class Op, class T>
void fold_rows(std::byte* acc, const FoldRows& rows) {
  constexpr int64_t kAtOnce = 8;
  auto* result = reinterpret_cast<T*>(acc);
  const auto* x = reinterpret_cast<const T*>(rows.x);
  int64_t row = 0;
  for (; row + kAtOnce <= rows.num_rows; row += kAtOnce) {
    std::array<T, static_cast<std::size_t>(kAtOnce)> totals;
    std::copy_n(result + row, kAtOnce, totals.begin());
    const T* first = x + row * rows.row_step;
    for (int64_t column = 0; column < rows.row_size; ++column) {
      for (std::size_t each = 0; each < totals.size(); ++each) {
        const T next = first[static_cast<int64_t>(each) * rows.row_step + column];
        totals[each] = Op::apply(totals[each], next);
      }
    }
    std::copy_n(totals.begin(), kAtOnce, result + row);
  }
  for (; row < rows.num_rows; ++row) {
    fold_into<Op, T>(reinterpret_cast<std::byte*>(result + row),
                     reinterpret_cast<const std::byte*>(x + row * rows.row_step),
                     static_cast<std::size_t>(rows.row_size), true);
  }
}

}  // namespace detail

/// Returns the loops of an op; empty if the op is not defined on the type. Only floats have loops
/// for rows: the order of other sums is free, so the compiler vectorizes the fold of a row.
template <class Op>
FoldLoops pick_folds(ir::ElementType type) {
  return with_element(type, []<class T>(Tag<T>) -> FoldLoops {
    FoldLoops loops;
    if constexpr (BinaryOn<Op, T>) {
      loops.one = &detail::fold_into<Op, T>;
      loops.columns = &detail::fold_columns<Op, T>;
      if constexpr (Float<T>) loops.rows = &detail::fold_rows<Op, T>;
    }
    return loops;
  });
}

}  // namespace shardy::simulation
