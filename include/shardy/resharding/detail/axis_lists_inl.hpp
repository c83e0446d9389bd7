// Bodies of axis_lists.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <shardy/algebra/axis_list.hpp>
#include <shardy/resharding/axis_lists.hpp>
#include <shardy/support/inline.hpp>

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
