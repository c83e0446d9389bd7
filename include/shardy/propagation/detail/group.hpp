#pragma once

#include <cstddef>
#include <optional>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/propagation/problem.hpp>
#include <span>
#include <vector>

namespace shardy::propagation {

/// Common sharding of the members of a group at the start.
struct GroupSharding {
  std::optional<TensorSharding> common;
  std::optional<std::size_t> conflicting;  // first member whose sharding differs from it
};

/// Absent shardings and fully open ones without axes follow the others. Spec: propagation 13.
GroupSharding group_sharding(std::span<const std::optional<TensorSharding>> members);

/// A group whose members had different shardings.
struct GroupConflict {
  GroupId group;
  SlotId first;  // has the sharding that came first
  SlotId other;  // has another one
};

/// Gives all members of each group their common sharding. A group in conflict is left as it is and
/// reported: the caller may put constraints between its members and the group.
std::vector<GroupConflict> synchronize_groups(Problem& problem);

}  // namespace shardy::propagation

#ifdef SHARDY_HEADER_ONLY
#include <shardy/propagation/detail/group_inl.hpp>
#endif
