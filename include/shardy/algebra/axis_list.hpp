#pragma once

#include <cstdint>
#include <optional>
#include <shardy/algebra/mesh.hpp>
#include <shardy/support/detail/inline.hpp>
#include <span>
#include <utility>
#include <vector>

namespace shardy {

/// Axis refs of one mesh, major to minor, without overlaps. Adjacent refs that can merge are
/// merged, except in results of align_by_decomposition. Spec: algebra 3.
using AxisList = std::vector<AxisRef>;
/// A view of axis refs, major to minor or in mesh order.
using AxisSpan = std::span<const AxisRef>;
/// One axis list per dim of a tensor.
using AxisLists = std::vector<AxisList>;

/// Appends `refs` to `list`, without merging.
inline void append(AxisList& list, AxisSpan refs) {
  list.insert(list.end(), refs.begin(), refs.end());
}

/// Concatenates all lists.
inline AxisList flatten(const AxisLists& lists) {
  AxisList all;
  for (const AxisList& list : lists) append(all, list);
  return all;
}

/// Appends `axis` to `list`; merges it into the last ref if both are adjacent. Spec: algebra 3.2.
void append_or_merge(AxisList& list, const AxisRef& axis);

/// Returns the refs in mesh order, with adjacent refs merged. Requires: no overlaps. Spec: algebra
/// 3.3.
AxisList sort_and_merge(AxisList list);

/// Returns the number of shards along the axes: the product of their sizes, 1 for an empty list.
int64_t sharding_size(AxisSpan axes);

/// Returns whether `axis` overlaps any ref of `list`.
bool overlaps(const AxisRef& axis, AxisSpan list);

/// Returns whether any ref of `a` overlaps any ref of `b`.
bool overlaps(AxisSpan a, AxisSpan b);

/// Returns the index of the first ref in `sorted` that overlaps `axis`. Refs of different mesh axes
/// do not overlap, so a binary search in mesh order finds this ref. Requires: `sorted` is in mesh
/// order and has no overlaps. Spec: algebra 2.5.
std::optional<std::size_t> first_overlapping(const AxisRef& axis, AxisSpan sorted);

/// Returns the sub-axes of `a` that `b` does not cover, in the order of `a`, unmerged. Excludes
/// overlapping sub-axes of `a` that cannot coexist with `b`. Requires: `b` has no overlaps. Spec:
/// algebra 3.4.
AxisList set_difference(AxisSpan a, AxisSpan b);

/// Returns the prefix of `axis` before its first overlap with `list`; std::nullopt if the prefix is
/// empty.
std::optional<AxisRef> prefix_without_overlap(const AxisRef& axis, AxisSpan list);

/// Returns the refs of `axes` up to the first one of which `part_of` keeps less, and that part.
/// `part_of` returns a prefix of a ref; std::nullopt if it keeps nothing.
template <class PartOf>
AxisList prefix_of_parts(AxisSpan axes, PartOf part_of) {
  AxisList kept;
  for (const AxisRef& axis : axes) {
    const std::optional<AxisRef> part = part_of(axis);
    if (part) kept.push_back(*part);
    if (part != axis) break;
  }
  return kept;
}

/// Returns the longest prefix of `axes` that does not overlap `others`. The last ref may be
/// shortened. Spec: algebra 3.5.
AxisList truncate_by_removing_overlaps(AxisSpan axes, AxisSpan others);

/// Truncates `axes` in place, as truncate_by_removing_overlaps. Returns whether `axes` changed.
inline bool truncate_without_overlap(AxisList& axes, AxisSpan others) {
  AxisList kept = truncate_by_removing_overlaps(axes, others);
  const bool changed = kept != axes;
  axes = std::move(kept);
  return changed;
}

/// Returns the sub-axes that both lists contain, in the order of `a`. Sub-axes of one ref are in
/// major-to-minor order. Spec: algebra 3.5.
AxisList intersection(AxisSpan a, AxisSpan b);

/// Returns whether `a` is ordered before `b`, for breaking ties: fewer refs first, then canonical
/// order at the first difference. The number of shards is not compared. Spec: algebra 3.6.
bool list_less(const Mesh& mesh, AxisSpan a, AxisSpan b);

/// Checks whether `a` is a prefix of `b` and differs from `b`. The last ref of `a` may be a prefix
/// of the corresponding ref of `b`. Spec: algebra 3.6.
bool strict_prefix_of(AxisSpan a, AxisSpan b);

/// Relation of two lists: equal, the first one a strict prefix of the second, or neither.
enum class PrefixStatus { Equal, StrictPrefix, NotAPrefix };

/// Returns the relation of `a` to `b`. The last ref of `a` may be a prefix of the corresponding ref
/// of `b`. Spec: algebra 3.
PrefixStatus prefix_status(AxisSpan a, AxisSpan b);

/// Returns the number of shards of `axes` within one shard of `prefix`. Requires: prefix_status is
/// not NotAPrefix.
inline int64_t expanded_size(AxisSpan axes, AxisSpan prefix) {
  SHARDY_EXPECTS(prefix_status(prefix, axes) != PrefixStatus::NotAPrefix);
  return sharding_size(axes) / sharding_size(prefix);
}

/// Returns the longest common prefix of both lists. Its last ref may be a sub-axis. Spec: algebra
/// 3.
AxisList greatest_common_prefix(AxisSpan a, AxisSpan b);

/// Returns the longest prefix of `axes` whose number of shards divides `dim_size`. The prefix ends
/// before an axis of size 1 unless all axes fit. Requires: dim_size >= 0. Spec: algebra 3.7.
AxisList evenly_dividing_prefix(AxisSpan axes, int64_t dim_size);

/// Returns the sub-axes into which `refs` split the axes of `mesh`, in mesh order. Requires: all
/// pairs of refs can coexist. Spec: algebra 3.8.
AxisList ordered_axis_refs(const Mesh& mesh, AxisSpan refs);

/// Splits each ref of `list` that partly overlaps a ref of `others`, so that each sub-axis is
/// inside or outside of every ref of `others`. Adjacent sub-axes stay unmerged. Requires: `others`
/// has no overlaps. Spec: algebra 3.8.
AxisList align_by_decomposition(AxisSpan list, AxisSpan others);

}  // namespace shardy

