// Inserts reshards that make the tensors of one op agree with its sharding rule. Spec: resharding
// A.3 to A.7.
//
//   sdy.mesh @mesh = <["a"=4, "b"=2]>, common axes i: {"a"}, j: {"b"}
//   %0 = add %a [{"a"}, {}], %b [{}, {"b"}]        %1 = sdy.reshard %a [{"a"}, {"b"}]
//     : [{"b"}, {}]                                %2 = sdy.reshard %b [{"a"}, {"b"}]
//                                             ->   %3 = add %1, %2     [{"a"}, {"b"}]
//                                                  %4 = sdy.reshard %3 [{"b"}, {}]
#include <algorithm>
#include <iterator>
#include <utility>

#include "ir/op_facts.hpp"
#include "passes/export/explicit_reshards.hpp"
#include "shardy/algebra/detail/equivalence.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/sharding_access.hpp"

namespace shardy::passes::explicit_reshards {

namespace {

// ---- Combiners ----------------------------------------------------------------------------------

/// Returns the reduction kind for a collective attribute. Reducers without a kind are stored as
/// ops.
ReductionOp reduction_for(OpKind reducer, const ir::Type& type) {
  const bool is_boolean = type.is_tensor() && type.element() == ir::ElementType::I1;
  if (is_boolean && reducer == OpKind::Or) return ReductionOp::Max;
  if (is_boolean && reducer == OpKind::And) return ReductionOp::Min;
  return ir::reduction_of(reducer).value_or(ReductionOp::Sum);
}

/// Returns per result the reduction of partial results; std::nullopt if no collective performs it.
std::optional<std::vector<ReductionOp>> combiners_of(const Module& module, OpId op) {
  std::vector<ReductionOp> combiners(module.num_results(op), ReductionOp::Sum);
  if (!module.is(op, OpKind::Reduce) && !module.is(op, OpKind::Scatter)) return combiners;
  const auto reducers = ir::recognized_reducers(module, op, module.num_results(op));
  if (!reducers) return std::nullopt;
  for (std::size_t index = 0; index < combiners.size(); ++index) {
    combiners[index] = reduction_for((*reducers)[index], module.type(module.result(op, index)));
  }
  return combiners;
}

/// Returns the rule in which reduction factors that no collective can reduce need replication.
/// Spec: resharding A.7.
OpShardingRule without_reductions(const OpShardingRule& rule) {
  OpShardingRule::Parts parts = rule.parts();
  std::vector<int32_t> merged;
  std::ranges::merge(parts.reduction, parts.need_replication, std::back_inserter(merged));
  parts.need_replication = std::move(merged);
  parts.reduction.clear();
  const Result<OpShardingRule> changed = OpShardingRule::make(std::move(parts));
  return changed ? *changed : rule;
}

// ---- Reading ------------------------------------------------------------------------------------

}  // namespace

std::vector<OptionalSharding> shardings_of(const Module& module, OpId op) {
  std::vector<OptionalSharding> shardings;
  shardings.reserve(module.num_operands(op) + module.num_results(op));
  for (const ValueId operand : module.operands(op)) {
    shardings.push_back(ir::get_sharding_bypassing_barriers(module, operand));
  }
  for (const ValueId result : module.results(op)) {
    shardings.push_back(ir::get_sharding(module, result));
  }
  return shardings;
}

namespace {

bool moves_no_data(const OptionalSharding& sharding) {
  return !sharding || (sharding->is_fully_replicated() && sharding->unreduced_axes().empty());
}

/// Returns the mesh for the op's tensors: the most frequent device order, on ties the first one.
/// Compares meshes by content, not by name. Spec: resharding A.12.1.
std::optional<MeshRef> mesh_of_tensors(std::span<const OptionalSharding> shardings) {
  const auto common = common_mesh(shardings, {.ignore_device_ids = true});
  if (!common || common->mesh.is_maximal() || common->mesh.empty()) return std::nullopt;
  const TensorSharding* best = nullptr;
  int64_t best_count = 0;
  std::vector<std::pair<const TensorSharding*, int64_t>>
      counts;  // per mesh: the first sharding on it and the number of shardings
  for (const OptionalSharding& sharding : shardings) {
    if (moves_no_data(sharding) || sharding->mesh().empty()) continue;
    auto count = std::ranges::find_if(
        counts, [&](const auto& entry) { return entry.first->mesh() == sharding->mesh(); });
    if (count == counts.end()) count = counts.insert(count, {&*sharding, 0});
    if (++count->second <= best_count) continue;
    best_count = count->second;
    best = count->first;
  }
  return best != nullptr ? best->mesh_ref() : *common;
}

/// Returns the sharding without the axes of the kept dims.
TensorSharding to_be_read(const OpTensors& tensors, std::size_t tensor) {
  const TensorSharding& sharding = *tensors.shardings[tensor];
  if (tensors.kept.empty()) return sharding;
  std::vector<DimSharding> dims(sharding.dims().begin(), sharding.dims().end());
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    if (tensors.kept[tensor][dim]) dims[dim].axes.clear();
  }
  return sharding.with_dims(std::move(dims));
}

}  // namespace

