#include "partitioning/device_pairs.hpp"

#include <algorithm>
#include <optional>

#include "shardy/algebra/shard_layout.hpp"
#include "shardy/support/math.hpp"

namespace shardy::partitioning {

using ir::PermuteMap;

namespace {

__extension__ using Int128 = __int128;

/// Computes floor((a q + b) / c) + j for q with residue rho modulo M; std::nullopt on overflow.
std::optional<int64_t> affine_source(const PermuteMap& map, int64_t receiver, int64_t size) {
  const auto& n = map.numbers;  // a, b, c, j, M, rho
  if (receiver % n[4] != n[5]) return std::nullopt;
  const Int128 numerator = Int128{n[0]} * receiver + n[1];
  const Int128 c = n[2];
  const Int128 source = numerator / c - (numerator % c < 0 ? 1 : 0) + n[3];
  if (source < 0 || source >= size) return std::nullopt;
  return static_cast<int64_t>(source);
}

/// Returns the rank that a rank receives from, for maps that are equal in all groups.
std::optional<int64_t> source_rank(const PermuteMap& map, int64_t receiver, int64_t size) {
  switch (map.kind) {
    case PermuteMap::Kind::Shift: {
      const int64_t source = receiver + std::clamp(map.numbers[0], -size, size);
      return source >= 0 && source < size ? std::optional(source) : std::nullopt;
    }
    case PermuteMap::Kind::Rotate:
      return (receiver + floor_mod(map.numbers[0], size)) % size;
    case PermuteMap::Kind::Mirror:
      return size - 1 - receiver;
    case PermuteMap::Kind::Affine:
      return affine_source(map, receiver, size);
    default:
      return std::nullopt;
  }
}

std::vector<DevicePair> pairs_by_rank(const PermuteMap& map, const Mesh& mesh,
                                      std::span<const AxisRef> axes) {
  std::vector<DevicePair> pairs;
  for (const std::vector<int64_t>& group : replica_groups(mesh, axes)) {
    for (std::size_t rank = 0; rank < group.size(); ++rank) {
      const auto source =
          source_rank(map, static_cast<int64_t>(rank), static_cast<int64_t>(group.size()));
      if (source) pairs.emplace_back(group[static_cast<std::size_t>(*source)], group[rank]);
    }
  }
  return pairs;
}

/// Returns the source rank of a receiver: its coordinates shifted by the numbers of the map.
std::size_t relabeled_rank(const PermuteMap& map, std::size_t receiver) {
  if (map.numbers.empty()) return receiver;
  auto left = static_cast<int64_t>(receiver);
  int64_t source = 0;
  int64_t stride = 1;
  for (std::size_t at = map.receiver_order.size(); at-- > 0;) {
    const int64_t size = map.receiver_order[at].size;
    source += (left % size + floor_mod(map.numbers[at], size)) % size * stride;
    left /= size;
    stride *= size;
  }
  return static_cast<std::size_t>(source);
}

/// Enumerates the pairs of a relabeling map: groups are equal, but senders and receivers number
/// their devices by different axis orders.
std::vector<DevicePair> relabel_pairs(const PermuteMap& map, const Mesh& mesh) {
  const auto senders = replica_groups(mesh, map.source_order);
  const auto receivers = replica_groups(mesh, map.receiver_order);
  std::vector<DevicePair> pairs;
  for (std::size_t group = 0; group < senders.size(); ++group) {
    for (std::size_t rank = 0; rank < senders[group].size(); ++rank) {
      pairs.emplace_back(senders[group][relabeled_rank(map, rank)], receivers[group][rank]);
    }
  }
  return pairs;
}

std::vector<DevicePair> remesh_pairs(const Mesh& from, const Mesh& to) {
  std::vector<DevicePair> pairs;
  for (int64_t position = 0; position < to.num_devices(); ++position) {
    pairs.emplace_back(from.device_at(position), to.device_at(position));
  }
  return pairs;
}

std::vector<DevicePair> listed_pairs(const PermuteMap& map) {
  std::vector<DevicePair> pairs;
  for (std::size_t at = 0; at + 1 < map.numbers.size(); at += 2) {
    pairs.emplace_back(map.numbers[at], map.numbers[at + 1]);
  }
  return pairs;
}

std::vector<DevicePair> unsorted_pairs(const PermuteMap& map, const Mesh& mesh,
                                       std::span<const AxisRef> axes) {
  switch (map.kind) {
    case PermuteMap::Kind::Relabel:
      return relabel_pairs(map, mesh);
    case PermuteMap::Kind::Remesh:
      return remesh_pairs(map.mesh, mesh);
    case PermuteMap::Kind::Pairs:
      return listed_pairs(map);
    default:
      return pairs_by_rank(map, mesh, axes);
  }
}

}  // namespace

std::vector<DevicePair> device_pairs(const PermuteMap& map, const Mesh& mesh,
                                     std::span<const AxisRef> axes) {
  std::vector<DevicePair> pairs = unsorted_pairs(map, mesh, axes);
  std::ranges::sort(pairs, {},
                    [&](const DevicePair& pair) { return mesh.position_of(pair.first); });
  return pairs;
}

}  // namespace shardy::partitioning
