// Inserts reshards and collectives between a value and its users, records their causes, and
// classifies ops.
//
//   insert_before_use     %1 = negate %0       ->   %2 = sdy.reshard %0 [{"x"}]
//                                                   %1 = negate %2
//   insert_after          %0 = negate %a       ->   %0 = negate %a
//                         use %0                    %1 = sdy.reshard %0 [{"x"}]
//                                                   use %1
#include "passes/common/ops.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "passes/common/ir_names.hpp"
#include "shardy/algebra/axis_list.hpp"
#include "shardy/algebra/unresolved.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/attribute_hash.hpp"
#include "shardy/ir/detail/data_flow.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/rules/built_in.hpp"
#include "shardy/rules/op_view.hpp"
#include "shardy/support/detail/hash.hpp"

namespace shardy::passes {

// ---- Reshards and collectives -------------------------------------------------------------------

ir::OpSpec unary_op(const Module& module, OpKind kind, ValueId operand) {
  ir::OpSpec spec{.kind = kind};
  spec.operands = {operand};
  spec.result_types = {module.type(operand)};
  return spec;
}

ir::OpSpec reshard_op(const Module& module, ValueId operand, const TensorSharding& to) {
  ir::OpSpec spec = unary_op(module, OpKind::SdyReshard, operand);
  spec.attributes.set(ir::attr::kSharding, to);
  return spec;
}

ir::OpSpec all_reduce_op(const Module& module, ValueId operand, AxisList axes,
                         const TensorSharding& out, ReductionOp reduction) {
  ir::OpSpec spec = unary_op(module, OpKind::SdyAllReduce, operand);
  spec.attributes.set(ir::attr::kReductionAxes, ir::AxesAttr{out.mesh(), std::move(axes)});
  if (reduction != ReductionOp::Sum) {
    spec.attributes.set(ir::attr::kReductionOp,
                        ir::EnumAttr{"sdy.reduction_op", std::string(to_string(reduction))});
  }
  spec.attributes.set(ir::attr::kOutSharding, out);
  return spec;
}

bool feeds_collective(const Module& module, ValueId value) {
  return std::ranges::any_of(module.uses(value), [&](const ir::Use& use) {
    return ir::is_sdy_collective(module.kind(use.op));
  });
}

std::optional<TensorSharding> whole_for_collective(const Module& module, ValueId value) {
  const TensorSharding* first = nullptr;
  for (const Use& use : module.uses(value)) {  // newest first
    if (!ir::is_sdy_collective(module.kind(use.op))) continue;
    const auto* out = module.attribute<TensorSharding>(use.op, ir::attr::kOutSharding);
    if (out != nullptr) first = out;
  }
  return first != nullptr ? std::optional(first->fully_closed_like()) : std::nullopt;
}

OpId replace_op(Module& module, OpId op, ir::OpSpec spec) {
  spec.location = module.location(op);
  const OpId made = module.create(std::move(spec));
  module.insert_before(op, made);
  const std::size_t count = std::min(module.num_results(op), module.num_results(made));
  for (std::size_t index = 0; index < count; ++index) {
    module.replace_all_uses(module.result(op, index), module.result(made, index));
  }
  module.erase(op);
  return made;
}

void insert_before_use(Module& module, Use use, ir::OpSpec spec) {
  spec.location = module.location(use.op);
  const OpId made = module.create(std::move(spec));
  module.insert_before(use.op, made);
  module.set_operand(use.op, use.operand, module.result(made));
}

namespace {

/// Returns the sharding that a collective assumes for an operand without a sharding.
TensorSharding whole_operand_of(const Module& module, OpId collective) {
  const auto& out = *module.attribute<TensorSharding>(collective, ir::attr::kOutSharding);
  return module.is(collective, OpKind::SdyReplicatedToUnreduced)
             ? out.with_unreduced({}).with_replicated({})
             : out.fully_closed_like();
}

}  // namespace

void reshard_to_whole(Module& module, Use collective) {
  const ValueId value = module.operand(collective.op, collective.operand);
  insert_before_use(module, collective,
                    reshard_op(module, value, whole_operand_of(module, collective.op)));
}

void reshard_for_collectives(Module& module, ValueId value, const TensorSharding& has) {
  for (const Use& use : module.uses(value)) {
    const OpKind kind = module.kind(use.op);
    if (!ir::is_sdy_collective(kind) || kind == OpKind::SdyCollectivePermute) continue;
    const auto& out = *module.attribute<TensorSharding>(use.op, ir::attr::kOutSharding);
    if (out.mesh() != has.mesh()) reshard_to_whole(module, use);
  }
}

OpId insert_after(Module& module, OpId anchor, ValueId value, ir::OpSpec spec) {
  spec.location = module.location(anchor);
  const OpId made = module.create(std::move(spec));
  module.insert_after(anchor, made);
  module.replace_all_uses(value, module.result(made));
  module.set_operand(made, 0, value);
  return made;
}

OpId insert_mesh(Module& module, OpId after, const std::string& name, const Mesh& mesh) {
  ir::OpSpec spec{.kind = OpKind::SdyMesh};
  spec.attributes.set(ir::attr::kSymName, name);
  spec.attributes.set(ir::attr::kMesh, mesh);
  const OpId op = module.create(std::move(spec));
  const OpId first = module.first_op(module.body());
  if (after.valid()) {
    module.insert_after(after, op);
  } else if (first.valid()) {
    module.insert_before(first, op);
  } else {
    module.append(module.body(), op);
  }
  return op;
}

bool has_plain_rule(OpKind kind) {
  switch (kind) {
    case OpKind::BroadcastInDim:
    case OpKind::DotGeneral:
    case OpKind::Reduce:
    case OpKind::Reshape:
    case OpKind::Transpose:
      return true;
    default:
      return ir::has_trait(kind, ir::kElementwise);
  }
}

std::optional<TensorSharding> single_device_sharding(const Module& module, OpId op) {
  for (std::size_t index = 0; index < module.num_results(op); ++index) {
    const ir::detail::StoredSharding sharding(module, module.result(op, index));
    if (sharding && sharding->mesh().is_maximal()) return *sharding;
  }
  const auto* own = module.attribute<ir::ShardingList>(op, ir::kShardingAttr);
  const bool is_alone = module.num_results(op) == 0 && own != nullptr && own->shardings.size() == 1;
  if (!is_alone || !own->shardings.front().mesh().is_maximal()) return std::nullopt;
  return own->shardings.front();
}

bool has_unreduced_tensor(const Module& module, OpId op, bool bypass_barriers) {
  const auto is_unreduced = [&](ValueId value) {
    if (bypass_barriers) value = ir::bypass_barriers(module, value);
    const ir::detail::StoredSharding sharding(module, value);
    return sharding && !sharding->unreduced_axes().empty();
  };
  for (std::size_t index = 0; index < module.num_results(op); ++index) {
    if (is_unreduced(module.result(op, index))) return true;
  }
  for (std::size_t index = 0; index < module.num_operands(op); ++index) {
    if (is_unreduced(module.operand(op, index))) return true;
  }
  return false;
}

bool is_side_of_collective(const ir::Module& module, ir::ValueId value) {
  const ir::OpId definition = module.defining_op(value);
  if (definition.valid() && ir::is_sdy_collective(module.kind(definition))) return true;
  return std::ranges::any_of(module.uses(value), [&](const ir::Use& use) {
    return ir::is_sdy_collective(module.kind(use.op));
  });
}

// ---- Causes -------------------------------------------------------------------------------------

void set_cause(Module& module, OpId op, const ReshardCause& cause) {
  ir::ArrayAttr parts;
  for (const std::string* part : {&cause.op, &cause.tensor, &cause.reason}) {
    parts.elements.emplace_back(*part);
  }
  module.attributes(op).set(kCauseAttr, module.shared(std::move(parts)));
}

std::optional<ReshardCause> cause_of(const Module& module, OpId op) {
  const auto* parts = module.attribute<ir::ArrayAttr>(op, kCauseAttr);
  if (parts == nullptr || parts->elements.size() != 3) return std::nullopt;
  const auto* name = parts->elements[0].as<std::string>();
  const auto* tensor = parts->elements[1].as<std::string>();
  const auto* reason = parts->elements[2].as<std::string>();
  if (name == nullptr || tensor == nullptr || reason == nullptr) return std::nullopt;
  return ReshardCause{*name, *tensor, *reason};
}

void copy_cause(const Module& module, OpId from, ir::AttributeMap& to) {
  const ir::Attribute* cause = module.attributes(from).find(kCauseAttr);
  if (cause != nullptr) to.set(kCauseAttr, *cause);
}

// ---- Classification -----------------------------------------------------------------------------

namespace {

bool is_static(const ir::Type& type) { return !type.is_tensor() || type.is_static_tensor(); }

}  // namespace

bool is_elementwise(const Module& module, OpId op) {
  return rules::is_elementwise(rules::OpView(module, op));
}

bool is_pure_static(const Module& module, OpId op) {
  if (!module.has_trait(op, ir::kPure)) return false;
  for (std::size_t index = 0; index < module.num_operands(op); ++index) {
    if (!is_static(module.type(module.operand(op, index)))) return false;
  }
  for (std::size_t index = 0; index < module.num_results(op); ++index) {
    if (!is_static(module.type(module.result(op, index)))) return false;
  }
  return true;
}

bool has_element_regions(const Module& module, OpId op) {
  const bool is_flow = module.has_trait(op, ir::kDataFlow) || module.is(op, OpKind::If);
  return module.has_trait(op, ir::kPure) && !is_flow;
}

bool keeps_constants(const Module& module, OpId op) {
  switch (module.kind(op)) {
    case OpKind::BroadcastInDim:
    case OpKind::Reshape:
    case OpKind::Slice:
      return true;
    default:
      return is_elementwise(module, op);
  }
}

// ---- Common subexpressions ----------------------------------------------------------------------

namespace {

ir::AttributeMap without_attribute(ir::AttributeMap attributes, std::string_view name) {
  attributes.erase(name);
  return attributes;
}

}  // namespace

/// Checks whether the op has the attribute that comparisons ignore.
bool EqualOps::has_ignored(OpId op) const {
  return !ignored_.empty() && module_.attributes(op).contains(ignored_);
}

std::size_t EqualOps::hash(const SeenOp& seen) const {
  std::size_t hash = hash_of(seen.kind, seen.scope);
  for (std::size_t index = 0; index < module_.num_operands(seen.op); ++index) {
    hash = hash_combine(hash, module_.operand(seen.op, index).index());
  }
  for (std::size_t index = 0; index < module_.num_results(seen.op); ++index) {
    hash = hash_combine(hash, ir::hash_of_type(module_.type(module_.result(seen.op, index))));
  }
  const ir::AttributeMap& attributes = module_.attributes(seen.op);
  if (!has_ignored(seen.op)) return hash_combine(hash, ir::hash_of_attributes(attributes));
  return hash_combine(hash, ir::hash_of_attributes(without_attribute(attributes, ignored_)));
}

bool EqualOps::is_equal(const SeenOp& a, const SeenOp& b) const {
  if (a.kind != b.kind || a.scope != b.scope || module_.operands(a.op) != module_.operands(b.op) ||
      module_.num_results(a.op) != module_.num_results(b.op)) {
    return false;
  }
  for (std::size_t index = 0; index < module_.num_results(a.op); ++index) {
    if (module_.type(module_.result(a.op, index)) != module_.type(module_.result(b.op, index))) {
      return false;
    }
  }
  const ir::AttributeMap& x = module_.attributes(a.op);
  const ir::AttributeMap& y = module_.attributes(b.op);
  if (!has_ignored(a.op) && !has_ignored(b.op)) return x == y;
  return without_attribute(x, ignored_) == without_attribute(y, ignored_);
}

bool EqualOps::merge(OpId op, uint32_t kind, uint32_t scope) {
  const SeenOp seen{op, kind, scope};
  std::vector<SeenOp>& candidates = seen_[hash(seen)];
  for (const SeenOp& earlier : candidates) {
    if (!is_equal(earlier, seen)) continue;
    for (std::size_t index = 0; index < module_.num_results(op); ++index) {
      module_.replace_all_uses(module_.result(op, index), module_.result(earlier.op, index));
    }
    module_.erase(op);
    return true;
  }
  candidates.push_back(seen);
  return false;
}

// ---- Preconditions ------------------------------------------------------------------------------

namespace {

Diagnostics refused(const Module& module, OpId op, const std::string& why, std::string note) {
  Error error = error_at(module, op, "'" + std::string(module.name(op)) + "' op " + why);
  error.notes.push_back(std::move(note));
  return {std::move(error)};
}

/// Returns the sharding to which the op changes its operand; null for other ops.
const TensorSharding* target_of(const Module& module, OpId op) {
  switch (module.kind(op)) {
    case OpKind::SdyShardingConstraint:
    case OpKind::SdyReshard:
      return module.attribute<TensorSharding>(op, ir::attr::kSharding);
    case OpKind::SdyReplicatedToUnreduced:
    case OpKind::SdyShardedToUnreduced:
      return module.attribute<TensorSharding>(op, ir::attr::kOutSharding);
    default:
      return nullptr;
  }
}

}  // namespace

Diagnostics require_introduced_sums(const Module& module) {
  for (const OpId op : ir::pre_order(module)) {
    const TensorSharding* to = target_of(module, op);
    if (to == nullptr || to->reduction_op() == ReductionOp::Sum) continue;
    const auto from = ir::get_sharding(module, module.operand(op, 0));
    const AxisList before = from ? from->unreduced_axes() : AxisList();
    if (set_difference(to->unreduced_axes(), before).empty()) continue;
    const std::string_view kind = to->reduction_op() == ReductionOp::Max ? "max" : "min";
    return refused(module, op,
                   "cannot introduce '" + std::string(kind) + "' unreduced axes. Expected 'sum'.",
                   "to " + to_string(*to));
  }
  return {};
}

namespace {

/// Checks whether propagation may add `axis` or a sub-axis of it to an open sharding.
bool is_open_for(const TensorSharding& sharding, const std::string& axis) {
  const auto index = sharding.mesh().find_axis(axis);
  if (!index || sharding.is_fully_closed()) return false;
  AxisList used;
  sharding.for_each_axis([&](const AxisRef& ref) { used.push_back(ref); });
  const AxisRef full = sharding.mesh().full_axis(*index);
  return full.size > 1 && !set_difference(std::span(&full, 1), used).empty();
}

/// Returns `"x": <sharding>` for the first open sharding that does not use the full manual axis
/// "x". std::nullopt if all are complete.
std::optional<std::string> incomplete_sharding(const ir::ShardingList& list, AxisNames manual) {
  for (const TensorSharding& sharding : list.shardings) {
    for (const std::string& axis : manual) {
      if (is_open_for(sharding, axis)) return "\"" + axis + "\": " + to_string(sharding);
    }
  }
  return std::nullopt;
}

}  // namespace

Diagnostics require_mentioned_manual_axes(const Module& module) {
  for (const OpId op : ir::pre_order(module)) {
    if (!module.is(op, OpKind::SdyManualComputation)) continue;
    for (const std::string_view name : {ir::attr::kInShardings, ir::attr::kOutShardings}) {
      const auto* list = module.attribute<ir::ShardingList>(op, name);
      if (list == nullptr) continue;
      const auto found = incomplete_sharding(*list, ir::detail::manual_axes_of(module, op));
      if (!found) continue;
      return refused(module, op,
                     "has an open sharding that does not use the full manual axis " + *found,
                     "run sdy-manual-axes-cleanup first");
    }
  }
  return {};
}

Diagnostics require_owned_edges(const Module& module) {
  for (const OpId op : ir::pre_order(module)) {
    if (!module.is(op, OpKind::SdyDataFlowEdge)) continue;
    const ir::ValueId input = module.operand(op, 0);
    if (ir::edge_owner_of_target(module, input) == input) continue;
    return refused(module, op, "has an operand that is not an edge owner",
                   "edge owners are results of data-flow ops and block arguments of computations; "
                   "sdy-add-data-flow-edges adds edge ops to them");
  }
  return {};
}

namespace {

/// Returns an error for the first op of a kind for which `is_refused` is true.
Diagnostics refuse_kinds(const Module& module, bool (*is_refused)(OpKind), const char* message,
                         const char* note) {
  for (const OpId op : ir::pre_order(module)) {
    if (is_refused(module.kind(op))) return refused(module, op, message, note);
  }
  return {};
}

}  // namespace

Diagnostics require_no_func_edges(const Module& module) {
  const auto is_edge = [](OpKind kind) { return kind == OpKind::SdyFuncDataFlowEdge; };
  return refuse_kinds(module, is_edge, "would be separated from its call",
                      "run sdy-sink-func-data-flow-edges first");
}

Diagnostics require_no_sdy_collectives(const Module& module) {
  return refuse_kinds(module, &ir::is_sdy_collective,
                      "needs the shardings of its operand and result, which this pass removes",
                      "run xla-sdy-export-ops first");
}

Diagnostics require_sinkable_edges(const Module& module) {
  for (const OpId op : ir::pre_order(module)) {
    if (!module.is(op, OpKind::SdyDataFlowEdge)) continue;
    const auto* at_edge = module.attribute<TensorSharding>(op, ir::attr::kSharding);
    if (at_edge == nullptr) continue;
    const ir::ValueId input = module.operand(op, 0);
    if (!at_edge->unreduced_axes().empty() && ir::edge_owner_of_target(module, input) != input) {
      return refused(
          module, op,
          "has an operand that is not an edge owner, so sinking would drop its unreduced axes",
          "edge owners are results of data-flow ops and block arguments of computations");
    }
  }
  return {};
}

Diagnostics require_named_meshes(const Module& module) {
  for (const OpId op : ir::pre_order(module)) {
    if (!ir::is_sdy_collective(module.kind(op))) continue;
    const auto* out = module.attribute<TensorSharding>(op, ir::attr::kOutSharding);
    if (out == nullptr || out->mesh_name()) continue;
    return refused(module, op, "uses an inlined mesh", "run sdy-lift-inlined-meshes first");
  }
  return {};
}

Diagnostics require_no_collectives(const Module& module) {
  return refuse_kinds(module, &ir::is_sdy_collective,
                      "is defined by the shardings of its operand and result",
                      "lower collectives before this pass");
}

}  // namespace shardy::passes
