#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "passes/common/reshard_cause.hpp"
#include "passes/common/sdy_ops.hpp"
#include "passes/export/export_passes.hpp"
#include "passes/export/mesh_planners.hpp"
#include "shardy/algebra/equivalence.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/passes/export_pipeline.hpp"
#include "shardy/resharding/best_plan.hpp"

namespace shardy::passes {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;

namespace {

struct StepRow {
  StepKind step;
  OpKind op;
  std::string_view axes;  // attribute that holds the axes
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

/// The collectives are there for what the reshard `before` was there for.
ValueId emit(Module& module, OpId before, ValueId value, const std::vector<ReshardStep>& steps) {
  for (const ReshardStep& step : steps) {
    const StepRow& row = kSteps[static_cast<std::size_t>(step.kind)];
    ir::OpSpec spec = unary_op(module, row.op, value);
    spec.attributes = attributes_of(step, row);
    spec.location = module.location(before);
    const OpId made = module.create(std::move(spec));
    module.insert_before(before, made);
    copy_cause(module, before, made);
    value = module.result(made);
  }
  return value;
}

/// Behind `op`, brings its result to the order of devices of `to` for all other uses.
ValueId permute_after(Module& module, OpId op, const TensorSharding& to) {
  const ValueId value = module.result(op);
  ir::OpSpec spec = unary_op(module, OpKind::SdyCollectivePermute, value);
  spec.attributes.set(ir::attr::kOutSharding, to);
  return module.result(insert_after(module, op, value, std::move(spec)));
}

/// A replicated_to_unreduced has the dims, open or not, and the mesh of its operand. Those of the
/// reshard that was there may have been others than those of the value: what was to be replicated
/// has stayed on its mesh. Partial values do have to go to the other order of devices.
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

bool is_replicated(const TensorSharding& sharding) {
  return sharding.is_fully_replicated() && sharding.unreduced_axes().empty();
}

/// Reshards from or to one device, between ranks and between meshes with other axes are left to
/// others. Spec: resharding B.3.
bool stays(const TensorSharding& from, const TensorSharding& to) {
  if (from.mesh().is_maximal() || to.mesh().is_maximal() || from.rank() != to.rank()) return true;
  return !is_replicated(to) && !from.mesh().equals_ignoring_device_ids(to.mesh());
}

/// The other mesh than `mesh` on which a collective reads the value, with its name, as a sharding
/// that says nothing else. A replicated_to_unreduced follows its operand, a permute says itself
/// where it goes.
std::optional<TensorSharding> read_elsewhere(const Module& module, ValueId value,
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

bool is_read_elsewhere(const Module& module, ValueId value, const Mesh& mesh) {
  return read_elsewhere(module, value, mesh).has_value();
}

/// Stores the first sharding of an op, that of `value`. The other results come onto its mesh, but
/// for those that collectives read on another.
void set_first_sharding(Module& module, ValueId value, const TensorSharding& sharding) {
  ir::set_sharding(module, value, sharding);
  if (!module.owner(value).is_result()) return;
  for (const ValueId other : module.results(module.defining_op(value))) {
    if (other == value) continue;
    if (const auto there = read_elsewhere(module, other, sharding.mesh())) {
      ir::set_sharding(module, other, *there);
    }
  }
}

/// The value, which has no sharding yet, with this one, which places it as it is: its own, or that
/// of a reshard where a collective reads it in the order of other devices.
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

/// An all-reduce whose result only this reshard reads.
OpId reduction_before(const Module& module, OpId reshard) {
  const ValueId value = module.operand(reshard, 0);
  const OpId reduce = module.defining_op(value);
  const bool is_alone = reduce.valid() && module.is(reduce, OpKind::SdyAllReduce) &&
                        module.num_uses(value) == 1 &&
                        module.parent_block(reduce) == module.parent_block(reshard);
  return is_alone ? reduce : OpId();
}

/// What an all-reduce and the reshard behind it start from: its operand, as partial along all axes
/// that it reduces. Nothing if these are not what is left to reduce.
std::optional<TensorSharding> partial_operand(const Module& module, OpId reduce) {
  const TensorSharding out = *module.attribute<TensorSharding>(reduce, ir::attr::kOutSharding);
  const auto have = ir::get_sharding(module, module.operand(reduce, 0));
  const auto* reduction = module.attribute<ir::EnumAttr>(reduce, ir::attr::kReductionOp);
  const AxisList& axes = module.attribute<ir::AxesAttr>(reduce, ir::attr::kReductionAxes)->axes;
  // Other partial sums need none of this.
  if (!have || reduction != nullptr || have->mesh() != out.mesh()) return std::nullopt;
  if (axes.empty() || !out.unreduced_axes().empty()) return std::nullopt;
  if (!set_difference(have->unreduced_axes(), axes).empty()) return std::nullopt;
  if (overlaps(axes, have->dim_axes())) return std::nullopt;
  return have->closed_like().with_unreduced(axes, ReductionOp::Sum);
}

/// Whether the value can say itself that it is partial along `from`, as steps in front of the
/// reduction want it: it says so, or is the result of an op that nothing else reads and that does
/// not do what its sharding says.
bool can_be_partial(const Module& module, ValueId value, const TensorSharding& from) {
  if (ir::get_sharding(module, value)->unreduced_axes() == from.unreduced_axes()) return true;
  if (!module.owner(value).is_result() || module.num_uses(value) != 1) return false;
  const OpId made = module.defining_op(value);
  return !module.is(made, OpKind::SdyReshard) && !module.has_trait(made, ir::kCollective);
}

/// The steps, of which reductions leave less unreduced: not the axes that the value did not say it
/// is partial along. Nothing: other steps are among them, which must know.
std::optional<std::vector<ReshardStep>> hide_unreduced(std::vector<ReshardStep> steps,
                                                       const AxisList& said) {
  for (ReshardStep& step : steps) {
    const AxisList hidden = set_difference(step.out.unreduced_axes(), said);
    const bool reduces = step.kind == StepKind::AllReduce || step.kind == StepKind::ReduceScatter;
    if (!reduces) return std::nullopt;
    if (hidden.empty()) return steps;
    step.out =
        step.out.with_unreduced(sort_and_merge(set_difference(step.out.unreduced_axes(), hidden)));
  }
  return std::nullopt;
}

/// Plans an all-reduce and the reshard behind it as one change. False: they stay two.
bool lower_with_reduction(Module& module, OpId reshard, MeshPlanners& planners) {
  const OpId reduce = reduction_before(module, reshard);
  if (!reduce.valid()) return false;
  const TensorSharding to = *module.attribute<TensorSharding>(reshard, ir::attr::kSharding);
  const std::optional<TensorSharding> from = partial_operand(module, reduce);
  const ir::Type& type = module.type(module.operand(reduce, 0));
  if (!from || stays(*from, to) || !to.unreduced_axes().empty() || !type.is_tensor()) return false;
  // What follows is replaced on the mesh of `from` only.
  if (from->mesh_ref() != to.mesh_ref()) return false;
  auto steps = planners.plan(type, *from, to);
  if (!steps) return false;
  const ValueId operand = module.operand(reduce, 0);
  const AxisList said = ir::get_sharding(module, operand)->unreduced_axes();
  if (auto hidden = hide_unreduced(*steps, said)) {
    steps = *std::move(hidden);
  } else {
    if (!can_be_partial(module, operand, *from)) return false;
    if (said != from->unreduced_axes()) ir::set_sharding(module, operand, *from);
  }
  const ValueId value = emit(module, reshard, operand, *steps);
  replace_reshard(module, reshard, value);
  module.erase(reduce);
  return true;
}

/// Between two shardings without axes no data moves.
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
  const std::optional<TensorSharding> have = ir::get_sharding(module, value);
  const TensorSharding from = have ? *have : to.fully_closed_like();
  if (stays(from, to)) return {};
  if (options.keep_redundant_reshards && is_equivalent(from, to)) return {};
  if (is_replicated(from) && is_replicated(to)) {
    lower_replicated(module, reshard, value, have, from);
    return {};
  }
  const ir::Type& type = module.type(value);
  if (!type.is_tensor()) return {};
  auto steps = planners.plan(type, from, to);
  if (!steps) {
    Error error = std::move(steps).error();
    error.location = module.location_text(reshard);
    return tl::unexpected(std::move(error));
  }
  const bool starts_unreduced =
      !steps->empty() && steps->front().kind == StepKind::ReplicatedToUnreduced;
  if (!have && starts_unreduced) value = with_sharding(module, reshard, value, from);
  value = emit(module, reshard, value, *steps);
  if (is_replicated(to) && is_read_elsewhere(module, module.result(reshard), from.mesh())) {
    module.set_operand(reshard, 0, value);  // whole, and still on the mesh of `from`
  } else {
    replace_reshard(module, reshard, value);
  }
  return {};
}

}  // namespace

PassErrors reshard_to_collectives(Module& module, const ReshardToCollectivesOptions& options) {
  MeshPlanners planners(module, options.resharding, options.best);
  PassErrors errors = planners.errors();
  if (!errors.empty()) return errors;
  for (const OpId op : ir::pre_order(module)) {
    if (!module.is(op, OpKind::SdyReshard)) continue;
    const Status status = lower(module, op, options, planners);
    if (!status) errors.push_back(status.error());
  }
  return errors;
}

}  // namespace shardy::passes
