// Edge ops, which hold the shardings of data-flow edges, and shardings of the owners of edges: as
// the data-flow op stores them, and as propagation reads them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <shardy/ir/detail/data_flow.hpp>
#include <shardy/ir/detail/type_shape.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <vector>

namespace shardy::ir {

// The functions of this header access the data-flow op, even if the edge has an edge op. In
// contrast, get_sharding and set_sharding access the edge op if the edge has one. Spec: dialect
// 5.2, 9.1.

/// The two kinds of edge owners of a data-flow op. Order: block arguments precede results.
enum class EdgeOwners : uint8_t { BlockArgs, Results };
/// Both kinds of edge owners, in the order in which edges are numbered.
inline constexpr EdgeOwners kEdgeOwners[] = {EdgeOwners::BlockArgs, EdgeOwners::Results};

/// Direction of transform_target_sharding: from the stored sharding to the sharding that
/// propagation reads, or from the result of propagation to the stored sharding.
enum class EdgeTransform : uint8_t { BeforePropagation, AfterPropagation };

/// Returns the owners of the data-flow edges of `op`. Empty if `op` is not a data-flow op.
inline std::vector<ValueId> edge_owners(const Module& module, OpId op, EdgeOwners which) {
  return which == EdgeOwners::BlockArgs ? block_arg_edge_owners(module, op)
                                        : result_edge_owners(module, op);
}

/// Returns whether the edge shardings of `op` must divide the dims of their global values.
inline bool keep_edge_shardings_divisible(const Module& module, OpId op) {
  return module.is(op, OpKind::SdyManualComputation);
}

/// Returns one sharding per owner, or an empty list if the op stores no shardings.
std::vector<TensorSharding> edge_owner_shardings(const Module& module, OpId op, EdgeOwners which);

/// Stores the sharding of `owner`. Other owners of the same kind that have no sharding get a fully
/// open one on the same mesh. Does nothing if `owner` is not an edge owner.
void set_edge_owner_sharding(Module& module, ValueId owner, const TensorSharding& sharding);

/// Stores the shardings of all owners of the kind `which`. Requires: one sharding per owner.
void set_edge_owner_shardings(Module& module, OpId op, EdgeOwners which,
                              std::span<const TensorSharding> shardings);

/// Transforms a sharding between the target side and the source side of the edge of `owner`.
/// BeforePropagation: from the stored sharding to the sharding that the sources have.
/// AfterPropagation: from the sources' sharding to the stored one. The two sides differ only for
/// manual computations. Spec: dialect 5.3, table.
TensorSharding transform_target_sharding(const Module& module, ValueId owner,
                                         const TensorSharding& sharding, EdgeTransform transform);

/// Checks whether a data-flow edge of values of this type gets an edge op: tensors and vectors of
/// static shape.
inline bool has_static_shape(const Type& type) {
  const TypeShape shape(type);
  return shape.kind() == ValueShape::Kind::Ranked &&
         std::ranges::find(shape.dims(), kDynamicDim) == shape.dims().end();
}

/// Inserts `sdy.data_flow_edge` after each edge owner of static shape. The edge op gets the owner's
/// sharding, if the owner has one, and replaces the owner in all other uses. Owners that already
/// have an edge op are unchanged. Edge ops are in the order of their owners. Spec: dialect 5.3,
/// passes 4.7.
void insert_data_flow_edges(Module& module);

/// Inserts `sdy.data_flow_edge` for the edges of one op, as the overload for modules.
void insert_data_flow_edges(Module& module, OpId op);

/// Debugging attributes of edge ops that survive sink_data_flow_edges, as array attributes of the
/// data-flow op.
struct SinkOptions {
  bool sharding_origins = false;   // keep `sdy.sharding_origins`
  bool propagation_edges = false;  // keep `sdy.propagation_edges`
};

/// Reverses insert_data_flow_edges: edge owners store the shardings of their edge ops, and users of
/// an edge op use its operand again. If the edge op of any block argument (any result) has a
/// sharding, all owners among the block arguments (results) get a sharding. Owners whose edge op
/// has none get a fully open sharding on the mesh of the first sharding. Spec: dialect 5.3, passes
/// 5.2.
void sink_data_flow_edges(Module& module, SinkOptions options = {});

/// Inserts `sdy.func_data_flow_edge` after each argument of static shape of all functions except
/// main, and after each result of static shape of a call. Functions without a body get no edge ops.
/// Errors: the module has several functions and no main. Spec: dialect 6, passes 4.11.
Status insert_func_data_flow_edges(Module& module);

/// Reverses insert_func_data_flow_edges. If an edge op has no sharding but its operand has one, the
/// operand gets a fully open sharding. Spec: dialect 6, passes 5.3.
void sink_func_data_flow_edges(Module& module);

}  // namespace shardy::ir

