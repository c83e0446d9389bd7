// Groups of dims of a reshape, and the flat order of a sharded group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/algebra/axis_list.hpp>
#include <span>
#include <vector>

namespace shardy {

/// Dims [in_begin, in_end) of the operand hold the elements of dims [out_begin, out_end) of the
/// result.
struct ReshapeGroup {
  std::size_t in_begin = 0, in_end = 0;    // dims of the operand, from and to before
  std::size_t out_begin = 0, out_end = 0;  // dims of the result, from and to before
  bool operator==(const ReshapeGroup&) const = default;
};

/// The finest groups. Dims of size 1 join the group under construction; those at the end join the
/// last group. Requires: equal products, no dim of size 0. Spec: partitioning 8.3.
std::vector<ReshapeGroup> reshape_groups(std::span<const int64_t> in, std::span<const int64_t> out);

/// One side of a group whose shards hold consecutive elements in flat order.
struct FlatTiling {
  /// One sharded dim.
  struct Level {
    AxisList axes;       // that shard the dim
    int64_t shards = 1;  // number of its shards
    int64_t step = 0;    // flat distance between neighbouring shards
  };
  std::vector<Level> levels;  // major first
  AxisList axes;              // of all levels, joined
  int64_t volume = 0;         // elements of one shard, padding included
  bool even = true;           // the last sharded dim divides
};

/// The tiling of a group of dims, or nullopt when shards are not consecutive: every sharded dim but
/// the last must have as many shards as elements, and no whole dim may stand before a sharded one.
/// Requires: one list of axes per dim, no dim of size 0. Spec: partitioning 8.3 d.
std::optional<FlatTiling> flat_tiling(std::span<const int64_t> dims,
                                      std::span<const AxisList> axes);

/// How the pieces of a group get from one side to the other. Spec: partitioning 8.3.
enum class GroupMove : uint8_t {
  None,      // no element moves: both sides are sharded equally, or not sharded
  Exchange,  // each shard fetches its part in flat order
  Gather     // one side has to become whole
};

/// Requires: one list of axes per dim.
GroupMove group_move(std::span<const int64_t> in, std::span<const AxisList> in_axes,
                     std::span<const int64_t> out, std::span<const AxisList> out_axes);

}  // namespace shardy

#ifdef SHARDY_HEADER_ONLY
#include <shardy/algebra/detail/reshape_groups_inl.hpp>
#endif
