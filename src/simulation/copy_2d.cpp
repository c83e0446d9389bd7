#include "simulation/copy_2d.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace shardy::simulation {
namespace {

/// Contiguous on both sides.
template <std::size_t kBytes>
void copy_whole_rows(const std::byte* from, std::byte* to, const Plane& plane) {
  const std::size_t row_bytes = kBytes * static_cast<std::size_t>(plane.row.size);
  for (int64_t at = 0; at < plane.column.size; ++at) {
    std::memcpy(to, from, row_bytes);
    from += plane.column.from_step;
    to += plane.column.to_step;
  }
}

/// One element into each row.
template <std::size_t kBytes>
void fill_rows(const std::byte* from, std::byte* to, const Plane& plane) {
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

/// The rows of the result are columns of what is read: in blocks of cache lines, each of which is
/// read and written once.
template <std::size_t kBytes>
void copy_turned(const std::byte* from, std::byte* to, const Plane& plane) {
  constexpr int64_t kSide = kBytes < 4 ? 64 : 32;
  for (int64_t column = 0; column < plane.column.size; column += kSide) {
    const int64_t columns = std::min(kSide, plane.column.size - column);
    for (int64_t row = 0; row < plane.row.size; row += kSide) {
      Plane block = plane;
      block.column.size = columns;
      block.row.size = std::min(kSide, plane.row.size - row);
      copy_elements<kBytes>(from + column * plane.column.from_step + row * plane.row.from_step,
                            to + column * plane.column.to_step + row * plane.row.to_step, block);
    }
  }
}

template <std::size_t kBytes>
Copy2d pick_sized(const Plane& plane) {
  constexpr auto kStep = static_cast<std::ptrdiff_t>(kBytes);
  const bool writes_rows = plane.row.to_step == kStep;
  if (writes_rows && plane.row.from_step == kStep) return &copy_whole_rows<kBytes>;
  if (writes_rows && plane.row.from_step == 0) return &fill_rows<kBytes>;
  const bool turns = writes_rows && plane.column.from_step == kStep;
  return turns ? &copy_turned<kBytes> : &copy_elements<kBytes>;
}

}  // namespace

Copy2d pick_copy_2d(const Plane& plane, std::size_t element_bytes) {
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
