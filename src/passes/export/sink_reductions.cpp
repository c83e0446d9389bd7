// Sinks reductions below the ops that use their results. Spec: resharding C.8.
//
//   sdy.mesh @mesh = <["x"=4]>
//   %1 = sdy.all_reduce {"x"} %0                    %1 = scatter %zeros, %rows, %0
//   %2 = scatter %zeros, %rows, %1  [{"x"}]   ->          [{}] unreduced={"x"}
//                                                   %2 = sdy.reduce_scatter [{"x"}] %1
//   (updates of 24x6xf32: 432 bytes sent instead of 864)
//
//   %1 = sdy.all_reduce {"x"} %0                    %1 = gather %0, %rows  unreduced={"x"}
//   %2 = gather %1, %rows                     ->    %2 = sdy.all_reduce {"x"} %1
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "ir/op_facts.hpp"
#include "ir/operand_roles.hpp"
#include "passes/common/functions.hpp"
#include "passes/common/ops.hpp"
#include "passes/export/collective_rules.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/sharding_access.hpp"

namespace shardy::passes {

namespace {

constexpr std::size_t kMaxSunk = 16;  // limit of the ops below which one reduction is sunk

/// An op below which the reduction is sunk.
struct LinearUser {
  OpId op;
  TensorSharding out;                    // sharding of its result in the program
  TensorSharding partial;                // sharding of its result before the reduction
  std::vector<std::size_t> remade = {};  // constant operands that need a sharding without the axes
};

/// A plan of the reduction after the last op.
struct SunkPlan {
  Gain gain;
  TensorSharding from;
  std::vector<ReshardStep> steps;
  OpId joined = {};  // the collective that the plan replaces; invalid: none
};

/// Checks whether each device can make all elements of the value without communication.
bool is_uniform(const Module& module, ValueId value) {
  const OpId op = module.defining_op(value);
  if (!op.valid()) return false;
  if (module.is(op, OpKind::BroadcastInDim)) {
    return module.type(module.operand(op, 0)).rank() == 0;
  }
  const auto* literal = module.attribute<ir::Literal>(op, ir::attr::kValue);
  const bool is_constant = module.is(op, OpKind::Constant) || module.is(op, OpKind::SdyConstant);
  return is_constant && literal != nullptr && literal->is_splat();
}

AxisLists without_axes(const TensorSharding& sharding, const AxisList& axes) {
  AxisLists lists = dim_axes(sharding);
  for (AxisList& list : lists) list = truncate_by_removing_overlaps(list, axes);
  return lists;
}

/// A search for the ops below which a reduction sinks, and for the last of them.
class ReductionSinker {
 public:
  ReductionSinker(RewriteContext& context, OpId reduction, PlacedStep placed, const Price& before)
      : context_(context),
        module_(context.module),
        reduction_(reduction),
        placed_(std::move(placed)),
        axes_(placed_.from.unreduced_axes()),
        max_factors_(placed_.step.kind == StepKind::AllReduce ? 1 : 0),
        before_(before) {}

  /// Returns the gain of the best position; std::nullopt if none is cheaper.
  std::optional<Gain> find() {
    ValueId value = module_.result(reduction_);
    while (users_.size() < kMaxSunk) {
      auto user = user_of(value);
      if (!user) break;
      users_.push_back(*std::move(user));
      value = module_.result(users_.back().op);
      note_zeros(users_.back().op);
      if (may_have_other_zeros_) continue;
      auto plan = plan_after(users_.back());
      const bool is_gain = plan && is_cheaper(plan->gain.after, plan->gain.before);
      const auto saved = [](const Gain& gain) { return gain.before.bytes - gain.after.bytes; };
      if (!is_gain || (best_ && saved(plan->gain) <= saved(best_->gain))) continue;
      num_best_ = users_.size();
      best_ = std::move(plan);
    }
    return best_ ? std::optional(best_->gain) : std::nullopt;
  }

