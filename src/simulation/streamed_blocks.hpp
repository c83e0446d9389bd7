// Blocks whose turned rows are whole lines of the cache, written past it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "simulation/plane_copy.hpp"
#include "simulation/register_square.hpp"
#include "simulation/rows_ahead.hpp"
#include "simulation/stream.hpp"

namespace shardy::simulation::detail {

/// Two cache lines of each of its columns, at least one of each of its rows.
template <std::size_t kBytes>
struct BlockShape {
  static constexpr auto kStep = static_cast<std::ptrdiff_t>(kBytes);
  static constexpr std::ptrdiff_t kLineOfColumn = 2 * kLineBytes;
  static constexpr int64_t kRows = kLineOfColumn / kStep;
  static constexpr int64_t kColumns = std::max<int64_t>(32, kLineBytes / kStep);

  /// Whether blocks of that size, some of which overlap, cover the plane.
  static bool fits(const Plane& plane) {
    return plane.row.size >= kRows && plane.column.size >= kColumns;
  }
};

/// Columns are contiguous in `from`, rows in `to`. The last blocks repeat rows and columns rather
/// than being smaller. Few stores for each line: they wait for those that went past the caches
/// before, and the less of them wait, the more is read and turned meanwhile.
template <std::size_t kBytes, std::size_t kRegisterBytes>
class StreamedBlocks {
 public:
  [[gnu::always_inline]] static void run(const std::byte* from, std::byte* to, const Plane& plane) {
    StreamedBlocks blocks(from, to, plane);
    for (int64_t column = 0; column < plane.column.size; column += kStripeColumns) {
      blocks.run_stripe(column, std::min(column + kStripeColumns, plane.column.size));
    }
  }

 private:
  using Shape = BlockShape<kBytes>;
  static constexpr auto kStep = Shape::kStep;
  /// Columns whose bands find room in a near cache.
  static constexpr int64_t kStripeColumns = 2048;
  /// Squares below each other are parts of the scratch; side by side, they are groups of a part,
  /// of whole registers: what the registers of a group hold is sorted out when it is written.
  static constexpr auto kPiece = static_cast<std::ptrdiff_t>(kSquareBytes);
  static constexpr auto kRegister = static_cast<std::ptrdiff_t>(kRegisterBytes);
  static constexpr int64_t kSide = kPiece / kStep;
  static constexpr int64_t kParts = Shape::kLineOfColumn / kPiece;
  static constexpr int64_t kGroups = Shape::kColumns * kStep / kRegister;
  static constexpr std::ptrdiff_t kGroupBytes = kSide * kRegister;
  static constexpr std::ptrdiff_t kPartBytes = kGroups * kGroupBytes;

  StreamedBlocks(const std::byte* from, std::byte* to, const Plane& plane)
      : plane_(plane), from_(from), to_(to) {}

  [[gnu::always_inline]] void run_stripe(int64_t begin, int64_t end) {
    for (int64_t next = 0; next < plane_.row.size; next += Shape::kRows) {
      const int64_t row = std::min(next, plane_.row.size - Shape::kRows);
      const int64_t behind = row + Shape::kRows;
      ahead_ = RowsAhead(from_ + behind * plane_.row.from_step + begin * kStep,
                         std::min(Shape::kRows, plane_.row.size - behind), plane_.row.from_step,
                         (end - begin) * kStep);
      for (int64_t at = begin; at < end; at += Shape::kColumns) {
        const int64_t column = std::min(at, plane_.column.size - Shape::kColumns);
        turn(from_ + row * plane_.row.from_step + column * kStep);
        write(to_ + column * plane_.column.to_step + row * kStep);
      }
    }
  }

  [[gnu::always_inline]] void turn(const std::byte* from) {
    std::byte* to = scratch_.data();
    for (int64_t part = 0; part < kParts; ++part) {
      for (int64_t group = 0; group < kGroups; ++group) {
        turn_registers<kBytes, kRegisterBytes>(from + group * kRegister, plane_.row.from_step, to);
        to += kGroupBytes;
      }
      from += kSide * plane_.row.from_step;
    }
  }

  [[gnu::always_inline]] void write(std::byte* to) {
    RowsAhead ahead = ahead_;
    for (int64_t group = 0; group < kGroups; ++group) {
      for (std::ptrdiff_t half = 0; half < kRegister; half += kPiece) {
        const std::byte* pieces = scratch_.data() + group * kGroupBytes + half;
        for (int64_t line = 0; line < kSide; ++line) {
          stream_pieces(pieces, to);
          pieces += kRegister;
          to += plane_.column.to_step;
          ahead.fetch(Shape::kLineOfColumn / kLineBytes);
        }
      }
    }
    ahead_ = ahead;
  }

  /// One of each part.
  [[gnu::always_inline]] static void stream_pieces(const std::byte* pieces, std::byte* to) {
    SHARDY_UNROLL
    for (int64_t part = 0; part < kParts; part += kRegister / kPiece) {
      typename Register<kBytes, kRegisterBytes>::type line;
      load_joined<kBytes>(line, pieces + part * kPartBytes, kPartBytes);
      stream_register(line, to + part * kPiece);
    }
  }

  const Plane& plane_;
  const std::byte* from_;
  std::byte* to_;
  RowsAhead ahead_;
  alignas(kLineBytes) std::array<std::byte, static_cast<std::size_t>(kParts* kPartBytes)> scratch_;
};

}  // namespace shardy::simulation::detail