void project_all(OpTensors& tensors) {
  tensors.projection.reset(tensors.layout);
  for (std::size_t tensor = 0; tensor < tensors.layout.num_tensors(); ++tensor) {
    const OptionalSharding& sharding = tensors.shardings[tensor];
    if (sharding && sharding->rank() == tensors.layout.rank(tensor)) {
      propagation::project(tensors.layout, tensor, to_be_read(tensors, tensor), tensors.projection);
    } else {
      propagation::project_absent(tensors.layout, tensor, true, tensors.projection);
    }
  }
}

std::vector<DimSharding> wanted_dims(const OpTensors& tensors, std::size_t tensor,
                                     const propagation::Projection& projection) {
  std::vector<DimSharding> dims = propagation::back_project(tensors.layout, tensor, projection);
  if (tensors.kept.empty()) return dims;
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    if (tensors.kept[tensor][dim]) dims[dim] = tensors.shardings[tensor]->dim(dim);
  }
  return dims;
}

Result<std::optional<OpTensors>> read_op(const Module& module, OpId op,
                                         const rules::Registry& registry, bool lowering_rules) {
  const rules::OpView view(module, op);
  SHARDY_TRY(std::optional<OpShardingRule> rule,
             lowering_rules ? registry.lowering_rule_for(view) : registry.rule_for(view));
  const bool is_left_alone = rule && rule->is_custom() && !lowering_rules;
  if (!rule || is_left_alone) return std::optional<OpTensors>();
  std::vector<OptionalSharding> shardings = shardings_of(module, op);
  const std::optional<MeshRef> mesh = mesh_of_tensors(shardings);
  if (!mesh) return std::optional<OpTensors>();
  auto combiners = combiners_of(module, op);
  if (!combiners) {
    // The lowering of a reduce gathers partial results itself, so an all_reduce after it would be
    // redundant.
    const bool is_gathered = lowering_rules && module.is(op, OpKind::Reduce);
    if (!is_gathered) rule = without_reductions(*rule);
    combiners.emplace(module.num_results(op), ReductionOp::Sum);
  }
  OpTensors tensors{op,
                    *rule,
                    propagation::FlatRule(*rule),
                    *mesh,
                    *std::move(combiners),
                    std::move(shardings),
                    {},
                    lowering_rules};
  project_all(tensors);
  return std::optional<OpTensors>(std::move(tensors));
}

namespace {

const ir::Type& tensor_type(const Module& module, const OpTensors& tensors, std::size_t tensor) {
  const std::size_t num_operands = module.num_operands(tensors.op);
  return module.type(tensor < num_operands ? module.operand(tensors.op, tensor)
                                           : module.result(tensors.op, tensor - num_operands));
}

/// Removes the axes along which a tensor is unreduced from the candidates for its dims (resharding
/// A.15).
void keep_off_unreduced(const OpTensors& tensors, FactorAxes& factors) {
  for (std::size_t factor = 0; factor < factors.num_factors(); ++factor) {
    AxisList taken;
    for (std::size_t tensor = 0; tensor < factors.num_tensors(); ++tensor) {
      const OptionalSharding& sharding = tensors.shardings[tensor];
      if (!sharding || !factors.lists[tensor][factor]) continue;
      append(taken, sharding->unreduced_axes());
    }
    if (taken.empty()) continue;
    for (auto& lists : factors.lists) {
      if (lists[factor]) truncate_without_overlap(*lists[factor], taken);
    }
  }
}

}  // namespace