  /// Requires: `find` returned a gain.
  void apply() {
    const ValueId operand = module_.operand(reduction_, 0);
    ir::set_sharding(module_, operand, placed_.from);
    module_.replace_all_uses(module_.result(reduction_), operand);
    for (std::size_t at = 0; at < num_best_; ++at) {
      for (const std::size_t index : users_[at].remade) remake(users_[at].op, index);
      ir::set_sharding(module_, module_.result(users_[at].op), users_[at].partial);
    }
    const OpId last = users_[num_best_ - 1].op;
    const ValueId partial = module_.result(last);
    ir::set_sharding(module_, partial, best_->from);
    if (best_->joined.valid()) {
      const ValueId made = emit_steps(module_, best_->joined, partial, best_->steps);
      module_.replace_all_uses(module_.result(best_->joined), made);
      module_.erase(best_->joined);
    } else {
      const std::vector<ir::Use> uses = module_.uses(partial);
      const ValueId made = emit_steps(module_, module_.next(last), partial, best_->steps);
      for (const ir::Use& use : uses) module_.set_operand(use.op, use.operand, made);
    }
    module_.erase(reduction_);
  }

 private:
  /// Notes whether zeros of the op's result may have another sign if the op is before the
  /// reduction:
  /// -(1 - 1) is -0, and -1 + 1 is 0. Sums of products have no such zeros.
  void note_zeros(OpId op) {
    switch (module_.kind(op)) {
      case OpKind::Negate:
      case OpKind::Multiply:
        may_have_other_zeros_ = !ir::is_integer(module_.type(module_.result(op)).element());
        break;
      case OpKind::Convolution:
      case OpKind::Dot:
      case OpKind::DotGeneral:
      case OpKind::Reduce:
        may_have_other_zeros_ = false;
        break;
      default:
        break;
    }
  }

  /// Returns the only user of the value if it is linear in the value and each device has its other
  /// operands; else std::nullopt.
  std::optional<LinearUser> user_of(ValueId value) const {
    const OpId op = only_reader(module_, value);
    if (!op.valid() || !is_pure_static(module_, op) || module_.num_results(op) != 1 ||
        module_.has_trait(op, ir::kSdyAnnotation) || module_.has_trait(op, ir::kCollective) ||
        module_.attributes(op).contains(ir::kShardingRuleAttr)) {
      return std::nullopt;
    }
    const ValueId result = module_.result(op);
    const TensorSharding& from = placed_.from;
    const TensorSharding out = sharding_or_whole(module_, result, from);
    if (out.mesh_ref() != from.mesh_ref() || !out.unreduced_axes().empty() ||
        read_elsewhere(module_, result, from.mesh())) {
      return std::nullopt;
    }
    const TensorSharding whole = TensorSharding::closed(out.mesh_ref(), without_axes(out, axes_));
    LinearUser user{op, out, whole.with_unreduced(axes_, from.reduction_op())};
    if (!accepts(user, value)) return std::nullopt;
    return user;
  }

  /// Checks that the op is linear in the value and that no other operand is sharded along the axes
  /// of the reduction, except constants, which are added to `remade`.
  bool accepts(LinearUser& user, ValueId value) const {
    const auto roles =
        ir::operand_roles(module_, user.op, ir::reducer_of(placed_.from.reduction_op()));
    std::size_t num_factors = 0;
    for (std::size_t index = 0; index < roles.size(); ++index) {
      const ValueId operand = module_.operand(user.op, index);
      if (operand == value) {
        num_factors += roles[index] == ir::OperandRole::Factor ? 1 : 0;
        if (roles[index] == ir::OperandRole::Whole || num_factors > max_factors_) return false;
        continue;
      }
      const auto have = ir::get_sharding(module_, operand);
      if (!have) continue;
      if (have->mesh_ref() != placed_.from.mesh_ref() || !have->unreduced_axes().empty()) {
        return false;
      }
      if (!overlaps(flatten(dim_axes(*have)), axes_)) continue;
      if (!is_uniform(module_, operand)) return false;
      user.remade.push_back(index);
    }
    return true;
  }

