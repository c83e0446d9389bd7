#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/algebra/axis_list.hpp>
#include <shardy/algebra/shard_layout.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/support/inline.hpp>
#include <shardy/support/result.hpp>
#include <shardy/support/span_of.hpp>
#include <span>
#include <utility>
#include <vector>

// How the shards of a tensor lie on the devices, as data that can be drawn. Spec: algebra 8.

namespace shardy {

/// A device that holds a shard. Devices of one `replica` hold summands of one copy; without
/// unreduced axes each of them is a replica of its own.
struct ShardHolder {
  int64_t device = 0;   // its id
  int64_t replica = 0;  // which of the copies
  int64_t summand = 0;  // which of the parts that add up to it; 0 holds the value in an input

  friend bool operator==(const ShardHolder&, const ShardHolder&) = default;
};

/// One shard of a tensor, and who holds it.
struct GridShard {
  std::vector<int64_t> indices;      // along each dim
  std::vector<Range> elements;       // of each dim; empty or short where the dim does not divide
  std::vector<ShardHolder> holders;  // by replica, then summand; no more than were asked for
};

/// All shards of a tensor as a grid with one dim per dim of the tensor.
///
/// Invariant: the sharding has the rank of the shape, or rank 0, as on a maximal mesh; no dim is
/// negative. Shards are found when they are asked for, so a grid of a million devices costs
/// nothing.
class ShardGrid {
 public:
  /// Errors: another rank, a dynamic dim.
  static Result<ShardGrid> make(TensorSharding sharding, std::vector<int64_t> shape);

  /// Returns the sharding of the tensor.
  const TensorSharding& sharding() const { return sharding_; }
  /// Returns the global shape.
  std::span<const int64_t> shape() const { return span_of(shape_); }
  /// Along each dim.
  std::span<const int64_t> num_shards() const { return span_of(num_shards_); }
  /// Returns the shape of the buffer of a device, padding included.
  std::span<const int64_t> local_shape() const { return span_of(local_shape_); }
  /// Along which devices hold the same elements, in mesh order.
  const AxisList& replica_axes() const { return replica_axes_; }
  /// Devices that hold the same shard.
  int64_t num_replicas() const { return sharding_size(replica_axes_); }
  /// Devices whose shards are to be combined.
  int64_t num_summands() const { return sharding_size(sharding_.unreduced_axes()); }

  /// Elements of the shards at `index` along `dim`. Requires: a dim of the shape, one of its
  /// shards.
  Range elements(std::size_t dim, int64_t index) const {
    SHARDY_EXPECTS(dim < shape_.size());
    return valid_range(shape_[dim], num_shards_[dim], index);
  }
  /// Requires: one index per dim, below its number of shards. Cost: the holders returned.
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
#include <algorithm>
#include <shardy/algebra/shard_devices.hpp>
#include <string>

namespace shardy {

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
  const int64_t all = num_replicas() * summands;  // no more than devices
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
