// Groups of devices that communicate. Group members are computed from axis coordinates, never
// listed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "shardy/algebra/mesh.hpp"
#include "shardy/support/result.hpp"

namespace shardy::simulation {

/// The division of a mesh into groups whose devices differ only along the given disjoint axes. The
/// rank of a device in its group is its coordinate along the axes, major to minor. Spec:
/// partitioning 4.2.
class DeviceGroups {
 public:
  /// Errors: an axis that the mesh does not have, axes that overlap.
  static Result<DeviceGroups> make(Mesh mesh, std::span<const AxisRef> axes);

  const Mesh& mesh() const { return mesh_; }
  /// Returns the number of devices per group.
  int64_t size() const { return size_; }
  /// Returns the rank of the device at a logical position.
  int64_t rank(int64_t position) const;
  /// Returns the logical position of rank 0 of the group that contains `position`. It identifies
  /// the group.
  int64_t leader(int64_t position) const { return position - offset(rank(position)); }
  /// Returns the logical position of a rank. Requires: 0 <= rank < size().
  int64_t member(int64_t leader, int64_t rank) const { return leader + offset(rank); }
  /// Returns the device id of a rank.
  int64_t device(int64_t leader, int64_t rank) const {
    return mesh_.device_at(member(leader, rank));
  }

 private:
  explicit DeviceGroups(Mesh mesh) : mesh_(std::move(mesh)) {}

  struct GroupAxis {
    int64_t size;    // size of the axis
    int64_t stride;  // distance of neighbours along the axis, in positions
  };
  int64_t offset(int64_t rank) const;

  Mesh mesh_;
  std::vector<GroupAxis> parts_;  // major to minor
  int64_t size_ = 1;
};

/// Disjoint groups of devices, each an ordered list. Some devices may be in no group.
class ReplicaGroups {
 public:
  /// A group, identified by its leader, and a rank in it.
  struct GroupMember {
    int64_t leader = 0;
    int64_t rank = 0;
  };

  /// Groups along axes. The leader is the logical position of rank 0.
  explicit ReplicaGroups(DeviceGroups groups) : groups_(std::move(groups)) {}
  /// Listed groups. The leader is the index of the group. Requires: no device occurs twice.
  explicit ReplicaGroups(std::vector<std::vector<int64_t>> groups);

  /// Returns the group of a device and its position in the group; std::nullopt if no group has the
  /// device.
  std::optional<GroupMember> place_of(int64_t device) const;
  /// Checks whether a group has this leader.
  bool has_leader(int64_t leader) const;
  /// Returns the devices of the group, by rank.
  std::vector<int64_t> members(int64_t leader) const;

 private:
  struct Listed {
    std::vector<std::vector<int64_t>> groups;
    std::map<int64_t, GroupMember> places;
  };
  std::variant<DeviceGroups, Listed> groups_;
};

}  // namespace shardy::simulation
