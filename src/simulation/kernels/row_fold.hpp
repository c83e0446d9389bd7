// Folds of many rows, each into an element of its own.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>

#include "simulation/kernels/extreme_fold.hpp"
#include "simulation/kernels/fold_forms.hpp"
#include "simulation/register_square.hpp"
#include "simulation/stream.hpp"
#include "simulation/unroll.hpp"

namespace shardy::simulation::detail {

/// Ops on whole vectors of elements.
template <class Op, class T>
concept FoldsVectors = std::floating_point<T> && requires(T x) {
  Op::combine(x, x);
};

/// Rows go together, a cache line of each at a time, turned in registers: one step of all of them
/// is contiguous then, and no sum waits for the one before.
template <class Op, class T, std::size_t kRegisterBytes>
struct RowFoldBody {
  [[gnu::always_inline]] static void run(std::byte* acc, const FoldRows& rows) {
    auto* totals = reinterpret_cast<T*>(acc);
    Rows part = {reinterpret_cast<const T*>(rows.x), rows.row_size, rows.row_step};
    if constexpr (FindsExtreme<Op, T>) {
      if (part.size >= kLongRow) return find_extremes(totals, part, rows.num_rows);
    }
    int64_t row = 0;
    for (; row + kRows <= rows.num_rows; row += kRows) {
      if constexpr (FoldsVectors<Op, T>) {
        fold_registers(totals + row, part);
      } else {
        fold_tiles(totals + row, part);
      }
      part.x += kRows * part.step;
    }
    for (; row < rows.num_rows; ++row) {
      T total = totals[row];
      for (int64_t column = 0; column < part.size; ++column) {
        total = Op::apply(total, part.x[column]);
      }
      totals[row] = total;
      part.x += part.step;
    }
  }

 private:
  static constexpr auto kStep = static_cast<std::ptrdiff_t>(sizeof(T));
  static constexpr auto kSide = static_cast<int64_t>(Square<sizeof(T)>::kSide);
  static constexpr int64_t kRows = 16;
  static constexpr int64_t kColumns = kLineBytes / kStep;
  using Totals = std::array<T, static_cast<std::size_t>(kRows)>;
  /// Elements of a row that pay for putting vectors together at its end.
  static constexpr int64_t kLongRow = 128;

  struct Rows {
    const T* x;
    int64_t size;
    int64_t step;
  };

  [[gnu::always_inline]] static void find_extremes(T* acc, const Rows& rows, int64_t num_rows) {
    for (int64_t row = 0; row < num_rows; ++row) {
      acc[row] = ExtremeFold<Op, T, kRegisterBytes>::fold_all(acc[row], rows.x + row * rows.step,
                                                              rows.size);
    }
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

  /// The columns from `column` on.
  [[gnu::always_inline]] static void fold_rest(Totals& totals, const Rows& rows, int64_t column) {
    for (; column < rows.size; ++column) {
      Totals step;
      for (std::size_t row = 0; row < totals.size(); ++row) {
        step[row] = rows.x[static_cast<int64_t>(row) * rows.step + column];
      }
      add(totals, step);
    }
  }

  // ---- Vectors -------------------------------------------------------------------------------

  static constexpr std::size_t kLanes = kRegisterBytes / sizeof(T);
  static constexpr std::size_t kGroups = static_cast<std::size_t>(kRows) / kLanes;
  using Vector = typename FloatVector<std::conditional_t<std::floating_point<T>, T, float>,
                                      kRegisterBytes>::type;

  /// Lines that one group of rows is ahead of the next: where rows are a power of 2 of bytes apart,
  /// a near cache does not hold the same line of all of them.
  static constexpr int64_t kLead = 8;

  [[gnu::always_inline]] static void fold_registers(T* acc, const Rows& rows) {
    std::array<Vector, kGroups> sums;
    SHARDY_UNROLL
    for (std::size_t group = 0; group < kGroups; ++group) {
      std::memcpy(&sums[group], acc + group * kLanes, kRegisterBytes);
    }
    const int64_t num_lines = rows.size / kColumns;
    const int64_t lead = std::min(kLead, num_lines);
    for (int64_t next = 0; next < num_lines + lead * (int64_t{kGroups} - 1); ++next) {
      SHARDY_UNROLL
      for (std::size_t group = 0; group < kGroups; ++group) {
        const int64_t line = next - static_cast<int64_t>(group) * lead;
        if (line >= 0 && line < num_lines) add_line(sums[group], rows, group, line);
      }
    }
    Totals totals;
    std::memcpy(totals.data(), sums.data(), sizeof(totals));
    fold_rest(totals, rows, num_lines * kColumns);
    std::copy_n(totals.begin(), totals.size(), acc);
  }

  [[gnu::always_inline]] static void add_line(Vector& sums, const Rows& rows, std::size_t group,
                                              int64_t line) {
    const T* from = rows.x + static_cast<int64_t>(group * kLanes) * rows.step + line * kColumns;
    for (int64_t column = 0; column < kColumns; column += kSide) {
      add_square(sums, from + column, rows.step);
    }
  }

  /// Some columns of as many rows as there are lanes.
  [[gnu::always_inline]] static void add_square(Vector& sums, const T* from, int64_t row_step) {
    Square<sizeof(T), kRegisterBytes> square;
    Square<sizeof(T), kRegisterBytes> turned;
    load_column(square, reinterpret_cast<const std::byte*>(from), row_step * kStep);
    turn(square, turned);
    SHARDY_UNROLL
    for (const auto& line : turned.lines) Op::combine(sums, reinterpret_cast<Vector>(line));
  }

  // ---- Elements ------------------------------------------------------------------------------

  using Tile = std::array<Totals, static_cast<std::size_t>(kColumns)>;

  [[gnu::always_inline]] static void fold_tiles(T* acc, const Rows& rows) {
    Totals totals;
    std::copy_n(acc, totals.size(), totals.begin());
    Tile tile;
    int64_t column = 0;
    for (; column + kColumns <= rows.size; column += kColumns) {
      turn_tile(rows.x + column, rows.step, tile);
      for (const Totals& step : tile) add(totals, step);
    }
    fold_rest(totals, rows, column);
    std::copy_n(totals.begin(), totals.size(), acc);
  }

  /// Column c of the rows into line c of the tile.
  [[gnu::always_inline]] static void turn_tile(const T* rows, int64_t row_step, Tile& tile) {
    const auto* from = reinterpret_cast<const std::byte*>(rows);
    auto* to = reinterpret_cast<std::byte*>(tile.data());
    for (int64_t row = 0; row < kRows; row += kSide) {
      for (int64_t column = 0; column < kColumns; column += kSide) {
        turn_square<sizeof(T)>(from + (row * row_step + column) * kStep, row_step * kStep,
                               to + (column * kRows + row) * kStep, kRows * kStep);
      }
    }
  }
};

}  // namespace shardy::simulation::detail
