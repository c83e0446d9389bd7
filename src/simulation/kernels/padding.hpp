// Padding as one strided copy into a buffer that is filled before. Spec: stablehlo 21.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "shardy/ir/type.hpp"
#include "shardy/support/math.hpp"
#include "simulation/strided_copy.hpp"

namespace shardy::simulation {

/// Sizes and paddings beyond this are refused, so that sums of a few of them fit int64.
inline constexpr int64_t kLargestPadding = int64_t{1} << 60;

/// One dim that is padded; negative edges cut elements off.
struct PadDim {
  int64_t size;
  int64_t low;
  int64_t high;
  int64_t interior;

  bool is_legal() const {
    const auto small = [](int64_t value) {
      return value > -kLargestPadding && value < kLargestPadding;
    };
    return small(size) && small(low) && small(high) && small(interior) && interior >= 0;
  }
  /// Size of the result; nullopt if it is negative or too large. Requires: it is legal.
  std::optional<int64_t> padded() const {
    const std::optional<int64_t> gaps = checked_mul(std::max<int64_t>(size - 1, 0), interior);
    if (!gaps || *gaps > kLargestPadding) return std::nullopt;
    const int64_t total = low + size + *gaps + high;
    return total < 0 ? std::nullopt : std::optional(total);
  }
  /// Elements [first, last) of the operand land inside a result of that size.
  int64_t first() const { return low < 0 ? ceil_div(-low, interior + 1) : 0; }
  int64_t last(int64_t result_size) const {
    return std::min(size, floor_div(result_size - 1 - low, interior + 1) + 1);
  }
};

/// Puts the elements of a row-major `from` where they belong in a padded row-major `to`.
StridedCopy plan_pad(std::span<const PadDim> padding, std::span<const int64_t> to,
                     std::size_t element_bytes);

}  // namespace shardy::simulation
