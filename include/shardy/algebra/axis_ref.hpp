#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>
#include <shardy/support/detail/hash.hpp>
#include <shardy/support/detail/math.hpp>

namespace shardy {

/// A part `(pre)size` of one mesh axis: the multiplicative interval [pre, pre * size) on the
/// divisor chain 1 .. n of the axis size n. The full axis is (1)n, so it needs no separate "full"
/// case.
///
/// Resolved against a mesh, whose axis it names by index; its text needs that mesh. The interval of
/// an axis of size 1 is empty: equality decides there (it overlaps itself and merges with no
/// other). Order: axis, pre, size, which is the mesh order. Spec: algebra 2.
struct AxisRef {
  int32_t axis = 0;  // index of the axis in its mesh
  int64_t pre = 1;   // size of the sub-axes that are more major
  int64_t size = 1;  // number of devices along it

  /// End of the interval: what is major to whatever follows this part. Requires: pre >= 1 and
  /// size >= 1, whose product fits int64.
  constexpr int64_t next() const {
    int64_t end = 0;
    const bool is_too_large = __builtin_mul_overflow(pre, size, &end);
    SHARDY_EXPECTS(pre >= 1 && size >= 1 && !is_too_large);
    return end;
  }

  friend constexpr bool operator==(const AxisRef&, const AxisRef&) = default;
  friend constexpr std::strong_ordering operator<=>(const AxisRef&, const AxisRef&) = default;
};

namespace detail {

/// AxisRef::next() for comparisons alone, which any numbers have.
constexpr int64_t end_of(const AxisRef& ref) {
  return static_cast<int64_t>(static_cast<uint64_t>(ref.pre) * static_cast<uint64_t>(ref.size));
}

}  // namespace detail

// All functions below take resolved refs of one mesh. Predicates: algebra 2.3.

/// `b` is a part of `a`, or `a` itself.
constexpr bool contains(const AxisRef& a, const AxisRef& b) {
  return a.axis == b.axis && a.pre <= b.pre && detail::end_of(b) <= detail::end_of(a);
}

/// Returns whether `a` contains `b` and more.
constexpr bool strictly_contains(const AxisRef& a, const AxisRef& b) {
  return a != b && contains(a, b);
}

/// `a` is the major part of `b`, or `b` itself.
constexpr bool prefix_of(const AxisRef& a, const AxisRef& b) {
  return contains(b, a) && a.pre == b.pre;
}

/// Returns whether `a` begins `b` and is not all of it.
constexpr bool strict_prefix_of(const AxisRef& a, const AxisRef& b) {
  return a != b && prefix_of(a, b);
}

/// `a` is the minor part of `b`, or `b` itself.
constexpr bool suffix_of(const AxisRef& a, const AxisRef& b) {
  return contains(b, a) && detail::end_of(a) == detail::end_of(b);
}

/// Returns whether `a` ends `b` and is not all of it.
constexpr bool strict_suffix_of(const AxisRef& a, const AxisRef& b) {
  return a != b && suffix_of(a, b);
}

constexpr bool overlaps(const AxisRef& a, const AxisRef& b) {
  if (a == b) return true;  // the one overlap of an empty interval, too
  return a.axis == b.axis && a.pre < detail::end_of(b) && b.pre < detail::end_of(a);
}

/// Checks whether one splitting of the axis has both refs: all parts between their ends are
/// integral.
constexpr bool can_coexist(const AxisRef& a, const AxisRef& b) {
  if (a.axis != b.axis || a == b) return true;
  const auto [lo, hi] = std::minmax({a.pre, b.pre});
  const auto [lo2, hi2] = std::minmax({a.next(), b.next()});
  if (lo2 > hi) return lo2 % hi == 0 && hi % lo == 0 && hi2 % lo2 == 0;
  return hi % lo2 == 0;
}

/// `a` is immediately major to `b`. Never true with a full axis, nor with one of size 1.
constexpr bool can_merge(const AxisRef& a, const AxisRef& b) {
  return a.axis == b.axis && a.size > 1 && b.size > 1 && detail::end_of(a) == b.pre;
}

// Constructive operations: algebra 2.5. "Cannot coexist" and "nothing left" are both nullopt.

/// The part that both have.
constexpr std::optional<AxisRef> overlap(const AxisRef& a, const AxisRef& b) {
  if (!overlaps(a, b) || !can_coexist(a, b)) return std::nullopt;
  const int64_t begin = std::max(a.pre, b.pre);
  return AxisRef{a.axis, begin, std::min(a.next(), b.next()) / begin};
}

/// Returns the part of `a` before the overlap; the part of `a` that is minor to `b` is dropped too.
constexpr std::optional<AxisRef> prefix_without_overlap(const AxisRef& a, const AxisRef& b) {
  if (!can_coexist(a, b)) return std::nullopt;
  if (!overlaps(a, b)) return a;
  if (a.pre >= b.pre) return std::nullopt;
  return AxisRef{a.axis, a.pre, b.pre / a.pre};
}

/// Returns the part of `a` after the overlap.
constexpr std::optional<AxisRef> suffix_without_overlap(const AxisRef& a, const AxisRef& b) {
  if (!can_coexist(a, b)) return std::nullopt;
  if (!overlaps(a, b)) return a;
  if (a.next() <= b.next()) return std::nullopt;
  return AxisRef{a.axis, b.next(), a.next() / b.next()};
}

/// The longest sub-axis that begins both; nothing if there is none.
constexpr std::optional<AxisRef> greatest_common_prefix(const AxisRef& a, const AxisRef& b) {
  if (!can_coexist(a, b)) return std::nullopt;
  if (prefix_of(a, b)) return a;
  if (prefix_of(b, a)) return b;
  return std::nullopt;
}

/// Requires: can_merge(a, b).
constexpr AxisRef merge(const AxisRef& a, const AxisRef& b) {
  int64_t size = 0;
  const bool is_too_large = __builtin_mul_overflow(a.size, b.size, &size);
  SHARDY_EXPECTS(can_merge(a, b) && !is_too_large);
  return AxisRef{a.axis, a.pre, size};
}

/// The longest prefix of `a` whose size divides `capacity`; a ref of size 1 always fits.
/// Requires: capacity >= 0. Spec: algebra 2.6.
constexpr std::optional<AxisRef> prefix_fitting(const AxisRef& a, int64_t capacity) {
  const int64_t fitting = gcd(a.size, capacity);
  if (fitting == a.size) return a;
  if (fitting == 1) return std::nullopt;
  return AxisRef{a.axis, a.pre, fitting};
}

}  // namespace shardy

template <>
struct std::hash<shardy::AxisRef> {
  std::size_t operator()(const shardy::AxisRef& ref) const {
    return shardy::hash_of(ref.axis, ref.pre, ref.size);
  }
};
