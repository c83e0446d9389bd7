// Blocks whose turned rows are no whole lines of the cache, written past it all the same.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "simulation/streamed_blocks.hpp"

namespace shardy::simulation::detail {

/// Like StreamedBlocks; what does not fill a cache line waits where the next band of rows is put
/// behind it.
template <std::size_t kBytes, std::size_t kRegisterBytes>
class CarriedBlocks {
 public:
  [[gnu::always_inline]] static void run(const std::byte* from, std::byte* to, const Plane& plane) {
    CarriedBlocks blocks(from, to, plane);
    for (int64_t column = 0; column < plane.column.size; column += kStripeColumns) {
      blocks.run_stripe(column, std::min(column + kStripeColumns, plane.column.size));
    }
    blocks.write_waiting();
  }

 private:
  using Shape = BlockShape<kBytes>;
  static constexpr auto kStep = Shape::kStep;
  static constexpr std::ptrdiff_t kLine = Shape::kLineOfColumn;
  static constexpr auto kSide = static_cast<int64_t>(Square<kBytes>::kSide);
  static constexpr auto kRegisterRows = static_cast<int64_t>(kRegisterBytes / kBytes);
  /// Columns whose lines find room in the nearest cache.
  static constexpr int64_t kStripeColumns = 2 * Shape::kColumns;
  /// A line of a column, and before it what waits.
  static constexpr std::ptrdiff_t kPitch = kLineBytes + kLine;

  struct Block {
    int64_t row = 0;
    int64_t num_rows = 0;  // 0: no block
    int64_t column = 0;
    std::byte* lines = nullptr;
  };

  CarriedBlocks(const std::byte* from, std::byte* to, const Plane& plane)
      : plane_(plane), from_(from), to_(to) {}

  [[gnu::always_inline]] void run_stripe(int64_t begin, int64_t end) {
    for (int64_t row = 0; row < plane_.row.size; row += Shape::kRows) {
      const int64_t behind = row + Shape::kRows;
      ahead_ = RowsAhead(from_ + behind * plane_.row.from_step + begin * kStep,
                         std::min(Shape::kRows, plane_.row.size - behind), plane_.row.from_step,
                         (end - begin) * kStep);
      for (int64_t at = begin; at < end; at += Shape::kColumns) {
        run_block({row, std::min(Shape::kRows, plane_.row.size - row),
                   std::min(at, plane_.column.size - Shape::kColumns),
                   lines_.data() + (at - begin) * kPitch + kLineBytes});
      }
    }
  }

  /// What was stored a moment ago, and is read from another byte on, is waited for: a block is
  /// written when the next one is turned.
  [[gnu::always_inline]] void run_block(const Block& block) {
    if (waiting_.lines == block.lines) write_waiting();
    turn(block);
    write_waiting();
    waiting_ = block;
  }

  /// The last squares repeat rows: those before a band are what waits there.
  [[gnu::always_inline]] void turn(const Block& block) {
    for (int64_t next = 0; next < block.num_rows; next += kRegisterRows) {
      const int64_t row = std::min(next, block.num_rows - kRegisterRows);
      const std::byte* from =
          from_ + (block.row + row) * plane_.row.from_step + block.column * kStep;
      std::byte* to = block.lines + row * kStep;
      for (int64_t column = 0; column < Shape::kColumns; column += kSide) {
        turn_column<kBytes, kRegisterBytes>(from + column * kStep, plane_.row.from_step,
                                            to + column * kPitch, kPitch);
      }
    }
  }

  [[gnu::always_inline]] void write_waiting() {
    const Block block = waiting_;
    waiting_ = {};
    if (block.num_rows == 0) return;
    const bool is_last = block.row + block.num_rows == plane_.row.size;
    std::byte* to = to_ + block.column * plane_.column.to_step + block.row * kStep;
    if (block.row == 0 || is_last) return write_ends(block, to, is_last);
    std::byte* line = block.lines;
    RowsAhead ahead = ahead_;
    for (int64_t at = 0; at < Shape::kColumns; ++at) {
      const std::ptrdiff_t past = past_line(to);
      stream_line(line - past, to - past);
      std::memcpy(line - kLineBytes, line + kLine - kLineBytes, kLineBytes);
      line += kPitch;
      to += plane_.column.to_step;
      ahead.fetch(kLine / kLineBytes);
    }
    ahead_ = ahead;
  }

  [[gnu::always_inline]] static void stream_line(const std::byte* line, std::byte* to) {
    SHARDY_UNROLL
    for (std::size_t at = 0; at < static_cast<std::size_t>(kLine); at += kRegisterBytes) {
      typename Register<kBytes, kRegisterBytes>::type part;
      std::memcpy(&part, line + at, kRegisterBytes);
      stream_register(part, to + at);
    }
  }

  /// The first and the last lines of rows, parts of which are written as usual.
  [[gnu::always_inline]] void write_ends(const Block& block, std::byte* to, bool is_last) {
    const std::ptrdiff_t bytes = block.num_rows * kStep;
    std::byte* line = block.lines;
    for (int64_t at = 0; at < Shape::kColumns; ++at) {
      const std::ptrdiff_t past = block.row == 0 ? 0 : past_line(to);
      const std::ptrdiff_t gap = (kLineBytes - past_line(to)) % kLineBytes;
      const std::ptrdiff_t head = block.row == 0 ? std::min(gap, bytes) : 0;
      const std::ptrdiff_t whole = (past + bytes - head) / kLineBytes * kLineBytes;
      const std::ptrdiff_t done = head + whole - past;
      copy_few(line, to, head);
      stream_bytes(line - past + head, to - past + head, whole);
      if (is_last) copy_few(line + done, to + done, bytes - done);
      std::memcpy(line - kLineBytes, line + kLine - kLineBytes, kLineBytes);
      line += kPitch;
      to += plane_.column.to_step;
    }
    ahead_.fetch(Shape::kColumns * (kLine / kLineBytes));
  }

  /// Less than two cache lines.
  [[gnu::always_inline]] static void copy_few(const std::byte* from, std::byte* to,
                                              std::ptrdiff_t bytes) {
    std::ptrdiff_t at = 0;
    for (; at + 16 <= bytes; at += 16) std::memcpy(to + at, from + at, 16);
    for (; at + kStep <= bytes; at += kStep) std::memcpy(to + at, from + at, kBytes);
  }

  const Plane& plane_;
  const std::byte* from_;
  std::byte* to_;
  Block waiting_;  // to be written
  RowsAhead ahead_;
  alignas(
      kLineBytes) std::array<std::byte, static_cast<std::size_t>(kStripeColumns* kPitch)> lines_;
};

}  // namespace shardy::simulation::detail
