// Steps that reduce unreduced axes or add them to a value. Spec: resharding A.8.
#pragma once

#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/resharding/detail/axis_lists.hpp>
#include <shardy/resharding/step.hpp>
#include <shardy/support/detail/inline.hpp>
#include <vector>

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

namespace shardy::detail {

/// Appends the steps of `way` that add unreduced axes to a value with sharding `here`. `here` and
/// `way.before` shard all dims equally.
void introduce(TensorSharding here, const UnreducedIntroduction& way, const TensorSharding& to,
               std::vector<ReshardStep>& steps);

}  // namespace shardy::detail

#ifdef SHARDY_BODIES
#include <cstddef>
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

namespace shardy::detail {

SHARDY_INLINE void introduce(TensorSharding here, const UnreducedIntroduction& way,
                             const TensorSharding& to, std::vector<ReshardStep>& steps) {
  if (!way.replicated.empty()) {
    AxisList unreduced = here.unreduced_axes();
    append(unreduced, way.replicated);
    // The op requires that its result has the dims of its operand, including open dims.
    here = here.with_replicated({}).with_unreduced(sort_and_merge(std::move(unreduced)),
                                                   ReductionOp::Sum);
    steps.push_back({.kind = StepKind::ReplicatedToUnreduced, .axes = way.replicated, .out = here});
  }
  if (all_empty(way.sharded)) return;
  steps.push_back({.kind = StepKind::ShardedToUnreduced,
                   .dim_axes = way.sharded,
                   .out = here.closed_like()
                              .with_dims(closed_dims(dim_axes(to)))
                              .with_unreduced(to.unreduced_axes(), ReductionOp::Sum)});
}

}  // namespace shardy::detail
#endif  // SHARDY_BODIES
