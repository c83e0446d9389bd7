#pragma once

#include <shardy/algebra/axis_list.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <vector>

namespace shardy {

/// Returns whether no list has an axis.
bool all_empty(const AxisLists& lists);

/// `refs` in their order, with neighbours joined where that is possible.
inline AxisList merged(AxisSpan refs) {
  AxisList list;
  for (const AxisRef& ref : refs) append_or_merge(list, ref);
  return list;
}

/// Returns the axes after `prefix` in `list`. Requires: `prefix` equals `list` or is a list prefix
/// of it, and they can coexist.
AxisList rest_after(AxisSpan list, AxisSpan prefix);

/// Returns the axes of each list after its prefix. Requires: as many prefixes, each of them of its
/// list.
AxisLists rest_after(const AxisLists& lists, const AxisLists& prefixes);

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

#ifdef SHARDY_HEADER_ONLY
#include <shardy/resharding/detail/axis_lists_inl.hpp>
#endif
