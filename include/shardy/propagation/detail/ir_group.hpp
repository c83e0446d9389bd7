// Sharding groups of a module.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <shardy/ir/attribute_names.hpp>
#include <shardy/ir/builder.hpp>
#include <shardy/ir/sharding_access.hpp>
#include <shardy/propagation/detail/group.hpp>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace shardy::propagation::detail {

/// Members by group id, in the order of the group ops, none twice.
using Groups = std::map<uint64_t, std::vector<ir::ValueId>>;

/// Errors: a value in two groups, which the import of groups unites.
inline Result<Groups> find_groups(const ir::Module& module, std::span<const ir::OpId> order) {
  Groups groups;
  std::unordered_map<ir::ValueId, uint64_t> group_of;
  for (const ir::OpId op : order) {
    const auto* id = module.is(op, ir::OpKind::SdyShardingGroup)
                         ? module.attribute<ir::IntegerAttr>(op, ir::attr::kGroupId)
                         : nullptr;
    if (id == nullptr || module.num_operands(op) == 0) continue;
    const auto group = static_cast<uint64_t>(id->value);
    const ir::ValueId member = module.operand(op, 0);
    const auto [known, is_new] = group_of.try_emplace(member, group);
    if (is_new) groups[group].push_back(member);
    if (known->second == group) continue;
    return fail_at(module.location_text(op), "value is in sharding groups " +
                                                 std::to_string(known->second) + " and " +
                                                 std::to_string(group));
  }
  return groups;
}

/// Puts an open constraint right after a value, and in its place everywhere else but where a
/// collective says what it reads.
inline void constrain(ir::Module& module, ir::ValueId value, const TensorSharding& sharding) {
  const ir::OpId definer = module.defining_op(value);
  ir::Builder builder = definer.valid() ? ir::Builder::after(module, definer)
                                        : ir::Builder::at_start(module, module.owner(value).block);
  ir::AttributeMap attributes;
  attributes.set(ir::attr::kSharding, sharding);
  const ir::ValueId constraint = builder.create_value(ir::OpKind::SdyShardingConstraint, {value},
                                                      module.type(value), std::move(attributes));
  for (const ir::Use& use : module.uses(value)) {
    if (use.op == module.defining_op(constraint)) continue;
    if (ir::is_sdy_collective(module.kind(use.op))) continue;
    module.set_operand(use.op, use.operand, constraint);
  }
}

/// Says where the member is that differs from those before it.
inline Diagnostic group_warning(const ir::Module& module, int64_t id,
                                std::span<const ir::ValueId> members, std::size_t conflicting) {
  const auto place = [&](ir::ValueId value) {
    const ir::ValueOwner owner = module.owner(value);
    return module.location_text(owner.is_result() ? owner.op : module.parent_op(owner.block));
  };
  const auto sharding = [&](ir::ValueId value) { return *ir::get_sharding(module, value); };
  Diagnostic warning{
      .message = "members of sharding group " + std::to_string(id) + " have conflicting shardings",
      .location = place(members[conflicting]),
      .severity = Severity::Warning};
  std::size_t first = 0;
  while (!ir::get_sharding(module, members[first]) ||
         sharding(members[first]).is_fully_replicated_and_open()) {
    ++first;
  }
  warning.notes.push_back(to_string(sharding(members[first])) + " at " + place(members[first]) +
                          ", " + to_string(sharding(members[conflicting])) +
                          " here; each keeps "
                          "its own, and the group goes without");
  return warning;
}

/// Puts constraints between the members of a group that disagree and the group. Spec:
/// propagation 13.
inline Result<Diagnostics> separate_groups(ir::Module& module, std::span<const ir::OpId> order) {
  Diagnostics warnings;
  SHARDY_TRY(const Groups groups, find_groups(module, order));
  for (const auto& [id, members] : groups) {
    std::vector<std::optional<TensorSharding>> shardings;
    for (const ir::ValueId member : members) {
      shardings.push_back(ir::get_sharding(module, member));
    }
    const GroupSharding group = group_sharding(shardings);
    if (!group.conflicting) continue;
    warnings.push_back(
        group_warning(module, static_cast<int64_t>(id), members, *group.conflicting));
    for (const ir::ValueId member : members) {
      constrain(module, member, group.common->fully_open_like());
    }
  }
  return warnings;
}

}  // namespace shardy::propagation::detail
