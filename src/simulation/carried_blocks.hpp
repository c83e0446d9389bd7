// Blocks whose turned rows are no whole lines of the cache, written past it all the same.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "simulation/block_parts.hpp"
#include "simulation/rows_ahead.hpp"

namespace shardy::simulation::detail {

/// Like StreamedBlocks; the last line of each column of a band waits for the next band, since lines
/// of the result begin there. It stays where it was turned: each store more would cost time. They
/// may begin at any lane of a piece: registers are shifted. A line in which one row of the result
/// ends and the next one begins is written whole, too.
template <std::size_t kBytes, std::size_t kRegisterBytes>
class CarriedBlocks {
 public:
  static bool fits(const Plane& plane) {
    return plane.row.size >= kTailRows && plane.column.size >= Shape::kColumns;
  }

  /// Requires: fits. False, and nothing is written, if there is no memory for what waits.
  [[gnu::always_inline]] static bool run(const std::byte* from, std::byte* to, const Plane& plane) {
    CarriedBlocks blocks(from, to, plane);
    if (!blocks.reserve()) return false;
    for (int64_t column = 0; column < plane.column.size; column += kStripeColumns) {
      blocks.run_stripe(column, std::min(column + kStripeColumns, plane.column.size));
    }
    return true;
  }

 private:
  using Shape = BlockShape<kBytes>;
  using Parts = BlockParts<kBytes, kRegisterBytes>;
  using Vector = typename Parts::Vector;
  static constexpr auto kStep = Shape::kStep;
  static constexpr auto kPiece = Parts::kPiece;
  static constexpr int64_t kStripeColumns = Shape::kStripeColumns;
  /// The last of a block, which wait.
  static constexpr int64_t kWaitingParts = kLineBytes / kPiece;
  static constexpr int64_t kWaitingRows = kWaitingParts * Parts::kSide;
  static constexpr std::ptrdiff_t kWaitingBytes = kWaitingParts * Parts::kPartBytes;
  /// Behind the last whole band less than a line waits and less than a block of rows is left.
  static constexpr int64_t kTailParts = Parts::kParts + kWaitingParts;
  static constexpr int64_t kTailRows = kTailParts * Parts::kSide;
  static constexpr std::ptrdiff_t kTailBytes = kTailParts * kPiece;

  /// What waits of the last band, and what is turned of this one.
  using Pieces = std::array<const std::byte*, static_cast<std::size_t>(kTailParts)>;

  struct PiecesOfColumn {
    const std::byte* const* parts;
    std::ptrdiff_t place;  // in each of them

    [[gnu::always_inline]] const std::byte* operator[](std::size_t at) const {
      return parts[at] + place;
    }
  };

  /// Behind the whole bands there is one of the rows that are left.
  struct Block {
    int64_t band = 0;
    int64_t column = 0;
    std::byte* before = nullptr;   // what waits of the last band
    std::byte* waiting = nullptr;  // what will wait of this one
  };

  CarriedBlocks(const std::byte* from, std::byte* to, const Plane& plane)
      : plane_(plane),
        from_(from),
        to_(to),
        row_bytes_(plane.row.size * kStep),
        num_bands_(plane.row.size / Shape::kRows),
        first_left_((kTailBytes - (row_bytes_ - num_bands_ * Shape::kLineOfColumn) - kLineBytes) /
                    kPiece),
        joins_rows_(plane.column.to_step == row_bytes_ && plane.row.from_step > 0) {}

  bool reserve() {
    const int64_t columns = std::min(kStripeColumns, plane_.column.size);
    const int64_t num_blocks = (columns + Shape::kColumns - 1) / Shape::kColumns;
    band_bytes_ = num_blocks * kWaitingBytes;
    const std::ptrdiff_t bytes = 2 * band_bytes_ + kWaitingBytes;  // the last is only asked for
    auto space = static_cast<std::size_t>(bytes + kLineBytes);
    memory_.reset(new (std::nothrow) std::byte[space]);
    if (memory_ == nullptr) return false;
    void* place = memory_.get();
    waiting_ = static_cast<std::byte*>(
        std::align(kLineBytes, static_cast<std::size_t>(bytes), place, space));
    return true;
  }

