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
#include "simulation/register_square.hpp"
#include "simulation/stream.hpp"
#include "simulation/unroll.hpp"

namespace shardy::simulation {

/// `acc := op(acc, x)`: element by element, or all x into one accumulator.
using FoldLoop = void (*)(std::byte* acc, const std::byte* x, std::size_t count, bool into_one);
/// `acc[row] := op(acc[row], x[row][0])`, then with x[row][1], ...; rows are contiguous.
using RowFoldLoop = void (*)(std::byte* acc, const std::byte* x, int64_t num_rows,
                             int64_t row_size);

}  // namespace shardy::simulation

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
  [[gnu::always_inline]] static void run(std::byte* acc, const std::byte* x, int64_t num_rows,
                                         int64_t row_size) {
    auto* totals = reinterpret_cast<T*>(acc);
    const auto* rows = reinterpret_cast<const T*>(x);
    if constexpr (FindsExtreme<Op, T>) {
      if (row_size >= kLongRow) return find_extremes(totals, rows, num_rows, row_size);
    }
    int64_t row = 0;
    for (; row + kRows <= num_rows; row += kRows) {
      if constexpr (FoldsVectors<Op, T>) {
        fold_registers(totals + row, rows + row * row_size, row_size);
      } else {
        fold_tiles(totals + row, rows + row * row_size, row_size);
      }
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
  static constexpr auto kStep = static_cast<std::ptrdiff_t>(sizeof(T));
  static constexpr auto kSide = static_cast<int64_t>(Square<sizeof(T)>::kSide);
  static constexpr int64_t kRows = 16;
  static constexpr int64_t kColumns = kLineBytes / kStep;
  using Totals = std::array<T, static_cast<std::size_t>(kRows)>;
  /// Elements of a row that pay for putting vectors together at its end.
  static constexpr int64_t kLongRow = 128;

  [[gnu::always_inline]] static void find_extremes(T* acc, const T* rows, int64_t num_rows,
                                                   int64_t row_size) {
    for (int64_t row = 0; row < num_rows; ++row) {
      acc[row] =
          ExtremeFold<Op, T, kRegisterBytes>::fold_all(acc[row], rows + row * row_size, row_size);
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
  [[gnu::always_inline]] static void fold_rest(Totals& totals, const T* rows, int64_t column,
                                               int64_t row_size) {
    for (; column < row_size; ++column) {
      Totals step;
      for (std::size_t row = 0; row < totals.size(); ++row) {
        step[row] = rows[static_cast<int64_t>(row) * row_size + column];
      }
      add(totals, step);
    }
  }

  // ---- Vectors -------------------------------------------------------------------------------

  static constexpr std::size_t kLanes = kRegisterBytes / sizeof(T);
  static constexpr std::size_t kGroups = std::tuple_size_v<Totals> / kLanes;
  using Vector = typename FloatVector<std::conditional_t<std::floating_point<T>, T, float>,
                                      kRegisterBytes>::type;

  [[gnu::always_inline]] static void fold_registers(T* acc, const T* rows, int64_t row_size) {
    std::array<Vector, kGroups> sums;
    SHARDY_UNROLL
    for (std::size_t group = 0; group < kGroups; ++group) {
      std::memcpy(&sums[group], acc + group * kLanes, kRegisterBytes);
    }
    int64_t column = 0;
    for (; column + kColumns <= row_size; column += kColumns) {
      SHARDY_UNROLL
      for (std::size_t group = 0; group < kGroups; ++group) {
        const T* from = rows + static_cast<int64_t>(group * kLanes) * row_size + column;
        for (int64_t next = 0; next < kColumns; next += kSide) {
          add_square(sums[group], from + next, row_size);
        }
      }
    }
    Totals totals;
    std::memcpy(totals.data(), sums.data(), sizeof(totals));
    fold_rest(totals, rows, column, row_size);
    std::copy_n(totals.begin(), totals.size(), acc);
  }

  /// Some columns of as many rows as there are lanes.
  [[gnu::always_inline]] static void add_square(Vector& sums, const T* from, int64_t row_size) {
    Square<sizeof(T), kRegisterBytes> square;
    Square<sizeof(T), kRegisterBytes> turned;
    load_column(square, reinterpret_cast<const std::byte*>(from), row_size * kStep);
    turn(square, turned);
    SHARDY_UNROLL
    for (const auto& line : turned.lines) Op::combine(sums, reinterpret_cast<Vector>(line));
  }

  // ---- Elements ------------------------------------------------------------------------------

  using Tile = std::array<Totals, static_cast<std::size_t>(kColumns)>;

  [[gnu::always_inline]] static void fold_tiles(T* acc, const T* rows, int64_t row_size) {
    Totals totals;
    std::copy_n(acc, totals.size(), totals.begin());
    Tile tile;
    int64_t column = 0;
    for (; column + kColumns <= row_size; column += kColumns) {
      turn_tile(rows + column, row_size, tile);
      for (const Totals& step : tile) add(totals, step);
    }
    fold_rest(totals, rows, column, row_size);
    std::copy_n(totals.begin(), totals.size(), acc);
  }

  /// Column c of the rows into line c of the tile.
  [[gnu::always_inline]] static void turn_tile(const T* rows, int64_t row_size, Tile& tile) {
    const auto* from = reinterpret_cast<const std::byte*>(rows);
    auto* to = reinterpret_cast<std::byte*>(tile.data());
    for (int64_t row = 0; row < kRows; row += kSide) {
      for (int64_t column = 0; column < kColumns; column += kSide) {
        turn_square<sizeof(T)>(from + (row * row_size + column) * kStep, row_size * kStep,
                               to + (column * kRows + row) * kStep, kRows * kStep);
      }
    }
  }
};

}  // namespace shardy::simulation::detail
