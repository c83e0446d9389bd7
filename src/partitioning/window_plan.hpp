// Plans of windows along a sharded dim: the base elements that a shard needs, and the local op.
// Planning emits no ops.
//
//   base of 8 elements, 2 shards, windows of 3, stride 1, padding 1 and 1: 8 windows
//   shard 0: windows 0 to 3 read [-1, 5)      plan (Same): start 4 p - 1, length 6,
//   shard 1: windows 4 to 7 read [3, 9)                    4 windows, local padding 0 and 0
#pragma once

#include <algorithm>
#include <cstdint>
#include <shardy/ir/attribute.hpp>
#include <shardy/resharding/detail/quasi_affine.hpp>
#include <shardy/support/detail/math.hpp>
namespace shardy::partitioning {

/// The windows along one dim. Spec: partitioning 7.1.
struct Window : ir::WindowDim {
  int64_t base = 0;  // size of the dim
  bool operator==(const Window&) const = default;

  /// Returns the number of dilated positions from the first to the last tap, both included.
  constexpr int64_t extent() const { return (size - 1) * window_dilation + 1; }
  /// Returns the number of windows.
  constexpr int64_t count() const {
    const int64_t dilated = base == 0 ? 0 : (base - 1) * base_dilation + 1;
    const int64_t padded = low + dilated + high;
    return padded <= 0 || extent() > padded ? 0 : (padded - extent()) / stride + 1;
  }
  /// Checks whether window i contains exactly element i.
  constexpr bool is_element() const {
    return size == 1 && stride == 1 && low == 0 && high == 0 && base_dilation == 1;
  }
  /// Checks whether a window extends beyond the first or last element.
  constexpr bool reads_padding() const {
    const int64_t last = (count() - 1) * stride + extent() - 1 - low;
    return ceil_div(-low, base_dilation) < 0 || floor_div(last, base_dilation) >= base;
  }
};

/// The windows of one shard: a halo exchange of `length` base elements from `start`, then a local
/// op with the taps, stride and window dilation of the global op. The first of these elements is
/// `phase` dilated positions after the first position that the windows read.
///
/// Spec: partitioning 7.2, 7.5.
struct WindowPlan {
  enum class WindowForm : uint8_t {
    Same,    // all shards have one phase: the local op has `low` and `high` padding
    Sliced,  // as Same, with `slack` extra windows; a slice of `count` windows follows
    Spread   // a pad, a dilation and a slice of `extent` positions precede the local op
  };
  WindowForm form = WindowForm::Same;
  QuasiAffine start;      // first base element, as a function of the shard p
  int64_t length = 1;     // base elements per shard
  int64_t receivers = 1;  // only shards with a smaller index have windows
  int64_t step = 0;       // shard p reads from the dilated position p * step - origin
  int64_t origin = 0;
  int64_t base_dilation = 1;
  int64_t low = 0;     // positions before the first element; equal to the largest phase
  int64_t high = 0;    // positions after the last element
  int64_t slack = 0;   // largest minus smallest phase
  int64_t extent = 0;  // number of positions that the windows of a shard read
  int64_t count = 0;   // windows per shard

  constexpr int64_t phase(int64_t shard) const {
    return start(shard) * base_dilation - (shard * step - origin);
  }
  /// Returns the start, within the local op, of the shard's windows (Sliced) or positions (Spread).
  constexpr int64_t offset(int64_t shard) const { return low - phase(shard); }
  /// Returns the number of windows of the local op.
  constexpr int64_t local_count() const {
    return form == WindowForm::Sliced ? count + slack : count;
  }
};

namespace detail {

/// Completes a plan: shard p reads `plan.extent` positions from p * `plan.step` - `plan.origin`.
/// `stride` is the stride of the op.
constexpr WindowPlan complete_plan(WindowPlan plan, int64_t stride) {
  const int64_t dilation = plan.base_dilation;
  plan.start = {plan.step, dilation - 1 - plan.origin, dilation};
  int64_t least = plan.phase(0);
  plan.low = least;
  for (int64_t shard = 1; shard < std::min(plan.receivers, dilation); ++shard) {
    least = std::min(least, plan.phase(shard));
    plan.low = std::max(plan.low, plan.phase(shard));
  }
  plan.slack = plan.low - least;
  plan.length = std::max<int64_t>(1, floor_div(plan.extent - 1 - least, dilation) + 1);
  plan.high = plan.extent - least - ((plan.length - 1) * dilation + 1);
  if (plan.slack > 0)
    plan.form = stride == 1 ? WindowPlan::WindowForm::Sliced : WindowPlan::WindowForm::Spread;
  return plan;
}

}  // namespace detail

/// Returns the plan if base and windows have equal shardings: each shard computes its windows.
///
/// Requires: at least one window. Spec: partitioning 7.2.
constexpr WindowPlan plan_windows(const Window& window, int64_t shards) {
  WindowPlan plan;
  plan.base_dilation = window.base_dilation;
  plan.origin = window.low;
  plan.count = ceil_div(window.count(), shards);
  plan.receivers = ceil_div(window.count(), plan.count);
  plan.step = plan.count * window.stride;
  plan.extent = (plan.count - 1) * window.stride + window.extent();
  return detail::complete_plan(plan, window.stride);
}

/// Returns the plan if base and taps have equal shardings: each shard computes the contribution of
/// its taps to every window.
///
/// Requires: at least one window and one tap. Spec: partitioning 7.5.
constexpr WindowPlan plan_taps(const Window& window, int64_t shards) {
  WindowPlan plan;
  plan.base_dilation = window.base_dilation;
  plan.origin = window.low;
  plan.count = window.count();
  const int64_t taps = ceil_div(window.size, shards);
  plan.receivers = ceil_div(window.size, taps);
  plan.step = taps * window.window_dilation;
  plan.extent = (plan.count - 1) * window.stride + (taps - 1) * window.window_dilation + 1;
  return detail::complete_plan(plan, window.stride);
}

/// The kind of a dim whose windows all start at the first element or all end at the last one, as in
/// prefix sums.
///
/// Spec: partitioning 8.11.
enum class Scan : uint8_t { None, FromFirst, FromLast };

constexpr Scan scan_of(const Window& window) {
  const bool is_dense =
      window.stride == 1 && window.base_dilation == 1 && window.window_dilation == 1;
  if (!is_dense || window.size < std::max<int64_t>(window.base, 2)) return Scan::None;
  if (window.high == 0 && window.low == window.size - 1) return Scan::FromFirst;
  if (window.low == 0 && window.high == window.size - 1) return Scan::FromLast;
  return Scan::None;
}

}  // namespace shardy::partitioning
