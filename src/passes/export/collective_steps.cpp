// Converts collectives of a program to steps of a plan and back, and checks their requirements on
// operands.
//
//   %0: tensor<8x8xf32> [{"x"}, {}]
//   step all_gather [{"x"}, {}]  -- emit_steps -->  %1 = sdy.all_gather [{"x"}, {}] %0
//                                <-- step_of -----       out_sharding=<@mesh, [{}, {}]>
#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "ir/op_facts.hpp"
#include "passes/common/ops.hpp"
#include "passes/export/collective_rules.hpp"
#include "shardy/algebra/detail/equivalence.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/data_flow.hpp"
#include "shardy/ir/sharding_access.hpp"

namespace shardy::passes {

// ---- Steps --------------------------------------------------------------------------------------

namespace {

struct StepRow {
  StepKind step;
  OpKind op;
  std::string_view axes;  // name of the attribute that has the axes
};

constexpr StepRow kSteps[] = {
    {StepKind::AllGather, OpKind::SdyAllGather, ir::attr::kGatheringAxes},
    {StepKind::AllSlice, OpKind::SdyAllSlice, ir::attr::kSlicingAxes},
    {StepKind::AllToAll, OpKind::SdyAllToAll, ir::attr::kParams},
    {StepKind::CollectivePermute, OpKind::SdyCollectivePermute, ""},
    {StepKind::AllReduce, OpKind::SdyAllReduce, ir::attr::kReductionAxes},
    {StepKind::ReduceScatter, OpKind::SdyReduceScatter, ir::attr::kReduceScatterAxes},
    {StepKind::ShardedToUnreduced, OpKind::SdyShardedToUnreduced, ir::attr::kAxes},
    {StepKind::ReplicatedToUnreduced, OpKind::SdyReplicatedToUnreduced, ir::attr::kAxes},
};

ir::AllToAllAttr all_to_all_params(const ReshardStep& step) {
  ir::AllToAllAttr attribute{step.out.mesh(), {}};
  for (const auto& param : step.params) {
    attribute.params.push_back({param.axes, param.source, param.target});
  }
  return attribute;
}

ir::AttributeMap attributes_of(const ReshardStep& step, const StepRow& row) {
  ir::AttributeMap attributes;
  const Mesh& mesh = step.out.mesh();
  switch (step.kind) {
    case StepKind::AllToAll:
      attributes.set(row.axes, all_to_all_params(step));
      break;
    case StepKind::AllReduce:
    case StepKind::ReplicatedToUnreduced:
      attributes.set(row.axes, ir::AxesAttr{mesh, step.axes});
      break;
    case StepKind::CollectivePermute:
      break;
    default:
      attributes.set(row.axes, ir::AxesListsAttr{mesh, step.dim_axes});
  }
  const bool reduces = step.kind == StepKind::AllReduce || step.kind == StepKind::ReduceScatter;
  if (reduces && step.reduction_op != ReductionOp::Sum) {
    attributes.set(ir::attr::kReductionOp,
                   ir::EnumAttr{"sdy.reduction_op", std::string(to_string(step.reduction_op))});
  }
  attributes.set(ir::attr::kOutSharding, step.out);
  return attributes;
}

}  // namespace

ValueId emit_steps(Module& module, OpId before, ValueId value, std::span<const ReshardStep> steps) {
  for (const ReshardStep& step : steps) {
    const StepRow& row = kSteps[static_cast<std::size_t>(step.kind)];
    ir::OpSpec spec = unary_op(module, row.op, value);
    spec.attributes = attributes_of(step, row);
    spec.location = module.location(before);
    copy_cause(module, before, spec.attributes);
    const OpId made = module.create(std::move(spec));
    module.insert_before(before, made);
    value = module.result(made);
  }
  return value;
}

namespace {

/// Reads the step of a collective, except its output sharding.
std::optional<ReshardStep> read_step(const Module& module, OpId op, const StepRow& row,
                                     const TensorSharding& out) {
  ReshardStep step{
      .kind = row.step, .reduction_op = ir::collective_reduction(module, op), .out = out};
  if (row.axes.empty()) return step;
  if (const auto* lists = module.attribute<ir::AxesListsAttr>(op, row.axes)) {
    step.dim_axes = lists->lists;
  } else if (const auto* axes = module.attribute<ir::AxesAttr>(op, row.axes)) {
    step.axes = axes->axes;
  } else if (const auto* moves = module.attribute<ir::AllToAllAttr>(op, row.axes)) {
    for (const ir::AllToAllParam& param : moves->params) {
      step.params.push_back({param.axes, param.source_dim, param.target_dim});
    }
  } else {
    return std::nullopt;
  }
  return step;
}

}  // namespace

std::optional<PlacedStep> step_of(const Module& module, OpId op) {
  const auto* const row = std::ranges::find(kSteps, module.kind(op), &StepRow::op);
  const auto* out = module.attribute<TensorSharding>(op, ir::attr::kOutSharding);
  const bool is_known = row != std::end(kSteps) && out != nullptr &&
                        module.type(module.operand(op, 0)).is_static_tensor();
  if (!is_known) return std::nullopt;
  std::optional<ReshardStep> step = read_step(module, op, *row, *out);
  if (!step) return std::nullopt;
  const auto have = ir::get_sharding(module, module.operand(op, 0));
  TensorSharding from = have ? have->closed_like() : out->fully_closed_like();
  if (step->kind != StepKind::AllReduce && step->kind != StepKind::ReduceScatter) {
    return PlacedStep{std::move(from), *std::move(step)};
  }
  const bool is_other_kind =
      !from.unreduced_axes().empty() && from.reduction_op() != step->reduction_op;
  AxisList reduced = flatten(step->dim_axes);
  append(reduced, step->axes);
  if (is_other_kind || overlaps(reduced, flatten(dim_axes(from)))) return std::nullopt;
  append(reduced, set_difference(from.unreduced_axes(), reduced));
  // Fails if sub-axes of one axis overlap.
  auto partial = TensorSharding::make(
      from.mesh(), from.mesh_name(), {from.dims().begin(), from.dims().end()},
      from.replicated_axes(), sort_and_merge(std::move(reduced)), step->reduction_op);
  if (!partial) return std::nullopt;
  from = *std::move(partial);
  return PlacedStep{std::move(from), *std::move(step)};
}

// ---- Partial values -----------------------------------------------------------------------------

bool can_be_partial(const Module& module, ValueId value, const TensorSharding& from) {
  const auto have = ir::get_sharding(module, value);
  if (have && have->unreduced_axes() == from.unreduced_axes()) return true;
  if (!module.owner(value).is_result() || module.num_uses(value) != 1) return false;
  const OpId made = module.defining_op(value);
  return !module.is(made, OpKind::SdyReshard) && !module.has_trait(made, ir::kCollective);
}

namespace {

/// Removes unreduced axes that the value does not declare from the results of reductions, up to the
/// first result that is complete. Returns std::nullopt if another step comes before that and so
/// needs these axes.
std::optional<std::vector<ReshardStep>> hide_unreduced(std::vector<ReshardStep> steps,
                                                       const AxisList& declared) {
  for (ReshardStep& step : steps) {
    const AxisList hidden = set_difference(step.out.unreduced_axes(), declared);
    const bool reduces = step.kind == StepKind::AllReduce || step.kind == StepKind::ReduceScatter;
    if (!reduces) return std::nullopt;
    if (hidden.empty()) return steps;
    step.out =
        step.out.with_unreduced(sort_and_merge(set_difference(step.out.unreduced_axes(), hidden)));
  }
  return std::nullopt;
}

}  // namespace

std::optional<PartialPlan> plan_from_partial(const Module& module, ValueId value,
                                             const TensorSharding& from,
                                             std::vector<ReshardStep> steps) {
  const auto have = ir::get_sharding(module, value);
  if (!have) return std::nullopt;
  const AxisList declared = have->unreduced_axes();
  if (auto hidden = hide_unreduced(steps, declared)) return PartialPlan{*std::move(hidden), false};
  if (!can_be_partial(module, value, from)) return std::nullopt;
  return PartialPlan{std::move(steps), declared != from.unreduced_axes()};
}

// ---- Requirements on operands -------------------------------------------------------------------

namespace {

/// Checks whether `user`, whose operand had the sharding `had`, stays valid with `has`. Spec:
/// dialect 4.
bool accepts(const Module& module, OpId user, const std::optional<TensorSharding>& has,
             const TensorSharding& had) {
  const OpKind kind = module.kind(user);
  if (!ir::is_sdy_collective(kind)) return true;
  if (!has) {
    return ir::allows_missing_input_sharding(kind) && had.unreduced_axes().empty();
  }
  if (kind == OpKind::SdyCollectivePermute) {
    const TensorSharding to = *ir::get_sharding(module, module.result(user));
    return has->mesh_name() == to.mesh_name() || has->mesh() != to.mesh();
  }
  if (has->mesh() != had.mesh() || has->unreduced_axes() != had.unreduced_axes()) return false;
  if (kind == OpKind::SdyAllReduce) return is_equivalent(*has, had);
  return kind != OpKind::SdyReplicatedToUnreduced || std::ranges::equal(has->dims(), had.dims());
}

/// Returns the mesh other than `mesh` on which collectives use the value, for read_elsewhere.
std::optional<TensorSharding> used_elsewhere(const Module& module, ValueId value,
                                             const Mesh& mesh) {
  for (const ir::Use& use : module.uses(value)) {
    const OpKind kind = module.kind(use.op);
    const bool stays_on_mesh = ir::is_sdy_collective(kind) &&
                               kind != OpKind::SdyReplicatedToUnreduced &&
                               kind != OpKind::SdyCollectivePermute;
    const auto* out = module.attribute<TensorSharding>(use.op, ir::attr::kOutSharding);
    if (!stays_on_mesh || out == nullptr || out->mesh() == mesh) continue;
    return out->fully_open_like();
  }
  return std::nullopt;
}

}  // namespace

bool users_accept(const Module& module, OpId op, const std::optional<TensorSharding>& has) {
  const ValueId result = module.result(op);
  const TensorSharding had = *ir::get_sharding(module, result);
  return std::ranges::all_of(module.uses(result),
                             [&](const ir::Use& use) { return accepts(module, use.op, has, had); });
}

std::optional<TensorSharding> read_elsewhere(const Module& module, ValueId value,
                                             const Mesh& mesh) {
  const ValueId owner = ir::shardable_value(module, value).value_or(value);
  if (auto there = used_elsewhere(module, owner, mesh)) return there;
  for (const ValueId target : ir::non_owner_targets(module, owner)) {
    if (auto there = used_elsewhere(module, target, mesh)) return there;
  }
  return std::nullopt;
}

}  // namespace shardy::passes
