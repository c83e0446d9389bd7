// Planes that are contiguous along one loop where they are read and along the other where they are
// written: blocks of them, turned in registers.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "simulation/carried_blocks.hpp"
#include "simulation/pipelined_blocks.hpp"
#include "simulation/plane_copy.hpp"
#include "simulation/register_square.hpp"
#include "simulation/stream.hpp"
#include "simulation/streamed_blocks.hpp"

namespace shardy::simulation::detail {

/// Columns are contiguous in `from`, rows in `to`. Band by band of rows: what is read then lies
/// together.
template <std::size_t kBytes, std::size_t kRegisterBytes>
class TurnedBlocks {
 public:
  /// What a plane needs at least: the lines of a square, and of as many as a register has.
  static constexpr auto kSide = static_cast<int64_t>(Square<kBytes>::kSide);
  static constexpr auto kRegisterColumns = static_cast<int64_t>(kRegisterBytes / kBytes);

  [[gnu::always_inline]] static void run(const std::byte* from, std::byte* to, const Plane& plane) {
    if (!plane.streams) return TurnedBlocks(from, to, plane).run_bands();
    const bool lines = writes_lines(to, plane, plane.row.size * kStep);
    if (lines && Lines::fits(plane)) return Lines::run(from, to, plane);
    if (Carried::fits(plane) && Carried::run(from, to, plane)) return;
    TurnedBlocks(from, to, plane).run_bands();
  }

 private:
  using Shape = BlockShape<kBytes>;
  using Carried = CarriedBlocks<kBytes, kRegisterBytes>;
  /// What is faster on the machines that have such registers.
  using Lines = std::conditional_t < kBytes <= 4 &&
                kRegisterBytes<64, PipelinedBlocks<kBytes, kRegisterBytes>,
                               StreamedBlocks<kBytes, kRegisterBytes>>;
  static constexpr auto kStep = Shape::kStep;
  static constexpr std::ptrdiff_t kLine = Shape::kLineOfColumn;
  /// Before a line of the scratch there is room for rows that come before a block.
  static constexpr std::ptrdiff_t kPitch = kLineBytes + kLine;

  struct Block {
    int64_t row;
    int64_t num_rows;
    int64_t column;
    int64_t num_columns;
  };

  TurnedBlocks(const std::byte* from, std::byte* to, const Plane& plane)
      : plane_(plane), from_(from), to_(to) {}

  [[gnu::always_inline]] void run_bands() {
    const int64_t num_columns = std::min(Shape::kColumns, plane_.column.size);
    for (int64_t row = 0; row < plane_.row.size; row += Shape::kRows) {
      const int64_t num_rows = std::min(Shape::kRows, plane_.row.size - row);
      for (int64_t column = 0; column < plane_.column.size; column += Shape::kColumns) {
        // The last block repeats columns rather than being narrow.
        const Block block = {row, num_rows, std::min(column, plane_.column.size - num_columns),
                             num_columns};
        turn(block);
        write(block);
      }
    }
  }

  /// Into the scratch, where each column is a line. The last squares repeat rows and columns: those
  /// before a block are not written.
  [[gnu::always_inline]] void turn(const Block& block) {
    for (int64_t next_row = 0; next_row < block.num_rows; next_row += kSide) {
      const int64_t row = std::min(next_row, block.num_rows - kSide);
      const std::byte* from =
          from_ + (block.row + row) * plane_.row.from_step + block.column * kStep;
      std::byte* to = scratch_.data() + kLineBytes + row * kStep;
      for (int64_t next = 0; next < block.num_columns; next += kRegisterColumns) {
        const int64_t column = std::min(next, block.num_columns - kRegisterColumns);
        turn_square<kBytes, kRegisterBytes>(from + column * kStep, plane_.row.from_step,
                                            to + column * kPitch, kPitch);
      }
    }
  }

  [[gnu::always_inline]] void write(const Block& block) {
    const std::ptrdiff_t bytes = block.num_rows * kStep;
    const std::byte* line = scratch_.data() + kLineBytes;
    std::byte* to = to_ + block.column * plane_.column.to_step + block.row * kStep;
    for (int64_t at = 0; at < block.num_columns; ++at) {
      if (bytes == kLine) {
        std::memcpy(to, line, kLine);  // of a size that is known
      } else {
        std::memcpy(to, line, static_cast<std::size_t>(bytes));
      }
      line += kPitch;
      to += plane_.column.to_step;
    }
  }

  const Plane& plane_;
  const std::byte* from_;
  std::byte* to_;
  alignas(
      kLineBytes) std::array<std::byte, static_cast<std::size_t>(Shape::kColumns* kPitch)> scratch_;
};

}  // namespace shardy::simulation::detail
