// Blocks that a second cache holds: while one is turned, the one before is written past the caches.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "simulation/block_parts.hpp"
#include "simulation/register_square.hpp"
#include "simulation/stream.hpp"
#include "simulation/unroll.hpp"

namespace shardy::simulation::detail {

/// Columns are contiguous in `from`, rows in `to`. Some lines of each column go together, so that
/// memory is written in pieces that pay, and the writes go between the turns of the next block, so
/// that neither waits for the other. What the block after that reads is asked for meanwhile.
template <std::size_t kBytes, std::size_t kRegisterBytes>
class PipelinedBlocks {
 public:
  static bool fits(const Plane& plane) {
    return plane.row.size >= kRows / 2 && plane.column.size >= kTileColumns;
  }

  /// Requires: fits, writes_lines.
  [[gnu::always_inline]] static void run(const std::byte* from, std::byte* to, const Plane& plane) {
    PipelinedBlocks blocks(from, to, plane);
    for (int64_t row = 0; row < plane.row.size; row += kRows) {
      for (int64_t column = 0; column < plane.column.size; column += kColumns) {
        blocks.run_block(blocks.block_at(row, column));
      }
    }
    while (blocks.turned_.num_columns > 0) blocks.write_column(blocks.turned_);
  }

 private:
  using Vector = typename Register<kBytes, kRegisterBytes>::type;
  static constexpr auto kStep = static_cast<std::ptrdiff_t>(kBytes);
  static constexpr auto kRegister = static_cast<std::ptrdiff_t>(kRegisterBytes);
  static constexpr std::ptrdiff_t kLine = 4 * kLineBytes;  // of a column of a block
  static constexpr int64_t kRows = kLine / kStep;
  static constexpr int64_t kColumns = 64;
  static constexpr auto kTileRows = static_cast<int64_t>(Square<kBytes>::kSide);
  static constexpr int64_t kTileColumns = kRegister / kStep;
  /// An odd number of lines, which all sets of a cache share.
  static constexpr std::ptrdiff_t kPitch = kLine + kLineBytes;
  using Scratch = std::array<std::byte, static_cast<std::size_t>(kColumns* kPitch)>;

  struct Block {
    int64_t row = 0;
    int64_t num_rows = 0;
    int64_t column = 0;
    int64_t num_columns = 0;
  };

  /// A block that is turned and not yet written, but for its first columns.
  struct Turned {
    const std::byte* from = nullptr;
    std::byte* to = nullptr;
    std::ptrdiff_t bytes = 0;
    int64_t num_columns = 0;
  };

  PipelinedBlocks(const std::byte* from, std::byte* to, const Plane& plane)
      : plane_(plane), from_(from), to_(to) {}

  /// The last one of a band begins before the end of the one before it, if it were too narrow.
  Block block_at(int64_t row, int64_t column) const {
    const int64_t first = std::min(column, plane_.column.size - kTileColumns);
    return {row, std::min(kRows, plane_.row.size - row), first,
            std::min(kColumns, plane_.column.size - first)};
  }

  /// The block on the right, or the first of the next band. Beyond the plane it is empty.
  Block block_after(const Block& block) const {
    const int64_t right = block.column + kColumns;
    return right < plane_.column.size ? block_at(block.row, right) : block_at(block.row + kRows, 0);
  }

  [[gnu::always_inline]] void run_block(const Block& block) {
    const Block after = block_after(block);
    Turned before = turned_;  // in registers
    std::byte* scratch = scratches_[next_].data();
    const int64_t tiles_in_row = (block.num_columns + kTileColumns - 1) / kTileColumns;
    const int64_t num_tiles = block.num_rows / kTileRows * tiles_in_row;
    int64_t due = 0;  // columns of the block before, times tiles; behind the last tile all are
    for (int64_t row = 0; row < block.num_rows; row += kTileRows) {
      for (int64_t next = 0; next < block.num_columns; next += kTileColumns) {
        const int64_t column = std::min(next, block.num_columns - kTileColumns);  // some twice
        ask_for_tile(after, row, column);
        turn_square<kBytes, kRegisterBytes>(place_of(block, row, column), plane_.row.from_step,
                                            scratch + column * kPitch + row * kStep, kPitch);
        for (due += kColumns; due >= num_tiles; due -= num_tiles) write_column(before);
      }
    }
    turned_ = {scratch, to_ + block.column * plane_.column.to_step + block.row * kStep,
               block.num_rows * kStep, block.num_columns};
    next_ = 1 - next_;
  }

  [[gnu::always_inline]] const std::byte* place_of(const Block& block, int64_t row,
                                                   int64_t column) const {
    return from_ + (block.row + row) * plane_.row.from_step + (block.column + column) * kStep;
  }

  /// For the second cache: the first holds little more than what is turned.
  [[gnu::always_inline]] void ask_for_tile(const Block& block, int64_t row, int64_t column) const {
    if (column * kStep % kLineBytes >= kRegister) return;  // the tile before did
    if (row + kTileRows > block.num_rows || column >= block.num_columns) return;
    const std::byte* place = place_of(block, row, column);
    SHARDY_UNROLL
    for (int64_t line = 0; line < kTileRows; ++line) {
      constexpr int kSecondCache = 2;
      __builtin_prefetch(place + line * plane_.row.from_step, 0, kSecondCache);
    }
  }

  [[gnu::always_inline]] void write_column(Turned& block) const {
    if (block.num_columns == 0) return;
    if (block.bytes == kLine) {
      stream_piece<kLine>(block.from, block.to);
    } else {
      for (std::ptrdiff_t at = 0; at < block.bytes; at += kLineBytes) {
        stream_piece<kLineBytes>(block.from + at, block.to + at);
      }
    }
    block.from += kPitch;
    block.to += plane_.column.to_step;
    --block.num_columns;
  }

  template <std::ptrdiff_t kPieceBytes>
  [[gnu::always_inline]] static void stream_piece(const std::byte* from, std::byte* to) {
    SHARDY_UNROLL
    for (std::ptrdiff_t at = 0; at < kPieceBytes; at += kRegister) {
      Vector vector;
      std::memcpy(&vector, from + at, kRegisterBytes);
      stream_register(vector, to + at);
    }
  }

  const Plane& plane_;
  const std::byte* from_;
  std::byte* to_;
  Turned turned_;
  std::size_t next_ = 0;
  alignas(kLineBytes) std::array<Scratch, 2> scratches_;
};

}  // namespace shardy::simulation::detail
