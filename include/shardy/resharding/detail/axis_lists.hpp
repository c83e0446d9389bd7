// Lists of axes per dim, and checks whether axes can coexist.
#pragma once

#include <cstdint>
#include <optional>
#include <shardy/algebra/axis_list.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/detail/math.hpp>
#include <vector>

namespace shardy {

/// Returns whether no list has an axis.
bool all_empty(const AxisLists& lists);

/// Returns `refs` in order, with adjacent refs merged.
inline AxisList merged(AxisSpan refs) {
  AxisList list;
  for (const AxisRef& ref : refs) append_or_merge(list, ref);
  return list;
}

/// Returns the axes of `list` after `prefix`. Requires: `prefix` equals `list` or is a prefix of
/// it; the refs can coexist.
AxisList rest_after(AxisSpan list, AxisSpan prefix);

/// Returns the axes of each list after its prefix. Requires: one prefix per list, as for single
/// lists.
AxisLists rest_after(const AxisLists& lists, const AxisLists& prefixes);

/// Returns the axes of each dim.
inline AxisLists dim_axes(const TensorSharding& sharding) {
  AxisLists lists;
  for (const DimSharding& dim : sharding.dims()) lists.push_back(dim.axes);
  return lists;
}

/// Returns closed dims with these axes.
inline std::vector<DimSharding> closed_dims(const AxisLists& lists) {
  std::vector<DimSharding> dims;
  for (const AxisList& list : lists) dims.push_back({.axes = list, .is_closed = true});
  return dims;
}

bool can_coexist(const AxisRef& ref, AxisSpan others);

bool can_coexist(AxisSpan refs, AxisSpan others);

/// Returns the size of the longest prefix of `ref` that can coexist with `other`; 1 if no prefix
/// can. Requires: `ref` itself cannot coexist with `other`.
constexpr int64_t coexisting_size(const AxisRef& ref, const AxisRef& other) {
  for (const int64_t end : {other.next(), other.pre}) {
    if (end % ref.pre != 0) continue;
    const int64_t size = gcd(ref.size, end / ref.pre);
    if (size > 1 && can_coexist(AxisRef{ref.axis, ref.pre, size}, other)) return size;
  }
  return 1;
}

/// Returns the longest prefix of `ref` that can coexist with all of `others`.
std::optional<AxisRef> coexisting_part(AxisRef ref, AxisSpan others);

/// Returns the longest prefix of `list` that can coexist with all of `others`. The last ref may be
/// shortened. Shardy fails for refs that cannot coexist. Spec: resharding B.8.
AxisList coexisting_prefix(AxisSpan list, AxisSpan others);

}  // namespace shardy

#ifdef SHARDY_BODIES
#include <algorithm>
#include <cstddef>

namespace shardy {

SHARDY_INLINE bool all_empty(const AxisLists& lists) {
  return std::ranges::all_of(lists, [](const AxisList& list) { return list.empty(); });
}

SHARDY_INLINE AxisList rest_after(AxisSpan list, AxisSpan prefix) {
  SHARDY_EXPECTS(prefix_status(prefix, list) != PrefixStatus::NotAPrefix);
  AxisList rest;
  if (!prefix.empty() && prefix.back() != list[prefix.size() - 1]) {
    rest.push_back(*suffix_without_overlap(list[prefix.size() - 1], prefix.back()));
  }
  append(rest, list.subspan(prefix.size()));
  return rest;
}

SHARDY_INLINE AxisLists rest_after(const AxisLists& lists, const AxisLists& prefixes) {
  SHARDY_EXPECTS(lists.size() == prefixes.size());
  AxisLists rest;
  for (std::size_t dim = 0; dim < lists.size(); ++dim) {
    rest.push_back(rest_after(lists[dim], prefixes[dim]));
  }
  return rest;
}

SHARDY_INLINE bool can_coexist(const AxisRef& ref, AxisSpan others) {
  return std::ranges::all_of(others, [&](const AxisRef& other) { return can_coexist(ref, other); });
}

SHARDY_INLINE bool can_coexist(AxisSpan refs, AxisSpan others) {
  return std::ranges::all_of(refs, [&](const AxisRef& ref) { return can_coexist(ref, others); });
}

SHARDY_INLINE std::optional<AxisRef> coexisting_part(AxisRef ref, AxisSpan others) {
  const auto conflicts = [&](const AxisRef& other) { return !can_coexist(ref, other); };
  for (auto other = others.begin();;) {
    other = std::find_if(others.begin(), others.end(), conflicts);
    if (other == others.end()) return ref;
    ref.size = coexisting_size(ref, *other);
    if (ref.size == 1) return std::nullopt;
  }
}

SHARDY_INLINE AxisList coexisting_prefix(AxisSpan list, AxisSpan others) {
  return prefix_of_parts(list, [&](const AxisRef& ref) { return coexisting_part(ref, others); });
}

}  // namespace shardy
#endif  // SHARDY_BODIES
