// Folds of many rows, each into an element of its own.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "simulation/kernels/elementwise.hpp"
#include "simulation/kernels/extreme_fold.hpp"
#include "simulation/register_square.hpp"

namespace shardy::simulation {

/// `acc[row] := op(acc[row], x[row][0])`, then with x[row][1], ...; rows are contiguous.
using RowFoldLoop = void (*)(std::byte* acc, const std::byte* x, int64_t num_rows,
                             int64_t row_size);

namespace detail {

/// Rows go together, a cache line of each at a time, turned in registers: one step of all of them
/// is contiguous then, and no sum waits for the one before.
template <class Op, class T>
struct RowFoldBody {
  static constexpr auto kSide = static_cast<int64_t>(Square<sizeof(T)>::kSide);
  static constexpr int64_t kRows = 16;
  static constexpr int64_t kColumns = 64 / static_cast<int64_t>(sizeof(T));
  using Totals = std::array<T, static_cast<std::size_t>(kRows)>;
  using Tile = std::array<Totals, static_cast<std::size_t>(kColumns)>;

  [[gnu::always_inline]] static void run(std::byte* acc, const std::byte* x, int64_t num_rows,
                                         int64_t row_size) {
    auto* totals = reinterpret_cast<T*>(acc);
    const auto* rows = reinterpret_cast<const T*>(x);
    if constexpr (FindsExtreme<Op, T>) {
      if (row_size >= kLongRow) return find_extremes(totals, rows, num_rows, row_size);
    }
    int64_t row = 0;
    for (; row + kRows <= num_rows; row += kRows) {
      fold_together(totals + row, rows + row * row_size, row_size);
    }
    for (; row < num_rows; ++row) {
      T total = totals[row];
      for (int64_t column = 0; column < row_size; ++column) {
        total = Op::apply(total, rows[row * row_size + column]);
      }
      totals[row] = total;
    }
  }

 private:
  /// Elements of a row that pay for putting vectors together at its end.
  static constexpr int64_t kLongRow = 128;

  [[gnu::always_inline]] static void find_extremes(T* acc, const T* rows, int64_t num_rows,
                                                   int64_t row_size) {
    for (int64_t row = 0; row < num_rows; ++row) {
      acc[row] = fold_extreme<Op>(acc[row], rows + row * row_size, row_size);
    }
  }

  [[gnu::always_inline]] static void fold_together(T* acc, const T* rows, int64_t row_size) {
    Totals totals;
    std::copy_n(acc, totals.size(), totals.begin());
    Tile tile;
    int64_t column = 0;
    for (; column + kColumns <= row_size; column += kColumns) {
      turn(rows + column, row_size, tile);
      for (const Totals& step : tile) add(totals, step);
    }
    for (; column < row_size; ++column) {
      for (std::size_t row = 0; row < totals.size(); ++row) {
        tile[0][row] = rows[static_cast<int64_t>(row) * row_size + column];
      }
      add(totals, tile[0]);
    }
    std::copy_n(totals.begin(), totals.size(), acc);
  }

  /// A loop until it is vector code: without it, conditions in the op would be branches.
  [[gnu::always_inline]] static void add(Totals& totals, const Totals& step) {
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC unroll 1
#endif
    for (std::size_t row = 0; row < totals.size(); ++row) {
      totals[row] = Op::apply(totals[row], step[row]);
    }
  }

  /// Column c of the rows into line c of the tile.
  [[gnu::always_inline]] static void turn(const T* rows, int64_t row_size, Tile& tile) {
    constexpr auto kBytes = static_cast<std::ptrdiff_t>(sizeof(T));
    const auto* from = reinterpret_cast<const std::byte*>(rows);
    auto* to = reinterpret_cast<std::byte*>(tile.data());
    for (int64_t row = 0; row < kRows; row += kSide) {
      for (int64_t column = 0; column < kColumns; column += kSide) {
        turn_square<sizeof(T)>(from + (row * row_size + column) * kBytes, row_size * kBytes,
                               to + (column * kRows + row) * kBytes, kRows * kBytes);
      }
    }
  }
};

}  // namespace detail

/// Null but for floats: the order of other sums is free, so that the compiler makes vector code of
/// the fold of a row.
template <class Op>
RowFoldLoop pick_row_fold(ir::ElementType type) {
  return with_element(type, []<class T>(Tag<T>) -> RowFoldLoop {
    if constexpr (Float<T> && BinaryOn<Op, T>) {
      return detail::pick_loop<Op, detail::RowFoldBody<Op, T>>();
    } else {
      return nullptr;
    }
  });
}

}  // namespace shardy::simulation
