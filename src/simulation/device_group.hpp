// Groups of devices that communicate, by arithmetic on axis coordinates: never a list of groups.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "shardy/algebra/axis_ref.hpp"
#include "shardy/algebra/mesh.hpp"
#include "shardy/support/result.hpp"

namespace shardy::simulation {

/// The division of a mesh into groups that differ only in some disjoint axes. The rank of a device
/// in its group is its coordinate along the axes, major to minor. Spec: partitioning 4.2.
class DeviceGroups {
 public:
  /// Errors: an axis that is not of the mesh, axes whose coordinates depend on each other.
  static Result<DeviceGroups> make(Mesh mesh, std::span<const AxisRef> axes);

  const Mesh& mesh() const { return mesh_; }
  /// Devices per group.
  int64_t size() const { return size_; }
  /// Rank of the device at a logical position.
  int64_t rank(int64_t position) const;
  /// Logical position of rank 0 of the group of `position`: names the group.
  int64_t leader(int64_t position) const { return position - offset(rank(position)); }
  /// Logical position of a rank. Requires: 0 <= rank < size().
  int64_t member(int64_t leader, int64_t rank) const { return leader + offset(rank); }
  /// Device id of a rank.
  int64_t device(int64_t leader, int64_t rank) const {
    return mesh_.device_at(member(leader, rank));
  }

 private:
  explicit DeviceGroups(Mesh mesh) : mesh_(std::move(mesh)) {}

  struct Part {
    int64_t size;    // of the axis
    int64_t stride;  // positions between neighbours along it
  };
  int64_t offset(int64_t rank) const;

  Mesh mesh_;
  std::vector<Part> parts_;  // major to minor
  int64_t size_ = 1;
};

}  // namespace shardy::simulation
