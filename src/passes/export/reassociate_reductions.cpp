// Adds partial values before they are reduced: one all-reduce instead of two. Spec: resharding C.8.
//
//   sdy.mesh @mesh = <["x"=4]>
//   %1 = sdy.all_reduce {"x"} %a              %1 = add %a, %b   unreduced={"x"}
//   %2 = sdy.all_reduce {"x"} %b         ->   %2 = sdy.all_reduce {"x"} %1
//   %3 = add %1, %2                           (8x8xf32: 384 bytes sent instead of 768)
#include <utility>

#include "ir/op_facts.hpp"
#include "passes/export/collective_rules.hpp"
#include "shardy/ir/sharding_access.hpp"

namespace shardy::passes {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;

namespace {

/// Checks whether the op commutes with the reduction: sum with add or subtract, max with maximum,
/// ...
bool commutes(OpKind kind, ReductionOp reduction) {
  const bool is_difference = kind == OpKind::Subtract && reduction == ReductionOp::Sum;
  return is_difference || kind == ir::reducer_of(reduction);
}

struct Reduced {
  OpId reduce;
  PlacedStep placed;
};

/// Returns the all-reduce or reduce-scatter that defines the operand, if the op is its only user
/// and its own operand can be declared unreduced.
std::optional<Reduced> reduced_operand(const Module& module, OpId op, std::size_t index) {
  const ValueId value = module.operand(op, index);
  const OpId reduce = module.defining_op(value);
  const bool reduces = reduce.valid() && ir::completes_reduction(module.kind(reduce));
  if (!reduces || only_reader(module, value) != op) return std::nullopt;
  auto placed = step_of(module, reduce);
  if (!placed || !can_be_partial(module, module.operand(reduce, 0), placed->from) ||
      !blocks_nest(module.type(value), placed->from, placed->step.out)) {
    return std::nullopt;
  }
  return Reduced{reduce, *std::move(placed)};
}

bool is_alike(const PlacedStep& a, const PlacedStep& b) {
  return a.step.kind == b.step.kind && a.step.axes == b.step.axes &&
         a.step.dim_axes == b.step.dim_axes && a.step.reduction_op == b.step.reduction_op &&
         a.from.mesh_ref() == b.from.mesh_ref() && a.step.out == b.step.out &&
         dim_axes(a.from) == dim_axes(b.from) && a.from.unreduced_axes() == b.from.unreduced_axes();
}

}  // namespace

std::optional<Gain> reassociate_reductions(RewriteContext& context, OpId op) {
  Module& module = context.module;
  if (!is_plain_elementwise(module, op) || module.num_operands(op) != 2 ||
      module.type(module.result(op)).element() == ir::ElementType::I1) {
    return std::nullopt;
  }
  const auto first = reduced_operand(module, op, 0);
  const auto second = reduced_operand(module, op, 1);
  if (!first || !second || first->reduce == second->reduce ||
      !is_alike(first->placed, second->placed) ||
      !commutes(module.kind(op), first->placed.step.reduction_op)) {
    return std::nullopt;
  }
  const ValueId result = module.result(op);
  const TensorSharding out = sharding_or_whole(module, result, first->placed.step.out);
  if (out.mesh_ref() != first->placed.step.out.mesh_ref() ||
      dim_axes(out) != dim_axes(first->placed.step.out) ||
      out.unreduced_axes() != first->placed.step.out.unreduced_axes()) {
    return std::nullopt;
  }
  const Price once = context.price(module.type(result), first->placed);
  Gain gain{once, once};
  gain.before += once;
  if (!is_cheaper(gain.after, gain.before)) return std::nullopt;
  std::size_t index = 0;
  for (const Reduced& each : {*first, *second}) {
    const ValueId partial = module.operand(each.reduce, 0);
    ir::set_sharding(module, partial, each.placed.from);
    module.set_operand(op, index++, partial);
    module.erase(each.reduce);
  }
  ir::set_sharding(module, result, first->placed.from);
  const std::vector<ir::Use> uses = module.uses(result);
  const ValueId combined =
      emit_steps(module, module.next(op), result, std::span(&first->placed.step, 1));
  for (const ir::Use& use : uses) module.set_operand(use.op, use.operand, combined);
  return gain;
}

}  // namespace shardy::passes
