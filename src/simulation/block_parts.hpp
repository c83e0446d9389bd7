// Blocks of a plane, turned part by part.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "simulation/plane_copy.hpp"
#include "simulation/register_square.hpp"
#include "simulation/stream.hpp"

namespace shardy::simulation::detail {

/// Rows of the result, of `row_bytes`, are whole lines of the cache.
inline bool writes_lines(const std::byte* to, const Plane& plane, std::ptrdiff_t row_bytes) {
  return past_line(to) == 0 && row_bytes % kLineBytes == 0 &&
         plane.column.to_step % kLineBytes == 0;
}

/// Two cache lines of each of its columns, at least one of each of its rows.
template <std::size_t kBytes>
struct BlockShape {
  static constexpr auto kStep = static_cast<std::ptrdiff_t>(kBytes);
  static constexpr std::ptrdiff_t kLineOfColumn = 2 * kLineBytes;
  static constexpr int64_t kRows = kLineOfColumn / kStep;
  static constexpr int64_t kColumns = std::max<int64_t>(32, kLineBytes / kStep);
  /// Columns of the plane whose bands find room in a near cache.
  static constexpr int64_t kStripeColumns = 2048;

  /// Whether blocks of that size, some of which overlap, cover the plane.
  static bool fits(const Plane& plane) {
    return plane.row.size >= kRows && plane.column.size >= kColumns;
  }
};

/// Parts are as many rows of a block as a square has, and a piece of each of its columns. Side by
/// side, the squares of a part are groups of whole registers: what the registers of a group hold is
/// sorted out when it is written.
template <std::size_t kBytes, std::size_t kRegisterBytes>
struct BlockParts {
  using Shape = BlockShape<kBytes>;
  using Vector = typename Register<kBytes, kRegisterBytes>::type;
  static constexpr auto kStep = Shape::kStep;
  static constexpr auto kPiece = static_cast<std::ptrdiff_t>(kSquareBytes);
  static constexpr auto kRegister = static_cast<std::ptrdiff_t>(kRegisterBytes);
  static constexpr int64_t kSide = kPiece / kStep;
  static constexpr int64_t kParts = Shape::kLineOfColumn / kPiece;
  static constexpr int64_t kGroups = Shape::kColumns * kStep / kRegister;
  static constexpr int64_t kGroupColumns = kRegister / kStep;
  static constexpr std::ptrdiff_t kGroupBytes = kSide * kRegister;
  static constexpr std::ptrdiff_t kPartBytes = kGroups * kGroupBytes;

  /// Parts below each other, `row_step` bytes from row to row.
  [[gnu::always_inline]] static void turn(const std::byte* from, std::ptrdiff_t row_step,
                                          std::byte* to, int64_t num_parts) {
    for (int64_t part = 0; part < num_parts; ++part) {
      for (int64_t group = 0; group < kGroups; ++group) {
        turn_registers<kBytes, kRegisterBytes>(from + group * kRegister, row_step, to);
        to += kGroupBytes;
      }
      from += kSide * row_step;
    }
  }

  /// Where the piece of a column is in a part.
  [[gnu::always_inline]] static std::ptrdiff_t piece_of(int64_t column) {
    const int64_t group = column / kGroupColumns;
    const int64_t square = column % kGroupColumns / kSide;
    return group * kGroupBytes + square * kPiece + column % kSide * kRegister;
  }
};

}  // namespace shardy::simulation::detail
