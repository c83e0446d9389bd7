#include "passes/common/preconditions.hpp"

#include <string>
#include <string_view>
#include <utility>

#include "passes/common/ir_names.hpp"
#include "shardy/algebra/axis_list.hpp"
#include "shardy/algebra/unresolved.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/data_flow.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::passes {

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

bool is_open_for(const TensorSharding& sharding, const std::string& axis) {
  const auto index = sharding.mesh().find_axis(axis);
  if (!index || sharding.is_fully_closed()) return false;
  AxisList used;
  sharding.for_each_axis([&](const AxisRef& ref) { used.push_back(ref); });
  const AxisRef whole = sharding.mesh().full_axis(*index);
  return whole.size > 1 && !set_difference(std::span(&whole, 1), used).empty();
}

/// Returns the part of a message that names a manual axis which a sharding of the list does not
/// mention.
std::optional<std::string> unmentioned_axis(const ir::ShardingList& list, AxisNames manual) {
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
      const auto found = unmentioned_axis(*list, ir::detail::manual_axes_of(module, op));
      if (!found) continue;
      return refused(module, op,
                     "has an open sharding that does not mention the manual axis " + *found,
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
    return refused(module, op, "is on a value that owns no edge",
                   "results of data-flow ops and arguments of computations own edges; "
                   "sdy-add-data-flow-edges adds edge ops to them");
  }
  return {};
}

namespace {

/// Returns an error for the first op of a kind for which `is_refused` is true.
Diagnostics refuse_kinds(const Module& module, bool (*is_refused)(OpKind), const char* why,
                         const char* way) {
  for (const OpId op : ir::pre_order(module)) {
    if (is_refused(module.kind(op))) return refused(module, op, why, way);
  }
  return {};
}

}  // namespace

Diagnostics require_no_func_edges(const Module& module) {
  const auto is_edge = [](OpKind kind) { return kind == OpKind::SdyFuncDataFlowEdge; };
  return refuse_kinds(module, is_edge, "would be torn from its call",
                      "run sdy-sink-func-data-flow-edges first");
}

Diagnostics require_no_sdy_collectives(const Module& module) {
  return refuse_kinds(module, &ir::is_sdy_collective,
                      "would lose the shardings between which it moves data",
                      "run xla-sdy-export-ops first");
}

Diagnostics require_sinkable_edges(const Module& module) {
  for (const OpId op : ir::pre_order(module)) {
    if (!module.is(op, OpKind::SdyDataFlowEdge)) continue;
    const auto* at_edge = module.attribute<TensorSharding>(op, ir::attr::kSharding);
    if (at_edge == nullptr) continue;
    const ir::ValueId input = module.operand(op, 0);
    if (!at_edge->unreduced_axes().empty() && ir::edge_owner_of_target(module, input) != input) {
      return refused(module, op, "has unreduced axes that its input does not have",
                     "the input owns no edge, which would keep them");
    }
  }
  return {};
}

Diagnostics require_named_meshes(const Module& module) {
  for (const OpId op : ir::pre_order(module)) {
    if (!ir::is_sdy_collective(module.kind(op))) continue;
    const auto* out = module.attribute<TensorSharding>(op, ir::attr::kOutSharding);
    if (out == nullptr || out->mesh_name()) continue;
    return refused(module, op, "is on a mesh without a name", "run sdy-lift-inlined-meshes first");
  }
  return {};
}

Diagnostics require_no_collectives(const Module& module) {
  return refuse_kinds(module, &ir::is_sdy_collective, "needs the shardings around it",
                      "lower collectives before shardings are dropped");
}

}  // namespace shardy::passes