#ifdef SHARDY_BODIES
#include <algorithm>

namespace shardy {

SHARDY_INLINE void append_or_merge(AxisList& list, const AxisRef& axis) {
  if (!list.empty() && can_merge(list.back(), axis)) {
    list.back() = merge(list.back(), axis);
  } else {
    list.push_back(axis);
  }
}

SHARDY_INLINE AxisList sort_and_merge(AxisList list) {
  std::ranges::sort(list);
  AxisList merged;
  for (const AxisRef& axis : list) append_or_merge(merged, axis);
  return merged;
}

SHARDY_INLINE int64_t sharding_size(AxisSpan axes) {
  int64_t size = 1;
  bool is_too_large = false;
  for (const AxisRef& axis : axes) is_too_large |= __builtin_mul_overflow(size, axis.size, &size);
  SHARDY_EXPECTS(!is_too_large);  // cannot fail: axes of one mesh without overlaps
  return size;
}

SHARDY_INLINE bool overlaps(const AxisRef& axis, AxisSpan list) {
  return std::ranges::any_of(list, [&](const AxisRef& other) { return overlaps(axis, other); });
}

SHARDY_INLINE bool overlaps(AxisSpan a, AxisSpan b) {
  return std::ranges::any_of(a, [&](const AxisRef& axis) { return overlaps(axis, b); });
}

SHARDY_INLINE std::optional<std::size_t> first_overlapping(const AxisRef& axis, AxisSpan sorted) {
  const auto found = std::ranges::lower_bound(sorted, axis);
  const auto position = static_cast<std::size_t>(found - sorted.begin());
  if (position > 0 && overlaps(axis, sorted[position - 1])) return position - 1;
  if (position < sorted.size() && overlaps(axis, sorted[position])) return position;
  return std::nullopt;
}

SHARDY_INLINE AxisList set_difference(AxisSpan a, AxisSpan b) {
  AxisList sorted(b.begin(), b.end());
  std::ranges::sort(sorted);
  AxisList rest;
  for (const AxisRef& axis : a) {
    std::optional<AxisRef> tail = axis;
    while (tail) {
      const std::optional<std::size_t> position = first_overlapping(*tail, sorted);
      if (!position) break;
      const AxisRef& other = sorted[*position];
      if (const auto head = prefix_without_overlap(*tail, other)) rest.push_back(*head);
      tail = suffix_without_overlap(*tail, other);
    }
    if (tail) rest.push_back(*tail);
  }
  return rest;
}

SHARDY_INLINE std::optional<AxisRef> prefix_without_overlap(const AxisRef& axis, AxisSpan list) {
  std::optional<AxisRef> rest = axis;
  for (const AxisRef& other : list) {
    rest = prefix_without_overlap(*rest, other);
    if (!rest) return std::nullopt;
  }
  return rest;
}

SHARDY_INLINE AxisList truncate_by_removing_overlaps(AxisSpan axes, AxisSpan others) {
  return prefix_of_parts(axes,
                         [&](const AxisRef& axis) { return prefix_without_overlap(axis, others); });
}

SHARDY_INLINE AxisList intersection(AxisSpan a, AxisSpan b) {
  AxisList sorted(b.begin(), b.end());
  std::ranges::sort(sorted);
  AxisList common;
  for (const AxisRef& axis : a) {
    for (const AxisRef& other : sorted) {
      if (const auto part = overlap(axis, other)) common.push_back(*part);
    }
  }
  return common;
}

SHARDY_INLINE bool list_less(const Mesh& mesh, AxisSpan a, AxisSpan b) {
  if (a.size() != b.size()) return a.size() < b.size();
  const auto [left, right] = std::ranges::mismatch(a, b);
  return left != a.end() && canonical_less(mesh, *left, *right);
}

SHARDY_INLINE bool strict_prefix_of(AxisSpan a, AxisSpan b) {
  if (a.empty()) return !b.empty();
  if (a.size() > b.size()) return false;
  const std::size_t last = a.size() - 1;
  if (!std::ranges::equal(a.first(last), b.first(last))) return false;
  if (a.size() == b.size()) return strict_prefix_of(a[last], b[last]);
  return prefix_of(a[last], b[last]);
}

SHARDY_INLINE PrefixStatus prefix_status(AxisSpan a, AxisSpan b) {
  if (std::ranges::equal(a, b)) return PrefixStatus::Equal;
  return strict_prefix_of(a, b) ? PrefixStatus::StrictPrefix : PrefixStatus::NotAPrefix;
}

SHARDY_INLINE AxisList greatest_common_prefix(AxisSpan a, AxisSpan b) {
  AxisList common;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const std::optional<AxisRef> part = greatest_common_prefix(a[i], b[i]);
    if (part) common.push_back(*part);
    if (a[i] != b[i]) break;
  }
  return common;
}

