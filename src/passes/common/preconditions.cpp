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
