#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <shardy/algebra/axis_list.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <utility>
#include <vector>

namespace shardy {

/// One axis list per dim of a tensor.
using AxisLists = std::vector<AxisList>;

inline void append(AxisList& list, AxisSpan refs) {
  list.insert(list.end(), refs.begin(), refs.end());
}

inline AxisList flatten(const AxisLists& lists) {
  AxisList all;
  for (const AxisList& list : lists) append(all, list);
  return all;
}

inline bool all_empty(const AxisLists& lists) {
  return std::ranges::all_of(lists, [](const AxisList& list) { return list.empty(); });
}

/// `refs` in their order, with neighbours joined where that is possible.
inline AxisList merged(AxisSpan refs) {
  AxisList list;
  for (const AxisRef& ref : refs) append_or_merge(list, ref);
  return list;
}

/// What follows `prefix` in `list`. Requires: `prefix` equals `list` or is a list prefix of it, and
/// they can coexist.
inline AxisList rest_after(AxisSpan list, AxisSpan prefix) {
  SHARDY_ASSERT(prefix_status(prefix, list) != PrefixStatus::NotAPrefix);
  AxisList rest;
  if (!prefix.empty() && prefix.back() != list[prefix.size() - 1]) {
    rest.push_back(*suffix_without_overlap(list[prefix.size() - 1], prefix.back()));
  }
  append(rest, list.subspan(prefix.size()));
  return rest;
}

inline AxisLists rest_after(const AxisLists& lists, const AxisLists& prefixes) {
  AxisLists rest;
  for (std::size_t dim = 0; dim < lists.size(); ++dim) {
    rest.push_back(rest_after(lists[dim], prefixes[dim]));
  }
  return rest;
}

/// The axes of each dim.
inline AxisLists dim_axes(const TensorSharding& sharding) {
  AxisLists lists;
  for (const DimSharding& dim : sharding.dims()) lists.push_back(dim.axes);
  return lists;
}

/// Closed dims with these axes.
inline std::vector<DimSharding> closed_dims(const AxisLists& lists) {
  std::vector<DimSharding> dims;
  for (const AxisList& list : lists) dims.push_back({.axes = list, .is_closed = true});
  return dims;
}

}  // namespace shardy