FactorAxes factor_axes(const Module& module, const OpTensors& tensors) {
  FactorAxes factors{tensors.mesh.mesh, tensors.rule, {}, {}, {}, tensors.is_lowered};
  const propagation::FlatRule& layout = tensors.layout;
  for (std::size_t tensor = 0; tensor < layout.num_tensors(); ++tensor) {
    const ir::Type& type = tensor_type(module, tensors, tensor);
    factors.tensor_sizes.push_back(type.is_static_tensor() ? type.num_elements() : 0);
    factors.lists.emplace_back(layout.num_factors());
    factors.overflow.emplace_back(layout.num_factors());
    const propagation::EntryRange entries = layout.tensor_entries(tensor);
    for (std::size_t entry = entries.begin; entry < entries.end; ++entry) {
      const propagation::FactorSharding& factor = tensors.projection.entries[entry];
      factors.lists.back()[layout.entry_factor(entry)] = factor.axes;
      factors.overflow.back()[layout.entry_factor(entry)] = factor.overflow;
    }
  }
  keep_off_unreduced(tensors, factors);
  return factors;
}

// ---- Inserting (A.6) ----------------------------------------------------------------------------

namespace {

/// Writes the common axes into the factors of a tensor. Returns true if any factor changed.
bool overwrite(OpTensors& tensors, std::size_t tensor, std::span<const AxisList> common) {
  bool changed = false;
  const propagation::EntryRange entries = tensors.layout.tensor_entries(tensor);
  for (std::size_t entry = entries.begin; entry < entries.end; ++entry) {
    propagation::FactorSharding& factor = tensors.projection.entries[entry];
    const AxisList& axes = common[tensors.layout.entry_factor(entry)];
    changed = changed || factor.axes != axes || !factor.overflow.empty();
    factor.axes = axes;
    factor.overflow.clear();
  }
  return changed;
}

/// Returns the sharding with which the op uses a tensor; std::nullopt if the tensor already has it.
OptionalSharding new_sharding(OpTensors& tensors, std::size_t tensor,
                              std::span<const AxisList> common) {
  const OptionalSharding& old = tensors.shardings[tensor];
  const bool other_order = !moves_no_data(old) && !(old->mesh() == tensors.mesh.mesh);
  if (!overwrite(tensors, tensor, common) && !other_order) return std::nullopt;
  const TensorSharding base =
      old ? old->with_replicated({}).with_mesh(tensors.mesh)
          : TensorSharding::fully_closed(tensors.mesh.mesh, tensors.mesh.name,
                                         tensors.layout.rank(tensor));
  return base.with_dims(wanted_dims(tensors, tensor, tensors.projection));
}

}  // namespace

OpId reshard_result(Module& module, OpId anchor, ValueId result, const OptionalSharding& old,
                    const TensorSharding& wanted) {
  const TensorSharding whole =
      whole_for_collective(module, result).value_or(wanted.fully_closed_like());
  const TensorSharding to = old ? *old : whole;
  const OpId made = insert_after(module, anchor, result, reshard_op(module, result, to));
  if (!old) reshard_for_collectives(module, module.result(made), to);
  return made;
}

void reshard_to_common(Module& module, OpTensors& tensors, std::span<const AxisList> common) {
  const OpId op = tensors.op;
  const std::size_t num_operands = module.num_operands(op);
  for (std::size_t operand = 0; operand < num_operands; ++operand) {
    const OptionalSharding wanted = new_sharding(tensors, operand, common);
    if (!wanted) continue;
    insert_before_use(module, {op, static_cast<uint32_t>(operand)},
                      reshard_op(module, module.operand(op, operand), *wanted));
  }
  OpId last = op;
  for (std::size_t index = 0; index < module.num_results(op); ++index) {
    const OptionalSharding wanted = new_sharding(tensors, num_operands + index, common);
    if (!wanted) continue;
    const ValueId result = module.result(op, index);
    // Reads the sharding again, because writing an earlier result gives results without a sharding
    // open ones.
    const OptionalSharding old = ir::get_sharding(module, result);
    ir::set_sharding(module, result, *wanted);
    last = reshard_result(module, last, result, old, *wanted);
  }
}

// ---- Reductions (A.7) ---------------------------------------------------------------------------

AxisList reduction_axes(const OpTensors& tensors, std::span<const AxisList> common) {
  AxisList axes;
  for (const int32_t factor : tensors.rule.reduction_factors()) {
    append(axes, common[static_cast<std::size_t>(factor)]);
  }
  return axes;
}

