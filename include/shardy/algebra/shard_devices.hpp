#pragma once

#include <cstdint>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/support/inline.hpp>
#include <span>
#include <vector>

// From a part of a tensor back to the devices that hold it. Spec: algebra 8.

namespace shardy {

/// Devices that hold the shard with the given index in each dim, by logical position: all that
/// differ only along axes that shard no dim. Requires: one index per dim, below its shard count.
/// Cost: the devices returned. Spec: algebra 8.4, 8.6.
std::vector<int64_t> devices_of_shard(const TensorSharding& sharding,
                                      std::span<const int64_t> indices);

/// Devices whose part of a tensor of `shape` has the element at `element`, by logical position.
/// Requires: the element is in the shape, which has no dynamic dim; rank 0 or that of `shape`.
std::vector<int64_t> devices_holding(const TensorSharding& sharding, std::span<const int64_t> shape,
                                     std::span<const int64_t> element);

}  // namespace shardy

#ifdef SHARDY_BODIES
#include <algorithm>
#include <shardy/support/math.hpp>

namespace shardy::detail {

/// By how much the logical position grows with the coordinate along `ref`.
SHARDY_INLINE int64_t position_stride(const Mesh& mesh, const AxisRef& ref) {
  int64_t stride = mesh.axis_size(ref.axis) / ref.next();
  for (int32_t axis = ref.axis + 1; axis < mesh.num_axes(); ++axis) stride *= mesh.axis_size(axis);
  return stride;
}

/// Logical position of the device whose coordinates along `axes` make up `index`, and are 0
/// elsewhere. Inverse of shard_index.
SHARDY_INLINE int64_t first_position(const Mesh& mesh, AxisSpan axes, int64_t index) {
  int64_t position = 0;
  for (std::size_t i = axes.size(); i-- > 0;) {
    position += index % axes[i].size * position_stride(mesh, axes[i]);
    index /= axes[i].size;
  }
  return position;
}

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE std::vector<int64_t> devices_of_shard(const TensorSharding& sharding,
                                                    std::span<const int64_t> indices) {
  SHARDY_EXPECTS(indices.size() == sharding.rank());
  const Mesh& mesh = sharding.mesh();
  const AxisList used = sharding.dim_axes();
  int64_t position = 0;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    SHARDY_EXPECTS(indices[i] >= 0 && indices[i] < sharding.dim(i).sharded_size());
    position += detail::first_position(mesh, sharding.dim(i).axes, indices[i]);
  }
  AxisList others;
  for (const AxisRef& part : ordered_axis_refs(mesh, used)) {
    if (std::ranges::find(used, part) == used.end()) others.push_back(part);
  }
  std::vector<int64_t> devices;
  for (int64_t copy = 0; copy < sharding_size(others); ++copy) {
    devices.push_back(mesh.device_at(position + detail::first_position(mesh, others, copy)));
  }
  return devices;
}

SHARDY_INLINE std::vector<int64_t> devices_holding(const TensorSharding& sharding,
                                                   std::span<const int64_t> shape,
                                                   std::span<const int64_t> element) {
  SHARDY_EXPECTS(element.size() == shape.size() && element.size() >= sharding.rank());
  std::vector<int64_t> indices;
  for (std::size_t i = 0; i < sharding.rank(); ++i) {
    SHARDY_EXPECTS(element[i] >= 0 && element[i] < shape[i]);
    indices.push_back(element[i] / ceil_div(shape[i], sharding.dim(i).sharded_size()));
  }
  return devices_of_shard(sharding, indices);
}

}  // namespace shardy
#endif  // SHARDY_BODIES
