// Bodies of edge_shardings.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <shardy/ir/attribute_names.hpp>
#include <shardy/ir/data_flow.hpp>
#include <shardy/ir/edge_shardings.hpp>
#include <shardy/ir/sharding_access.hpp>
#include <shardy/support/inline.hpp>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace shardy::ir::detail {

inline std::string_view edge_shardings_attr(const Module& module, OpId op, EdgeOwners which) {
  return which == EdgeOwners::BlockArgs ? attr::kInShardings : result_shardings_attr(module, op);
}

/// Shardings inside of a manual computation have no manual axes; those of its results do.
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
