// Bodies of shard_grid.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <shardy/algebra/detail/shard_devices_inl.hpp>
#include <shardy/algebra/shard_grid.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

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
