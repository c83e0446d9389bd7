// Queries of propagation about one value or op of a module.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/ir/attribute_names.hpp>
#include <shardy/ir/detail/type_shape.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/ir/sharding_access.hpp>
#include <shardy/propagation/detail/strategy.hpp>
#include <shardy/rules/built_in.hpp>
#include <shardy/rules/op_view.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string_view>
#include <vector>

namespace shardy::propagation::detail {

/// Returns the sizes of a value that can have a sharding: a tensor of static shape or a token.
/// Returns std::nullopt for other values.
inline std::optional<std::vector<int64_t>> stored_shape(const ir::Type& type) {
  if (type.is_token()) return std::vector<int64_t>();
  if (!type.is_tensor() && type.as<ir::OpaqueType>() == nullptr) return std::nullopt;
  const auto as_stored = [](std::span<const int64_t> dims) {
    const bool is_static = std::ranges::all_of(dims, [](int64_t size) { return size >= 0; });
    return is_static ? std::optional(std::vector<int64_t>(dims.begin(), dims.end())) : std::nullopt;
  };
  if (type.is_tensor()) return as_stored(type.dims());
  const ir::TypeShape shape(type);  // handles tensors of foreign element types
  return shape.kind() == ValueShape::Kind::Unranked ? std::nullopt : as_stored(shape.dims());
}

/// Checks that the sharding rule attached to an op, if any, fits the types of the op. Spec: algebra
/// 7.3.
inline Status verify_attached_rule(const rules::OpView& op) {
  const auto* rule = op.attribute<OpShardingRule>(ir::kShardingRuleAttr);
  if (rule == nullptr) return {};
  std::vector<ir::TypeShape> shapes;
  for (const ir::ValueId operand : op.module().operands(op.op())) {
    shapes.emplace_back(op.module().type(operand));
  }
  for (const ir::ValueId result : op.module().results(op.op())) {
    shapes.emplace_back(op.module().type(result));
  }
  std::vector<ValueShape> views;
  views.reserve(shapes.size());
  for (const ir::TypeShape& shape : shapes) views.push_back(shape.view());
  const std::span<const ValueShape> all = views;
  return rule->verify_for(all.first(op.num_operands()), all.subspan(op.num_operands()));
}

inline PriorityClass priority_class(const rules::OpView& op) {
  switch (op.kind()) {
    case ir::OpKind::Reshape:
    case ir::OpKind::Transpose:
      return PriorityClass::Pointwise;
    case ir::OpKind::DynamicSlice:
    case ir::OpKind::DynamicUpdateSlice:
      return PriorityClass::DynamicSlice;
    case ir::OpKind::BroadcastInDim:
      return PriorityClass::Broadcast;
    default:
      return rules::is_elementwise(op) || rules::is_host_transfer(op) ? PriorityClass::Pointwise
                                                                      : PriorityClass::Other;
  }
}

inline Result<Direction> barrier_direction(const rules::OpView& op) {
  const auto* direction = op.attribute<ir::EnumAttr>(ir::attr::kAllowedDirection);
  const std::string_view name = direction != nullptr ? std::string_view(direction->value) : "";
  if (name == "NONE") return Direction::None;
  if (name == "FORWARD") return Direction::Forward;
  if (name == "BACKWARD") return Direction::Backward;
  if (name == "BOTH") return fail("cannot specify BOTH as the direction");
  return fail("expected an attribute: allowed_direction");
}

/// Returns true for a custom call that declares itself free of side effects. Other custom calls may
/// have side effects.
inline bool is_call_without_effects(const ir::Module& module, ir::OpId op) {
  if (!module.is(op, ir::OpKind::CustomCall)) return false;
  const auto* has_effect = module.attribute<bool>(op, ir::attr::kHasSideEffect);
  return has_effect != nullptr && !*has_effect;
}

/// Returns for each op whether it may be erased if its results are unused. An op with regions has
/// the side effects of the ops inside. `order` has all ops in pre-order.
inline std::vector<bool> removable_ops(const ir::Module& module, std::span<const ir::OpId> order) {
  std::vector<bool> has_effects(module.num_ops(), false);
  std::vector<bool> removable(module.num_ops(), false);
  for (auto op = order.rbegin(); op != order.rend(); ++op) {
    const ir::OpKind kind = module.kind(*op);
    const bool is_transparent = kind == ir::OpKind::If || ir::has_trait(kind, ir::kDataFlow) ||
                                is_call_without_effects(module, *op);
    if (!is_transparent && !ir::has_trait(kind, ir::kPure)) has_effects[op->index()] = true;
    const ir::OpId parent = module.parent_op(*op);
    if (has_effects[op->index()] && parent.valid()) has_effects[parent.index()] = true;
    removable[op->index()] = !has_effects[op->index()] && !ir::has_trait(kind, ir::kTerminator) &&
                             !ir::has_trait(kind, ir::kSymbol);
  }
  return removable;
}

}  // namespace shardy::propagation::detail
