#pragma once

#include <cstddef>
#include <optional>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/propagation/problem.hpp>
#include <shardy/support/detail/inline.hpp>
#include <span>
#include <vector>

namespace shardy::propagation {

/// The common sharding of a sharding group before propagation.
struct GroupSharding {
  std::optional<TensorSharding> common;
  std::optional<std::size_t> conflicting;  // first member whose sharding differs from `common`
};

/// Returns the common sharding of `members`. Members without a sharding, or with a fully open one
/// without axes, are compatible with any sharding. Spec: propagation 13.
GroupSharding group_sharding(std::span<const std::optional<TensorSharding>> members);

/// A sharding group whose members have different shardings.
struct GroupConflict {
  GroupId group;
  SlotId first;  // member with the first sharding
  SlotId other;  // first member with a different sharding
};

/// Stores the common sharding of each group at all members. Groups with a conflict are unchanged
/// and returned; the caller may insert constraints between the group and its members.
std::vector<GroupConflict> synchronize_groups(Problem& problem);

}  // namespace shardy::propagation

#ifdef SHARDY_BODIES
#include <cstdint>

namespace shardy::propagation {

SHARDY_INLINE GroupSharding group_sharding(std::span<const std::optional<TensorSharding>> members) {
  GroupSharding group;
  if (members.size() == 1) return {members.front(), std::nullopt};
  for (std::size_t member = 0; member < members.size(); ++member) {
    const std::optional<TensorSharding>& sharding = members[member];
    if (!sharding || sharding->is_fully_replicated_and_open()) continue;
    if (!group.common) {
      group.common = sharding;
    } else if (!group.conflicting && sharding != group.common) {
      group.conflicting = member;
    }
  }
  return group;
}

}  // namespace shardy::propagation

namespace shardy::propagation::detail {

/// Stores the sharding of a result. If it is the first sharding of the op's results, the other
/// results become fully open.
SHARDY_INLINE void store_initial(Problem& problem, SlotId slot, const TensorSharding& sharding) {
  const SlotId storage = problem.slot(slot).storage;
  if (!storage.valid()) return;
  if (!problem.sharding(storage)) {
    for (const SlotId sibling : problem.siblings(storage)) {
      if (problem.sharding(sibling)) continue;
      const std::size_t rank = problem.slot(sibling).rank;
      static_cast<void>(problem.set_sharding(
          sibling, TensorSharding::fully_open(sharding.mesh(), sharding.mesh_name(), rank)));
    }
  }
  static_cast<void>(problem.set_sharding(storage, sharding));
}

}  // namespace shardy::propagation::detail

namespace shardy::propagation {

SHARDY_INLINE std::vector<GroupConflict> synchronize_groups(Problem& problem) {
  std::vector<GroupConflict> conflicts;
  std::vector<std::optional<TensorSharding>> shardings;
  for (uint32_t index = 0; index < problem.num_groups(); ++index) {
    const std::span<const SlotId> members = problem.members(GroupId(index));
    shardings.clear();
    for (const SlotId member : members) shardings.push_back(problem.sharding(member));
    const GroupSharding group = group_sharding(shardings);
    if (group.conflicting) {
      std::size_t first = 0;
      while (shardings[first] != group.common) ++first;
      conflicts.push_back({GroupId(index), members[first], members[*group.conflicting]});
    } else if (group.common) {
      for (const SlotId member : members) detail::store_initial(problem, member, *group.common);
    }
  }
  return conflicts;
}

}  // namespace shardy::propagation
#endif  // SHARDY_BODIES
