// sdy-reshard-to-collectives: each reshard becomes a sequence of collectives. Spec: resharding B.
//
//   sdy.mesh @mesh = <["x"=2, "y"=2]>
//   %0 [{"x"}, {}]
//   sdy.reshard %0 [{}, {}]          ->   sdy.all_gather [{"x"}, {}] %0
//   sdy.reshard %0 [{"x", "y"}, {}]  ->   sdy.all_slice [{"y"}, {}] %0
//   sdy.reshard %0 [{}, {"x"}]       ->   sdy.all_to_all [{"x"}: 0->1] %0
//   sdy.reshard %0 [{"y"}, {}]       ->   sdy.collective_permute %0
#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/op_facts.hpp"
#include "passes/common/ops.hpp"
#include "passes/export/collective_rules.hpp"
#include "passes/export/export_passes.hpp"
#include "passes/export/mesh_planners.hpp"
#include "shardy/algebra/detail/equivalence.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/data_flow.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/resharding/best_plan.hpp"

namespace shardy::passes {

namespace {

/// Permutes the result of `op` to the device order of `to`, for all other uses of the result.
ValueId permute_after(Module& module, OpId op, const TensorSharding& to) {
  const ValueId value = module.result(op);
  ir::OpSpec spec = unary_op(module, OpKind::SdyCollectivePermute, value);
  spec.attributes.set(ir::attr::kOutSharding, to);
  return module.result(insert_after(module, op, value, std::move(spec)));
}

/// Gives a replicated_to_unreduced the mesh and the dims, open or closed, of its operand. The
/// replaced reshard may have had another mesh: replicated axes stay on their mesh, but partial
/// values move to the new device order.
void follow_operand(Module& module, ValueId value) {
  std::vector<ValueId> changed = {value};
  while (!changed.empty()) {
    const ValueId operand = changed.back();
    changed.pop_back();
    const std::optional<TensorSharding> have = ir::get_sharding(module, operand);
    if (!have) continue;
    for (const ir::Use& use : module.uses(operand)) {
      if (!module.is(use.op, OpKind::SdyReplicatedToUnreduced)) continue;
      const TensorSharding out = *module.attribute<TensorSharding>(use.op, ir::attr::kOutSharding);
      const bool same_mesh = out.mesh() == have->mesh();
      if (same_mesh && std::ranges::equal(out.dims(), have->dims())) continue;
      if (!out.mesh().equals_ignoring_device_ids(have->mesh())) continue;
      const TensorSharding followed =
          out.with_mesh(have->mesh_ref()).with_dims({have->dims().begin(), have->dims().end()});
      const AxisList axes = module.attribute<ir::AxesAttr>(use.op, ir::attr::kAxes)->axes;
      module.attributes(use.op).set(ir::attr::kAxes, ir::AxesAttr{followed.mesh(), axes});
      module.attributes(use.op).set(ir::attr::kOutSharding, followed);
      changed.push_back(same_mesh ? module.result(use.op) : permute_after(module, use.op, out));
    }
  }
}

void replace_reshard(Module& module, OpId reshard, ValueId value) {
  module.replace_all_uses(module.result(reshard), value);
  module.erase(reshard);
  follow_operand(module, value);
}

/// Returns the sharding of a value. std::nullopt for a sharding on an empty mesh: such a value is
/// replicated on any mesh, like a value without a sharding. Spec: resharding B.3.
std::optional<TensorSharding> placed_sharding(const Module& module, ValueId value) {
  std::optional<TensorSharding> sharding = ir::get_sharding(module, value);
  if (sharding && sharding->mesh().empty()) sharding.reset();
  return sharding;
}

bool is_replicated(const TensorSharding& sharding) {
  return sharding.is_fully_replicated() && sharding.unreduced_axes().empty();
}

/// Returns true for reshards that other passes lower: from or to a single device, between different
/// ranks, and between meshes with different axes. Spec: resharding B.3.
bool stays(const TensorSharding& from, const TensorSharding& to) {
  if (from.mesh().is_maximal() || to.mesh().is_maximal() || from.rank() != to.rank()) return true;
  return !is_replicated(to) && !from.mesh().equals_ignoring_device_ids(to.mesh());
}

bool is_read_elsewhere(const Module& module, ValueId value, const Mesh& mesh) {
  return read_elsewhere(module, value, mesh).has_value();
}

/// Sets the first sharding of an op, which belongs to `value`. Other results get replicated
/// shardings on the same mesh, except if collectives use them on another mesh.
void set_first_sharding(Module& module, ValueId value, const TensorSharding& sharding) {
  ir::set_sharding(module, value, sharding);
  const std::optional<ValueId> stored = ir::shardable_value(module, value);
  if (!stored || !module.owner(*stored).is_result()) return;
  for (const ValueId other : module.results(module.defining_op(*stored))) {
    if (other == *stored) continue;
    if (const auto there = read_elsewhere(module, other, sharding.mesh())) {
      ir::set_sharding(module, other, *there);
    }
  }
}

/// Gives `value`, which has no sharding, the replicated sharding `sharding`. If a collective uses
/// it in another device order, returns a reshard instead.
ValueId with_sharding(Module& module, OpId before, ValueId value, const TensorSharding& sharding) {
  if (!is_read_elsewhere(module, value, sharding.mesh())) {
    set_first_sharding(module, value, sharding);
    return value;
  }
  ir::OpSpec spec = reshard_op(module, value, sharding);
  spec.location = module.location(before);
  const OpId made = module.create(std::move(spec));
  module.insert_before(before, made);
  return module.result(made);
}

/// Returns the all-reduce whose only user is the reshard; else invalid.
OpId reduction_before(const Module& module, OpId reshard) {
  const ValueId value = module.operand(reshard, 0);
  const OpId reduce = module.defining_op(value);
  const bool is_alone = reduce.valid() && module.is(reduce, OpKind::SdyAllReduce) &&
                        module.num_uses(value) == 1 &&
                        module.parent_block(reduce) == module.parent_block(reshard);
  return is_alone ? reduce : OpId();
}

/// Returns the sharding of an all-reduce's operand: partial along all axes that the all-reduce
/// reduces. Returns std::nullopt if the operand has other unreduced axes.
std::optional<TensorSharding> partial_operand(const Module& module, OpId reduce) {
  const TensorSharding out = *module.attribute<TensorSharding>(reduce, ir::attr::kOutSharding);
  const auto have = ir::get_sharding(module, module.operand(reduce, 0));
  const auto* reduction = module.attribute<ir::EnumAttr>(reduce, ir::attr::kReductionOp);
  const AxisList& axes = module.attribute<ir::AxesAttr>(reduce, ir::attr::kReductionAxes)->axes;
  // Only operands of sums on one mesh may be declared partial here.
  if (!have || reduction != nullptr || have->mesh() != out.mesh()) return std::nullopt;
  if (axes.empty() || !out.unreduced_axes().empty()) return std::nullopt;
  if (!set_difference(have->unreduced_axes(), axes).empty()) return std::nullopt;
  if (overlaps(axes, have->dim_axes())) return std::nullopt;
  const TensorSharding closed = have->closed_like();
  auto partial = TensorSharding::make(closed.mesh(), closed.mesh_name(),
                                      {closed.dims().begin(), closed.dims().end()}, {},
                                      sort_and_merge(axes), ReductionOp::Sum);
  // std::nullopt if axes overlap
  return partial ? std::optional(*std::move(partial)) : std::nullopt;
}

/// Plans an all-reduce and the reshard after it as one change. Returns false if both stay.
bool lower_with_reduction(Module& module, OpId reshard, MeshPlanners& planners) {
  const OpId reduce = reduction_before(module, reshard);
  if (!reduce.valid()) return false;
  const TensorSharding to = *module.attribute<TensorSharding>(reshard, ir::attr::kSharding);
  const std::optional<TensorSharding> from = partial_operand(module, reduce);
  const ir::Type& type = module.type(module.operand(reduce, 0));
  if (!from || stays(*from, to) || !to.unreduced_axes().empty() || !type.is_tensor()) return false;
  // The following ops are rewritten only if they are on the mesh of `from`.
  if (from->mesh_ref() != to.mesh_ref()) return false;
  Result<std::vector<ReshardStep>> steps = planners.plan(reshard, type, *from, to);
  if (!steps) return false;
  const ValueId operand = module.operand(reduce, 0);
  const auto plan = plan_from_partial(module, operand, *from, *std::move(steps));
  if (!plan) return false;
  if (plan->declares_partial) ir::set_sharding(module, operand, *from);
  const ValueId value = emit_steps(module, reshard, operand, plan->steps);
  replace_reshard(module, reshard, value);
  module.erase(reduce);
  return true;
}

/// Lowers a reshard between two replicated shardings: no data moves.
void lower_replicated(Module& module, OpId reshard, ValueId value,
                      const std::optional<TensorSharding>& have, const TensorSharding& from) {
  if (have && is_read_elsewhere(module, module.result(reshard), from.mesh())) return;
  const bool wants_sharding = !have && feeds_collective(module, module.result(reshard));
  replace_reshard(module, reshard,
                  wants_sharding ? with_sharding(module, reshard, value, from) : value);
}

Status lower(Module& module, OpId reshard, const ReshardToCollectivesOptions& options,
             MeshPlanners& planners) {
  if (options.resharding == PlanKind::Best && lower_with_reduction(module, reshard, planners)) {
    return {};
  }
  const TensorSharding to = *module.attribute<TensorSharding>(reshard, ir::attr::kSharding);
  ValueId value = ir::bypass_barriers(module, module.operand(reshard, 0));
  const std::optional<TensorSharding> have = placed_sharding(module, value);
  const TensorSharding from = have ? *have : to.fully_closed_like();
  if (stays(from, to)) return {};
  if (options.keep_redundant_reshards && is_equivalent(from, to)) return {};
  if (is_replicated(from) && is_replicated(to)) {
    lower_replicated(module, reshard, value, have, from);
    return {};
  }
  const ir::Type& type = module.type(value);
  if (!type.is_tensor()) return {};
  auto steps = planners.plan(reshard, type, from, to);
  if (!steps) {
    Error error = std::move(steps).error();
    error.location = module.source_location(reshard);
    return tl::unexpected(std::move(error));
  }
  const bool starts_unreduced =
      !steps->empty() && steps->front().kind == StepKind::ReplicatedToUnreduced;
  const bool is_on_empty_mesh = !have && ir::get_sharding(module, value);
  if (!have && (starts_unreduced || (is_on_empty_mesh && !steps->empty()))) {
    value = with_sharding(module, reshard, value, from);
  }
  value = emit_steps(module, reshard, value, *steps);
  if (is_replicated(to) && is_read_elsewhere(module, module.result(reshard), from.mesh())) {
    module.set_operand(reshard, 0, value);  // replicated, but still on the mesh of `from`
  } else {
    replace_reshard(module, reshard, value);
  }
  return {};
}

}  // namespace

Diagnostics reshard_to_collectives(Module& module, const ReshardToCollectivesOptions& options) {
  MeshPlanners planners(module, options.resharding, options.best,
                        options.extensions != nullptr ? options.extensions->plan_reshard : nullptr,
                        options.limits, options.plans);
  Diagnostics errors = planners.errors();
  if (!errors.empty()) return errors;
  for (const OpId op : ir::pre_order(module)) {
    if (!module.is(op, OpKind::SdyReshard)) continue;
    if (options.limits != nullptr && !options.limits->may_continue()) return errors;
    const Status status = lower(module, op, options, planners);
    if (!status) errors.push_back(status.error());
  }
  // A rejected plan for both ops is not an error: both stay.
  if (errors.empty()) errors = planners.errors();
  return errors;
}

// ---- Collectives next to dots -------------------------------------------------------------------
// Collectives next to dots are removed for a backend that overlaps them with the dot. Spec: passes
// 5.14.
//
//   %0 = sdy.all_gather [{}, {"x"}] %a              %0 = dot %a, %b   [{}, {}]
//   %1 = dot %0, %b   [{}, {}]                 ->
//                                                   (the backend gathers %a)
//   Without an all-gather of an operand, the reduce-scatter after the dot is removed:
//   %0 = dot %a, %b   [{}, {}]
//   %1 = sdy.reduce_scatter [{"x"}, {}] %0     ->   %0 = dot %a, %b   [{"x"}, {}]

namespace {

/// Returns the all-gathers whose only user is the dot.
std::vector<OpId> gathers_of(const Module& module, OpId dot) {
  std::vector<OpId> gathers;
  for (const ValueId operand : module.operands(dot)) {
    const OpId op = module.defining_op(operand);
    if (!op.valid() || !module.is(op, OpKind::SdyAllGather)) continue;
    if (module.num_uses(operand) == 1) gathers.push_back(op);
  }
  return gathers;
}

/// Returns the reduce-scatter that is the only user of the dot, if the dot can get its sharding.
/// Invalid for dots without a sharding (deviation 15).
OpId scatter_of(const Module& module, OpId dot) {
  const ValueId result = module.result(dot);
  if (module.num_uses(result) != 1) return {};
  const OpId user = module.uses(result).front().op;
  const auto sharding = ir::get_sharding(module, result);
  const bool fits =
      module.is(user, OpKind::SdyReduceScatter) && sharding && sharding->unreduced_axes().empty();
  return fits ? user : OpId();
}

}  // namespace

void remove_all_gather_reduce_scatter_for_cmv1(Module& module) {
  std::vector<OpId> marked;
  for (const OpId op : ir::post_order(module)) {
    if (!module.is(op, OpKind::Dot) && !module.is(op, OpKind::DotGeneral)) continue;
    const std::vector<OpId> gathers = gathers_of(module, op);
    marked.insert(marked.end(), gathers.begin(), gathers.end());
    if (!gathers.empty()) continue;
    const OpId scatter = scatter_of(module, op);
    if (!scatter.valid()) continue;
    ir::set_sharding(module, module.result(op),
                     *module.attribute<TensorSharding>(scatter, ir::attr::kOutSharding));
    marked.push_back(scatter);
  }
  for (const OpId op : marked) {
    module.replace_all_uses(module.result(op), module.operand(op, 0));
    module.erase(op);
  }
}

// ---- Collectives as steps -----------------------------------------------------------------------
// Converts collectives of a program to steps of a plan and back, and checks their requirements on
// operands.
//
//   %0: tensor<8x8xf32> [{"x"}, {}]
//   step all_gather [{"x"}, {}]  -- emit_steps -->  %1 = sdy.all_gather [{"x"}, {}] %0
//                                <-- step_of -----       out_sharding=<@mesh, [{}, {}]>

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
