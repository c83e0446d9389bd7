// Where the sharding of a value is stored: reading and writing it.
#pragma once

#include <cstddef>
#include <optional>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/ir/attribute.hpp>
#include <shardy/ir/attribute_names.hpp>
#include <shardy/ir/data_flow.hpp>
#include <shardy/ir/manual_axes.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/ir/type_shape.hpp>
#include <string_view>
#include <vector>

namespace shardy::ir {

/// The attribute with the shardings of an op's results.
inline constexpr std::string_view kShardingAttr = "sdy.sharding";
/// The attribute with the rule that an op goes by.
inline constexpr std::string_view kShardingRuleAttr = "sdy.sharding_rule";

namespace detail {

inline TensorSharding fully_open_like(const TensorSharding& sharding, const Type& type) {
  return TensorSharding::fully_open(sharding.mesh(), sharding.mesh_name(), sharding_rank(type));
}

std::optional<TensorSharding> get_in_list(const AttributeMap& attributes, std::string_view name,
                                          std::size_t index);

inline std::vector<Type> result_types(const Module& module, OpId op) {
  std::vector<Type> types;
  for (const ValueId result : module.results(op)) types.push_back(module.type(result));
  return types;
}

inline std::vector<Type> operand_types(const Module& module, OpId op) {
  std::vector<Type> types;
  for (const ValueId operand : module.operands(op)) types.push_back(module.type(operand));
  return types;
}

/// Attribute that holds the one sharding of the op's result; empty for lists.
std::string_view single_sharding_attr(OpKind kind);

/// Attribute with one sharding per result.
inline std::string_view result_shardings_attr(const Module& module, OpId op) {
  return is_computation(module, op) ? attr::kOutShardings : kShardingAttr;
}

void set_result_in_list(Module& module, OpId op, std::size_t index, const TensorSharding& sharding);

inline AxisNames manual_axes_of(const Module& module, OpId op) {
  const auto* manual = module.attribute<ManualAxesAttr>(op, attr::kManualAxes);
  return manual ? AxisNames(manual->names) : AxisNames();
}

inline const AttributeMap* arg_attributes(const Module& module, OpId function, std::size_t index) {
  const auto& all = module.function(function).arg_attributes;
  return index < all.size() ? &all[index] : nullptr;
}

}  // namespace detail

// ---- Functions: arguments and results -----------------------------------------------------------

/// Sharding of argument `index` of a function. Requires: module.is(function, OpKind::Func).
std::optional<TensorSharding> arg_sharding(const Module& module, OpId function, std::size_t index);

/// Sets the sharding of an argument. Requires: a function; index < kMaxTensors.
void set_arg_sharding(Module& module, OpId function, std::size_t index,
                      const TensorSharding& sharding);

/// Sharding of result `index` of a function: an attribute of its own, apart from that of the value
/// which is returned. Requires: module.is(function, OpKind::Func).
std::optional<TensorSharding> result_sharding(const Module& module, OpId function,
                                              std::size_t index);

/// Sets the sharding of a result. Requires: a function, which may get its results
/// later; index < kMaxTensors.
void set_result_sharding(Module& module, OpId function, std::size_t index,
                         const TensorSharding& sharding);

// ---- Values -------------------------------------------------------------------------------------

/// The value whose sharding is that of `value`; nothing for the arguments of reducers and other
/// regions that take no shardings. Spec: dialect 2.1.
std::optional<ValueId> shardable_value(const Module& module, ValueId value);

/// Sharding of a value, wherever it is stored. Spec: dialect 2.2.
std::optional<TensorSharding> get_sharding(const Module& module, ValueId value);

namespace detail {

/// Inside a manual computation shardings are local: the manual axes stay as they are.
void set_block_arg_sharding(Module& module, OpId op, std::size_t index,
                            const TensorSharding& sharding);

}  // namespace detail

/// Stores the sharding of a value; nothing happens if it takes none. Other results of its op that
/// have no list yet become fully open on the same mesh. Spec: dialect 2.2.
void set_sharding(Module& module, ValueId value, const TensorSharding& sharding);

/// Returns the first value above all `sdy.propagation_barrier`s of `value`.
ValueId bypass_barriers(const Module& module, ValueId value);

/// Returns the sharding of the first value above all `sdy.propagation_barrier`s of `value`.
inline std::optional<TensorSharding> get_sharding_bypassing_barriers(const Module& module,
                                                                     ValueId value) {
  return get_sharding(module, bypass_barriers(module, value));
}

/// Returns the sharding of a value without one if others of its op have `like`: it is fully
/// open, on the mesh of the collective that reads it, or its edge op, if there is one. Spec:
/// passes 5.2.
TensorSharding open_sharding_of(const Module& module, ValueId value, const TensorSharding& like);

/// The sharding of a value, else one of its rank without axes on `mesh`: open, or closed.
TensorSharding get_or_create_sharding(const Module& module, ValueId value, const MeshRef& mesh,
                                      bool closed = false);

}  // namespace shardy::ir

#ifdef SHARDY_HEADER_ONLY
#include <shardy/ir/detail/sharding_access_inl.hpp>
#endif
