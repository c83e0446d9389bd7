#include "simulation/plane_copy.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "simulation/kernels/wide_code.hpp"
#include "simulation/turned_blocks.hpp"

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

template <std::size_t kBytes, std::size_t kRegisterBytes>
using Turned = detail::TurnedBlocks<kBytes, kRegisterBytes>;

/// With the registers that the machine has, or smaller ones for few columns. The largest where they
/// make it half as many stores, which others wait for.
template <std::size_t kBytes>
PlaneCopy pick_turned(const Plane& plane) {
  [[maybe_unused]] const bool fits_widest =
      plane.room != Room::NearCache && Turned<kBytes, 64>::fits(plane);
  [[maybe_unused]] const bool fits_wide = Turned<kBytes, 32>::fits(plane);
#if defined(__AVX512BW__)
  if (fits_widest) return &Versions<Turned<kBytes, 64>>::plain;
#elif defined(SHARDY_WIDE_CODE)
  if (fits_widest && runs_widest_code()) return &Versions<Turned<kBytes, 64>>::widest;
#endif
#if defined(__AVX2__)
  if (fits_wide) return &Versions<Turned<kBytes, 32>>::plain;
#elif defined(SHARDY_WIDE_CODE)
  if (fits_wide && runs_wide_code()) return &Versions<Turned<kBytes, 32>>::wide;
#endif
  return Turned<kBytes, 16>::fits(plane) ? &Versions<Turned<kBytes, 16>>::plain
                                         : &copy_elements<kBytes>;
}

template <std::size_t kBytes>
PlaneCopy pick_sized(const Plane& plane) {
  constexpr auto kStep = static_cast<std::ptrdiff_t>(kBytes);
  const bool writes_rows = plane.row.to_step == kStep;
  if (writes_rows && plane.row.from_step == kStep) return &copy_whole_rows<kBytes>;
  if (writes_rows && plane.row.from_step == 0) return pick_version<FillRows<kBytes>>();
  const bool turns = writes_rows && plane.column.from_step == kStep;
  return turns ? pick_turned<kBytes>(plane) : &copy_elements<kBytes>;
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
