#pragma once

#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/resharding/detail/axis_lists.hpp>
#include <shardy/support/detail/inline.hpp>

namespace shardy {

/// Returns the axes that must be reduced so that a value that is unreduced along `from` is
/// unreduced at most along `to`, in mesh order. A ref that cannot coexist with the refs of `to` is
/// returned in full. Spec: resharding A.8.1.
AxisList axes_to_reduce(AxisSpan from, AxisSpan to);

/// Steps that add unreduced axes to a value: first reshard to `before`, then
/// replicated_to_unreduced along `replicated`, then sharded_to_unreduced along `sharded`.
struct UnreducedIntroduction {
  TensorSharding before;  // sharding to which the value is resharded first
  AxisList replicated;    // axes along which devices have equal data and become unreduced
  AxisLists sharded;      // axes of each dim that become unreduced
};

/// Returns the steps from `from` to the unreduced axes of `to`. `before` is on the mesh of `to` and
/// has the unreduced axes of `from`. Requires: equal ranks; all unreduced axes of `from` are
/// unreduced in `to`. Spec: resharding A.8.2.
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
