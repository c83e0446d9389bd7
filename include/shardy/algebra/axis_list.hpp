#pragma once

#include <cstdint>
#include <optional>
#include <shardy/algebra/axis_ref.hpp>
#include <shardy/algebra/mesh.hpp>
#include <span>
#include <utility>
#include <vector>

namespace shardy {

/// Axis refs of one mesh, major to minor, that do not overlap; no two neighbours can merge (but
/// align_by_decomposition breaks that on purpose). Spec: algebra 3.
using AxisList = std::vector<AxisRef>;
/// Axes, major to minor or in mesh order, that somebody else owns.
using AxisSpan = std::span<const AxisRef>;
/// One axis list per dim of a tensor.
using AxisLists = std::vector<AxisList>;

/// Adds the refs at the end, as they are.
inline void append(AxisList& list, AxisSpan refs) {
  list.insert(list.end(), refs.begin(), refs.end());
}

/// Concatenates all lists.
inline AxisList flatten(const AxisLists& lists) {
  AxisList all;
  for (const AxisList& list : lists) append(all, list);
  return all;
}

/// Appends `axis`, or merges it into the last element. Spec: algebra 3.2.
void append_or_merge(AxisList& list, const AxisRef& axis);

/// In mesh order, with neighbours merged. Requires: no overlaps. Spec: algebra 3.3.
AxisList sort_and_merge(AxisList list);

/// Number of shards that the axes make: the product of their sizes, 1 if there are none.
int64_t sharding_size(AxisSpan axes);

/// Returns whether the axis shares devices with one of the list.
bool overlaps(const AxisRef& axis, AxisSpan list);

/// Returns whether an axis of one list shares devices with one of the other.
bool overlaps(AxisSpan a, AxisSpan b);

/// Position in `sorted` of the first element that overlaps `axis`. Requires: `sorted` is in mesh
/// order and has no overlaps. Only refs of one axis can meet, and among them mesh order is
/// canonical order. Spec: algebra 2.5.
std::optional<std::size_t> first_overlapping(const AxisRef& axis, AxisSpan sorted);

/// Parts of `a` that `b` does not cover, in the order of `a`, unmerged. Where parts overlap but
/// cannot coexist, the part of `a` is dropped. Requires: `b` has no overlaps. Spec: algebra 3.4.
AxisList set_difference(AxisSpan a, AxisSpan b);

/// Returns the prefix of `axis` before its first overlap with `list`; std::nullopt if it is empty.
std::optional<AxisRef> prefix_without_overlap(const AxisRef& axis, AxisSpan list);

/// The longest list prefix of `axes` that does not overlap `others`. Spec: algebra 3.5.
AxisList truncate_by_removing_overlaps(AxisSpan axes, AxisSpan others);

/// The same in place; returns whether the list changed.
inline bool truncate_without_overlap(AxisList& axes, AxisSpan others) {
  AxisList kept = truncate_by_removing_overlaps(axes, others);
  const bool changed = kept != axes;
  axes = std::move(kept);
  return changed;
}

/// Parts that both lists have, in the order of `a`, then minor-ward. Spec: algebra 3.5.
AxisList intersection(AxisSpan a, AxisSpan b);

/// A tie-break: fewer elements first, then canonical order of the first that differ; not the
/// sharded size. Spec: algebra 3.6.
bool list_less(const Mesh& mesh, AxisSpan a, AxisSpan b);

/// `a` is what remains of `b` when elements are dropped from its end and the last one left may be
/// cut to a prefix, and is not `b` itself. Spec: algebra 3.6.
bool strict_prefix_of(AxisSpan a, AxisSpan b);

/// How the first of two lists begins the second.
enum class PrefixStatus { Equal, StrictPrefix, NotAPrefix };

/// Compares `a` with the beginning of `b`; a sub-axis may be a prefix of an axis. Spec: algebra 3.
PrefixStatus prefix_status(AxisSpan a, AxisSpan b);

/// How many shards of `axes` lie in one of `prefix`. Requires: prefix_status is not NotAPrefix.
inline int64_t expanded_size(AxisSpan axes, AxisSpan prefix) {
  SHARDY_EXPECTS(prefix_status(prefix, axes) != PrefixStatus::NotAPrefix);
  return sharding_size(axes) / sharding_size(prefix);
}

/// The longest list that begins both; its last ref may be a sub-axis. Spec: algebra 3.
AxisList greatest_common_prefix(AxisSpan a, AxisSpan b);

/// The longest list prefix of `axes` that divides `dim_size`; stops at an axis of size 1 unless all
/// axes fit. Requires: dim_size >= 0. Spec: algebra 3.7.
AxisList evenly_dividing_prefix(AxisSpan axes, int64_t dim_size);

/// All parts into which the refs cut the axes of `mesh`, in mesh order.
/// Requires: refs can coexist pairwise. Spec: algebra 3.8.
AxisList ordered_axis_refs(const Mesh& mesh, AxisSpan refs);

/// `list` with each element that only partly lies in an element of `others` split there, so that
/// the parts in and out of it stand apart; neighbours may then merge. Requires: `others` has no
/// overlaps. Spec: algebra 3.8.
AxisList align_by_decomposition(AxisSpan list, AxisSpan others);

}  // namespace shardy

#ifdef SHARDY_HEADER_ONLY
#include <shardy/algebra/detail/axis_list_inl.hpp>
#endif
