// Loops that fold elements into accumulators, one per op and element type.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "simulation/kernels/elementwise.hpp"
#include "simulation/kernels/fold.hpp"

namespace shardy::simulation {

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
