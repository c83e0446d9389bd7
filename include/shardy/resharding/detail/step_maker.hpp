#pragma once

#include <shardy/resharding/detail/axis_lists.hpp>
#include <shardy/resharding/step.hpp>
#include <shardy/support/detail/inline.hpp>
#include <utility>
#include <vector>

namespace shardy {

/// A builder of the steps that change the dims of a tensor from one sharding to another.
///
/// Each step has closed dims, no replicated axes, and the unreduced axes of both ends. Until the
/// first permute, steps are on the mesh of the start; from the first permute on, on the mesh of the
/// end. Requires: the meshes differ at most in device ids; the unreduced axes are equal. Spec:
/// resharding B.3.
class StepMaker {
 public:
  StepMaker(const TensorSharding& from, const TensorSharding& to)
      : here_(from.with_replicated({}).with_unreduced(to.unreduced_axes(), to.reduction_op())),
        target_(to.with_replicated({})) {}

  /// Compares the contents of the meshes, not their names: between two names of one mesh no permute
  /// is needed.
  bool on_target_mesh() const { return here_.mesh() == target_.mesh(); }

  void all_gather(AxisLists axes, const AxisLists& result);
  void all_slice(AxisLists axes, const AxisLists& result);
  void all_to_all(AllToAllMove param, const AxisLists& result) {
    add({.kind = StepKind::AllToAll, .params = {std::move(param)}, .out = sharding(result)});
  }
  void collective_permute(const AxisLists& result) {
    if (!on_target_mesh()) here_ = target_;
    add({.kind = StepKind::CollectivePermute, .out = sharding(result)});
  }

  std::vector<ReshardStep> take_steps() { return std::move(steps_); }

 private:
  TensorSharding sharding(const AxisLists& lists) const {
    return here_.with_dims(closed_dims(lists));
  }
  void add(ReshardStep step) { steps_.push_back(std::move(step)); }

  TensorSharding here_;
  TensorSharding target_;
  std::vector<ReshardStep> steps_;
};

}  // namespace shardy

#ifdef SHARDY_BODIES
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
#endif  // SHARDY_BODIES
