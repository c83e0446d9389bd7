// Access to the sharding of a value where the IR stores it: in an attribute of an op or function.
#pragma once

#include <cstddef>
#include <optional>
#include <shardy/algebra/manual_axes.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/ir/attribute.hpp>
#include <shardy/ir/attribute_names.hpp>
#include <shardy/ir/detail/data_flow.hpp>
#include <shardy/ir/detail/type_shape.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/support/detail/inline.hpp>
#include <string_view>
#include <vector>

namespace shardy::ir {

using shardy::add_free;
using shardy::AxisNames;
using shardy::erase_manual;
using shardy::first_free;
using shardy::is_manual;
using shardy::manual_size;

/// Name of the attribute with the shardings of an op's results.
inline constexpr std::string_view kShardingAttr = "sdy.sharding";
/// Name of the attribute with the sharding rule of an op.
inline constexpr std::string_view kShardingRuleAttr = "sdy.sharding_rule";

namespace detail {

inline TensorSharding fully_open_like(const TensorSharding& sharding, const Type& type) {
  return TensorSharding::fully_open(sharding.mesh(), sharding.mesh_name(), sharding_rank(type));
}

const TensorSharding* find_in_list(const AttributeMap& attributes, std::string_view name,
                                   std::size_t index);

inline std::optional<TensorSharding> copy_of(const TensorSharding* sharding) {
  return sharding != nullptr ? std::optional(*sharding) : std::nullopt;
}

inline std::optional<TensorSharding> get_in_list(const AttributeMap& attributes,
                                                 std::string_view name, std::size_t index) {
  return copy_of(find_in_list(attributes, name, index));
}

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

/// Returns the name of the attribute with the sharding of the op's only result; empty if the kind
/// stores a list of shardings.
std::string_view single_sharding_attr(OpKind kind);

/// Returns the name of the attribute with one sharding per result.
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

/// Returns the sharding of argument `index` of a function. Requires: module.is(function,
/// OpKind::Func).
std::optional<TensorSharding> arg_sharding(const Module& module, OpId function, std::size_t index);

/// Sets the sharding of argument `index` of a function. Requires: a function; index < kMaxTensors.
void set_arg_sharding(Module& module, OpId function, std::size_t index,
                      const TensorSharding& sharding);

/// Returns the sharding of result `index` of a function. The function stores this sharding
/// separately from the sharding of the returned value. Requires: module.is(function, OpKind::Func).
std::optional<TensorSharding> result_sharding(const Module& module, OpId function,
                                              std::size_t index);

/// Sets the sharding of result `index` of a function. The function need not have its results yet.
/// Requires: a function; index < kMaxTensors.
void set_result_sharding(Module& module, OpId function, std::size_t index,
                         const TensorSharding& sharding);

// ---- Values -------------------------------------------------------------------------------------

/// Returns the value that stores the sharding of `value`; std::nullopt if no sharding can be
/// stored, as for arguments of reduction regions. Spec: dialect 2.1.
std::optional<ValueId> shardable_value(const Module& module, ValueId value);

/// Returns the sharding of a value: an op result or a block argument. Spec: dialect 2.2.
std::optional<TensorSharding> get_sharding(const Module& module, ValueId value);

namespace detail {

/// Returns the sharding of a value without a copy; null if it has none. Only the sharding of an
/// argument of a manual computation is computed; `local` then holds it. The pointer is valid until
/// the next change of the module or of `local`.
const TensorSharding* find_sharding(const Module& module, ValueId value,
                                    std::optional<TensorSharding>& local);

/// The sharding of a value, read without a copy. Valid until the next change of the module.
class StoredSharding {
 public:
  StoredSharding(const Module& module, ValueId value)
      : sharding_(find_sharding(module, value, local_)) {}
  StoredSharding(const StoredSharding&) = delete;
  StoredSharding& operator=(const StoredSharding&) = delete;

  explicit operator bool() const { return sharding_ != nullptr; }
  const TensorSharding& operator*() const { return *sharding_; }
  const TensorSharding* operator->() const { return sharding_; }

