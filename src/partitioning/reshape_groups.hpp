// Which dims of a reshape belong together, and how a sharded group of dims lies in flat order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/algebra/axis_list.hpp>
#include <shardy/support/math.hpp>
#include <span>
#include <vector>

#include "partitioning/fetch_plan.hpp"

namespace shardy::partitioning {

/// Dims [in_begin, in_end) of the operand hold the elements of dims [out_begin, out_end) of the
/// result.
struct ReshapeGroup {
  std::size_t in_begin = 0, in_end = 0;
  std::size_t out_begin = 0, out_end = 0;
  bool operator==(const ReshapeGroup&) const = default;
};

/// The finest groups. Dims of size 1 join the group under construction; those at the end join the
/// last group. Requires: equal products, no dim of size 0. Spec: partitioning 8.3.
inline std::vector<ReshapeGroup> reshape_groups(std::span<const int64_t> in,
                                                std::span<const int64_t> out) {
  std::vector<ReshapeGroup> groups;
  std::size_t next_in = 0;
  std::size_t next_out = 0;
  while (next_in < in.size() && next_out < out.size()) {
    ReshapeGroup group{next_in, 0, next_out, 0};
    int64_t in_size = in[next_in++];
    int64_t out_size = out[next_out++];
    while (in_size != out_size) {
      if (in_size < out_size) {
        in_size *= in[next_in++];
      } else {
        out_size *= out[next_out++];
      }
    }
    group.in_end = next_in;
    group.out_end = next_out;
    groups.push_back(group);
  }
  if (groups.empty()) groups.push_back({});
  groups.back().in_end = in.size();
  groups.back().out_end = out.size();
  return groups;
}

/// One side of a group whose shards hold consecutive elements in flat order.
struct FlatTiling {
  struct Level {  // one sharded dim
    AxisList axes;
    int64_t shards = 1;
    int64_t step = 0;  // flat distance between neighbouring shards
  };
  std::vector<Level> levels;  // major first
  AxisList axes;              // of all levels, joined
  int64_t volume = 0;         // elements of one shard, padding included
  bool even = true;           // the last sharded dim divides
};

/// The tiling of a group of dims, or nullopt when shards are not consecutive: every sharded dim but
/// the last must have as many shards as elements, and no whole dim may stand before a sharded one.
/// Spec: partitioning 8.3 d.
inline std::optional<FlatTiling> flat_tiling(std::span<const int64_t> dims,
                                             std::span<const AxisList> axes) {
  FlatTiling flat;
  int64_t stride = product(dims);
  bool whole_seen = false;
  bool cut_seen = false;
  int64_t last_tile = 1;
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    stride /= dims[dim];
    const int64_t shards = sharding_size(axes[dim]);
    if (shards == 1) {
      whole_seen = whole_seen || dims[dim] > 1;
      continue;
    }
    if (whole_seen || cut_seen) return std::nullopt;
    last_tile = ceil_div(dims[dim], shards);
    cut_seen = shards != dims[dim];
    flat.even = dims[dim] % shards == 0;
    flat.levels.push_back({axes[dim], shards, last_tile * stride});
    flat.volume = last_tile * stride;
    for (const AxisRef& axis : axes[dim]) append_or_merge(flat.axes, axis);
  }
  if (flat.levels.empty()) flat.volume = product(dims);
  return flat;
}

/// The exchange that gives every shard its part of `to`, each shard holding `tile` consecutive
/// elements. Windows are affine in the coordinates of the levels, so their extremes lie in the
/// corners. Spec: partitioning 5.5, multi-level starts.
inline FetchPlan plan_flat_fetch(int64_t shards, int64_t tile, const FlatTiling& to,
                                 int64_t max_pieces) {
  int64_t weight = shards;
  int64_t low = 0;
  int64_t high = 0;
  int64_t last_start = 0;
  for (const FlatTiling::Level& level : to.levels) {
    weight /= level.shards;
    const int64_t drift = (level.step - tile * weight) * (level.shards - 1);
    (drift < 0 ? low : high) += drift;
    last_start += level.step * (level.shards - 1);
  }
  FetchPlan plan;
  plan.constant_offset = low == high;
  plan.low = low;
  high += to.volume;
  const int64_t first_hop = floor_div(low, tile);
  const int64_t last_hop = floor_div(high - 1, tile);
  if (last_hop - first_hop > max_pieces) {
    plan.kind = FetchPlan::Kind::Gather;
    plan.pad_high = std::max<int64_t>(0, last_start + to.volume - shards * tile);
    return plan;
  }
  plan.kind = first_hop == 0 && last_hop == 0 ? FetchPlan::Kind::Local : FetchPlan::Kind::Hull;
  for (int64_t hop = first_hop; hop <= last_hop; ++hop) {
    plan.pieces.push_back(
        {hop, std::max<int64_t>(low - hop * tile, 0), std::min(high - hop * tile, tile)});
  }
  return plan;
}

}  // namespace shardy::partitioning