  [[gnu::always_inline]] void run_stripe(int64_t begin, int64_t end) {
    for (int64_t band = 0; band <= num_bands_; ++band) {
      const int64_t next = (band + 1) * Shape::kRows;
      ahead_ = RowsAhead(place_in(next, begin), std::min(Shape::kRows, plane_.row.size - next),
                         plane_.row.from_step, (end - begin) * kStep);
      std::byte* before = waiting_ + (1 - band % 2) * band_bytes_;
      std::byte* waiting = waiting_ + band % 2 * band_bytes_;
      for (int64_t column = begin; column < end; column += Shape::kColumns) {
        const int64_t first = std::min(column, plane_.column.size - Shape::kColumns);
        run_block({band, first, before, waiting});
        before += kWaitingBytes;
        waiting += kWaitingBytes;
      }
    }
  }

  [[gnu::always_inline]] void run_block(const Block& block) {
    Pieces pieces;
    if (block.band == num_bands_) {
      turn(plane_.row.size - kTailRows + first_left_ * Parts::kSide, block.column, scratch_.data(),
           kTailParts - first_left_);
      place_pieces(pieces, first_left_, scratch_.data(), kTailParts - first_left_);
    } else {
      turn_band(block, pieces);
    }
    ask_for_next(block);
    write(pieces, block);
  }

  /// Where the parts of the next block will wait: before stores go past the caches, for stores that
  /// miss the nearest one would wait behind those. Also what takes the place of what waits.
  [[gnu::always_inline]] void ask_for_next(const Block& block) const {
    for (std::ptrdiff_t at = kWaitingBytes; at < 2 * kWaitingBytes; at += kLineBytes) {
      __builtin_prefetch(block.waiting + at, 1);
    }
    if (block.band > 0 || !joins_rows_) return;
    const std::byte* row =
        place_in(plane_.row.size - kWaitingRows, block.column + Shape::kColumns - 1);
    for (int64_t at = 0; at < kWaitingRows; ++at) {
      __builtin_prefetch(row);
      row += plane_.row.from_step;
    }
  }

  /// In the first band the end of the row of the result before each row takes the place of what
  /// waits.
  [[gnu::always_inline]] void turn_band(const Block& block, Pieces& pieces) {
    constexpr int64_t kAtOnce = Parts::kParts - kWaitingParts;
    const int64_t row = block.band * Shape::kRows;
    if (block.band == 0 && joins_rows_) {
      turn(plane_.row.size - kWaitingRows, block.column - 1, block.before, kWaitingParts);
    }
    turn(row, block.column, scratch_.data(), kAtOnce);
    turn(row + kAtOnce * Parts::kSide, block.column, block.waiting, kWaitingParts);
    place_pieces(pieces, 0, block.before, kWaitingParts);
    place_pieces(pieces, kWaitingParts, scratch_.data(), kAtOnce);
    place_pieces(pieces, kWaitingParts + kAtOnce, block.waiting, kWaitingParts);
  }

  [[gnu::always_inline]] void turn(int64_t row, int64_t column, std::byte* to, int64_t num_parts) {
    Parts::turn(place_in(row, column), plane_.row.from_step, to, num_parts);
  }

  [[gnu::always_inline]] static void place_pieces(Pieces& pieces, int64_t first,
                                                  const std::byte* parts, int64_t num_parts) {
    for (int64_t part = 0; part < num_parts; ++part) {
      pieces[static_cast<std::size_t>(first + part)] = parts + part * Parts::kPartBytes;
    }
  }

  [[gnu::always_inline]] void write(const Pieces& pieces, const Block& block) {
    const bool is_begin = block.band == 0 && !(joins_rows_ && block.column > 0);
    const bool is_end = block.band == num_bands_;
    RowsAhead ahead = ahead_;
    std::byte* to = row_of(block.column) + block.band * Shape::kLineOfColumn;
    for (int64_t column = 0; column < Shape::kColumns; ++column) {
      if (is_begin || is_end) {
        write_end(pieces, block, column);
      } else {
        const std::ptrdiff_t past = past_line(to);
        stream_lines<2>(pieces, column, kLineBytes - past, to - past);
      }
      to += plane_.column.to_step;
      ahead.fetch(Shape::kLineOfColumn / kLineBytes);
    }
    ahead_ = ahead;
  }

