#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <shardy/algebra/axis_list.hpp>
#include <utility>

namespace shardy {

/// How one dim is split: its axes, major to minor. Propagation may append axes to an open dim, and
/// does so for dims of lower priority number first. Text: `{"a", ?}p1`. Spec: algebra 4.
///
/// No priority behaves as 0, but is not equal to an explicit 0.
struct DimSharding {
  AxisList axes;
  bool is_closed = false;
  std::optional<int64_t> priority = std::nullopt;

  bool empty() const { return axes.empty(); }
  /// Number of shards.
  int64_t sharded_size() const { return sharding_size(axes); }
  int64_t priority_or_default() const { return priority.value_or(0); }

  /// The `count` axes after the first `skipped`; closed and priority are kept.
  DimSharding slice_axes(std::size_t skipped, std::size_t count) const;
  DimSharding drop_front(std::size_t count) const { return slice_axes(count, axes.size() - count); }
  DimSharding take_front(std::size_t count) const { return slice_axes(0, count); }

  /// With the full axis `axis` appended; the result is open and has no priority.
  /// Requires: open, and no part of the axis is used here.
  DimSharding sharded(const AxisRef& axis) const {
    SHARDY_ASSERT(!is_closed);
    DimSharding result{axes, false, std::nullopt};
    result.axes.push_back(axis);
    return result;
  }
  DimSharding drop_priority() const { return {axes, is_closed, std::nullopt}; }
  DimSharding closed_like() const { return {axes, true, priority}; }
  DimSharding open_like() const { return {axes, false, priority}; }

  friend bool operator==(const DimSharding&, const DimSharding&);
  friend std::strong_ordering operator<=>(const DimSharding&, const DimSharding&);
};

}  // namespace shardy

template <>
struct std::hash<shardy::DimSharding> {
  std::size_t operator()(const shardy::DimSharding& dim) const noexcept;
};

#ifdef SHARDY_HEADER_ONLY
#include <shardy/algebra/detail/dim_sharding_inl.hpp>
#endif
