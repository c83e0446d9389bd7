// Shards on devices: offsets and sizes of shards, the devices of a shard, and the grid of all
// shards.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/algebra/axis_list.hpp>
#include <shardy/algebra/mesh.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/detail/span_of.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <utility>
#include <vector>

// The elements of a tensor that each device holds. Spec: algebra 8.

namespace shardy {

/// A half-open range of elements of a global dim.
struct Range {
  int64_t begin = 0;  // first element
  int64_t end = 0;    // end, exclusive

  /// Returns the number of elements. Requires: the number fits int64.
  constexpr int64_t size() const {
    int64_t count = 0;
    const bool is_too_large = __builtin_sub_overflow(end, begin, &count);
    SHARDY_EXPECTS(!is_too_large);
    return count;
  }

  friend constexpr bool operator==(const Range&, const Range&) = default;
  friend constexpr std::strong_ordering operator<=>(const Range&, const Range&) = default;
};

/// Returns the elements of a dim of size `dim` that shard `index` of `shards` shards has. Trailing
/// shards may be short or empty.
///
/// Units: elements of the global dim. Requires: dim >= 0, 0 <= index < shards.
/// Example: dim 5, shards 4: [0,2) [2,4) [4,5) [5,5). Spec: algebra 8.5.
constexpr Range valid_range(int64_t dim, int64_t shards, int64_t index) {
  SHARDY_EXPECTS(dim >= 0 && index >= 0 && index < shards);
  const int64_t size = ceil_div(dim, shards);
  // The product index * size may overflow int64 if the dim has far more shards than elements.
  const auto start_of = [&](int64_t shard) {
    return std::min(checked_mul(shard, size).value_or(dim), dim);
  };
  return {start_of(index), start_of(index + 1)};
}

/// Returns the coordinate along the sub-axis `ref` of an axis of size `axis_size`, for the
/// coordinate `axis_coordinate` along the axis. Requires: `ref` is a sub-axis of such an axis; the
/// coordinate is less than `axis_size`. Spec: algebra 8.3.
constexpr int64_t coordinate_in(const AxisRef& ref, int64_t axis_size, int64_t axis_coordinate) {
  const int64_t end = ref.next();
  SHARDY_EXPECTS(axis_size >= end && axis_coordinate >= 0 && axis_coordinate < axis_size);
  return axis_coordinate / (axis_size / end) % ref.size;
}

/// Returns the coordinate along `ref` of the device at logical position `position`. Requires: a
/// position and a ref of the mesh.
int64_t coordinate(const Mesh& mesh, int64_t position, const AxisRef& ref);

/// Returns the shard index along `axes` of the device at `position`: the coordinates as one
/// mixed-radix number, the first axis most significant; 0 without axes. Requires: as coordinate;
/// the axes do not overlap. Spec: algebra 8.4.
int64_t shard_index(const Mesh& mesh, AxisSpan axes, int64_t position);

/// Returns the shard index in each dim for the device at logical position `position`. Requires: a
/// position of the mesh.
std::vector<int64_t> shard_indices(const TensorSharding& sharding, int64_t position);

/// Returns the range of elements in each dim for the device at logical position `position`; all
/// elements if the sharding has rank 0, as on a maximal mesh. Requires: a position of the mesh;
/// the sharding has rank 0 or the rank of `shape`; `shape` is static.
std::vector<Range> device_slice(const TensorSharding& sharding, std::span<const int64_t> shape,
                                int64_t position);

/// Returns the replica groups along `axes`: devices in a group differ only in their coordinates
/// along `axes`. Groups are ordered by the other axes in mesh order, devices in a group by `axes`
/// in the given order, major to minor. Elements are device ids. Requires: the axes do not overlap
/// and can coexist. Cost: linear in devices. Spec: algebra 3.8.
std::vector<std::vector<int64_t>> replica_groups(const Mesh& mesh, AxisSpan axes);

// From a shard or element of a tensor to the devices that have it. Spec: algebra 8.

/// Returns the devices that have the shard with these indices, one index per dim, in order of
/// logical position. The devices differ only along axes that shard no dim. Requires: one index per
/// dim, less than its number of shards. Cost: linear in the returned devices. Spec: algebra 8.4,
/// 8.6.
std::vector<int64_t> devices_of_shard(const TensorSharding& sharding,
                                      std::span<const int64_t> indices);

/// Returns the devices whose shard of a tensor of shape `shape` contains the element with index
/// `element`, in order of logical position. Requires: an element of the shape, which has no dynamic
/// dim; a sharding of rank 0 or of the rank of `shape`.
std::vector<int64_t> devices_holding(const TensorSharding& sharding, std::span<const int64_t> shape,
                                     std::span<const int64_t> element);

// The shards of a tensor as a grid, for pictures. Spec: algebra 8.

/// A device that has a shard. Devices of equal `replica` have partial values of one copy of the
/// shard; without unreduced axes, each device has its own replica.
struct ShardHolder {
  int64_t device = 0;   // device id
  int64_t replica = 0;  // index of the copy of the shard
  int64_t summand = 0;  // index of the partial value; for function arguments, 0 has the full value