  /// Where a row of the result begins or ends; parts of lines are written as usual.
  [[gnu::always_inline]] void write_end(const Pieces& pieces, const Block& block, int64_t at) {
    const int64_t column = block.column + at;
    const bool is_tail = block.band == num_bands_;
    const std::ptrdiff_t first_piece = is_tail ? row_bytes_ - kTailBytes : -kLineBytes;
    std::byte* row = row_of(column);
    std::ptrdiff_t done = block.band * Shape::kLineOfColumn - past_line(row);
    const std::ptrdiff_t end = is_tail ? row_bytes_ : done + Shape::kLineOfColumn;
    if (done < 0 && !(joins_rows_ && column > 0)) {
      done += kLineBytes;
      copy_few(place_in(0, column), row, done);
    }
    for (; end - done >= kLineBytes; done += kLineBytes) {
      stream_lines<1>(pieces, at, done - first_piece, row + done);
    }
    if (!(joins_rows_ && column + 1 < plane_.column.size)) {
      copy_few(place_in(done / kStep, column), row + done, end - done);
    }
  }

  /// Lines of a column that begin `skipped` bytes behind its first piece.
  template <int64_t kNumLines>
  [[gnu::always_inline]] static void stream_lines(const Pieces& pieces, int64_t column,
                                                  std::ptrdiff_t skipped, std::byte* to) {
    const std::ptrdiff_t next = (skipped + kPiece - 1) / kPiece;
    const auto shift = static_cast<int>((next * kPiece - skipped) / kStep);
    pick_shift<kNumLines * kLineBytes / kPiece>(
        &pieces[static_cast<std::size_t>(next - 1)], Parts::piece_of(column), shift, to,
        std::make_integer_sequence<int, static_cast<int>(Parts::kSide)>());
  }

  /// The pieces behind the first one, and so many lanes of that before them.
  template <int64_t kNumParts, int... kShifts>
  [[gnu::always_inline]] static void pick_shift(const std::byte* const* pieces,
                                                std::ptrdiff_t place, int shift, std::byte* to,
                                                std::integer_sequence<int, kShifts...> /*all*/) {
    static_cast<void>(
        ((shift == kShifts && (stream_shifted<kNumParts, kShifts>(pieces, place, to), true)) ||
         ...));
  }

  template <int64_t kNumParts, int kShift>
  [[gnu::always_inline]] static void stream_shifted(const std::byte* const* pieces,
                                                    std::ptrdiff_t place, std::byte* to) {
    SHARDY_UNROLL
    for (int64_t part = 0; part < kNumParts; part += Parts::kRegister / kPiece) {
      Vector line;
      load_lines<kBytes>(line, PiecesOfColumn{pieces + part + 1, place});
      if constexpr (kShift > 0) {
        Vector upper;
        load_lines<kBytes>(upper, PiecesOfColumn{pieces + part, place});
        move_up<kShift>(upper, line);
      }
      stream_register(line, to + part * kPiece);
    }
  }

  /// Less than a line of a column, as usual.
  [[gnu::always_inline]] void copy_few(const std::byte* from, std::byte* to,
                                       std::ptrdiff_t bytes) const {
    for (std::ptrdiff_t at = 0; at < bytes; at += kStep) {
      std::memcpy(to + at, from, kBytes);
      from += plane_.row.from_step;
    }
  }

  [[nodiscard]] const std::byte* place_in(int64_t row, int64_t column) const {
    return from_ + row * plane_.row.from_step + column * kStep;
  }

  [[nodiscard]] std::byte* row_of(int64_t column) const {
    return to_ + column * plane_.column.to_step;
  }

  const Plane& plane_;
  const std::byte* from_;
  std::byte* to_;
  std::ptrdiff_t row_bytes_;  // of the result
  int64_t num_bands_;         // of whole blocks
  int64_t first_left_;        // of the last parts: the first one not written by whole bands
  bool joins_rows_;           // where one ends the next one begins
  RowsAhead ahead_;
  std::unique_ptr<std::byte[]> memory_;
  std::byte* waiting_ = nullptr;  // of two bands, in turns
  std::ptrdiff_t band_bytes_ = 0;
  alignas(kLineBytes)
      std::array<std::byte, static_cast<std::size_t>(kTailParts* Parts::kPartBytes)> scratch_;
};

}  // namespace shardy::simulation::detail
