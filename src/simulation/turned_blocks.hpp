// Planes that are contiguous along one loop where they are read and along the other where they are
// written: blocks of them, turned in registers.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "simulation/plane_copy.hpp"
#include "simulation/register_square.hpp"
#include "simulation/stream.hpp"

namespace shardy::simulation::detail {

/// Asks for the cache lines of neighbouring rows, one after the other, a few at a time.
class RowsAhead {
 public:
  RowsAhead() = default;
  RowsAhead(const std::byte* first, int64_t num_rows, std::ptrdiff_t row_step,
            std::ptrdiff_t row_bytes)
      : row_(first), num_rows_(num_rows), row_step_(row_step), row_bytes_(row_bytes) {}

  [[gnu::always_inline]] void fetch(int64_t num_lines) {
    for (; num_lines > 0 && num_rows_ > 0; --num_lines) {
      __builtin_prefetch(row_ + at_);
      at_ += kLineBytes;
      if (at_ < row_bytes_) continue;
      at_ = 0;
      row_ += row_step_;
      --num_rows_;
    }
  }

 private:
  const std::byte* row_ = nullptr;
  std::ptrdiff_t at_ = 0;
  int64_t num_rows_ = 0;
  std::ptrdiff_t row_step_ = 0;
  std::ptrdiff_t row_bytes_ = 0;
};

/// Columns are contiguous in `from`, rows in `to`. Band by band of rows: what is read then lies
/// together. While a block is turned, the one before is written and the next band is asked for, so
/// that none of the three waits for another.
template <std::size_t kBytes, std::size_t kRegisterBytes>
class TurnedBlocks {
 public:
  /// What a plane needs at least: the lines of a square, and of as many as a register has.
  static constexpr auto kSide = static_cast<int64_t>(Square<kBytes>::kSide);
  static constexpr auto kRegisterColumns = static_cast<int64_t>(kRegisterBytes / kBytes);

  [[gnu::always_inline]] static void run(const std::byte* from, std::byte* to, const Plane& plane) {
    TurnedBlocks blocks(from, to, plane);
    // Columns whose bands find room in a near cache.
    const int64_t step = blocks.carries_ ? kCarriedColumns : kStripeColumns;
    for (int64_t column = 0; column < plane.column.size; column += step) {
      blocks.run_stripe(column, std::min(column + step, plane.column.size));
    }
    blocks.write_lines(0, blocks.waiting_.num_columns);
  }

 private:
  static constexpr auto kStep = static_cast<std::ptrdiff_t>(kBytes);
  /// A block: two cache lines of each row of `to`, at least one of each column of `from`.
  static constexpr std::ptrdiff_t kBlockBytes = 2 * kLineBytes;
  static constexpr int64_t kRows = kBlockBytes / kStep;
  static constexpr int64_t kColumns = std::max<int64_t>(32, kLineBytes / kStep);
  static constexpr int64_t kStripeColumns = 2048;
  static constexpr int64_t kCarriedColumns = 512;
  /// Before a line of the scratch there is room for what did not fill a cache line of `to` before.
  static constexpr std::ptrdiff_t kPitch = kLineBytes + kBlockBytes;
  using Scratch = std::array<std::byte, static_cast<std::size_t>(kColumns* kPitch)>;

  /// What is in a scratch: `num_rows` elements of each of `num_columns` rows of `to`.
  struct Block {
    int64_t row = 0;
    int64_t num_rows = 0;
    int64_t column = 0;
    int64_t num_columns = 0;
    int64_t place = 0;  // of the first column in its stripe
  };

  TurnedBlocks(const std::byte* from, std::byte* to, const Plane& plane)
      : plane_(plane),
        from_(from),
        to_(to),
        carries_(plane.streams && (past_line(to) != 0 || plane.column.to_step % kLineBytes != 0)) {}

  [[gnu::always_inline]] void run_stripe(int64_t begin, int64_t end) {
    const int64_t num_columns = std::min(kColumns, plane_.column.size);
    for (int64_t row = 0; row < plane_.row.size; row += kRows) {
      const int64_t behind = row + kRows;
      if (plane_.streams) {
        ahead_ = RowsAhead(from_ + behind * plane_.row.from_step + begin * kStep,
                           std::min(kRows, plane_.row.size - behind), plane_.row.from_step,
                           (end - begin) * kStep);
      }
      for (int64_t column = begin; column < end; column += kColumns) {
        // The last block repeats columns rather than being narrow.
        const Block block = {row, std::min(kRows, plane_.row.size - row),
                             std::min(column, plane_.column.size - num_columns), num_columns,
                             column - begin};
        turn(block, scratches_[1 - waits_in_].data());
        waiting_ = block;
        waits_in_ = 1 - waits_in_;
      }
    }
  }

