// Source-target pairs of a collective-permute, for compilers whose collectives list devices.
#pragma once

#include <cstdint>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/result.hpp>
#include <utility>
#include <vector>

namespace shardy {

/// The device that sends its shard, and the device that receives it.
using SourceTargetPair = std::pair<int64_t, int64_t>;

/// Returns the pairs of device ids of the permute from one sharding of a tensor to another, in the
/// order of target positions. A device that keeps its shard is paired with itself. Each device is
/// once a source and once a target. For the replica groups of other collectives see replica_groups
/// of shard_layout.hpp. Errors: different ranks; numbers of shards of dims or unreduced axes that
/// differ, which a permute cannot change; meshes that differ in more than device ids; axes that
/// cannot coexist. Cost: linear in devices. Spec: resharding B.2.
Result<std::vector<SourceTargetPair>> source_target_pairs(const TensorSharding& from,
                                                          const TensorSharding& to);

}  // namespace shardy

#ifdef SHARDY_BODIES
#include <algorithm>
#include <shardy/algebra/axis_list.hpp>
#include <shardy/algebra/mesh.hpp>
#include <shardy/algebra/shard_layout.hpp>
#include <shardy/resharding/detail/permute.hpp>
#include <string>

namespace shardy::detail {

SHARDY_INLINE Status expect_permutable(const TensorSharding& from, const TensorSharding& to) {
  if (!std::ranges::equal(from.mesh().axes(), to.mesh().axes()) || from.is_single_device() ||
      to.is_single_device()) {
    return fail("a permute needs two shardings on meshes of equal axes");
  }
  if (from.rank() != to.rank()) {
    return fail("the shardings have " + std::to_string(from.rank()) + " and " +
                std::to_string(to.rank()) + " dims");
  }
  for (std::size_t dim = 0; dim < from.rank(); ++dim) {
    const int64_t before = sharding_size(from.dim(dim).axes);
    const int64_t after = sharding_size(to.dim(dim).axes);
    if (before == after) continue;
    return fail("dim " + std::to_string(dim) + " has " + std::to_string(before) + " and " +
                std::to_string(after) + " shards; a permute keeps their number");
  }
  if (sharding_size(from.unreduced_axes()) != sharding_size(to.unreduced_axes())) {
    return fail("a permute keeps the number of partial values");
  }
  AxisList all = from.dim_axes();
  for (const AxisRef& axis : to.dim_axes()) all.push_back(axis);
  for (const AxisRef& a : all) {
    for (const AxisRef& b : all) {
      if (!can_coexist(a, b)) return fail("axes of the shardings cannot coexist");
    }
  }
  return {};
}

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE Result<std::vector<SourceTargetPair>> source_target_pairs(const TensorSharding& from,
                                                                        const TensorSharding& to) {
  SHARDY_TRY_STATUS(detail::expect_permutable(from, to));
  const PermuteOrders orders = permute_orders(from, to);
  std::vector<SourceTargetPair> pairs;
  for (int64_t position = 0; position < to.mesh().num_devices(); ++position) {
    const int64_t index = shard_index(to.mesh(), orders.receiver, position);
    pairs.emplace_back(detail::device_of(from.mesh(), orders.sender, index),
                       to.mesh().device_at(position));
  }
  return pairs;
}

}  // namespace shardy
#endif  // SHARDY_BODIES
