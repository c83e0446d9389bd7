#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <shardy/algebra/axis_list.hpp>
#include <shardy/support/inline.hpp>
#include <utility>

namespace shardy {

/// How one dim is split: its axes, major to minor. Propagation may append axes to an open dim, and
/// does so for dims of lower priority number first. Text: `{"a", ?}p1`. Spec: algebra 4.
///
/// No priority behaves as 0, but is not equal to an explicit 0.
struct DimSharding {
  AxisList axes;           // that shard the dim, major to minor
  bool is_closed = false;  // whether propagation must not add axes
  /// Of the user; 0 is first; only with axes, or open.
  std::optional<int64_t> priority = std::nullopt;

  /// Returns whether no axis shards it.
  bool empty() const { return axes.empty(); }
  /// Number of shards.
  int64_t sharded_size() const { return sharding_size(axes); }
  /// The priority; 0 where there is none.
  int64_t priority_or_default() const { return priority.value_or(0); }

  /// The `count` axes after the first `skipped`; closed and priority are kept. Requires: as many
  /// axes.
  DimSharding slice_axes(std::size_t skipped, std::size_t count) const;
  /// Without its first axes. Requires: count <= axes.size().
  DimSharding drop_front(std::size_t count) const { return slice_axes(count, axes.size() - count); }
  /// Only its first axes. Requires: count <= axes.size().
  DimSharding take_front(std::size_t count) const { return slice_axes(0, count); }

  /// With the full axis `axis` appended; the result is open and has no priority.
  /// Requires: open, and no part of the axis is used here.
  DimSharding sharded(const AxisRef& axis) const {
    SHARDY_EXPECTS(!is_closed && !overlaps(axis, AxisSpan(axes)));
    DimSharding result{axes, false, std::nullopt};
    result.axes.push_back(axis);
    return result;
  }
  /// The same without a priority.
  DimSharding drop_priority() const { return {axes, is_closed, std::nullopt}; }
  /// The same, closed.
  DimSharding closed_like() const { return {axes, true, priority}; }
  /// The same, open.
  DimSharding open_like() const { return {axes, false, priority}; }

  friend bool operator==(const DimSharding&, const DimSharding&);
  friend std::strong_ordering operator<=>(const DimSharding&, const DimSharding&);
};

}  // namespace shardy

template <>
struct std::hash<shardy::DimSharding> {
  std::size_t operator()(const shardy::DimSharding& dim) const;
};

#ifdef SHARDY_BODIES
namespace shardy {

SHARDY_INLINE bool operator==(const DimSharding&, const DimSharding&) = default;
SHARDY_INLINE std::strong_ordering operator<=>(const DimSharding&, const DimSharding&) = default;

SHARDY_INLINE DimSharding DimSharding::slice_axes(std::size_t skipped, std::size_t count) const {
  SHARDY_EXPECTS(skipped <= axes.size() && count <= axes.size() - skipped);
  const AxisSpan part = AxisSpan(axes).subspan(skipped, count);
  return {{part.begin(), part.end()}, is_closed, priority};
}

}  // namespace shardy

SHARDY_INLINE std::size_t std::hash<shardy::DimSharding>::operator()(
    const shardy::DimSharding& dim) const {
  return shardy::hash_combine(shardy::hash_range(dim.axes),
                              shardy::hash_of(dim.is_closed, dim.priority));
}
#endif  // SHARDY_BODIES
