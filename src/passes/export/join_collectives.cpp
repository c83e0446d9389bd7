// Two collectives in sequence become the cheapest plan from start to end. Spec: resharding C.8.
//
//   sdy.mesh @mesh = <["x"=4]>
//   %1 = sdy.all_reduce {"x"} %0                 ->   %1 = sdy.reduce_scatter [{"x"}, {}] %0
//   %2 = sdy.all_slice [{"x"}, {}] %1                 (8x8xf32: 192 bytes sent instead of 384)
//
//   %1 = sdy.all_gather [{"x"}, {}] %0           ->   %1 = sdy.all_to_all %0
//   %2 = sdy.all_slice [{}, {"x"}] %1
#include <utility>

#include "passes/export/collective_replan.hpp"
#include "passes/export/collective_rules.hpp"
#include "passes/export/collective_steps.hpp"
#include "shardy/ir/sharding_access.hpp"

namespace shardy::passes {

using ir::Module;
using ir::OpId;
using ir::ValueId;

bool only_moves(StepKind kind) {
  return kind == StepKind::AllGather || kind == StepKind::AllSlice || kind == StepKind::AllToAll ||
         kind == StepKind::CollectivePermute;
}

std::optional<Replan> plan_instead(RewriteContext& context, OpId collective,
                                   const TensorSharding& to) {
  const Module& module = context.module;
  std::optional<PlacedStep> placed = step_of(module, collective);
  if (!placed) return std::nullopt;
  const bool reduces =
      placed->step.kind == StepKind::AllReduce || placed->step.kind == StepKind::ReduceScatter;
  if (!reduces && !only_moves(placed->step.kind)) return std::nullopt;
  if (placed->from.mesh_ref() != to.mesh_ref() || to.rank() != placed->from.rank()) {
    return std::nullopt;
  }
  const ValueId operand = module.operand(collective, 0);
  const ir::Type& type = module.type(operand);
  auto steps = context.planners.plan(collective, type, placed->from, to);
  const bool is_priced = steps && blocks_nest(type, placed->from, *steps) &&
                         blocks_nest(type, placed->from, placed->step.out);
  if (!is_priced) return std::nullopt;
  Replan replan{collective, placed->from, {}, false, {}};
  replan.gain = {context.price(type, *placed), context.price(type, placed->from, *steps)};
  if (!reduces) {
    replan.steps = *std::move(steps);
    return replan;
  }
  auto plan = plan_from_partial(module, operand, placed->from, *std::move(steps));
  if (!plan) return std::nullopt;
  replan.steps = std::move(plan->steps);
  replan.says = plan->says;
  return replan;
}

ValueId apply(Module& module, const Replan& replan) {
  const ValueId operand = module.operand(replan.collective, 0);
  if (replan.says) ir::set_sharding(module, operand, replan.from);
  return emit_steps(module, replan.collective, operand, replan.steps);
}

namespace {

/// Returns the sharding at the end of the plan; for an empty plan, that of the operand, if any.
std::optional<TensorSharding> end_of(const Module& module, const Replan& replan) {
  if (!replan.steps.empty()) return replan.steps.back().out;
  if (replan.says) return replan.from;
  return ir::get_sharding(module, module.operand(replan.collective, 0));
}

}  // namespace

std::optional<Gain> join_collectives(RewriteContext& context, OpId op) {
  Module& module = context.module;
  const auto outer = step_of(module, op);
  const ValueId between = outer ? module.operand(op, 0) : ValueId();
  const bool is_priced = outer && only_moves(outer->step.kind) &&
                         blocks_nest(module.type(between), outer->from, outer->step.out);
  if (!is_priced) return std::nullopt;
  const OpId inner = module.defining_op(between);
  if (only_reader(module, between) != op) return std::nullopt;
  std::optional<Replan> replan = plan_instead(context, inner, outer->step.out);
  if (!replan) return std::nullopt;
  replan->gain.before += context.price(module.type(between), *outer);
  const bool ends_alike = users_accept(module, op, end_of(module, *replan));
  if (!ends_alike || !is_cheaper(replan->gain.after, replan->gain.before)) return std::nullopt;
  module.replace_all_uses(module.result(op), apply(module, *replan));
  module.erase(op);
  module.erase(inner);
  return replan->gain;
}

}  // namespace shardy::passes
