// Comparison of the layouts of two shardings, by a visit to each device.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <shardy/algebra/shard_layout.hpp>
#include <span>
#include <vector>

namespace shardy_test {

/// The elements that a device holds of a tensor, and the set of devices that it makes up the true
/// value with.
struct DeviceLayout {
  std::vector<shardy::Range> slice;
  std::vector<int64_t> buffer;
  std::vector<int64_t> reduced_with;  // sorted device ids; empty if none is unreduced

  friend bool operator==(const DeviceLayout&, const DeviceLayout&) = default;
};

inline std::map<int64_t, DeviceLayout> device_layouts(const shardy::TensorSharding& sharding,
                                                      std::span<const int64_t> shape) {
  std::map<int64_t, DeviceLayout> layouts;
  const shardy::Mesh& mesh = sharding.mesh();
  for (int64_t position = 0; position < mesh.num_devices(); ++position) {
    layouts[mesh.device_at(position)] = {
        device_slice(sharding, shape, position), sharding.local_shape(shape), {}};
  }
  if (sharding_size(sharding.unreduced_axes()) == 1) return layouts;
  for (std::vector<int64_t>& group : replica_groups(mesh, sharding.unreduced_axes())) {
    std::ranges::sort(group);
    for (const int64_t device : group) layouts[device].reduced_with = group;
  }
  return layouts;
}

/// Both put the same elements on each device, in buffers of the same size, and leave the same
/// groups of devices to reduce over. Meshes may differ. Spec: algebra 8.10.
inline bool layouts_equal(const shardy::TensorSharding& a, const shardy::TensorSharding& b,
                          std::span<const int64_t> shape) {
  const bool is_partial = sharding_size(a.unreduced_axes()) > 1;
  if (is_partial && a.reduction_op() != b.reduction_op()) return false;
  return device_layouts(a, shape) == device_layouts(b, shape);
}

}  // namespace shardy_test
