// Exchanges for uneven dims whose shards do not nest, before an all-gather, slice, reduce-scatter
// or all-to-all. The planner and the lowering both use these decisions.
//
//   dim of 5 elements, 2 shards of 2 parts each
//   parts:  0 1 | 2 3 | 4 - | - -       all_gather of two parts: 0 1 2 3 | 4 - - -, but shards have
//   nested: 0 1 | 2 - | 3 4 | - -  NEST                          0 1 2   | 3 4 -
//   shards: 0 1 2   | 3 4 -             two parts of a shard:    0 1 | 2 - | 3 4 | - -
//   wider:  0 1 2 3 | 4 - - -     WIDEN                          0 1 | 2 3 | 4 - | - -
#pragma once

#include <cstdint>
#include <shardy/algebra/axis_list.hpp>
#include <shardy/algebra/mesh.hpp>
#include <shardy/resharding/detail/halo_plan.hpp>
#include <shardy/resharding/detail/links.hpp>
#include <shardy/support/detail/inline.hpp>
#include <vector>

namespace shardy {

/// The exchange of a dim before a step between `shards` shards and `parts` parts of each shard.
/// Spec: partitioning 6.
struct Nesting {
  enum class Kind : uint8_t {
    Nested,  // no exchange: the shards nest
    Halo,    // halo exchange of the elements between different shard boundaries
    Whole    // all-gather of the full dim
  };
  Kind kind = Kind::Nested;
  int64_t length = 0;        // elements of a shard after the exchange; Whole: elements of the dim
  HaloPlan halo;             // Halo: plan of the exchange
  HaloRequest request = {};  // Halo: request of the plan; from plan_flat_halo: with any start
};

/// Returns the tiling of a dim of `size` elements into `shards` shards, each of which has `parts`
/// equal parts.
FlatTiling two_level_tiling(int64_t size, int64_t shards, int64_t parts);

/// Returns the NEST exchange: from shards * parts shards of the dim to parts that nest in `shards`
/// shards.
Nesting plan_nesting(int64_t size, int64_t shards, int64_t parts, const HaloKinds& kinds = {});

/// Returns the WIDEN exchange from `shards` shards of the dim to larger shards. Each of these
/// contains `parts` shards of the finer tiling. Nested: padding each shard suffices.
Nesting plan_widening(int64_t size, int64_t shards, int64_t parts, const HaloKinds& kinds = {});

namespace links {

/// A sharded dim before a step: bytes on a device per element of the dim, elements on a device, and
/// axes.
struct ShardedDim {
  double row_bytes = 0;
  int64_t length = 0;
  AxisList axes;
};

/// Returns the cost of the exchange of a dim, and sets the length of `dim`. Cost: constant in the
/// number of devices if all axes are Full, else linear in the number of shards of the dim.
Exchange nesting_cost(const Links& links, const Mesh& mesh, const Nesting& nesting, ShardedDim& dim,
                      std::vector<double>* loads = nullptr);

}  // namespace links
}  // namespace shardy

#ifdef SHARDY_BODIES
#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <shardy/algebra/shard_layout.hpp>
#include <shardy/support/detail/math.hpp>
#include <utility>

namespace shardy {

/// Larger dims are not partitioned, because index arithmetic could overflow.
constexpr int64_t kMostExchanged = int64_t{1} << 40;

SHARDY_INLINE FlatTiling two_level_tiling(int64_t size, int64_t shards, int64_t parts) {
  const int64_t coarse = ceil_div(size, shards);
  FlatTiling tiling;
  tiling.volume = ceil_div(coarse, parts);
  tiling.levels = {{{}, shards, coarse}, {{}, parts, tiling.volume}};
  return tiling;
}

SHARDY_INLINE Nesting plan_nesting(int64_t size, int64_t shards, int64_t parts,
                                   const HaloKinds& kinds) {
  const Tiling fine = Tiling::of(size, shards * parts);
  Nesting nesting{Nesting::Kind::Nested, fine.tile, {}};
  if (tiles_nest(size, shards, parts)) return nesting;
  if (size > kMostExchanged) return {Nesting::Kind::Whole, size, {}};
  const FlatTiling nested = two_level_tiling(size, shards, parts);
  nesting.halo = plan_flat_halo(fine.shards, fine.tile, nested, kinds);
  nesting.request = {fine, {nested.volume, 0, 1}, nested.volume, fine.shards};
  // Elements that the following gather of the parts receives.
  int64_t received = (parts - 1) * nested.volume;
  for (const HaloPiece& piece : nesting.halo.pieces) {
    if (piece.hop != 0) received += piece.end - piece.begin;
  }
  const bool is_dear = received >= (fine.shards - 1) * fine.tile;
  const bool is_whole = is_dear || nesting.halo.kind == HaloPlan::Kind::Gather;
  nesting.kind = is_whole ? Nesting::Kind::Whole : Nesting::Kind::Halo;
  nesting.length = is_whole ? size : nested.volume;
  return nesting;
}

SHARDY_INLINE Nesting plan_widening(int64_t size, int64_t shards, int64_t parts,
                                    const HaloKinds& kinds) {
  const Tiling coarse = Tiling::of(size, shards);
  const int64_t length = parts * ceil_div(size, shards * parts);
  Nesting nesting{Nesting::Kind::Nested, length, {}};
  if (tiles_nest(size, shards, parts)) return nesting;
  if (size > kMostExchanged) return {Nesting::Kind::Whole, size, {}};
  nesting.request = {coarse, {length, 0, 1}, length, ceil_div(size, length)};
  nesting.halo = plan_halo(nesting.request, kinds);
  const bool is_whole = nesting.halo.kind == HaloPlan::Kind::Gather;
  nesting.kind = is_whole ? Nesting::Kind::Whole : Nesting::Kind::Halo;
  if (is_whole) nesting.length = size;
  return nesting;
}

}  // namespace shardy

