#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/algebra/axis_list.hpp>
#include <shardy/algebra/shard_layout.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
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

#ifdef SHARDY_HEADER_ONLY
#include <shardy/algebra/detail/shard_grid_inl.hpp>
#endif
