#include "simulation/plane_copy.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "simulation/kernels/wide_code.hpp"
#include "simulation/register_square.hpp"
#include "simulation/stream.hpp"

namespace shardy::simulation {
namespace {

constexpr std::ptrdiff_t kLineBytes = 64;  // of a cache

/// Whole lines of the cache, row by row.
bool writes_lines(const std::byte* to, const Plane& plane, std::ptrdiff_t row_bytes) {
  const auto place = static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(to) %
                                                 static_cast<std::uintptr_t>(kLineBytes));
  return place == 0 && row_bytes % kLineBytes == 0 && plane.column.to_step % kLineBytes == 0;
}

/// Contiguous on both sides.
template <std::size_t kBytes>
void copy_whole_rows(const std::byte* from, std::byte* to, const Plane& plane) {
  const auto row_bytes = static_cast<std::ptrdiff_t>(kBytes) * plane.row.size;
  const bool streams = plane.streams && writes_lines(to, plane, row_bytes);
  for (int64_t at = 0; at < plane.column.size; ++at) {
    if (streams) {
      stream_bytes(from, to, row_bytes);
    } else {
      std::memcpy(to, from, static_cast<std::size_t>(row_bytes));
    }
    from += plane.column.from_step;
    to += plane.column.to_step;
  }
  if (streams) finish_streams();
}

/// One element into each row.
template <std::size_t kBytes>
struct FillRows {
  [[gnu::always_inline]] static void run(const std::byte* from, std::byte* to, const Plane& plane) {
    for (int64_t at = 0; at < plane.column.size; ++at) {
      std::array<std::byte, kBytes> value;
      std::memcpy(&value, from, kBytes);
      for (int64_t index = 0; index < plane.row.size; ++index) {
        std::memcpy(to + index * static_cast<std::ptrdiff_t>(kBytes), &value, kBytes);
      }
      from += plane.column.from_step;
      to += plane.column.to_step;
    }
  }
};

template <std::size_t kBytes>
void copy_elements(const std::byte* from, std::byte* to, const Plane& plane) {
  for (int64_t at = 0; at < plane.column.size; ++at) {
    const std::byte* source = from;
    std::byte* target = to;
    for (int64_t index = 0; index < plane.row.size; ++index) {
      std::memcpy(target, source, kBytes);
      source += plane.row.from_step;
      target += plane.row.to_step;
    }
    from += plane.column.from_step;
    to += plane.column.to_step;
  }
}

// ---- Blocks ----------------------------------------------------------------------------------

/// Columns are contiguous in `from`, rows in `to`.
template <std::size_t kBytes, std::size_t kRegisterBytes>
class TurnedBlocks {
 public:
  [[gnu::always_inline]] static void run(const std::byte* from, std::byte* to, const Plane& plane) {
    const Extent whole = {plane.column.size / kSide * kSide,
                          plane.row.size / kSquareRows * kSquareRows};
    TurnedBlocks blocks(plane, whole);
    for (int64_t column = 0; column < whole.columns; column += kColumns) {
      blocks.run_columns(from + column * kStep, to + column * plane.column.to_step,
                         std::min(kColumns, whole.columns - column));
    }
    if (plane.streams) finish_streams();
    rest(from, to, plane, {whole.columns, 0});
    Plane below = plane;
    below.column.size = whole.columns;
    rest(from, to, below, {0, whole.rows});
  }

 private:
  static constexpr auto kStep = static_cast<std::ptrdiff_t>(kBytes);
  static constexpr auto kSide = static_cast<int64_t>(detail::Square<kBytes>::kSide);
  static constexpr auto kSquareRows = static_cast<int64_t>(kRegisterBytes / kBytes);
  /// A block: two cache lines of each row of `to`, some more of each column of `from`.
  static constexpr int64_t kRows = 2 * kLineBytes / kStep;
  static constexpr int64_t kColumns = kBytes == 1 ? 256 : 512 / kStep;
  static constexpr std::ptrdiff_t kBlockBytes = kRows * kStep;
  /// A line of the scratch begins with what did not fill a cache line of `to` before.
  static constexpr std::ptrdiff_t kPitch = kLineBytes + kBlockBytes;

  struct Extent {
    int64_t columns;
    int64_t rows;
  };

  TurnedBlocks(const Plane& plane, const Extent& whole) : plane_(plane), whole_(whole) {}

  [[gnu::always_inline]] void run_columns(const std::byte* from, std::byte* to, int64_t columns) {
    for (int64_t row = 0; row < whole_.rows; row += kRows) {
      const Extent extent = {columns, std::min(kRows, whole_.rows - row)};
      gather(from + row * plane_.row.from_step, extent, whole_.rows - row - kRows);
      for (int64_t column = 0; column < columns; ++column) {
        std::byte* line = scratch_.data() + column * kPitch;
        std::byte* target = to + column * plane_.column.to_step + row * kStep;
        if (plane_.streams) {
          stream(line, target, row, extent.rows);
        } else {
          std::memcpy(target, line + kLineBytes, static_cast<std::size_t>(extent.rows * kStep));
        }
      }
    }
  }

