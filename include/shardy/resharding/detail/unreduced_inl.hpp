// Bodies of unreduced.hpp.
#pragma once

#include <cstddef>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/resharding/axis_lists.hpp>
#include <shardy/resharding/detail/coexistence.hpp>
#include <shardy/resharding/unreduced.hpp>
#include <shardy/support/inline.hpp>
#include <utility>

namespace shardy {

SHARDY_INLINE AxisList axes_to_reduce(AxisSpan from, AxisSpan to) {
  AxisList reduced;
  for (const AxisRef& ref : from) {
    if (can_coexist(ref, to)) {
      append(reduced, set_difference(AxisSpan(&ref, 1), to));
    } else {
      reduced.push_back(ref);
    }
  }
  return reduced;
}

SHARDY_INLINE UnreducedIntroduction introduce_unreduced(const TensorSharding& from,
                                                        const TensorSharding& to) {
  const AxisList added = set_difference(to.unreduced_axes(), from.unreduced_axes());
  AxisLists before = dim_axes(to);
  AxisLists sharded(to.rank());
  for (std::size_t dim = 0; dim < to.rank(); ++dim) {
    const AxisList& axes = from.dim(dim).axes;
    if (!can_coexist(axes, before[dim]) || !can_coexist(axes, added)) continue;
    if (!strict_prefix_of(before[dim], axes)) continue;
    AxisList rest = rest_after(axes, before[dim]);
    if (!set_difference(rest, added).empty()) continue;
    before[dim] = axes;
    sharded[dim] = std::move(rest);
  }
  AxisList replicated = sort_and_merge(set_difference(added, flatten(sharded)));
  return {TensorSharding::closed(to.mesh_ref(), std::move(before), from.unreduced_axes()),
          std::move(replicated), std::move(sharded)};
}

}  // namespace shardy