  /// Plans the reduction after the op, together with the next collective if that is the only user.
  std::optional<SunkPlan> plan_after(const LinearUser& user) {
    const ValueId result = module_.result(user.op);
    const OpId next = only_reader(module_, result);
    const auto outer = next.valid() ? step_of(module_, next) : std::nullopt;
    const bool is_near = outer && outer->step.out.mesh_ref() == user.partial.mesh_ref();
    if (std::ranges::any_of(module_.uses(result), [&](const ir::Use& use) {
          return ir::completes_reduction(module_.kind(use.op));
        })) {
      // The op reduces, too: its result is partial along the axes of both reductions.
      const bool is_alike = is_near && outer->step.reduction_op == user.partial.reduction_op();
      if (!is_alike) return std::nullopt;
      AxisList axes = axes_;
      append(axes, set_difference(outer->from.unreduced_axes(), axes_));
      return joined(next, *outer, user.partial.with_unreduced(sort_and_merge(std::move(axes))));
    }
    if (is_near && only_moves(outer->step.kind)) {
      if (auto plan = joined(next, *outer, user.partial)) return plan;
    }
    return plan_to(user.op, result, user.partial, user.out);
  }

  /// Plans the reduction and the next collective, whose operand is then `from`.
  std::optional<SunkPlan> joined(OpId next, const PlacedStep& outer, const TensorSharding& from) {
    const ValueId value = module_.operand(next, 0);
    auto plan = plan_to(next, value, from, outer.step.out);
    if (!plan) return std::nullopt;
    plan->joined = next;
    plan->gain.before += context_.price(module_.type(value), outer);
    return plan;
  }

  std::optional<SunkPlan> plan_to(OpId at, ValueId value, const TensorSharding& from,
                                  const TensorSharding& to) {
    auto steps = context_.planners.plan(at, module_.type(value), from, to);
    if (!steps || steps->empty()) return std::nullopt;
    const bool is_declared = ir::get_sharding(module_, module_.result(at)).has_value();
    if (is_declared && !users_accept(module_, at, steps->back().out)) return std::nullopt;
    const Price after = context_.price(module_.type(value), from, *steps);
    return SunkPlan{{before_, after}, from, *std::move(steps)};
  }

  void remake(OpId op, std::size_t index) {
    const ValueId value = module_.operand(op, index);
    const TensorSharding have = *ir::get_sharding(module_, value);
    ValueMap map;
    const OpId copy = clone_op(module_, module_.defining_op(value), map);
    module_.insert_before(op, copy);
    const ValueId made = module_.result(copy);
    ir::set_sharding(module_, made,
                     TensorSharding::closed(have.mesh_ref(), without_axes(have, axes_)));
    module_.set_operand(op, index, made);
  }

  RewriteContext& context_;
  Module& module_;
  OpId reduction_;
  PlacedStep placed_;
  AxisList axes_;  // over which the operand of the reduction is partial
  // Below a product, a reduce-scatter would multiply the work of each device.
  std::size_t max_factors_;
  Price before_;  // of the reduction
  std::vector<LinearUser> users_;
  bool may_have_other_zeros_ = false;
  std::size_t num_best_ = 0;  // the first users, below which the reduction is cheapest
  std::optional<SunkPlan> best_;
};

}  // namespace

std::optional<Gain> sink_reductions(RewriteContext& context, OpId op) {
  const Module& module = context.module;
  if (!ir::completes_reduction(module.kind(op))) return std::nullopt;
  auto placed = step_of(module, op);
  const bool fits = placed && placed->step.out.unreduced_axes().empty() &&
                    placed->from.mesh_ref() == placed->step.out.mesh_ref() &&
                    can_be_partial(module, module.operand(op, 0), placed->from);
  if (!fits) return std::nullopt;
  // A plan of the reduction alone may be cheaper, too. Sinking must cost less than this plan.
  const ir::Type& type = module.type(module.operand(op, 0));
  const auto alone = context.planners.plan(op, type, placed->from, placed->step.out);
  Price before = context.price(type, *placed);
  if (!alone) return std::nullopt;
  if (const Price plan = context.price(type, placed->from, *alone); is_cheaper(plan, before)) {
    before = plan;
  }
  ReductionSinker sinker(context, op, *std::move(placed), before);
  const std::optional<Gain> gain = sinker.find();
  if (gain) sinker.apply();
  return gain;
}

}  // namespace shardy::passes