 private:
  std::optional<TensorSharding> local_;
  const TensorSharding* sharding_;
};

/// Stores the sharding of block argument `index` of `op`. In a manual computation the sharding is
/// local: the stored manual axes are kept.
void set_block_arg_sharding(Module& module, OpId op, std::size_t index,
                            const TensorSharding& sharding);

}  // namespace detail

/// Stores the sharding of a value; does nothing if the value cannot have one. If the op had no list
/// of shardings, its other results become fully open on the same mesh. Spec: dialect 2.2.
void set_sharding(Module& module, ValueId value, const TensorSharding& sharding);

/// Follows `sdy.propagation_barrier` ops from result to operand. Returns the first value that is
/// not a result of one.
ValueId bypass_barriers(const Module& module, ValueId value);

/// Returns the sharding of bypass_barriers(module, value).
inline std::optional<TensorSharding> get_sharding_bypassing_barriers(const Module& module,
                                                                     ValueId value) {
  return get_sharding(module, bypass_barriers(module, value));
}

/// Returns a fully open sharding for a value that has none while another value of its op has the
/// sharding `like`. The mesh is the mesh of the first sdy collective that uses the value or its
/// edge op; without such a collective, the mesh of `like`. Spec: passes 5.2.
TensorSharding open_sharding_of(const Module& module, ValueId value, const TensorSharding& like);

/// Returns the sharding of a value. A value without one gets a sharding on `mesh` without axes:
/// closed if `closed`, else open.
TensorSharding get_or_create_sharding(const Module& module, ValueId value, const MeshRef& mesh,
                                      bool closed = false);

}  // namespace shardy::ir

#ifdef SHARDY_BODIES
#include <shardy/algebra/op_sharding_rule.hpp>
#include <utility>

namespace shardy::ir {

SHARDY_INLINE TensorSharding open_sharding_of(const Module& module, ValueId value,
                                              const TensorSharding& like) {
  const std::optional<OpId> edge = edge_op_of_owner(module, value);
  const TensorSharding* first = nullptr;
  // Order of uses: the newest first.
  for (const Use& use : module.uses(edge ? module.result(*edge) : value)) {
    const auto* read = is_sdy_collective(module.kind(use.op))
                           ? module.attribute<TensorSharding>(use.op, attr::kOutSharding)
                           : nullptr;
    if (read != nullptr) first = read;
  }
  const bool is_elsewhere = first != nullptr && first->mesh() != like.mesh();
  return detail::fully_open_like(is_elsewhere ? *first : like, module.type(value));
}

}  // namespace shardy::ir

namespace shardy::ir::detail {

/// Stores `sharding` at `index` of the list attribute `name`. A new list has `count` entries; entry
/// i is initially open(i). Spec: algebra 6.1.
template <class Open>
void set_in_list(AttributeMap& attributes, std::string_view name, std::size_t count,
                 const Open& open, std::size_t index, const TensorSharding& sharding) {
  auto* list = attributes.edit<ShardingList>(name);
  if (list == nullptr) {
    attributes.set(name, ShardingList{});
    list = attributes.edit<ShardingList>(name);
  }
  std::vector<TensorSharding>& shardings = list->shardings;
  while (shardings.size() < count) {
    shardings.push_back(open(shardings.size()));
  }
  if (index < shardings.size()) shardings[index] = sharding;
}

SHARDY_INLINE const TensorSharding* find_in_list(const AttributeMap& attributes,
                                                 std::string_view name, std::size_t index) {
  const auto* list = attributes.get<ShardingList>(name);
  return list != nullptr && index < list->shardings.size() ? &list->shardings[index] : nullptr;
}

SHARDY_INLINE std::string_view single_sharding_attr(OpKind kind) {
  switch (kind) {
    case OpKind::SdyDataFlowEdge:
    case OpKind::SdyShardingConstraint:
    case OpKind::SdyReshard:
      return attr::kSharding;
    default:
      return is_sdy_collective(kind) ? attr::kOutSharding : "";
  }
}

SHARDY_INLINE void set_result_in_list(Module& module, OpId op, std::size_t index,
                                      const TensorSharding& sharding) {
  set_in_list(
      module.attributes(op), result_shardings_attr(module, op), module.num_results(op),
      [&](std::size_t each) { return open_sharding_of(module, module.result(op, each), sharding); },
      index, sharding);
}

}  // namespace shardy::ir::detail

namespace shardy::ir {

SHARDY_INLINE std::optional<TensorSharding> arg_sharding(const Module& module, OpId function,
                                                         std::size_t index) {
  const AttributeMap* attributes = detail::arg_attributes(module, function, index);
  return detail::copy_of(attributes ? attributes->get<TensorSharding>(kShardingAttr) : nullptr);
}

SHARDY_INLINE void set_arg_sharding(Module& module, OpId function, std::size_t index,
                                    const TensorSharding& sharding) {
  auto& all = module.function(function).arg_attributes;
  SHARDY_EXPECTS(index < kMaxTensors);
  if (index >= all.size()) all.resize(index + 1);
  all[index].set(kShardingAttr, sharding);
}

SHARDY_INLINE std::optional<TensorSharding> result_sharding(const Module& module, OpId function,
                                                            std::size_t index) {
  const auto& all = module.function(function).result_attributes;
  if (index >= all.size()) return std::nullopt;
  return detail::copy_of(all[index].get<TensorSharding>(kShardingAttr));
}

SHARDY_INLINE void set_result_sharding(Module& module, OpId function, std::size_t index,
                                       const TensorSharding& sharding) {
  auto& all = module.function(function).result_attributes;
  SHARDY_EXPECTS(index < kMaxTensors);
  if (index >= all.size()) all.resize(index + 1);
  all[index].set(kShardingAttr, sharding);
}

SHARDY_INLINE std::optional<ValueId> shardable_value(const Module& module, ValueId value) {
  // Steps are counted, because invalid modules may have cycles.
  for (std::size_t steps = 0; steps <= module.num_ops(); ++steps) {
    const ValueOwner owner = module.owner(value);
    if (owner.is_result() && !module.has_trait(owner.op, kDataFlow)) return value;
    if (const auto edge = edge_op_of_target(module, value)) return module.result(*edge);
    if (owner.is_result()) return value;
    const OpId op = module.parent_op(owner.block);
    if (!op.valid()) return std::nullopt;
    if (module.is(op, OpKind::Func)) return value;
    if (module.has_trait(op, kDataFlow)) return edge_owner_of_target(module, value);
    if (!module.is(op, OpKind::AsyncStart) || owner.index >= module.num_operands(op)) {
      return std::nullopt;
    }
    value = module.operand(op, owner.index);
  }
  return std::nullopt;
}

SHARDY_INLINE std::optional<TensorSharding> get_sharding(const Module& module, ValueId value) {
  std::optional<TensorSharding> local;
  return detail::copy_of(detail::find_sharding(module, value, local));
}

}  // namespace shardy::ir

namespace shardy::ir::detail {

SHARDY_INLINE const TensorSharding* find_sharding(const Module& module, ValueId value,
                                                  std::optional<TensorSharding>& local) {
  ValueOwner owner = module.owner(value);
  const bool is_stored = owner.is_result() && !module.has_trait(owner.op, kDataFlow);
  if (!is_stored) {
    const std::optional<ValueId> stored = shardable_value(module, value);
    if (!stored) return nullptr;
    owner = module.owner(*stored);
  }
  if (owner.is_result()) {
    const AttributeMap& attributes = module.attributes(owner.op);
    if (attributes.empty()) return nullptr;
    const std::string_view single = single_sharding_attr(module.kind(owner.op));
    if (!single.empty()) return attributes.get<TensorSharding>(single);
    return find_in_list(attributes, result_shardings_attr(module, owner.op), owner.index);
  }
  const OpId op = module.parent_op(owner.block);
  if (module.is(op, OpKind::Func)) {
    const AttributeMap* attributes = arg_attributes(module, op, owner.index);
    return attributes != nullptr ? attributes->get<TensorSharding>(kShardingAttr) : nullptr;
  }
  const TensorSharding* outer =
      find_in_list(module.attributes(op), attr::kInShardings, owner.index);
  if (outer == nullptr) return nullptr;
  return &local.emplace(erase_manual(*outer, manual_axes_of(module, op)));
}

SHARDY_INLINE void set_block_arg_sharding(Module& module, OpId op, std::size_t index,
                                          const TensorSharding& sharding) {
  const auto outer = get_in_list(module.attributes(op), attr::kInShardings, index);
  const TensorSharding joined =
      outer ? add_free(*outer, sharding, manual_axes_of(module, op)) : sharding;
  const std::vector<ValueId> args = block_arg_edge_owners(module, op);
  set_in_list(
      module.attributes(op), attr::kInShardings, module.num_operands(op),
      [&](std::size_t each) {
        if (each < args.size()) return open_sharding_of(module, args[each], joined);
        return fully_open_like(joined, module.type(module.operand(op, each)));
      },
      index, joined);
}

}  // namespace shardy::ir::detail

namespace shardy::ir {

SHARDY_INLINE void set_sharding(Module& module, ValueId value, const TensorSharding& sharding) {
  const std::optional<ValueId> stored = shardable_value(module, value);
  if (!stored) return;
  const ValueOwner owner = module.owner(*stored);
  if (owner.is_result()) {
    const std::string_view single = detail::single_sharding_attr(module.kind(owner.op));
    if (!single.empty()) return module.attributes(owner.op).set(single, sharding);
    return detail::set_result_in_list(module, owner.op, owner.index, sharding);
  }
  const OpId op = module.parent_op(owner.block);
  if (module.is(op, OpKind::Func)) return set_arg_sharding(module, op, owner.index, sharding);
  detail::set_block_arg_sharding(module, op, owner.index, sharding);
}

SHARDY_INLINE ValueId bypass_barriers(const Module& module, ValueId value) {
  for (std::size_t steps = 0; steps <= module.num_ops(); ++steps) {
    const OpId op = module.defining_op(value);
    const bool is_barrier = op.valid() && module.is(op, OpKind::SdyPropagationBarrier);
    if (!is_barrier || module.num_operands(op) != 1) return value;
    value = module.operand(op, 0);
  }
  return value;
}

SHARDY_INLINE TensorSharding get_or_create_sharding(const Module& module, ValueId value,
                                                    const MeshRef& mesh, bool closed) {
  if (std::optional<TensorSharding> sharding = get_sharding(module, value)) {
    return *std::move(sharding);
  }
  const std::size_t rank = sharding_rank(module.type(value));
  return closed ? TensorSharding::fully_closed(mesh.mesh, mesh.name, rank)
                : TensorSharding::fully_open(mesh.mesh, mesh.name, rank);
}

}  // namespace shardy::ir
#endif  // SHARDY_BODIES