  /// Into the scratch, where each column is a line, and writes the block that waits. The last
  /// squares repeat rows and columns: those before a band are what waits there or is not written.
  [[gnu::always_inline]] void turn(const Block& block, std::byte* scratch) {
    const std::ptrdiff_t from_step = plane_.row.from_step;
    const int64_t num_parts = (block.num_rows + kSide - 1) / kSide;
    for (int64_t part = 0; part < num_parts; ++part) {
      const int64_t row = std::min(part * kSide, block.num_rows - kSide);
      const std::byte* from = from_ + (block.row + row) * from_step + block.column * kStep;
      std::byte* to = scratch + kLineBytes + row * kStep;
      for (int64_t next = 0; next < block.num_columns; next += kRegisterColumns) {
        const int64_t column = std::min(next, block.num_columns - kRegisterColumns);
        turn_square<kBytes, kRegisterBytes>(from + column * kStep, from_step, to + column * kPitch,
                                            kPitch);
      }
      write_lines(part * waiting_.num_columns / num_parts,
                  (part + 1) * waiting_.num_columns / num_parts);
    }
  }

  /// Of the block that waits.
  [[gnu::always_inline]] void write_lines(int64_t begin, int64_t end) {
    const std::ptrdiff_t bytes = waiting_.num_rows * kStep;
    if (!plane_.streams) {
      copy_lines(begin, end, bytes);
    } else if (carries_ || bytes < kBlockBytes) {
      stream_parts(begin, end, bytes);
    } else {
      stream_lines(begin, end);
    }
  }

  std::byte* line_at(int64_t at) { return scratches_[waits_in_].data() + at * kPitch + kLineBytes; }
  std::byte* target_at(int64_t at) const {
    return to_ + (waiting_.column + at) * plane_.column.to_step + waiting_.row * kStep;
  }

  [[gnu::always_inline]] void copy_lines(int64_t begin, int64_t end, std::ptrdiff_t bytes) {
    for (int64_t at = begin; at < end; ++at) {
      std::memcpy(target_at(at), line_at(at), static_cast<std::size_t>(bytes));
    }
  }

  /// All of them whole cache lines.
  [[gnu::always_inline]] void stream_lines(int64_t begin, int64_t end) {
    const std::byte* line = line_at(begin);
    std::byte* to = target_at(begin);
    const std::ptrdiff_t to_step = plane_.column.to_step;
    RowsAhead ahead = ahead_;
    for (int64_t at = begin; at < end; ++at) {
      stream_bytes(line, to, kBlockBytes);
      line += kPitch;
      to += to_step;
      ahead.fetch(kBlockBytes / kLineBytes);
    }
    ahead_ = ahead;
  }

  /// The whole cache lines among them; what is left of a line waits for the next band. At both
  /// ends of the rows it is written as usual.
  [[gnu::always_inline]] void stream_parts(int64_t begin, int64_t end, std::ptrdiff_t bytes) {
    const bool is_first = waiting_.row == 0;
    const bool is_last = waiting_.row + waiting_.num_rows == plane_.row.size;
    for (int64_t at = begin; at < end; ++at) {
      std::byte* line = line_at(at);
      std::byte* carried = carried_.data() + (waiting_.place + at) * kLineBytes;
      std::byte* to = target_at(at);
      const std::ptrdiff_t past = past_line(to);
      if (carries_ && !is_first) std::memcpy(line - kLineBytes, carried, kLineBytes);
      if (carries_ && !is_last) std::memcpy(carried, line + kBlockBytes - kLineBytes, kLineBytes);
      if (is_first || is_last) {
        stream_end(line, to, bytes, {is_first ? 0 : past, is_first, is_last});
      } else {
        stream_bytes(line - past, to - past, kBlockBytes);
      }
    }
    ahead_.fetch((end - begin) * (kBlockBytes / kLineBytes));
  }

  struct RowEnd {
    std::ptrdiff_t before;  // bytes that wait before the line
    bool is_first;
    bool is_last;
  };

  [[gnu::always_inline]] static void stream_end(const std::byte* line, std::byte* to,
                                                std::ptrdiff_t bytes, const RowEnd& end) {
    const std::ptrdiff_t gap = (kLineBytes - past_line(to)) % kLineBytes;
    const std::ptrdiff_t head = end.is_first ? std::min(gap, bytes) : 0;
    const std::ptrdiff_t whole = (end.before + bytes - head) / kLineBytes * kLineBytes;
    const std::ptrdiff_t done = head + whole - end.before;
    copy_few(line, to, head);
    stream_bytes(line - end.before + head, to - end.before + head, whole);
    if (end.is_last) copy_few(line + done, to + done, bytes - done);
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
  bool carries_;
  Block waiting_;  // to be written
  std::size_t waits_in_ = 0;
  RowsAhead ahead_;
  alignas(kLineBytes) std::array<Scratch, 2> scratches_;
  /// The last cache line of each column of a stripe.
  alignas(kLineBytes)
      std::array<std::byte, static_cast<std::size_t>(kCarriedColumns* kLineBytes)> carried_;
};

}  // namespace shardy::simulation::detail
