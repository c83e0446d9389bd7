#pragma once

#include <shardy/algebra/axis_list.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/support/detail/inline.hpp>
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

}  // namespace shardy
#endif  // SHARDY_BODIES
