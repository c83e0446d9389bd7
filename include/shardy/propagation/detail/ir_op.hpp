// Queries of propagation about values, ops and functions of a module.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <shardy/ir/attribute_names.hpp>
#include <shardy/ir/detail/type_shape.hpp>
#include <shardy/ir/graph_builder.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/ir/sharding_access.hpp>
#include <shardy/ir/verify.hpp>
#include <shardy/propagation/detail/strategy.hpp>
#include <shardy/rules/built_in.hpp>
#include <shardy/rules/op_view.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string_view>
#include <utility>
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

/// Ensures that a value without a sharding is used by sdy collectives on one mesh only. A
/// collective implies that such an operand is replicated on the collective's mesh; a collective on
/// another mesh than the first gets a reshard of the value as its operand. Spec: passes 2.
inline void separate_collectives(ir::Module& module, std::span<const ir::OpId> order) {
  std::map<ir::ValueId, Mesh> meshes;  // mesh of each value, by the value that stores its sharding
  for (const ir::OpId op : order) {
    const bool reads_on_its_mesh =
        ir::is_sdy_collective(module.kind(op)) && !module.is(op, ir::OpKind::SdyCollectivePermute);
    if (!reads_on_its_mesh) continue;
    const ir::ValueId value = module.operand(op, 0);
    const std::optional<ir::ValueId> stored = ir::shardable_value(module, value);
    if (!stored || ir::get_sharding(module, value)) continue;
    const auto* out = module.attribute<TensorSharding>(op, ir::attr::kOutSharding);
    if (out == nullptr || meshes.try_emplace(*stored, out->mesh()).first->second == out->mesh()) {
      continue;
    }
    ir::AttributeMap attributes;
    attributes.set(ir::attr::kSharding, out->fully_closed_like());
    ir::Builder builder = ir::Builder::before(module, op);
    builder.set_location(module.location(op));
    const ir::ValueId there = builder.create_value(ir::OpKind::SdyReshard, {value},
                                                   module.type(value), std::move(attributes));
    module.set_operand(op, 0, there);
  }
}

/// The calls of each function, and the relation of main to its results. Spec: propagation 9.1,
/// 10.3.
class Functions {
 public:
  explicit Functions(const ir::Module& module) : module_(module) {}

  /// Finds main and the calls. `order` has all ops in pre-order. Errors: the module has several
  /// functions and none is main.
  Status find(std::span<const ir::OpId> order);

  const std::optional<ir::OpId>& main() const { return main_; }
  /// Returns the return op of main; std::nullopt if main has no body.
  const std::optional<ir::OpId>& main_return() const { return main_return_; }
  /// Returns whether `op` is the return op of main and result `operand` of main has a sharding.
  bool is_result_of_main(ir::OpId op, std::size_t operand) const {
    return op == main_return_ && operand < num_main_results_ &&
           module_.type(module_.operand(op, operand)).is_static_tensor();
  }
  /// Returns the uses that determine the sharding of `owner`. If `owner` is an argument of a
  /// function: the operands of all calls, in program order. If it is a result of a call: the values
  /// that the callee returns.
  std::vector<ir::Use> sources(const ir::ValueOwner& owner) const;

 private:
  const ir::Module& module_;
  // Calls of each function, in program order.
  std::map<std::string_view, std::vector<ir::OpId>> calls_;
  std::optional<ir::OpId> main_;
  std::optional<ir::OpId> main_return_;
  std::size_t num_main_results_ = 0;
};

inline Status Functions::find(std::span<const ir::OpId> order) {
  for (const ir::OpId op : order) {
    const auto* callee = module_.is(op, ir::OpKind::FuncCall)
                             ? module_.attribute<ir::SymbolAttr>(op, ir::attr::kCallee)
                             : nullptr;
    if (callee != nullptr) calls_[callee->name].push_back(op);
  }
  main_ = module_.main_function();
  if (!main_) {
    if (module_.functions().empty()) return {};
    // Spec: passes 1.3.
    return tl::unexpected(ir::no_main_function(module_, "Failed to lookup function: main"));
  }
  const std::optional<ir::BlockId> body = ir::entry_block(module_, *main_);
  if (body) main_return_ = ir::return_op(module_, *body);
  num_main_results_ = module_.function(*main_).result_types.size();
  return {};
}

inline std::vector<ir::Use> Functions::sources(const ir::ValueOwner& owner) const {
  std::vector<ir::Use> sources;
  const auto add_operand = [&](ir::OpId from) {
    if (owner.index < module_.num_operands(from)) sources.push_back({from, owner.index});
  };
  if (!owner.is_result()) {
    const ir::OpId function = module_.parent_op(owner.block);
    const auto calls =
        calls_.find(function.valid() ? module_.symbol_name(function) : std::string_view());
    if (calls == calls_.end()) return sources;
    for (const ir::OpId call : calls->second) add_operand(call);
  } else if (const auto* callee = module_.attribute<ir::SymbolAttr>(owner.op, ir::attr::kCallee)) {
    const std::optional<ir::OpId> function = module_.find_symbol(callee->name);
    const auto body = function ? ir::entry_block(module_, *function) : std::nullopt;
    const auto last = body ? ir::return_op(module_, *body) : std::nullopt;
    if (last) add_operand(*last);
  }
  return sources;
}

}  // namespace shardy::propagation::detail
