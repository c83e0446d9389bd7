// Ops without a lowering of their own, custom calls and products are lowered by their sharding
// rule: local along pass-through dims, replicated along others. Spec: partitioning 5.9, 8.
//
//   sdy.mesh @mesh = <["x"=2]>
//   %0 = cholesky %a : 4x8x8 [{"x"}, {}, {}]       ->   %0 = cholesky %a : 2x8x8
//
//   %0 = dot %a, %b                                ->   %1 = dot %a, %b : 8x8, 8x8 -> 8x8
//     : 8x16 [{}, {"x"}], 16x8 [{"x"}, {}]              %0 = spmd.all_reduce add %1 {"x"}
//
//   %0 = custom_call @foo(%a) : 8 [{"x"}]          ->   %1 = spmd.all_gather %a {"x"}, dim 0
//        (without a rule)                               %2 = custom_call @foo(%1) : 8
//                                                       %0 = slice of %2 at spmd.coord {"x"} * 4
#include <algorithm>
#include <array>
#include <utility>

#include "partitioning/families.hpp"
#include "partitioning/op_layout.hpp"
#include "passes/common/ops.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/number.hpp"
#include "shardy/rules/built_in.hpp"
#include "shardy/rules/registry.hpp"

namespace shardy::partitioning {

using ir::OpId;
using ir::OpKind;
using ir::ValueId;

namespace {

bool keeps_types(const ir::Module& module, OpId op) {
  return std::ranges::equal(module.operands(op), module.results(op),
                            [&](ValueId a, ValueId b) { return module.type(a) == module.type(b); });
}

}  // namespace

/// Checks for ops that add or mask elements of a type without zero. Spec: partitioning 5.8.
bool needs_missing_zero(const ir::Module& module, OpId op) {
  constexpr std::array kAddingOrMasking = {
      OpKind::ChloRaggedDot,    OpKind::Convolution,  OpKind::Dot,
      OpKind::DotGeneral,       OpKind::DynamicSlice, OpKind::DynamicUpdateSlice,
      OpKind::Einsum,           OpKind::Gather,       OpKind::Reduce,
      OpKind::ReduceWindow,     OpKind::Scatter,      OpKind::SelectAndScatter,
      OpKind::TorchIndexSelect, OpKind::UnaryEinsum};
  if (std::ranges::find(kAddingOrMasking, module.kind(op)) == kAddingOrMasking.end()) return false;
  const auto lacks_zero = [&](ValueId value) {
    const ir::Type& type = module.type(value);
    return type.is_tensor() && !ir::has_zero(type.element());
  };
  return std::ranges::any_of(module.operands(op), lacks_zero) ||
         std::ranges::any_of(module.results(op), lacks_zero);
}

/// Gathers the operands, computes the op replicated and slices the results (REPLICATE_AND_SLICE).
/// Spec: partitioning 5.9.
Status lower_replicated(Lowering& lowering, OpId op) {
  return lower_laid_out(lowering, op, whole_layout(lowering.input(), op));
}

/// Lowers ops whose attributes do not depend on the sizes of pass-through dims: shards of the
/// operands give shards of the results, whatever the padding.
Status lower_by_rule(Lowering& lowering, OpId op) {
  const std::optional<OpLayout> layout = layout_by_rule(lowering, op);
  return layout ? lower_laid_out(lowering, op, *layout) : lower_replicated(lowering, op);
}

/// Lowers sums of products: sharded contracted dims leave partial sums. Spec: partitioning 8.8.
Status lower_product(Lowering& lowering, OpId op) {
  const std::optional<OpLayout> layout = layout_by_rule(lowering, op, Reductions::Cut);
  return layout ? lower_laid_out(lowering, op, *layout) : lower_replicated(lowering, op);
}

/// Lowers an op of which only the rule is known; the effect of padding on its reductions is
/// unknown.
Status lower_by_own_rule(Lowering& lowering, OpId op) {
  const std::optional<OpLayout> layout = layout_by_rule(lowering, op, Reductions::Even);
  return layout ? lower_laid_out(lowering, op, *layout) : lower_replicated(lowering, op);
}

/// Lowers an op of an unregistered dialect. Spec: partitioning 8.21.
Status lower_unknown(Lowering& lowering, OpId op) {
  if (const auto* lower = find_foreign_lowering(lowering.lowerings(), lowering.input(), op)) {
    return lower_foreign(lowering, op, *lower);
  }
  const rules::RuleResult rule =
      lowering.rules().lowering_rule_for(rules::OpView(lowering.input(), op));
  if (!rule) return tl::unexpected(rule.error());
  if (*rule) return lower_by_own_rule(lowering, op);
  tl::unexpected<Error> error =
      lowering.error(op, "E_UNSUPPORTED_OP", "no lowering to a per-device program");
  error.value().notes.push_back(rules::missing_rule_note(rules::OpView(lowering.input(), op)));
  return error;
}

namespace {

/// Checks whether each device executes the op of a manual body unchanged: it has no operands and
/// results, or no free axis is left to shard it.
bool is_written_per_device(const Lowering& lowering, OpId op) {
  if (!lowering.in_manual_body()) return false;
  const ir::Module& input = lowering.input();
  if (input.num_operands(op) == 0 && input.num_results(op) == 0) return true;
  const Mesh& mesh = lowering.place().mesh;
  return std::ranges::all_of(full_axes(mesh),
                             [&](const AxisRef& axis) { return lowering.bound().has(mesh, axis); });
}

}  // namespace

/// Spec: partitioning 8.21.
Status lower_custom_call(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  if (const auto* lower = find_foreign_lowering(lowering.lowerings(), input, op)) {
    return lower_foreign(lowering, op, *lower);
  }
  const std::string_view target = rules::call_target(rules::OpView(input, op));
  const bool is_marker = rules::is_manual_marker(target);
  const bool may_annotate =
      target == "Sharding" || target == "xla.sdy.FuncResultSharding" || is_marker;
  if (may_annotate && keeps_types(input, op)) return lower_identity(lowering, op);
  if (is_marker) {
    return lowering.error(op, "E_UNSUPPORTED_OP", std::string(rules::kManualMarkerNote));
  }
  if (target == "CustomSPMDPartitioning") {
    return lowering.error(op, "E_UNSUPPORTED_OP",
                          "a function of Python partitions it, which is not available; register a "
                          "lowering of the custom call, or replace it by ops");
  }
  if (target.starts_with("check.")) return lower_replicated(lowering, op);
  if (passes::only_places(target) && keeps_types(input, op)) return lower_by_own_rule(lowering, op);
  const auto* has_effect = input.attribute<bool>(op, ir::attr::kHasSideEffect);
  if (has_effect != nullptr && *has_effect) {
    if (is_written_per_device(lowering, op)) return lower_replicated(lowering, op);
    return lowering.error(op, "E_SIDE_EFFECT",
                          "every device would execute its side effects; only a call without side "
                          "effects can be replicated");
  }
  return lower_by_own_rule(lowering, op);
}

}  // namespace shardy::partitioning
