#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <shardy/algebra/axis_list.hpp>
#include <shardy/algebra/mesh.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/support/inline.hpp>
#include <span>
#include <vector>

// The elements of a tensor that each device holds. Spec: algebra 8.

namespace shardy {

/// Elements of a global dim, half open.
struct Range {
  int64_t begin = 0;  // the first element
  int64_t end = 0;    // after the last element

  /// How many elements. Requires: it fits int64.
  constexpr int64_t size() const {
    int64_t count = 0;
    const bool is_too_large = __builtin_sub_overflow(end, begin, &count);
    SHARDY_EXPECTS(!is_too_large);
    return count;
  }

  friend constexpr bool operator==(const Range&, const Range&) = default;
  friend constexpr std::strong_ordering operator<=>(const Range&, const Range&) = default;
};

/// Elements of `dim` that the shard at `index` holds; trailing shards may be short or empty.
///
/// Units: elements of the global dim. Requires: dim >= 0, 0 <= index < shards.
/// Example: dim 5, shards 4: [0,2) [2,4) [4,5) [5,5). Spec: algebra 8.5.
constexpr Range valid_range(int64_t dim, int64_t shards, int64_t index) {
  SHARDY_EXPECTS(dim >= 0 && index >= 0 && index < shards);
  const int64_t size = ceil_div(dim, shards);
  // index * size may not fit int64 when there are far more shards than elements.
  const auto start_of = [&](int64_t shard) {
    return std::min(checked_mul(shard, size).value_or(dim), dim);
  };
  return {start_of(index), start_of(index + 1)};
}

/// Coordinate along a part of an axis of size `axis_size`, given that along the axis. Requires: the
/// part is one of such an axis, and the coordinate lies on it.
/// Spec: algebra 8.3.
constexpr int64_t coordinate_in(const AxisRef& ref, int64_t axis_size, int64_t axis_coordinate) {
  const int64_t end = ref.next();
  SHARDY_EXPECTS(axis_size >= end && axis_coordinate >= 0 && axis_coordinate < axis_size);
  return axis_coordinate / (axis_size / end) % ref.size;
}

/// Coordinate of the device at logical `position` along `ref`. Requires: a position and a ref of
/// the mesh.
int64_t coordinate(const Mesh& mesh, int64_t position, const AxisRef& ref);

/// Mixed-radix number of the coordinates along `axes`, the first one major; 0 if there are none.
/// Requires: as coordinate; axes that do not overlap. Spec: algebra 8.4.
int64_t shard_index(const Mesh& mesh, AxisSpan axes, int64_t position);

/// Shard index of each dim on the device at logical `position`. Requires: a position of the mesh.
std::vector<int64_t> shard_indices(const TensorSharding& sharding, int64_t position);

/// Elements of each dim that the device at logical `position` holds; all of them if the sharding
/// has rank 0, as on a maximal mesh. Requires: rank 0 or that of `shape`, which is static.
std::vector<Range> device_slice(const TensorSharding& sharding, std::span<const int64_t> shape,
                                int64_t position);

/// Devices that differ only along `axes`. Groups go by what the axes leave of the mesh, in mesh
/// order; members by `axes` in their given order, major to minor. Entries are device ids.
/// Requires: the axes do not overlap and can coexist. Cost: all devices. Spec: algebra 3.8.
std::vector<std::vector<int64_t>> replica_groups(const Mesh& mesh, AxisSpan axes);

}  // namespace shardy

#ifdef SHARDY_BODIES
#include <map>

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
#endif  // SHARDY_BODIES