namespace shardy::links {

/// Returns the logical position of the device that has coordinate `shard` instead of `own` along
/// `axes`, and otherwise the coordinates of `position`.
SHARDY_INLINE int64_t with_shard(const Mesh& mesh, AxisSpan axes, int64_t position, int64_t own,
                                 int64_t shard) {
  for (std::size_t i = axes.size(); i-- > 0;) {
    const AxisRef& ref = axes[i];
    int64_t stride = mesh.axis_size(ref.axis) / ref.next();
    for (int32_t axis = ref.axis + 1; axis < mesh.num_axes(); ++axis) {
      stride *= mesh.axis_size(axis);
    }
    position += (shard % ref.size - own % ref.size) * stride;
    shard /= ref.size;
    own /= ref.size;
  }
  return position;
}

/// Returns the mesh axes along which some sender differs from its receiver, ascending.
SHARDY_INLINE std::vector<int32_t> axes_crossed(const HaloMessage& message, AxisSpan axes) {
  const int64_t shards = sharding_size(axes);
  std::vector<int32_t> crossed;
  int64_t weight = shards;
  for (const AxisRef& ref : axes) {
    weight /= ref.size;
    for (int64_t receiver = 0; receiver < shards; ++receiver) {
      const int64_t from = message.source_of(receiver, shards).value_or(receiver);
      if (from / weight % ref.size == receiver / weight % ref.size) continue;
      crossed.push_back(ref.axis);
      break;
    }
  }
  std::ranges::sort(crossed);
  crossed.erase(std::unique(crossed.begin(), crossed.end()), crossed.end());
  return crossed;
}

SHARDY_INLINE Exchange message_cost(const Links& links, const Mesh& mesh,
                                    const HaloMessage& message, const ShardedDim& dim,
                                    std::vector<double>* loads) {
  const int64_t shards = sharding_size(dim.axes);
  const double bytes = static_cast<double>(message.elements) * dim.row_bytes;
  if (bytes == 0 || message.is_idle(shards)) return {};
  const bool is_counted = loads == nullptr && links.is_uniform();
  if (is_counted) return {bytes * links.byte_time() + links.latency(), bytes, 1};
  const auto targets = [&] {
    std::vector<int64_t> all(static_cast<std::size_t>(mesh.num_devices()));
    std::iota(all.begin(), all.end(), int64_t{0});
    for (int64_t position = 0; position < mesh.num_devices(); ++position) {
      const int64_t receiver = shard_index(mesh, dim.axes, position);
      const std::optional<int64_t> source = message.source_of(receiver, shards);
      if (!source) continue;
      all[static_cast<std::size_t>(with_shard(mesh, dim.axes, position, receiver, *source))] =
          position;
    }
    return all;
  };
  return links.permute(bytes, mesh, axes_crossed(message, dim.axes), targets, loads);
}

SHARDY_INLINE Exchange nesting_cost(const Links& links, const Mesh& mesh, const Nesting& nesting,
                                    ShardedDim& dim, std::vector<double>* loads) {
  Exchange all;
  if (nesting.kind == Nesting::Kind::Whole) {
    all = links.all_gather(dim.row_bytes * static_cast<double>(dim.length), dim.axes, loads);
  } else if (nesting.kind == Nesting::Kind::Halo) {
    for (const HaloMessage& message : halo_messages(nesting.halo, nesting.request)) {
      all.add(message_cost(links, mesh, message, dim, loads));
    }
  }
  dim.length = nesting.length;
  return all;
}

}  // namespace shardy::links
#endif  // SHARDY_BODIES
