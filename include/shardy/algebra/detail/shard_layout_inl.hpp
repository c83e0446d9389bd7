// Bodies of shard_layout.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <shardy/algebra/axis_list.hpp>
#include <shardy/algebra/mesh.hpp>
#include <shardy/algebra/shard_layout.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/support/inline.hpp>
#include <span>
#include <vector>

namespace shardy {

SHARDY_INLINE int64_t coordinate(const Mesh& mesh, int64_t position, const AxisRef& ref) {
  SHARDY_EXPECTS(position >= 0 && position < mesh.num_devices());
  const int64_t size = mesh.axis_size(ref.axis);
  const std::span<const MeshAxis> minor_axes =
      mesh.axes().subspan(static_cast<std::size_t>(ref.axis) + 1);
  int64_t minor = 1;  // devices per step of the axis
  for (const MeshAxis& axis : minor_axes) minor *= axis.size;
  return coordinate_in(ref, size, position / minor % size);
}

SHARDY_INLINE int64_t shard_index(const Mesh& mesh, AxisSpan axes, int64_t position) {
  int64_t index = 0;
  for (const AxisRef& ref : axes) {
    const bool is_too_large =
        __builtin_mul_overflow(index, ref.size, &index) ||
        __builtin_add_overflow(index, coordinate(mesh, position, ref), &index);
    SHARDY_EXPECTS(!is_too_large);
  }
  return index;
}

SHARDY_INLINE std::vector<int64_t> shard_indices(const TensorSharding& sharding, int64_t position) {
  std::vector<int64_t> indices;
  for (const DimSharding& dim : sharding.dims()) {
    indices.push_back(shard_index(sharding.mesh(), dim.axes, position));
  }
  return indices;
}

SHARDY_INLINE std::vector<Range> device_slice(const TensorSharding& sharding,
                                              std::span<const int64_t> shape, int64_t position) {
  std::vector<Range> slice;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (sharding.rank() != shape.size()) {
      slice.push_back({0, shape[i]});
      continue;
    }
    const DimSharding& dim = sharding.dim(i);
    const int64_t index = shard_index(sharding.mesh(), dim.axes, position);
    slice.push_back(valid_range(shape[i], dim.sharded_size(), index));
  }
  return slice;
}

SHARDY_INLINE std::vector<std::vector<int64_t>> replica_groups(const Mesh& mesh, AxisSpan axes) {
  AxisList group_axes;
  for (const AxisRef& part : ordered_axis_refs(mesh, axes)) {
    if (std::ranges::find(axes, part) == axes.end()) group_axes.push_back(part);
  }
  const int64_t members = sharding_size(axes);
  SHARDY_EXPECTS(members >= 1 && mesh.num_devices() % members == 0);
  const auto count = static_cast<std::size_t>(mesh.num_devices() / members);
  std::vector<std::vector<int64_t>> groups(count,
                                           std::vector<int64_t>(static_cast<std::size_t>(members)));
  for (int64_t position = 0; position < mesh.num_devices(); ++position) {
    const auto group = static_cast<std::size_t>(shard_index(mesh, group_axes, position));
    const auto member = static_cast<std::size_t>(shard_index(mesh, axes, position));
    SHARDY_EXPECTS(group < groups.size() && member < groups[group].size());
    groups[group][member] = mesh.device_at(position);
  }
  return groups;
}

}  // namespace shardy
