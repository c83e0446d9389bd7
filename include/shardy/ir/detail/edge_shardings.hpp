// Shardings of the owners of data-flow edges, in the form stored at the op and in the form that
// propagation uses.
#pragma once

#include <cstdint>
#include <shardy/ir/detail/data_flow.hpp>
#include <shardy/support/detail/inline.hpp>
#include <span>
#include <vector>

namespace shardy::ir {

// These functions read and write the sharding at the op that owns an edge, even if the edge has an
// sdy.data_flow_edge op. get_sharding and set_sharding prefer the edge op. Spec: dialect 5.2, 9.1.

/// The two kinds of edge owners of an op. Order: block arguments are handled before results.
enum class EdgeOwners : uint8_t { BlockArgs, Results };
/// Both kinds, in the order in which edges are numbered.
inline constexpr EdgeOwners kEdgeOwners[] = {EdgeOwners::BlockArgs, EdgeOwners::Results};

/// The direction of a conversion: before propagation along an edge, or when the result is stored.
enum class EdgeTransform : uint8_t { BeforePropagation, AfterPropagation };

/// Returns the owners of the op's data-flow edges. Empty for an op without edges.
inline std::vector<ValueId> edge_owners(const Module& module, OpId op, EdgeOwners which) {
  return which == EdgeOwners::BlockArgs ? block_arg_edge_owners(module, op)
                                        : result_edge_owners(module, op);
}

/// Checks whether the edge shardings of this op must divide the dims of their values as seen from
/// outside of the op. True for manual computations.
inline bool keep_edge_shardings_divisible(const Module& module, OpId op) {
  return module.is(op, OpKind::SdyManualComputation);
}

/// Returns one sharding per owner; empty if the op stores none.
std::vector<TensorSharding> edge_owner_shardings(const Module& module, OpId op, EdgeOwners which);

/// Stores the sharding of one owner. Other owners without a sharding get a fully open one on the
/// same mesh. Does nothing if `owner` is not an edge owner.
void set_edge_owner_sharding(Module& module, ValueId owner, const TensorSharding& sharding);

/// Stores the shardings of all owners. Requires: one per owner.
void set_edge_owner_shardings(Module& module, OpId op, EdgeOwners which,
                              std::span<const TensorSharding> shardings);

/// Converts a sharding between the two sides of the edge of `owner`. BeforePropagation: from the
/// stored form to the form of the edge's sources. AfterPropagation: from the form of the sources to
/// the stored form. Only the edges of manual computations have two sides: shardings inside of the
/// body have no manual axes. Spec: dialect 5.3, table.
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

/// Checks for shardings inside of a manual computation, which have no manual axes. The shardings of
/// its results have them.
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
  // Missing shardings become fully open, as in `set_edge_owner_sharding`.
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
