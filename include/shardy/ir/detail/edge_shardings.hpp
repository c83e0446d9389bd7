// Shardings of the owners of data-flow edges: as the data-flow op stores them, and as propagation
// reads them.
#pragma once

#include <cstdint>
#include <shardy/ir/detail/data_flow.hpp>
#include <shardy/support/detail/inline.hpp>
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

}  // namespace shardy::ir

#ifdef SHARDY_BODIES
#include <algorithm>
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