  friend bool operator==(const ShardHolder&, const ShardHolder&) = default;
};

/// One shard of a tensor and its devices.
struct GridShard {
  std::vector<int64_t> indices;  // shard index in each dim
  std::vector<Range> elements;   // elements in each dim; trailing shards may be short or empty
  /// Devices with the shard, by replica, then summand; truncated to the requested number.
  std::vector<ShardHolder> holders;
};

/// All shards of a tensor as a grid, with one grid dim per tensor dim.
///
/// Invariant: the sharding has the rank of the shape, or rank 0 as on a maximal mesh; no dim is
/// dynamic. Shards are computed on request, so the size of a grid does not depend on the number of
/// devices.
class ShardGrid {
 public:
  /// Makes the grid of a tensor of shape `shape`. Errors: the sharding has another rank; a dynamic
  /// dim.
  static Result<ShardGrid> make(TensorSharding sharding, std::vector<int64_t> shape);

  /// Returns the sharding of the tensor.
  const TensorSharding& sharding() const { return sharding_; }
  /// Returns the global shape of the tensor.
  std::span<const int64_t> shape() const { return span_of(shape_); }
  /// Returns the number of shards along each dim.
  std::span<const int64_t> num_shards() const { return span_of(num_shards_); }
  /// Returns the shape of the buffer on each device, including padding.
  std::span<const int64_t> local_shape() const { return span_of(local_shape_); }
  /// Returns the axes along which devices hold the same elements, in mesh order.
  const AxisList& replica_axes() const { return replica_axes_; }
  /// Returns the number of devices with the same shard.
  int64_t num_replicas() const { return sharding_size(replica_axes_); }
  /// Returns the number of partial values per replica.
  int64_t num_summands() const { return sharding_size(sharding_.unreduced_axes()); }

  /// Returns the elements along `dim` of the shards with index `index`. Requires: a dim of the
  /// shape, and one of its shards.
  Range elements(std::size_t dim, int64_t index) const {
    SHARDY_EXPECTS(dim < shape_.size());
    return valid_range(shape_[dim], num_shards_[dim], index);
  }
  /// Returns a shard with at most `max_holders` devices. Requires: one index per dim, less than its
  /// number of shards. Cost: linear in the returned devices.
  GridShard shard(std::span<const int64_t> indices, std::size_t max_holders) const;

 private:
  ShardGrid(TensorSharding sharding, std::vector<int64_t> shape);

  TensorSharding sharding_;
  std::vector<int64_t> shape_;
  std::vector<int64_t> num_shards_;
  std::vector<int64_t> local_shape_;
  AxisList replica_axes_;
};

}  // namespace shardy

#ifdef SHARDY_BODIES
#include <map>
#include <shardy/support/detail/math.hpp>
#include <string>

