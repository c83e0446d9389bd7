// Plans of halo exchanges: how each shard receives a window of a sharded dim. This file emits no
// ops.
//
//   dim of 16 elements, 4 shards of 4; shard p needs 6 elements from 4 p - 1
//   shard 0    shard 1    shard 2    shard 3
//   0 1 2 3    4 5 6 7    8 9 a b    c d e f
//         3 -> 4 5 6 7 <- 8                      buffer of shard 1: 3 4 5 6 7 8
//   plan: Hull, pieces [3:4] of hop -1, [0:4] of hop 0, [0:1] of hop 1
#pragma once

#include <cstdint>
#include <optional>
#include <shardy/algebra/detail/reshape_groups.hpp>
#include <shardy/resharding/detail/quasi_affine.hpp>
#include <shardy/support/detail/inline.hpp>
#include <span>
#include <vector>

namespace shardy {

/// Kinds of plans that plan_halo may choose, besides Gather. If both are allowed, the cheaper one
/// is chosen.
struct HaloKinds {
  bool hull = true;
  bool compact = true;
  int64_t max_pieces = 8;  // maximal pieces of a hull; compact plans may have twice as many

  bool by_cost() const { return hull && compact; }
};

/// A halo exchange: each shard needs one window of the dim. Spec: partitioning 5.5.
struct HaloRequest {
  Tiling dim;
  QuasiAffine start;      // start of the window of shard p
  int64_t length = 0;     // size of each window
  int64_t receivers = 0;  // only shards with a smaller index need a window
  /// Elements that must be correct; std::nullopt: all elements of the dim.
  std::optional<NeededRange> wanted = {};

  NeededRange counted() const { return wanted.value_or(NeededRange{0, dim.size}); }
};

/// A range of elements [begin, end) of a source shard. Shard p + hop sends the range to shard p.
struct HaloPiece {
  int64_t hop = 0;
  int64_t begin = 0;
  int64_t end = 0;
  std::optional<int64_t> only = {};  // only receiver of the piece; std::nullopt: all shards
  bool operator==(const HaloPiece&) const = default;
};

/// The plan of a halo exchange. Empty: no shard needs an element. Local: each window lies in the
/// own shard. Hull: each shard receives ranges of neighbouring shards. Compact: each shard receives
/// whole shards, or ranges of its window that lie in one source shard, by collective-permutes.
/// Gather: the dim is all-gathered.
struct HaloPlan {
  enum class Kind : uint8_t { Empty, Local, Hull, Compact, Gather };
  Kind kind = Kind::Empty;
  std::vector<HaloPiece> pieces;  // Local, Hull: ascending by hop. Compact: ranges of windows
  int64_t low = 0;      // Local, Hull: start of the buffer, relative to the start of the own shard
  int64_t pad_low = 0;  // elements of padding before the buffer; pad_high: after the buffer
  int64_t pad_high = 0;
  bool constant_offset = false;  // Local, Hull: all shards slice the buffer at pad_low + offset
  int64_t offset = 0;
  int64_t tiles = 0;      // Compact: source shards per receiver (J); 0: the pieces are ranges
  int64_t residues = 0;   // Compact: number of residue classes of receivers (M)
  bool in_range = false;  // all windows are within [0, size)
  /// True if each shard needs an element. Then no window has to be shifted into the dim.
  bool all_read = false;
  int64_t received = 0;  // elements that a shard receives from other shards
  bool operator==(const HaloPlan&) const = default;
};

/// Returns the number of elements that `shard` receives from other shards of the dim.
int64_t received_by(const HaloPlan& plan, int64_t shard, int64_t shards);

/// Returns the largest number of elements that one shard receives from all plans together, where
/// `weights` has a factor per plan. Cost: quadratic in pieces, independent of the number of shards.
int64_t most_received(std::span<const HaloPlan> plans, std::span<const int64_t> weights,
                      int64_t shards);

/// Returns the cheapest plan: by received elements, then by messages, then in the order Hull,
/// Compact, Gather.
///
/// Requires: length >= 1, 1 <= receivers <= shards. Spec: partitioning 5.5.
HaloPlan plan_halo(const HaloRequest& want, const HaloKinds& kinds = {});

/// Returns the exchange after which every shard has its part of `to`, a group of dims of a reshape.
/// Before the exchange, each of the `shards` shards has `tile` consecutive elements in row-major
/// order. Window starts are affine in the coordinates of the levels of `to`, so extreme coordinates
/// have the extreme windows. Spec: partitioning 5.5, multi-level starts.
HaloPlan plan_flat_halo(int64_t shards, int64_t tile, const FlatTiling& to,
                        const HaloKinds& kinds = {});

/// One collective-permute of a plan. Receiver q with q mod `modulus` = `residue` gets `elements`
/// elements from shard source(q), if that shard exists.
struct HaloMessage {
  int64_t elements = 0;
  QuasiAffine source;
  int64_t modulus = 1;
  int64_t residue = 0;