  /// Into the scratch, where each column is a line; asks for the lines of the next block.
  [[gnu::always_inline]] void gather(const std::byte* from, const Extent& extent,
                                     int64_t rows_behind) {
    const std::ptrdiff_t next = kRows * plane_.row.from_step;
    for (int64_t row = 0; row < extent.rows; row += kSquareRows) {
      const std::byte* source = from + row * plane_.row.from_step;
      for (int64_t ahead = row; ahead < std::min(row + kSquareRows, rows_behind); ++ahead) {
        for (int64_t column = 0; column < extent.columns; column += kLineBytes / kStep) {
          __builtin_prefetch(from + next + ahead * plane_.row.from_step + column * kStep);
        }
      }
      for (int64_t column = 0; column < extent.columns; column += kSide) {
        detail::turn_square<kBytes, kRegisterBytes>(
            source + column * kStep, plane_.row.from_step,
            scratch_.data() + column * kPitch + kLineBytes + row * kStep, kPitch);
      }
    }
  }

  /// Only whole cache lines of `to`: the rest waits for the next block, or is written at the ends.
  void stream(std::byte* line, std::byte* target, int64_t row, int64_t num_rows) const {
    const auto past = static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(target) %
                                                  static_cast<std::uintptr_t>(kLineBytes));
    const std::byte* source = line + kLineBytes;
    const bool is_end = row + num_rows == whole_.rows && (past > 0 || num_rows < kRows);
    if (is_end) {
      const std::ptrdiff_t waiting = row == 0 ? 0 : past;
      std::memcpy(target - waiting, source - waiting,
                  static_cast<std::size_t>(waiting + num_rows * kStep));
      return;
    }
    if (row == 0 && past > 0) {
      const std::ptrdiff_t head = kLineBytes - past;
      std::memcpy(target, source, static_cast<std::size_t>(head));
      stream_bytes(source + head, target + head, kBlockBytes - kLineBytes);
    } else {
      stream_bytes(source - past, target - past, kBlockBytes);
    }
    std::memcpy(line, line + kBlockBytes, kLineBytes);
  }

  /// What lies behind a corner in both directions.
  static void rest(const std::byte* from, std::byte* to, Plane plane, const Extent& corner) {
    plane.column.size -= corner.columns;
    plane.row.size -= corner.rows;
    copy_elements<kBytes>(
        from + corner.columns * plane.column.from_step + corner.rows * plane.row.from_step,
        to + corner.columns * plane.column.to_step + corner.rows * plane.row.to_step, plane);
  }

  const Plane& plane_;
  Extent whole_;
  alignas(kLineBytes) std::array<std::byte, static_cast<std::size_t>(kColumns* kPitch)> scratch_;
};

/// With the registers that the machine has.
template <std::size_t kBytes>
PlaneCopy pick_turned() {
  constexpr std::size_t kWide = kBytes < detail::kSquareBytes ? 2 * detail::kSquareBytes : kBytes;
#if defined(__AVX2__)
  return &Versions<TurnedBlocks<kBytes, kWide>>::plain;
#elif defined(SHARDY_WIDE_CODE)
  if (runs_wide_code()) return &Versions<TurnedBlocks<kBytes, kWide>>::wide;
#endif
  return &Versions<TurnedBlocks<kBytes, detail::kSquareBytes>>::plain;
}

template <std::size_t kBytes>
PlaneCopy pick_sized(const Plane& plane) {
  constexpr auto kStep = static_cast<std::ptrdiff_t>(kBytes);
  const bool writes_rows = plane.row.to_step == kStep;
  if (writes_rows && plane.row.from_step == kStep) return &copy_whole_rows<kBytes>;
  if (writes_rows && plane.row.from_step == 0) return pick_version<FillRows<kBytes>>();
  const bool turns = writes_rows && plane.column.from_step == kStep;
  const auto side = static_cast<int64_t>(detail::Square<kBytes>::kSide);
  const bool fills_squares = plane.row.size >= side && plane.column.size >= side;
  return turns && fills_squares ? pick_turned<kBytes>() : &copy_elements<kBytes>;
}

}  // namespace

PlaneCopy pick_plane_copy(const Plane& plane, std::size_t element_bytes) {
  switch (element_bytes) {
    case 1:
      return pick_sized<1>(plane);
    case 2:
      return pick_sized<2>(plane);
    case 4:
      return pick_sized<4>(plane);
    case 8:
      return pick_sized<8>(plane);
    default:
      return pick_sized<16>(plane);
  }
}

}  // namespace shardy::simulation