namespace shardy {

SHARDY_INLINE int64_t coordinate(const Mesh& mesh, int64_t position, const AxisRef& ref) {
  SHARDY_EXPECTS(position >= 0 && position < mesh.num_devices());
  const int64_t size = mesh.axis_size(ref.axis);
  const std::span<const MeshAxis> minor_axes =
      mesh.axes().subspan(static_cast<std::size_t>(ref.axis) + 1);
  int64_t minor = 1;  // distance of devices along the axis
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

namespace shardy::detail {

/// Returns the distance of logical positions for adjacent coordinates along `ref`.
SHARDY_INLINE int64_t position_stride(const Mesh& mesh, const AxisRef& ref) {
  int64_t stride = mesh.axis_size(ref.axis) / ref.next();
  for (int32_t axis = ref.axis + 1; axis < mesh.num_axes(); ++axis) stride *= mesh.axis_size(axis);
  return stride;
}

/// Returns the logical position of the device with shard index `index` along `axes` and coordinate
/// 0 along all other axes. Inverse of shard_index.
SHARDY_INLINE int64_t first_position(const Mesh& mesh, AxisSpan axes, int64_t index) {
  int64_t position = 0;
  for (std::size_t i = axes.size(); i-- > 0; index /= axes[i].size) {
    const int64_t coordinate = index % axes[i].size;
    if (coordinate != 0) position += coordinate * position_stride(mesh, axes[i]);
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

SHARDY_INLINE Result<ShardGrid> ShardGrid::make(TensorSharding sharding,
                                                std::vector<int64_t> shape) {
  if (sharding.rank() != 0 && sharding.rank() != shape.size()) {
    return fail("a sharding of " + std::to_string(sharding.rank()) + " dims for a tensor of " +
                std::to_string(shape.size()) + " dims");
  }
  const auto dynamic = std::ranges::find_if(shape, [](int64_t size) { return size < 0; });
  if (dynamic != shape.end()) {
    return fail("dim " + std::to_string(dynamic - shape.begin()) + " has no size");
  }
  return ShardGrid(std::move(sharding), std::move(shape));
}

SHARDY_INLINE ShardGrid::ShardGrid(TensorSharding sharding, std::vector<int64_t> shape)
    : sharding_(std::move(sharding)),
      shape_(std::move(shape)),
      num_shards_(shape_.size(), 1),
      local_shape_(sharding_.local_shape(shape_)) {
  for (std::size_t dim = 0; dim < sharding_.rank(); ++dim) {
    num_shards_[dim] = sharding_.dim(dim).sharded_size();
  }
  AxisList used = sharding_.dim_axes();
  const AxisList& unreduced = sharding_.unreduced_axes();
  used.insert(used.end(), unreduced.begin(), unreduced.end());
  for (const AxisRef& part : ordered_axis_refs(sharding_.mesh(), used)) {
    if (std::ranges::find(used, part) == used.end()) replica_axes_.push_back(part);
  }
}

SHARDY_INLINE GridShard ShardGrid::shard(std::span<const int64_t> indices,
                                         std::size_t max_holders) const {
  SHARDY_EXPECTS(indices.size() == shape_.size());
  GridShard shard{.indices = {indices.begin(), indices.end()}, .elements = {}, .holders = {}};
  const Mesh& mesh = sharding_.mesh();
  int64_t first = 0;
  for (std::size_t dim = 0; dim < indices.size(); ++dim) {
    SHARDY_EXPECTS(indices[dim] >= 0 && indices[dim] < num_shards_[dim]);
    shard.elements.push_back(elements(dim, indices[dim]));
    if (sharding_.rank() == 0) continue;
    first += detail::first_position(mesh, sharding_.dim(dim).axes, indices[dim]);
  }
  const int64_t summands = num_summands();
  const int64_t all = num_replicas() * summands;  // does not exceed the number of devices
  for (int64_t holder = 0; holder < all && shard.holders.size() < max_holders; ++holder) {
    const int64_t replica = holder / summands;
    const int64_t summand = holder % summands;
    const int64_t position = first + detail::first_position(mesh, replica_axes_, replica) +
                             detail::first_position(mesh, sharding_.unreduced_axes(), summand);
    shard.holders.push_back({mesh.device_at(position), replica, summand});
  }
  return shard;
}

}  // namespace shardy
#endif  // SHARDY_BODIES
