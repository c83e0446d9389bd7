#pragma once

#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/resharding/detail/axis_lists.hpp>
#include <shardy/support/detail/inline.hpp>

namespace shardy {

/// Axes along which a value with partial results along `from` must be reduced, to be partial at
/// most along `to`; in mesh order. An axis that cannot coexist with one of `to` is reduced as a
/// whole. Spec: resharding A.8.1.
AxisList axes_to_reduce(AxisSpan from, AxisSpan to);

/// Steps that make a value partial along more axes: reshard it to `before`, make it partial along
/// `replicated`, where the dims do not use it, then along `sharded`, which leaves the dims.
struct UnreducedIntroduction {
  TensorSharding before;  // to reshard to first
  AxisList replicated;    // axes along which devices that hold the same become partial
  AxisLists sharded;      // axes that leave each dim and become partial
};

/// The way from `from` to the unreduced axes of `to`. `before` is on the mesh of `to`, with the
/// unreduced axes of `from`. Requires: same rank, those of `from` are among those of `to`.
/// Spec: resharding A.8.2.
UnreducedIntroduction introduce_unreduced(const TensorSharding& from, const TensorSharding& to);

}  // namespace shardy

#ifdef SHARDY_BODIES
#include <cstddef>
#include <shardy/resharding/detail/coexistence.hpp>
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
#endif  // SHARDY_BODIES