#ifdef SHARDY_BODIES
#include <cstddef>
#include <shardy/ir/attribute_names.hpp>
#include <shardy/ir/sharding_access.hpp>
#include <string_view>
#include <utility>

namespace shardy::ir::detail {

inline std::string_view edge_shardings_attr(const Module& module, OpId op, EdgeOwners which) {
  return which == EdgeOwners::BlockArgs ? attr::kInShardings : result_shardings_attr(module, op);
}

/// Returns whether the shardings of these owners omit the manual axes. Shardings of block arguments
/// of a manual computation omit them; shardings of its results have them.
inline bool is_local(const Module& module, OpId op, EdgeOwners which) {
  return which == EdgeOwners::BlockArgs && module.is(op, OpKind::SdyManualComputation);
}

}  // namespace shardy::ir::detail

namespace shardy::ir {

SHARDY_INLINE std::vector<TensorSharding> edge_owner_shardings(const Module& module, OpId op,
                                                               EdgeOwners which) {
  if (edge_owners(module, op, which).empty()) return {};
  const auto* list =
      module.attribute<ShardingList>(op, detail::edge_shardings_attr(module, op, which));
  if (!list) return {};
  std::vector<TensorSharding> shardings = list->shardings;
  if (!detail::is_local(module, op, which)) return shardings;
  for (TensorSharding& sharding : shardings) {
    sharding = erase_manual(sharding, detail::manual_axes_of(module, op));
  }
  return shardings;
}

SHARDY_INLINE void set_edge_owner_sharding(Module& module, ValueId owner,
                                           const TensorSharding& sharding) {
  const OpId op = detail::data_flow_op(module, owner);
  if (!op.valid() || edge_owner_of_target(module, owner) != owner) return;
  const ValueOwner place = module.owner(owner);
  if (!place.is_result()) {
    return detail::set_block_arg_sharding(module, op, place.index, sharding);
  }
  detail::set_result_in_list(module, op, place.index, sharding);
}

SHARDY_INLINE void set_edge_owner_shardings(Module& module, OpId op, EdgeOwners which,
                                            std::span<const TensorSharding> shardings) {
  const bool is_arg = which == EdgeOwners::BlockArgs;
  const std::size_t num_owners = edge_owners(module, op, which).size();
  SHARDY_EXPECTS(num_owners == shardings.size());
  if (num_owners == 0) return;
  const std::string_view name = detail::edge_shardings_attr(module, op, which);
  const auto* old = module.attribute<ShardingList>(op, name);
  std::vector<TensorSharding> list = old ? old->shardings : std::vector<TensorSharding>();
  // Missing shardings become fully open, as in set_edge_owner_sharding.
  const std::size_t num_values = is_arg ? module.num_operands(op) : module.num_results(op);
  const AxisNames manual = detail::manual_axes_of(module, op);
  for (std::size_t index = 0; index < std::min(num_owners, shardings.size()); ++index) {
    const bool has_outer = is_arg && index < list.size();
    const TensorSharding sharding =
        has_outer ? add_free(list[index], shardings[index], manual) : shardings[index];
    while (list.size() < num_values) {
      const ValueId value =
          is_arg ? module.operand(op, list.size()) : module.result(op, list.size());
      list.push_back(detail::fully_open_like(sharding, module.type(value)));
    }
    if (index < list.size()) list[index] = sharding;
  }
  module.attributes(op).set(name, ShardingList{std::move(list)});
}

SHARDY_INLINE TensorSharding transform_target_sharding(const Module& module, ValueId owner,
                                                       const TensorSharding& sharding,
                                                       EdgeTransform transform) {
  const OpId op = detail::data_flow_op(module, owner);
  if (!op.valid() || !module.is(op, OpKind::SdyManualComputation)) return sharding;
  const ValueOwner place = module.owner(owner);
  const AxisNames manual = detail::manual_axes_of(module, op);
  const bool goes_inside = place.is_result() == (transform == EdgeTransform::BeforePropagation);
  if (goes_inside) return erase_manual(sharding, manual);
  const auto outer = detail::get_in_list(
      module.attributes(op), place.is_result() ? attr::kOutShardings : attr::kInShardings,
      place.index);
  return outer ? add_free(*outer, sharding, manual) : sharding;
}

}  // namespace shardy::ir
#endif  // SHARDY_BODIES
