// The replica groups of a collective: computed from a mesh, or listed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "simulation/device_group.hpp"

namespace shardy::simulation {

/// Disjoint groups of devices, each an ordered list. Not every device need be in one.
class ReplicaGroups {
 public:
  /// A device in its group. The leader names the group.
  struct Place {
    int64_t leader = 0;
    int64_t rank = 0;
  };

  /// The leader is the logical position of rank 0.
  explicit ReplicaGroups(DeviceGroups groups) : groups_(std::move(groups)) {}
  /// The leader is the index of the group. Requires: no device twice.
  explicit ReplicaGroups(std::vector<std::vector<int64_t>> groups);

  /// nullopt for a device in no group.
  std::optional<Place> place_of(int64_t device) const;
  /// Checks whether a group has this leader.
  bool has_leader(int64_t leader) const;
  /// Devices of the group, by rank.
  std::vector<int64_t> members(int64_t leader) const;

 private:
  struct Listed {
    std::vector<std::vector<int64_t>> groups;
    std::map<int64_t, Place> places;
  };
  std::variant<DeviceGroups, Listed> groups_;
};

}  // namespace shardy::simulation
