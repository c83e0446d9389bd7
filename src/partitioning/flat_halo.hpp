// Halo exchange of a group of reshaped dims in flat order. The decision only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <shardy/algebra/reshape_groups.hpp>
#include <shardy/support/math.hpp>

#include "partitioning/halo_plan.hpp"

namespace shardy::partitioning {

/// The exchange that gives every shard its part of `to`, each shard holding `tile` consecutive
/// elements. Windows are affine in the coordinates of the levels, so their extremes lie in the
/// corners. Spec: partitioning 5.5, multi-level starts.
inline HaloPlan plan_flat_halo(int64_t shards, int64_t tile, const FlatTiling& to,
                               const HaloOptions& options) {
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
  HaloPlan plan;
  plan.constant_offset = low == high;
  plan.low = low;
  high += to.volume;
  const int64_t first_hop = floor_div(low, tile);
  const int64_t last_hop = floor_div(high - 1, tile);
  const auto gather = [&] {
    HaloPlan whole;
    whole.kind = HaloPlan::Kind::Gather;
    whole.pad_high = std::max<int64_t>(0, last_start + to.volume - shards * tile);
    return whole;
  };
  if (last_hop - first_hop > options.max_pieces) return gather();
  plan.kind = first_hop == 0 && last_hop == 0 ? HaloPlan::Kind::Local : HaloPlan::Kind::Hull;
  for (int64_t hop = first_hop; hop <= last_hop; ++hop) {
    plan.pieces.push_back(
        {hop, std::max<int64_t>(low - hop * tile, 0), std::min(high - hop * tile, tile)});
  }
  const detail::HaloCost whole{(shards - 1) * tile, 1};
  const bool is_dear = whole < detail::hull_cost(plan);
  const bool is_forced = options.strategy == HaloStrategy::Gather;
  return plan.kind == HaloPlan::Kind::Hull && (is_dear || is_forced) ? gather() : plan;
}

}  // namespace shardy::partitioning
