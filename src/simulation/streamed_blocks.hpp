// Blocks whose turned rows are whole lines of the cache, written past it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "simulation/block_parts.hpp"
#include "simulation/rows_ahead.hpp"

namespace shardy::simulation::detail {

/// Columns are contiguous in `from`, rows in `to`. The last blocks repeat rows and columns rather
/// than being smaller. Few stores for each line: they wait for those that went past the caches
/// before, and the less of them wait, the more is read and turned meanwhile.
template <std::size_t kBytes, std::size_t kRegisterBytes>
class StreamedBlocks {
 public:
  static bool fits(const Plane& plane) { return Shape::fits(plane); }

  [[gnu::always_inline]] static void run(const std::byte* from, std::byte* to, const Plane& plane) {
    StreamedBlocks blocks(from, to, plane);
    for (int64_t column = 0; column < plane.column.size; column += kStripeColumns) {
      blocks.run_stripe(column, std::min(column + kStripeColumns, plane.column.size));
    }
  }

 private:
  using Shape = BlockShape<kBytes>;
  using Parts = BlockParts<kBytes, kRegisterBytes>;
  static constexpr auto kStep = Shape::kStep;
  static constexpr int64_t kStripeColumns = Shape::kStripeColumns;

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
        Parts::turn(from_ + row * plane_.row.from_step + column * kStep, plane_.row.from_step,
                    scratch_.data(), Parts::kParts);
        write(to_ + column * plane_.column.to_step + row * kStep);
      }
    }
  }

  [[gnu::always_inline]] void write(std::byte* to) {
    RowsAhead ahead = ahead_;
    for (int64_t column = 0; column < Shape::kColumns; ++column) {
      stream_pieces(scratch_.data() + Parts::piece_of(column), to);
      to += plane_.column.to_step;
      ahead.fetch(Shape::kLineOfColumn / kLineBytes);
    }
    ahead_ = ahead;
  }

  /// One of each part.
  [[gnu::always_inline]] static void stream_pieces(const std::byte* pieces, std::byte* to) {
    SHARDY_UNROLL
    for (int64_t part = 0; part < Parts::kParts; part += Parts::kRegister / Parts::kPiece) {
      typename Parts::Vector line;
      load_lines<kBytes>(line, SpacedLines{pieces + part * Parts::kPartBytes, Parts::kPartBytes});
      stream_register(line, to + part * Parts::kPiece);
    }
  }

  const Plane& plane_;
  const std::byte* from_;
  std::byte* to_;
  RowsAhead ahead_;
  alignas(kLineBytes)
      std::array<std::byte, static_cast<std::size_t>(Parts::kParts* Parts::kPartBytes)> scratch_;
};

}  // namespace shardy::simulation::detail
