// Quasi-affine functions of a shard index, and the extent of all windows along a dim.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <shardy/support/detail/math.hpp>

namespace shardy {

/// The function p -> floor((a*p + b) / c), such as the start of the window of shard p.
///
/// Requires: c >= 1, a >= 0. Spec: partitioning 2.2.
struct QuasiAffine {
  int64_t a = 0;
  int64_t b = 0;
  int64_t c = 1;

  constexpr int64_t operator()(int64_t shard) const { return floor_div(a * shard + b, c); }
  /// Returns the function divided by `divisor`, rounded down.
  constexpr QuasiAffine divided_by(int64_t divisor) const { return {a, b, c * divisor}; }
  friend constexpr bool operator==(const QuasiAffine&, const QuasiAffine&) = default;
};

/// A dim of `size` elements in shards of `tile` elements; trailing shards may be short or empty.
/// Spec: partitioning 2.1.
struct Tiling {
  int64_t size = 0;
  int64_t shards = 1;
  int64_t tile = 0;

  static constexpr Tiling of(int64_t size, int64_t shards) {
    return {size, shards, ceil_div(size, shards)};
  }
  /// Returns the number of padding elements of all shards together.
  constexpr int64_t padding() const { return shards * tile - size; }
};

/// Returns true if each of the `shards1 * shards2` fine shards p lies in the coarse shard
/// p / shards2: aligned tiles. Spec: partitioning 2.4.
constexpr bool tiles_nest(int64_t size, int64_t shards1, int64_t shards2) {
  return shards1 == 1 || size <= 1 ||
         shards2 * ceil_div(size, shards1 * shards2) == ceil_div(size, shards1);
}

/// Extent of the windows [start(p), start(p) + length) over the shards p in [0, receivers).
///
/// Units: elements, relative to the first element of shard p.
struct WindowExtent {
  int64_t first_shard = 0;  // first shard whose window intersects the needed range
  int64_t last_shard = 0;   // the last such shard
  int64_t low = 0;          // lowest needed position
  int64_t high = 0;         // one past the highest needed position
  /// Minimum of start(p) - p * tile over the shards from first_shard to last_shard.
  int64_t min_start = 0;
  int64_t max_start = 0;
};

/// The range of elements that must be correct. Other elements may be undefined.
struct NeededRange {
  int64_t begin = 0;
  int64_t end = 0;
};

namespace detail {

/// Returns the shard indices between which the clamped bounds of windows are quasi-linear with
/// period c: first, last, where start(p) reaches wanted.begin, and where start(p) + length reaches
/// wanted.end. Spec: partitioning 2.3.
constexpr std::array<int64_t, 4> extent_marks(const QuasiAffine& start, int64_t length,
                                              const NeededRange& wanted, int64_t first,
                                              int64_t last) {
  if (start.a == 0) return {first, last, first, last};
  return {first, last, ceil_div(wanted.begin * start.c - start.b, start.a),
          ceil_div((wanted.end - length) * start.c - start.b, start.a)};
}

constexpr void widen(WindowExtent& extent, const QuasiAffine& start, int64_t length, int64_t tile,
                     const NeededRange& wanted, int64_t shard) {
  const int64_t begin = start(shard);
  const int64_t own = shard * tile;
  extent.low = std::min(extent.low, std::max(begin, wanted.begin) - own);
  extent.high = std::max(extent.high, std::min(begin + length, wanted.end) - own);
  extent.min_start = std::min(extent.min_start, begin - own);
  extent.max_start = std::max(extent.max_start, begin - own);
}

}  // namespace detail

/// Returns the extent over all shards whose window intersects the wanted range; std::nullopt if no
/// window does. `tile` is the shard size.
///
/// Cost: O(c), not O(shards). Requires: length >= 1, receivers >= 1. Spec: partitioning 2.3.
constexpr std::optional<WindowExtent> window_extent(const QuasiAffine& start, int64_t length,
                                                    int64_t tile, int64_t receivers,
                                                    const NeededRange& wanted) {
  int64_t first = 0;
  int64_t last = receivers - 1;
  if (wanted.begin >= wanted.end) return std::nullopt;
  if (start.a == 0) {
    if (start(0) >= wanted.end || start(0) + length <= wanted.begin) return std::nullopt;
  } else {
    last = std::min(last, floor_div(wanted.end * start.c - start.b - 1, start.a));
    first =
        std::max<int64_t>(0, ceil_div((wanted.begin + 1 - length) * start.c - start.b, start.a));
    if (first > last) return std::nullopt;
  }
  WindowExtent extent{first, last, INT64_MAX, INT64_MIN, INT64_MAX, INT64_MIN};
  for (const int64_t mark : detail::extent_marks(start, length, wanted, first, last)) {
    const int64_t from = std::max(first, mark - start.c - 1);
    const int64_t to = std::min(last, mark + start.c + 1);
    for (int64_t shard = from; shard <= to; ++shard) {
      detail::widen(extent, start, length, tile, wanted, shard);
    }
  }
  return extent;
}

/// Returns the extent for all elements of the dim.
constexpr std::optional<WindowExtent> window_extent(const QuasiAffine& start, int64_t length,
                                                    const Tiling& dim, int64_t receivers) {
  return window_extent(start, length, dim.tile, receivers, {0, dim.size});
}

}  // namespace shardy
