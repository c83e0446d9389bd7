#pragma once

#include <cstdint>
#include <shardy/resharding/step.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <vector>

namespace shardy {

/// Returns the collectives that reshard a tensor from `from` to `to`, as Shardy chooses them. Plans
/// also exist where Shardy fails: for sizes that do not divide each other, refs that cannot
/// coexist, and unreduced axes that change. A plan to a replicated tensor stays on the mesh of
/// `from`. An empty plan means that each device already has its result.
///
/// Units: `shape` is the global shape, of any sizes. Errors: a single-device sharding; different
/// ranks; meshes that differ in more than device ids; a different reduction of unreduced axes that
/// are kept; new unreduced axes with a reduction other than sum. Spec: resharding A.8, B.3, B.4,
/// B.5.
Result<std::vector<ReshardStep>> plan_reshard(std::span<const int64_t> shape,
                                              const TensorSharding& from, const TensorSharding& to);

}  // namespace shardy

#ifdef SHARDY_BODIES
#include <shardy/resharding/detail/reference.hpp>
#include <shardy/resharding/detail/unreduced.hpp>
#include <string>
#include <utility>

namespace shardy::detail {

/// A builder of a plan that tracks the sharding after its last step.
class PlanBuilder {
 public:
  PlanBuilder(std::span<const int64_t> shape, TensorSharding from)
      : shape_(shape), here_(std::move(from)) {}

  const TensorSharding& here() const { return here_; }

  void reduce(const AxisList& axes);

  void change_dims(const TensorSharding& to);

  void introduce(const UnreducedIntroduction& way, const TensorSharding& to);

  std::vector<ReshardStep> take_steps() { return std::move(steps_); }

 private:
  void add(ReshardStep step) {
    here_ = step.out;
    steps_.push_back(std::move(step));
  }

  std::span<const int64_t> shape_;
  TensorSharding here_;
  std::vector<ReshardStep> steps_;
};

SHARDY_INLINE Status check_ranks(std::span<const int64_t> shape, const TensorSharding& from,
                                 const TensorSharding& to) {
  if (from.is_single_device() || to.is_single_device()) {
    return fail("cannot reshard from or to a single-device sharding by collectives");
  }
  if (from.rank() == to.rank() && to.rank() == shape.size()) return {};
  return fail("cannot reshard a tensor of rank " + std::to_string(shape.size()) + " from rank " +
              std::to_string(from.rank()) + " to rank " + std::to_string(to.rank()));
}

SHARDY_INLINE void PlanBuilder::reduce(const AxisList& axes) {
  if (axes.empty()) return;
  add({.kind = StepKind::AllReduce,
       .axes = axes,
       .reduction_op = here_.reduction_op(),
       .out = here_.closed_like().with_unreduced(set_difference(here_.unreduced_axes(), axes))});
}

SHARDY_INLINE void PlanBuilder::change_dims(const TensorSharding& to) {
  reference::Sequence way = reference::sequence(shape_, here_, to);
  for (ReshardStep& step : way.steps) add(std::move(step));
}

SHARDY_INLINE void PlanBuilder::introduce(const UnreducedIntroduction& way,
                                          const TensorSharding& to) {
  change_dims(way.before);
  detail::introduce(here_, way, to, steps_);
}

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE Result<std::vector<ReshardStep>> plan_reshard(std::span<const int64_t> shape,
                                                            const TensorSharding& from,
                                                            const TensorSharding& to) {
  SHARDY_TRY_STATUS(detail::check_ranks(shape, from, to));
  detail::PlanBuilder plan(shape, from);
  if (to.is_fully_replicated() && to.unreduced_axes().empty()) {
    plan.reduce(from.unreduced_axes());
    plan.change_dims(plan.here().fully_closed_like());
    return plan.take_steps();
  }
  if (!from.mesh().equals_ignoring_device_ids(to.mesh())) {
    return fail("cannot reshard between meshes that differ in more than device ids");
  }
  plan.reduce(axes_to_reduce(from.unreduced_axes(), to.unreduced_axes()));
  const AxisList& kept = plan.here().unreduced_axes();
  if (!kept.empty() && from.reduction_op() != to.reduction_op()) {
    return fail("cannot change the reduction operator of kept unreduced axes from " +
                std::string(to_string(from.reduction_op())) + " to " +
                std::string(to_string(to.reduction_op())) + ".");
  }
  if (set_difference(to.unreduced_axes(), kept).empty()) {
    plan.change_dims(to);
    return plan.take_steps();
  }
  if (to.reduction_op() != ReductionOp::Sum) {
    return fail("cannot introduce '" + std::string(to_string(to.reduction_op())) +
                "' unreduced axes. Expected 'sum'.");
  }
  plan.introduce(introduce_unreduced(plan.here(), to), to);
  return plan.take_steps();
}

}  // namespace shardy
#endif  // SHARDY_BODIES
