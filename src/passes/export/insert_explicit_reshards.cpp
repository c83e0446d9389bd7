#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "shardy/algebra/common_mesh.hpp"
#include "shardy/algebra/equivalence.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/ir/reducer.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/passes/export/common_axes.hpp"
#include "shardy/passes/export/export_pipeline.hpp"
#include "shardy/propagation/projection.hpp"
#include "shardy/propagation/rule_layout.hpp"
#include "shardy/rules/registry.hpp"

namespace shardy::passes {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;
using propagation::Projection;
using propagation::RuleLayout;

namespace {

using OptionalSharding = std::optional<TensorSharding>;

ir::OpSpec sdy_op(const Module& module, OpKind kind, ValueId operand) {
  ir::OpSpec spec{.kind = kind};
  spec.operands = {operand};
  spec.result_types = {module.type(operand)};
  return spec;
}

ir::OpSpec reshard_op(const Module& module, ValueId operand, const TensorSharding& sharding) {
  ir::OpSpec spec = sdy_op(module, OpKind::SdyReshard, operand);
  spec.attributes.set("sharding", sharding);
  return spec;
}

/// Makes the op right before `anchor` and points one operand of `anchor` at its result.
OpId insert_on_operand(Module& module, OpId anchor, std::size_t operand, ir::OpSpec spec) {
  spec.location = module.location(anchor);
  const OpId made = module.create(std::move(spec));
  module.insert_before(anchor, made);
  module.set_operand(anchor, operand, module.result(made));
  return made;
}

/// Makes the op right after `anchor`; it takes over all other uses of its operand.
OpId insert_after_value(Module& module, OpId anchor, ValueId value, ir::OpSpec spec) {
  spec.location = module.location(anchor);
  const OpId made = module.create(std::move(spec));
  module.insert_after(anchor, made);
  module.replace_all_uses(value, module.result(made));
  module.set_operand(made, 0, value);
  return made;
}

ir::OpSpec all_reduce_op(const Module& module, ValueId value, const AxisList& axes,
                         const TensorSharding& out, ReductionOp reduction) {
  ir::OpSpec spec = sdy_op(module, OpKind::SdyAllReduce, value);
  spec.attributes.set("reduction_axes", ir::AxesAttr{out.mesh(), axes});
  if (reduction != ReductionOp::Sum) {
    spec.attributes.set("reduction_op",
                        ir::EnumAttr{"sdy.reduction_op", std::string(to_string(reduction))});
  }
  spec.attributes.set("out_sharding", out);
  return spec;
}

// ---- Unreduced operands (A.8.1) --------------------------------------------------------------

/// Combines the unreduced axes of an operand that `target` does not have.
void reduce_operand(Module& module, OpId op, std::size_t operand, const OptionalSharding& target) {
  const ValueId value = module.operand(op, operand);
  const OptionalSharding sharding = ir::get_sharding(module, value);
  if (!sharding || sharding->unreduced_axes().empty()) return;
  const AxisList kept = target ? target->unreduced_axes() : AxisList();
  const AxisList axes = set_difference(sharding->unreduced_axes(), kept);
  if (axes.empty()) return;
  const TensorSharding out =
      sharding->with_unreduced(set_difference(sharding->unreduced_axes(), axes));
  insert_on_operand(module, op, operand,
                    all_reduce_op(module, value, axes, out, sharding->reduction_op()));
}

// ---- One op ----------------------------------------------------------------------------------

/// What the region of a reduce says about the collective that combines its partial results.
struct Combiner {
  bool known = true;  // false: nothing that a collective can do
  ReductionOp reduction = ReductionOp::Sum;
};

Combiner combiner_of(const Module& module, OpId op) {
  if (!module.is(op, OpKind::Reduce)) return {};
  const auto reducers = ir::recognized_reducers(module, op, module.num_results(op));
  if (!reducers) return {false, ReductionOp::Sum};
  const bool boolean = module.type(module.result(op)).element() == ir::ElementType::I1;
  switch (reducers->front()) {
    case OpKind::Maximum:
      return {true, ReductionOp::Max};
    case OpKind::Minimum:
      return {true, ReductionOp::Min};
    case OpKind::Or:
      return {true, boolean ? ReductionOp::Max : ReductionOp::Sum};
    case OpKind::And:
      return {true, boolean ? ReductionOp::Min : ReductionOp::Sum};
    default:
      return {};
  }
}

/// Reduction factors that no collective can combine must not be sharded. Spec: resharding A.7.
OpShardingRule without_reductions(const OpShardingRule& rule) {
  OpShardingRule::Parts parts = rule.parts();
  std::vector<int32_t> merged;
  std::ranges::merge(parts.reduction, parts.need_replication, std::back_inserter(merged));
  parts.need_replication = std::move(merged);
  parts.reduction.clear();
  const Result<OpShardingRule> changed = OpShardingRule::make(std::move(parts));
  return changed ? *changed : rule;
}

/// An op, its rule, and the shardings of its tensors: operands, then results.
struct OpTensors {
  OpId op;
  OpShardingRule rule;
  RuleLayout layout;
  MeshRef mesh;
  Combiner combiner;
  std::vector<OptionalSharding> shardings;
  Projection projection;
};

std::vector<OptionalSharding> shardings_of(const Module& module, OpId op) {
  std::vector<OptionalSharding> shardings;
  for (const ValueId operand : module.operands(op)) {
    shardings.push_back(ir::get_sharding_bypassing_barriers(module, operand));
  }
  for (const ValueId result : module.results(op)) {
    shardings.push_back(ir::get_sharding(module, result));
  }
  return shardings;
}

bool moves_no_data(const OptionalSharding& sharding) {
  return !sharding || (sharding->is_fully_replicated() && sharding->unreduced_axes().empty());
}

/// The mesh on which the op's tensors meet: among device orders the most frequent one.
std::optional<MeshRef> meeting_mesh(std::span<const OptionalSharding> shardings) {
  const auto common = common_mesh(shardings, {.ignore_device_ids = true});
  if (!common || common->mesh.is_maximal() || common->mesh.empty()) return std::nullopt;
  MeshRef best = *common;
  std::ptrdiff_t best_count = 0;
  for (const OptionalSharding& sharding : shardings) {
    if (moves_no_data(sharding) || sharding->mesh().empty()) continue;
    const auto count = std::ranges::count_if(shardings, [&](const OptionalSharding& other) {
      return !moves_no_data(other) && other->mesh() == sharding->mesh();
    });
    if (count <= best_count) continue;
    best_count = count;
    best = sharding->mesh_ref();
  }
  return best;
}

FactorAxes factor_axes(const Module& module, const OpTensors& tensors) {
  FactorAxes factors{tensors.mesh.mesh, tensors.rule, {}, {}, {}};
  const RuleLayout& layout = tensors.layout;
  const std::size_t num_operands = module.num_operands(tensors.op);
  for (std::size_t tensor = 0; tensor < layout.num_tensors(); ++tensor) {
    const ValueId value = tensor < num_operands ? module.operand(tensors.op, tensor)
                                                : module.result(tensors.op, tensor - num_operands);
    const ir::Type& type = module.type(value);
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
  return factors;
}

/// Reads the op; nothing if it has no rule, no mesh, or is done otherwise.
Result<std::optional<OpTensors>> read_op(const Module& module, OpId op,
                                         const rules::Registry& registry) {
  SHARDY_TRY(std::optional<OpShardingRule> rule,
             registry.lowering_rule_for(rules::OpView(module, op)));
  if (!rule || rule->is_custom()) return std::optional<OpTensors>();
  const Combiner combiner = combiner_of(module, op);
  if (!combiner.known) rule = without_reductions(*rule);
  std::vector<OptionalSharding> shardings = shardings_of(module, op);
  const std::optional<MeshRef> mesh = meeting_mesh(shardings);
  if (!mesh) return std::optional<OpTensors>();
  OpTensors tensors{op, *rule, RuleLayout(*rule), *mesh, combiner, std::move(shardings), {}};
  tensors.projection.reset(tensors.layout);
  for (std::size_t tensor = 0; tensor < tensors.layout.num_tensors(); ++tensor) {
    const OptionalSharding& sharding = tensors.shardings[tensor];
    if (sharding && sharding->rank() == tensors.layout.rank(tensor)) {
      propagation::project(tensors.layout, tensor, *sharding, tensors.projection);
    } else {
      propagation::project_absent(tensors.layout, tensor, true, tensors.projection);
    }
  }
  return std::optional<OpTensors>(std::move(tensors));
}

/// Puts the common axes into a tensor's factors; true if any of them changed.
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

/// The sharding under which the op uses a tensor; nothing if it is the one that it has.
OptionalSharding new_sharding(OpTensors& tensors, std::size_t tensor,
                              std::span<const AxisList> common) {
  const OptionalSharding old = tensors.shardings[tensor];
  const bool other_order = !moves_no_data(old) && !(old->mesh() == tensors.mesh.mesh);
  if (!overwrite(tensors, tensor, common) && !other_order) return std::nullopt;
  const TensorSharding base =
      old ? old->with_mesh(tensors.mesh)
          : TensorSharding::fully_closed(tensors.mesh.mesh, tensors.mesh.name,
                                         tensors.layout.rank(tensor));
  return base.with_dims(propagation::back_project(tensors.layout, tensor, tensors.projection));
}

void reshard_operands(Module& module, OpTensors& tensors, std::span<const AxisList> common) {
  for (std::size_t operand = 0; operand < module.num_operands(tensors.op); ++operand) {
    const OptionalSharding wanted = new_sharding(tensors, operand, common);
    if (!wanted) continue;
    const ValueId value = module.operand(tensors.op, operand);
    insert_on_operand(module, tensors.op, operand, reshard_op(module, value, *wanted));
  }
}

void reshard_results(Module& module, OpTensors& tensors, std::span<const AxisList> common) {
  const std::size_t num_operands = module.num_operands(tensors.op);
  OpId last = tensors.op;
  for (std::size_t index = 0; index < module.num_results(tensors.op); ++index) {
    const std::size_t tensor = num_operands + index;
    const OptionalSharding wanted = new_sharding(tensors, tensor, common);
    if (!wanted) continue;
    const ValueId result = module.result(tensors.op, index);
    const OptionalSharding& old = tensors.shardings[tensor];
    const TensorSharding original = old ? *old : wanted->fully_closed_like();
    ir::set_sharding(module, result, *wanted);
    last = insert_after_value(module, last, result, reshard_op(module, result, original));
  }
}

/// Partial results over the sharded reduction factors are combined right after the op. Spec:
/// resharding A.7.
void reduce_results(Module& module, const OpTensors& tensors, std::span<const AxisList> common) {
  AxisList axes;
  for (const int32_t factor : tensors.rule.reduction_factors()) {
    const AxisList& list = common[static_cast<std::size_t>(factor)];
    axes.insert(axes.end(), list.begin(), list.end());
  }
  if (axes.empty() || module.num_results(tensors.op) == 0) return;
  const OptionalSharding first = ir::get_sharding(module, module.result(tensors.op));
  axes = set_difference(axes, first ? first->unreduced_axes() : AxisList());
  if (axes.empty()) return;
  axes = sort_and_merge(std::move(axes));
  OpId last = tensors.op;
  for (std::size_t index = 0; index < module.num_results(tensors.op); ++index) {
    const ValueId result = module.result(tensors.op, index);
    OptionalSharding sharding = ir::get_sharding(module, result);
    if (!sharding) {
      const auto rank = tensors.layout.rank(module.num_operands(tensors.op) + index);
      sharding = TensorSharding::fully_closed(tensors.mesh.mesh, tensors.mesh.name, rank);
      ir::set_sharding(module, result, *sharding);
    }
    last = insert_after_value(
        module, last, result,
        all_reduce_op(module, result, axes, *sharding, tensors.combiner.reduction));
  }
}

Status process_op(Module& module, OpId op, const rules::Registry& registry) {
  if (module.num_results(op) == 0) return {};
  const OptionalSharding target = ir::get_sharding(module, module.result(op));
  for (std::size_t operand = 0; operand < module.num_operands(op); ++operand) {
    reduce_operand(module, op, operand, target);
  }
  SHARDY_TRY(std::optional<OpTensors> tensors, read_op(module, op, registry));
  if (!tensors) return {};
  const std::vector<AxisList> common = common_axes(factor_axes(module, *tensors));
  reshard_operands(module, *tensors, common);
  reshard_results(module, *tensors, common);
  reduce_results(module, *tensors, common);
  return {};
}

// ---- Function results (A.11.1) ---------------------------------------------------------------

void process_return(Module& module, OpId function) {
  const OpId terminator = module.last_op(module.entry(function));
  if (!terminator.valid()) return;
  for (std::size_t index = 0; index < module.num_operands(terminator); ++index) {
    const OptionalSharding target = ir::result_sharding(module, function, index);
    reduce_operand(module, terminator, index, target);
    const ValueId value = module.operand(terminator, index);
    const OptionalSharding have = ir::get_sharding(module, value);
    if (is_equivalent(have, target)) continue;
    const TensorSharding wanted = target ? *target : have->fully_closed_like();
    insert_on_operand(module, terminator, index, reshard_op(module, value, wanted));
  }
}

Status check_function(const Module& module, OpId function) {
  const auto check = [&](const OptionalSharding& sharding, const char* what, std::size_t index) {
    if (!sharding || !sharding->mesh().is_maximal()) return Status();
    return Status(fail_at(module.location_text(function),
                          "function " + std::string(what) + " " + std::to_string(index) +
                              " cannot have a single-device (maximal) sharding attribute"));
  };
  const ir::FunctionData& data = module.function(function);
  for (std::size_t index = 0; index < data.arg_attributes.size(); ++index) {
    SHARDY_TRY_STATUS(check(ir::arg_sharding(module, function, index), "argument", index));
  }
  for (std::size_t index = 0; index < data.result_attributes.size(); ++index) {
    SHARDY_TRY_STATUS(check(ir::result_sharding(module, function, index), "result", index));
  }
  return {};
}

bool is_plain_op(const Module& module, OpId op) {
  return !module.has_trait(op, ir::kTerminator) && !module.has_trait(op, ir::kDataFlow) &&
         !module.has_trait(op, ir::kCollective) && !module.is(op, OpKind::FuncCall);
}

}  // namespace

PassErrors insert_explicit_reshards(Module& module) {
  PassErrors errors;
  const rules::Registry registry;
  for (const OpId function : module.functions()) {
    if (module.is_external(function)) continue;
    if (Status status = check_function(module, function); !status) {
      errors.push_back(std::move(status).error());
      continue;
    }
    for (const OpId op : ir::post_order(module, module.entry(function))) {
      if (!is_plain_op(module, op)) continue;
      const Status status = process_op(module, op, registry);
      if (!status) errors.push_back(status.error());
    }
    process_return(module, function);
  }
  return errors;
}

}  // namespace shardy::passes