  /// Returns the shard that sends to `receiver`; std::nullopt if none does.
  std::optional<int64_t> source_of(int64_t receiver, int64_t shards) const;
  /// Checks whether no shard gets elements from another shard.
  bool is_idle(int64_t shards) const;
};

/// Returns the collective-permutes of a plan that is not a gather. Requires: `plan` was made for
/// `want`. For a plan of plan_flat_halo, `want` has the tiling of the plan and any start.
std::vector<HaloMessage> halo_messages(const HaloPlan& plan, const HaloRequest& want);

}  // namespace shardy

#ifdef SHARDY_BODIES
#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <shardy/support/detail/math.hpp>
#include <utility>

namespace shardy {

SHARDY_INLINE int64_t received_by(const HaloPlan& plan, int64_t shard, int64_t shards) {
  if (plan.kind != HaloPlan::Kind::Hull) return plan.received;
  int64_t elements = 0;
  for (const HaloPiece& piece : plan.pieces) {
    const bool exists = shard + piece.hop >= 0 && shard + piece.hop < shards;
    if (piece.hop != 0 && exists && piece.only.value_or(shard) == shard)
      elements += piece.end - piece.begin;
  }
  return elements;
}

SHARDY_INLINE int64_t most_received(std::span<const HaloPlan> plans,
                                    std::span<const int64_t> weights, int64_t shards) {
  std::vector<int64_t> candidates = {0, shards - 1};  // the result is constant between candidates
  for (const HaloPlan& plan : plans) {
    for (const HaloPiece& piece : plan.pieces) {
      candidates.insert(candidates.end(), {-piece.hop, shards - 1 - piece.hop});
      if (piece.only) candidates.push_back(*piece.only);
    }
  }
  int64_t most = 0;
  for (const int64_t candidate : candidates) {
    const int64_t shard = std::clamp<int64_t>(candidate, 0, shards - 1);
    int64_t sum = 0;
    for (std::size_t index = 0; index < plans.size(); ++index) {
      sum += received_by(plans[index], shard, shards) * weights[index];
    }
    most = std::max(most, sum);
  }
  return most;
}

namespace detail {

/// Maximal period for which the search visits each shard. Windows with longer periods are gathered.
SHARDY_INLINE constexpr int64_t kMaxPeriod = 4096;

struct HaloCost {
  int64_t elements = 0;
  int64_t count = 0;
  bool operator<(const HaloCost& other) const {
    return elements != other.elements ? elements < other.elements : count < other.count;
  }
};

SHARDY_INLINE bool windows_in_range(const HaloRequest& want) {
  return want.receivers == want.dim.shards && want.start(0) >= want.counted().begin &&
         want.start(want.dim.shards - 1) + want.length <= want.counted().end;
}

SHARDY_INLINE HaloPlan hull_plan(const HaloRequest& want, const WindowExtent& extent) {
  const int64_t tile = want.dim.tile;
  HaloPlan plan;
  plan.kind = HaloPlan::Kind::Hull;
  plan.low = extent.low;
  for (int64_t hop = floor_div(extent.low, tile); hop <= floor_div(extent.high - 1, tile); ++hop) {
    plan.pieces.push_back({hop, std::max<int64_t>(extent.low - hop * tile, 0),
                           std::min(extent.high - hop * tile, tile)});
  }
  plan.pad_low = std::max<int64_t>(0, extent.low - extent.min_start);
  plan.pad_high = std::max<int64_t>(0, extent.max_start + want.length - extent.high);
  plan.constant_offset = extent.min_start == extent.max_start;
  plan.offset = extent.min_start - extent.low + plan.pad_low;
  return plan;
}

/// Restricts pieces that only one shard needs to this receiver, if few shards have the window.
/// Example: an update of two rows then moves no data between devices that keep their rows.
SHARDY_INLINE void name_only_receivers(const HaloRequest& want, const WindowExtent& extent,
                                       HaloPlan& plan) {
  constexpr int64_t kFew = 8;
  if (extent.last_shard - extent.first_shard >= kFew) return;
  for (HaloPiece& piece : plan.pieces) {
    std::vector<int64_t> receivers;
    for (int64_t shard = extent.first_shard; shard <= extent.last_shard; ++shard) {
      const int64_t tile = (shard + piece.hop) * want.dim.tile;
      const int64_t start = want.start(shard);
      const int64_t begin = std::max(start, want.counted().begin);
      const int64_t end = std::min(start + want.length, want.counted().end);
      if (begin < tile + piece.end && end > tile + piece.begin) receivers.push_back(shard);
    }
    const bool sends_more = want.dim.shards - std::abs(piece.hop) > 1;
    if (piece.hop != 0 && sends_more && receivers.size() == 1) piece.only = receivers.front();
  }
}

SHARDY_INLINE HaloCost hull_cost(const HaloPlan& plan) {
  HaloCost cost;
  for (const HaloPiece& piece : plan.pieces) {
    if (piece.hop == 0) continue;
    cost.elements += piece.end - piece.begin;
    ++cost.count;
  }
  return cost;
}

SHARDY_INLINE HaloPlan compact_plan(const HaloRequest& want) {
  HaloPlan plan;
  plan.kind = HaloPlan::Kind::Compact;
  plan.tiles = ceil_div(want.length - 1, want.dim.tile) + 1;
  plan.residues = std::min(ceil_div(want.start.c * want.dim.tile, want.start.a), want.dim.shards);
  return plan;
}

/// Splits windows at all possible shard boundaries: b + u must be divisible by the greatest common
/// divisor of the window stride and the shard size. Returns std::nullopt if the plan needs more
/// than `most` collective-permutes.
SHARDY_INLINE std::optional<HaloPlan> blocks_plan(const HaloRequest& want, int64_t most) {
  const int64_t block = std::gcd(want.start.a, want.dim.tile);
  HaloPlan plan;
  plan.kind = HaloPlan::Kind::Compact;
  plan.residues = std::min(ceil_div(want.dim.tile, want.start.a), want.dim.shards);
  if (want.start.c != 1 || want.length / block > most / plan.residues) return std::nullopt;
  for (int64_t begin = 0; begin < want.length;) {
    const int64_t next = begin + block - floor_mod(want.start.b + begin, block);
    plan.pieces.push_back({0, begin, std::min(next, want.length)});
    begin = next;
  }
  const int64_t count = static_cast<int64_t>(plan.pieces.size()) * plan.residues;
  return count <= most ? std::optional(std::move(plan)) : std::nullopt;
}

/// Returns the cost of the permutes of a compact plan in which some shard gets elements from
/// another shard.
SHARDY_INLINE HaloCost compact_cost(const HaloPlan& plan, const HaloRequest& want) {
  HaloCost cost;
  for (const HaloMessage& message : halo_messages(plan, want)) {
    if (message.is_idle(want.dim.shards)) continue;
    cost.elements += message.elements;
    ++cost.count;
  }
  return cost;
}

SHARDY_INLINE HaloPlan gather_plan(const HaloRequest& want, int64_t first, int64_t last) {
  HaloPlan plan;
  plan.kind = HaloPlan::Kind::Gather;
  plan.pad_low = std::max<int64_t>(0, -want.start(first));
  plan.pad_high =
      std::max<int64_t>(0, want.start(last) + want.length - want.dim.shards * want.dim.tile);
  return plan;
}

/// Checks whether the hull has at most `max_pieces` hops.
SHARDY_INLINE bool hull_admissible(const WindowExtent& extent, int64_t tile, int64_t max_pieces) {
  return floor_div(extent.high - 1, tile) - floor_div(extent.low, tile) <= max_pieces;
}

/// Returns the cost of a hull. If the hull is compared with ranges of windows, the cost is exact:
/// with few shards, not every shard has neighbours on both sides.
SHARDY_INLINE HaloCost compared_cost(const HaloPlan& hull, int64_t shards, bool with_ranges) {
  HaloCost cost = hull_cost(hull);
  constexpr int64_t kWeight = 1;
  if (with_ranges) cost.elements = most_received({&hull, 1}, {&kWeight, 1}, shards);
  return cost;
}

SHARDY_INLINE HaloPlan cheapest(const HaloRequest& want, const WindowExtent& extent,
                                const HaloKinds& kinds) {
  HaloPlan best = gather_plan(want, extent.first_shard, extent.last_shard);
  HaloCost best_cost{(want.dim.shards - 1) * want.dim.tile, 1};
  best.received = best_cost.elements;
  const bool any = kinds.by_cost();
  if (kinds.compact && want.start.a > 0) {
    const int64_t most = 2 * kinds.max_pieces;
    const auto consider = [&](HaloPlan plan, const HaloCost& cost) {
      const bool is_forced = !any && best.kind == HaloPlan::Kind::Gather;
      if (!is_forced && !(cost < best_cost) && !(any && !(best_cost < cost))) return;
      best = std::move(plan);
      best_cost = cost;
      best.received = cost.elements;
    };
    if (auto blocks = blocks_plan(want, most)) {
      const HaloCost cost = compact_cost(*blocks, want);
      consider(*std::move(blocks), cost);
    }
    HaloPlan tiles = compact_plan(want);
    const std::optional<int64_t> count = checked_mul(tiles.tiles, tiles.residues);
    if (count && *count <= most) {
      const HaloCost cost = compact_cost(tiles, want);
      consider(std::move(tiles), cost);
    }
  }
  if (kinds.hull && hull_admissible(extent, want.dim.tile, kinds.max_pieces)) {
    HaloPlan plan = hull_plan(want, extent);
    name_only_receivers(want, extent, plan);
    const HaloCost cost = compared_cost(plan, want.dim.shards, !best.pieces.empty());
    if (cost.count <= kinds.max_pieces && (!any || !(best_cost < cost))) {
      best = std::move(plan);
      best.received = cost.elements;
    }
  }
  return best;
}

}  // namespace detail

SHARDY_INLINE HaloPlan plan_halo(const HaloRequest& want, const HaloKinds& kinds) {
  if (want.dim.size == 0 || want.dim.tile == 0) return {};
  if (want.start.c > detail::kMaxPeriod && want.dim.shards > detail::kMaxPeriod) {
    HaloPlan whole = detail::gather_plan(want, 0, want.receivers - 1);
    whole.received = (want.dim.shards - 1) * want.dim.tile;
    return whole;
  }
  const std::optional<WindowExtent> extent =
      window_extent(want.start, want.length, want.dim.tile, want.receivers, want.counted());
  if (!extent) return {};
  HaloPlan plan;
  const bool own_tile = extent->low >= 0 && extent->high <= want.dim.tile;
  if (own_tile) {
    plan = detail::hull_plan(want, *extent);
    plan.kind = HaloPlan::Kind::Local;
  } else {
    plan = detail::cheapest(want, *extent, kinds);
  }
  plan.in_range = detail::windows_in_range(want);
  plan.all_read = extent->first_shard == 0 && extent->last_shard == want.dim.shards - 1;
  return plan;
}

SHARDY_INLINE HaloPlan plan_flat_halo(int64_t shards, int64_t tile, const FlatTiling& to,
                                      const HaloKinds& kinds) {
  int64_t weight = shards;
  int64_t low = 0;
  int64_t high = 0;
  int64_t last_start = 0;
  for (const FlatTiling::TiledDim& level : to.levels) {
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
  if (last_hop - first_hop > kinds.max_pieces) return gather();
  plan.kind = first_hop == 0 && last_hop == 0 ? HaloPlan::Kind::Local : HaloPlan::Kind::Hull;
  for (int64_t hop = first_hop; hop <= last_hop; ++hop) {
    plan.pieces.push_back(
        {hop, std::max<int64_t>(low - hop * tile, 0), std::min(high - hop * tile, tile)});
  }
  const detail::HaloCost whole{(shards - 1) * tile, 1};
  const bool is_dear = whole < detail::hull_cost(plan);
  const bool is_forced = !kinds.hull && !kinds.compact;
  return plan.kind == HaloPlan::Kind::Hull && (is_dear || is_forced) ? gather() : plan;
}

SHARDY_INLINE std::optional<int64_t> HaloMessage::source_of(int64_t receiver,
                                                            int64_t shards) const {
  const int64_t from = source(receiver);
  const bool exists = floor_mod(receiver, modulus) == residue && from >= 0 && from < shards;
  return exists ? std::optional(from) : std::nullopt;
}

SHARDY_INLINE bool HaloMessage::is_idle(int64_t shards) const {
  for (int64_t receiver = 0; receiver < shards; ++receiver) {
    if (source_of(receiver, shards).value_or(receiver) != receiver) return false;
  }
  return true;
}

SHARDY_INLINE std::vector<HaloMessage> halo_messages(const HaloPlan& plan,
                                                     const HaloRequest& want) {
  std::vector<HaloMessage> messages;
  const int64_t tile = want.dim.tile;
  const auto& [a, b, c] = want.start;
  const auto add_classes = [&](int64_t elements, const QuasiAffine& source) {
    for (int64_t residue = 0; residue < plan.residues; ++residue) {
      messages.push_back({elements, source, plan.residues, residue});
    }
  };
  for (int64_t index = 0; plan.kind == HaloPlan::Kind::Compact && index < plan.tiles; ++index) {
    add_classes(tile, {a, b + index * c * tile, c * tile});
  }
  for (const HaloPiece& piece : plan.pieces) {
    const int64_t elements = piece.end - piece.begin;
    if (plan.kind == HaloPlan::Kind::Compact) {
      add_classes(elements, {a, b + piece.begin, tile});
    } else if (piece.hop != 0) {
      const QuasiAffine source{1, piece.hop, 1};
      messages.push_back(piece.only ? HaloMessage{elements, source, want.dim.shards, *piece.only}
                                    : HaloMessage{elements, source});
    }
  }
  return messages;
}

}  // namespace shardy
#endif  // SHARDY_BODIES
