#pragma once

#include <shardy/resharding/detail/unreduced.hpp>
#include <shardy/resharding/step.hpp>
#include <shardy/support/detail/inline.hpp>
#include <vector>

namespace shardy::detail {

/// Appends the steps of `way` that add unreduced axes to a value with sharding `here`. `here` and
/// `way.before` shard all dims equally.
void introduce(TensorSharding here, const UnreducedIntroduction& way, const TensorSharding& to,
               std::vector<ReshardStep>& steps);

}  // namespace shardy::detail

#ifdef SHARDY_BODIES
#include <shardy/resharding/detail/axis_lists.hpp>
#include <utility>

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