namespace {

/// Checks whether the only use of a result reduces it over exactly these axes. The reduction then
/// belongs to the op. Spec: partitioning 1.2 (I5).
bool is_combined(const Module& module, ValueId result, const AxisList& axes) {
  if (module.num_uses(result) != 1) return false;
  const OpId user = module.uses(result).front().op;
  if (!ir::completes_reduction(module.kind(user))) return false;
  return sort_and_merge(ir::combined_axes(module, user)) == axes;
}

/// Returns the sharding of a result before its reduction over `axes`, whose dims do not have these
/// axes.
TensorSharding before_reduction(const TensorSharding& sharding, const AxisList& axes) {
  std::vector<DimSharding> dims(sharding.dims().begin(), sharding.dims().end());
  for (DimSharding& dim : dims) {
    if (!truncate_without_overlap(dim.axes, axes)) continue;
    if (dim.empty() && dim.is_closed) dim.priority.reset();
  }
  return sharding.with_dims(std::move(dims))
      .with_replicated(set_difference(sharding.replicated_axes(), axes));
}

/// Checks whether the reduction op of unreduced axes expresses how partial results are combined.
bool has_reduction_op(const Module& module, OpId op, std::size_t index) {
  if (!module.is(op, OpKind::Reduce) && !module.is(op, OpKind::Scatter)) return true;
  const auto reducers = ir::recognized_reducers(module, op, module.num_results(op));
  if (!reducers) return false;
  const ir::Type& type = module.type(module.result(op, index));
  const bool is_boolean = type.is_tensor() && type.element() == ir::ElementType::I1;
  return is_boolean || ir::reduction_of((*reducers)[index]).has_value();
}

TensorSharding unreduced(const TensorSharding& sharding, const AxisList& axes,
                         ReductionOp reduction) {
  AxisList all = sharding.unreduced_axes();
  append(all, axes);
  return sharding.with_unreduced(sort_and_merge(std::move(all)), reduction);
}

/// Returns the sharding of a result. A value without one, or on an empty mesh, is replicated on the
/// mesh of the op.
TensorSharding placed_sharding(const OptionalSharding& have, const OpTensors& tensors,
                               std::size_t tensor) {
  if (have && !have->mesh().empty()) return *have;
  return TensorSharding::fully_closed(tensors.mesh.mesh, tensors.mesh.name,
                                      tensors.layout.rank(tensor));
}

}  // namespace

void reduce_results(Module& module, const OpTensors& tensors, AxisList axes, bool marks) {
  if (axes.empty() || module.num_results(tensors.op) == 0) return;
  const OptionalSharding first = ir::get_sharding(module, module.result(tensors.op));
  // Merges the lists first, because sub-axes in the two lists may overlap partially.
  axes =
      set_difference(sort_and_merge(std::move(axes)), first ? first->unreduced_axes() : AxisList());
  if (axes.empty()) return;
  axes = sort_and_merge(std::move(axes));
  OpId last = tensors.op;
  std::vector<std::pair<ValueId, TensorSharding>> moved;
  for (std::size_t index = 0; index < module.num_results(tensors.op); ++index) {
    const ValueId result = module.result(tensors.op, index);
    if (is_combined(module, result, axes)) continue;
    const OptionalSharding have = ir::get_sharding(module, result);
    const TensorSharding wanted =
        placed_sharding(have, tensors, module.num_operands(tensors.op) + index);
    const TensorSharding partial = before_reduction(wanted, axes);
    const bool moves = !is_equivalent(partial, wanted);
    if (marks && has_reduction_op(module, tensors.op, index)) {
      ir::set_sharding(module, result, unreduced(partial, axes, tensors.combiners[index]));
    } else if (partial != wanted || (have && have->mesh().empty())) {
      ir::set_sharding(module, result, partial);
    }
    last = insert_after(
        module, last, result,
        all_reduce_op(module, result, axes, moves ? partial : wanted, tensors.combiners[index]));
    if (!have) reshard_for_collectives(module, module.result(last), wanted);
    if (moves) moved.emplace_back(module.result(last), wanted);
  }
  for (const auto& [value, wanted] : moved) {
    last = insert_after(module, last, value, reshard_op(module, value, wanted));
  }
}

}  // namespace shardy::passes::explicit_reshards