SHARDY_INLINE AxisList evenly_dividing_prefix(AxisSpan axes, int64_t dim_size) {
  const int64_t shards = sharding_size(axes);
  SHARDY_EXPECTS(dim_size >= 0 && shards >= 1);
  if (dim_size % shards == 0) return {axes.begin(), axes.end()};
  AxisList prefix;
  int64_t rest = dim_size;
  for (const AxisRef& axis : axes) {
    // Major first, because the gcd of a later axis depends on the remaining size of the dim.
    const int64_t fitting = gcd(axis.size, rest);
    if (fitting == 1) break;
    prefix.push_back({axis.axis, axis.pre, fitting});
    if (fitting != axis.size) break;
    rest /= fitting;
  }
  return prefix;
}

SHARDY_INLINE AxisList ordered_axis_refs(const Mesh& mesh, AxisSpan refs) {
  AxisList ordered;
  for (int32_t axis = 0; axis < mesh.num_axes(); ++axis) {
    const AxisRef full = mesh.full_axis(axis);
    std::vector<int64_t> bounds = {1, full.size};
    for (const AxisRef& ref : refs) {
      if (ref.axis == axis) bounds.insert(bounds.end(), {ref.pre, ref.next()});
    }
    std::ranges::sort(bounds);
    bounds.erase(std::unique(bounds.begin(), bounds.end()), bounds.end());
    if (bounds.size() == 1) ordered.push_back(full);  // an axis of size 1
    for (std::size_t i = 1; i < bounds.size(); ++i) {
      SHARDY_EXPECTS(bounds[i] % bounds[i - 1] == 0);
      ordered.push_back({axis, bounds[i - 1], bounds[i] / bounds[i - 1]});
    }
  }
  return ordered;
}

SHARDY_INLINE AxisList align_by_decomposition(AxisSpan list, AxisSpan others) {
  AxisList sorted(others.begin(), others.end());
  std::ranges::sort(sorted);
  AxisList aligned;
  for (const AxisRef& axis : list) {
    std::optional<AxisRef> tail = axis;
    while (tail) {
      const std::optional<std::size_t> position = first_overlapping(*tail, sorted);
      if (!position) break;
      const AxisRef& other = sorted[*position];
      if (contains(other, *tail) || !can_coexist(other, *tail)) break;
      if (const auto head = prefix_without_overlap(*tail, other)) aligned.push_back(*head);
      aligned.push_back(*overlap(*tail, other));
      tail = suffix_without_overlap(*tail, other);
    }
    if (tail) aligned.push_back(*tail);
  }
  return aligned;
}

}  // namespace shardy
#endif  // SHARDY_BODIES
