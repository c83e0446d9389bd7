#include "simulation/replica_groups.hpp"

namespace shardy::simulation {

ReplicaGroups::ReplicaGroups(std::vector<std::vector<int64_t>> groups) : groups_(Listed{}) {
  auto& listed = std::get<Listed>(groups_);
  listed.groups = std::move(groups);
  for (std::size_t leader = 0; leader < listed.groups.size(); ++leader) {
    for (std::size_t rank = 0; rank < listed.groups[leader].size(); ++rank) {
      const Place place{static_cast<int64_t>(leader), static_cast<int64_t>(rank)};
      const bool is_new = listed.places.emplace(listed.groups[leader][rank], place).second;
      SHARDY_ASSERT(is_new);
      static_cast<void>(is_new);
    }
  }
}

std::optional<ReplicaGroups::Place> ReplicaGroups::place_of(int64_t device) const {
  if (const auto* listed = std::get_if<Listed>(&groups_)) {
    const auto found = listed->places.find(device);
    if (found == listed->places.end()) return std::nullopt;
    return found->second;
  }
  const auto& groups = std::get<DeviceGroups>(groups_);
  const std::optional<int64_t> position = groups.mesh().position_of(device);
  if (!position) return std::nullopt;
  return Place{groups.leader(*position), groups.rank(*position)};
}

bool ReplicaGroups::has_leader(int64_t leader) const {
  if (leader < 0) return false;
  if (const auto* listed = std::get_if<Listed>(&groups_))
    return leader < std::ssize(listed->groups);
  const auto& groups = std::get<DeviceGroups>(groups_);
  return leader < groups.mesh().num_devices() && groups.leader(leader) == leader;
}

std::vector<int64_t> ReplicaGroups::members(int64_t leader) const {
  if (const auto* listed = std::get_if<Listed>(&groups_)) {
    return listed->groups[static_cast<std::size_t>(leader)];
  }
  const auto& groups = std::get<DeviceGroups>(groups_);
  std::vector<int64_t> devices;
  for (int64_t rank = 0; rank < groups.size(); ++rank) {
    devices.push_back(groups.device(leader, rank));
  }
  return devices;
}

}  // namespace shardy::simulation
