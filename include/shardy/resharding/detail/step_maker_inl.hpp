// Bodies of step_maker.hpp.
#pragma once

#include <shardy/resharding/axis_lists.hpp>
#include <shardy/resharding/detail/step_maker.hpp>
#include <shardy/resharding/step.hpp>
#include <shardy/support/inline.hpp>
#include <utility>

namespace shardy {

SHARDY_INLINE void StepMaker::all_gather(AxisLists axes, const AxisLists& result) {
  if (all_empty(axes)) return;
  add({.kind = StepKind::AllGather, .dim_axes = std::move(axes), .out = sharding(result)});
}

SHARDY_INLINE void StepMaker::all_slice(AxisLists axes, const AxisLists& result) {
  if (all_empty(axes)) return;
  add({.kind = StepKind::AllSlice, .dim_axes = std::move(axes), .out = sharding(result)});
}

}  // namespace shardy
