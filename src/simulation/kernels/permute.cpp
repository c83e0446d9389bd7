// Permute maps: the source rank of each receiving rank. Spec: partitioning 4.3.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "shardy/support/math.hpp"
#include "simulation/kernels/collective.hpp"

namespace shardy::simulation {
namespace {

constexpr int64_t kNone = -1;
using Numbers = std::vector<int64_t>;

/// A map that looks the same from every group: source rank of rank q, or kNone.
using RankMap = std::function<int64_t(int64_t q)>;

SourceMap from_ranks(int64_t num_ranks, const RankMap& source_of) {
  Numbers sources;
  for (int64_t rank = 0; rank < num_ranks; ++rank) sources.push_back(source_of(rank));
  return [sources = std::move(sources)](int64_t) -> Result<Numbers> { return sources; };
}

using MapMaker = Result<SourceMap> (*)(const ir::PermuteMap& map, const DeviceGroups& groups);

Result<SourceMap> make_shift(const ir::PermuteMap& map, const DeviceGroups& groups) {
  const int64_t size = groups.size();
  return from_ranks(size, [&](int64_t q) {
    const int64_t distance = std::clamp(map.numbers[0], -size, size);
    return q + distance >= 0 && q + distance < size ? q + distance : kNone;
  });
}

Result<SourceMap> make_rotate(const ir::PermuteMap& map, const DeviceGroups& groups) {
  const int64_t size = groups.size();
  const int64_t distance = floor_mod(map.numbers[0], size);
  return from_ranks(size, [&](int64_t q) { return (q + distance) % size; });
}

Result<SourceMap> make_mirror(const ir::PermuteMap& /*map*/, const DeviceGroups& groups) {
  return from_ranks(groups.size(), [&](int64_t q) { return groups.size() - 1 - q; });
}

__extension__ using Int128 = __int128;

/// floor((a q + b) / c) + j for the q that are rho modulo M. Intermediate values may need more than
/// 64 bits.
Result<SourceMap> make_affine(const ir::PermuteMap& map, const DeviceGroups& groups) {
  const Int128 a = map.numbers[0];
  const Int128 b = map.numbers[1];
  const Int128 c = map.numbers[2];
  const Int128 j = map.numbers[3];
  const int64_t modulus = map.numbers[4];
  const int64_t rest = map.numbers[5];
  return from_ranks(groups.size(), [&](int64_t q) {
    if (q % modulus != rest) return kNone;
    const Int128 numerator = a * q + b;
    const Int128 source = numerator / c - (numerator % c < 0 ? 1 : 0) + j;
    return source >= 0 && source < groups.size() ? static_cast<int64_t>(source) : kNone;
  });
}

/// A rank along `order` with the coordinates moved by `offsets`, each modulo its size; as it is
/// without offsets.
int64_t moved_rank(const AxisList& order, std::span<const int64_t> offsets, int64_t rank) {
  if (offsets.empty()) return rank;
  int64_t moved = 0;
  int64_t stride = 1;
  for (std::size_t at = order.size(); at-- > 0;) {
    const int64_t size = order[at].size;
    moved += floor_mod(rank / stride % size + floor_mod(offsets[at], size), size) * stride;
    stride *= size;
  }
  return moved;
}

/// The rank whose coordinate along list 1 is that of q along list 2, moved by the offsets.
Result<SourceMap> make_relabel(const ir::PermuteMap& map, const DeviceGroups& groups) {
  SHARDY_TRY(const DeviceGroups from, DeviceGroups::make(groups.mesh(), map.source_order));
  SHARDY_TRY(const DeviceGroups to, DeviceGroups::make(groups.mesh(), map.receiver_order));
  // Lists of the same atoms: from any leader both reach the members of the group.
  return from_ranks(groups.size(), [&](int64_t q) {
    const int64_t rank = to.rank(groups.member(0, q));
    return groups.rank(from.member(0, moved_rank(map.receiver_order, map.numbers, rank)));
  });
}

/// Rank in the group of `leader`, or an error.
Result<int64_t> rank_in_group(const DeviceGroups& groups, int64_t leader, int64_t device) {
  const std::optional<int64_t> position = groups.mesh().position_of(device);
  if (position && groups.leader(*position) == leader) return groups.rank(*position);
  return fail("device " + std::to_string(device) + " is not in the group of its receiver");
}

/// The device at the same place of another mesh.
Result<SourceMap> make_remesh(const ir::PermuteMap& map, const DeviceGroups& groups) {
  return [from = map.mesh, groups](int64_t leader) -> Result<Numbers> {
    Numbers sources;
    for (int64_t rank = 0; rank < groups.size(); ++rank) {
      const int64_t device = from.device_at(groups.member(leader, rank));
      SHARDY_TRY(const int64_t source, rank_in_group(groups, leader, device));
      sources.push_back(source);
    }
    return sources;
  };
}

/// Explicit pairs of device ids: source, target.
Result<SourceMap> make_pairs(const ir::PermuteMap& map, const DeviceGroups& groups) {
  return [pairs = map.numbers, groups](int64_t leader) -> Result<Numbers> {
    Numbers sources(static_cast<std::size_t>(groups.size()), kNone);
    for (std::size_t at = 0; at < pairs.size(); at += 2) {
      const std::optional<int64_t> target = groups.mesh().position_of(pairs[at + 1]);
      SHARDY_ASSERT(target.has_value());
      if (groups.leader(*target) != leader) continue;  // of another group
      SHARDY_TRY(const int64_t source, rank_in_group(groups, leader, pairs[at]));
      sources[static_cast<std::size_t>(groups.rank(*target))] = source;
    }
    return sources;
  };
}

/// In the order of ir::PermuteMap::Kind.
constexpr std::array<MapMaker, 7> kMakers = {&make_shift,  &make_rotate,  &make_mirror,
                                             &make_affine, &make_relabel, &make_remesh,
                                             &make_pairs};

}  // namespace

Result<SourceMap> make_source_map(const ir::PermuteMap& map, const DeviceGroups& groups) {
  return kMakers[static_cast<std::size_t>(map.kind)](map, groups);
}

}  // namespace shardy::simulation
