// Blocks below each other: rows of the result grow from left to right, in the caches.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "simulation/plane_copy.hpp"
#include "simulation/register_square.hpp"
#include "simulation/stream.hpp"
#include "simulation/unroll.hpp"

namespace shardy::simulation::detail {

inline constexpr int64_t kWays = 8;  // lines of a near cache in each of its sets
inline constexpr int64_t kColumnsAtOnce = 64;

/// Whether so many of these lines of a block, `step` bytes apart, share a set of a near cache that
/// they and the lines next to them push one another out.
inline bool crowds_cache(std::ptrdiff_t step, int64_t num_lines) {
  constexpr std::size_t kNumSets = 64;
  std::array<int8_t, kNumSets> lines_of_set{};
  for (int64_t line = 0; line < std::min(num_lines, kColumnsAtOnce); ++line) {
    const auto bytes = static_cast<std::size_t>(line) * static_cast<std::size_t>(step);
    if (++lines_of_set[bytes / kLineBytes % kNumSets] > kWays / 2) return true;
  }
  return false;
}

/// Columns are contiguous in `from`, rows in `to`. Some columns at a time, all along: of what is
/// written, a line that is not yet full is still in the near cache when the next block goes on.
template <std::size_t kBytes, std::size_t kRegisterBytes>
class StripedBlocks {
 public:
  static constexpr auto kSide = static_cast<int64_t>(Square<kBytes>::kSide);
  static constexpr auto kRegisterLanes = static_cast<int64_t>(kRegisterBytes / kBytes);

  /// What a plane needs at least: the lines of a square, and of as many as a register has.
  static bool fits(const Plane& plane) {
    return plane.row.size >= kSide && plane.column.size >= kRegisterLanes;
  }

  /// Requires: fits.
  [[gnu::always_inline]] static void run(const std::byte* from, std::byte* to, const Plane& plane) {
    StripedBlocks blocks(from, to, plane);
    for (int64_t column = 0; column < plane.column.size; column += kColumns) {
      for (int64_t row = 0; row < plane.row.size; row += kRows) {
        blocks.run_block(blocks.block_at(row, column));
      }
    }
  }

 private:
  using Squares = Square<kBytes, kRegisterBytes>;
  static constexpr auto kStep = static_cast<std::ptrdiff_t>(kBytes);
  static constexpr std::ptrdiff_t kLine = 4 * kLineBytes;  // of a column of a block
  static constexpr int64_t kRows = kLine / kStep;
  static constexpr int64_t kColumns = kColumnsAtOnce;
  /// An odd number of lines, which all sets of a cache share.
  static constexpr std::ptrdiff_t kPitch = kLine + kLineBytes;

  struct Block {
    int64_t row;
    int64_t num_rows;
    int64_t column;
    int64_t num_columns;
  };

  /// Where turned columns go.
  struct Target {
    std::byte* first;
    std::ptrdiff_t step;
  };

  StripedBlocks(const std::byte* from, std::byte* to, const Plane& plane)
      : plane_(plane),
        from_(from),
        to_(to),
        is_tall_(plane.row.size >= kRegisterLanes &&
                 (kRegisterLanes <= kWays || !crowds_cache(plane.row.from_step, plane.row.size))),
        crowds_(crowds_cache(plane.column.to_step, plane.column.size)) {}

  /// The last ones begin before the end of those before them, if they were too small.
  Block block_at(int64_t row, int64_t column) const {
    const int64_t first_row = std::min(row, plane_.row.size - (is_tall_ ? kRegisterLanes : kSide));
    const int64_t first_column =
        std::min(column, plane_.column.size - (is_tall_ ? kSide : kRegisterLanes));
    return {first_row, std::min(kRows, plane_.row.size - first_row), first_column,
            std::min(kColumns, plane_.column.size - first_column)};
  }

  [[gnu::always_inline]] void run_block(const Block& block) {
    const Target result = {to_ + block.column * plane_.column.to_step + block.row * kStep,
                           plane_.column.to_step};
    const Target scratch = {scratch_.data(), kPitch};
    turn_block(block, crowds_ ? scratch : result);
    if (crowds_) write(block, result);
  }

  [[gnu::always_inline]] void turn_block(const Block& block, const Target& to) const {
    const std::byte* from = from_ + block.row * plane_.row.from_step + block.column * kStep;
    const int64_t row_step = is_tall_ ? kRegisterLanes : kSide;
    const int64_t column_step = is_tall_ ? kSide : kRegisterLanes;
    for (int64_t next_row = 0; next_row < block.num_rows; next_row += row_step) {
      const int64_t row = std::min(next_row, block.num_rows - row_step);  // some twice
      for (int64_t next = 0; next < block.num_columns; next += column_step) {
        const int64_t column = std::min(next, block.num_columns - column_step);
        turn_squares(from + row * plane_.row.from_step + column * kStep,
                     to.first + column * to.step + row * kStep, to.step);
      }
    }
  }

  /// As many as a register holds: below each other, so that whole registers are written, or side by
  /// side, so that less rows are read at once.
  [[gnu::always_inline]] void turn_squares(const std::byte* from, std::byte* to,
                                           std::ptrdiff_t to_step) const {
    if (!is_tall_) {
      return turn_square<kBytes, kRegisterBytes>(from, plane_.row.from_step, to, to_step);
    }
    Squares square;
    Squares turned;
    load_column(square, from, plane_.row.from_step);
    turn(square, turned);
    store_registers(turned, to, to_step);
  }

  [[gnu::always_inline]] void write(const Block& block, const Target& to) const {
    const std::ptrdiff_t bytes = block.num_rows * kStep;
    for (int64_t at = 0; at < block.num_columns; ++at) {
      const std::byte* line = scratch_.data() + at * kPitch;
      std::byte* place = to.first + at * to.step;
      if (bytes == kLine) {
        copy_line(line, place);
      } else {
        std::memcpy(place, line, static_cast<std::size_t>(bytes));
      }
    }
  }

  [[gnu::always_inline]] static void copy_line(const std::byte* from, std::byte* to) {
    SHARDY_UNROLL
    for (std::ptrdiff_t at = 0; at < kLine; at += static_cast<std::ptrdiff_t>(kRegisterBytes)) {
      typename Register<kBytes, kRegisterBytes>::type vector;
      std::memcpy(&vector, from + at, kRegisterBytes);
      std::memcpy(to + at, &vector, kRegisterBytes);
    }
  }

  const Plane& plane_;
  const std::byte* from_;
  std::byte* to_;
  bool is_tall_;
  bool crowds_;
  alignas(kLineBytes) std::array<std::byte, static_cast<std::size_t>(kColumns* kPitch)> scratch_;
};

}  // namespace shardy::simulation::detail
