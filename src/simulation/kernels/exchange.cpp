// Data movement between the ranks of a group, and permute maps: the source rank of each receiving
// rank. Spec: partitioning 4.3.
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shardy/support/detail/math.hpp"
#include "simulation/kernels/collective.hpp"
#include "simulation/kernels/kernel_table.hpp"
#include "simulation/strided_copy.hpp"

namespace shardy::simulation {
namespace {

/// Returns ceil(bytes * numerator / denominator) without the large product.
int64_t fraction_of(int64_t bytes, int64_t numerator, int64_t denominator) {
  const int64_t rest = bytes % denominator * numerator;
  return bytes / denominator * numerator + ceil_div(rest, denominator);
}

/// Returns an exchange in which each rank sends `bytes`. The caller adds the results.
Exchanged sending(ByRank by_rank, int64_t bytes) {
  return {std::vector<Tensors>(by_rank.size()), std::vector<int64_t>(by_rank.size(), bytes)};
}

Tensors operand_of_all(ByRank by_rank, std::size_t operand) {
  Tensors tensors;
  for (const Tensors& operands : by_rank) tensors.push_back(operands[operand]);
  return tensors;
}

/// The number of senders whose blocks are written to one rank before the next rank, so that full
/// cache lines of its buffer are written.
constexpr std::size_t kSendersAtOnce = 64;

/// Copies block `rank` of each sender to block `sender` of each rank whose buffer is not null.
/// A StridedCopy per block would cost too much, because many ranks have many small blocks.
template <class CopyPiece>
void transpose_pieces(std::span<const std::byte* const> senders, std::span<std::byte* const> ranks,
                      std::size_t piece_bytes, const CopyPiece& copy_piece) {
  for (std::size_t first = 0; first < senders.size(); first += kSendersAtOnce) {
    const std::size_t end = std::min(first + kSendersAtOnce, senders.size());
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      if (ranks[rank] == nullptr) continue;
      for (std::size_t sender = first; sender < end; ++sender) {
        copy_piece(ranks[rank] + sender * piece_bytes, senders[sender] + rank * piece_bytes);
      }
    }
  }
}

/// Copies blocks of a size that is known at compile time.
template <std::size_t kBytes>
void transpose_pieces_of(std::span<const std::byte* const> senders,
                         std::span<std::byte* const> ranks) {
  transpose_pieces(senders, ranks, kBytes,
                   [](std::byte* to, const std::byte* from) { std::memcpy(to, from, kBytes); });
}

void transpose_pieces(std::span<const std::byte* const> senders, std::span<std::byte* const> ranks,
                      std::size_t piece_bytes) {
  switch (piece_bytes) {
    case 1:
      return transpose_pieces_of<1>(senders, ranks);
    case 2:
      return transpose_pieces_of<2>(senders, ranks);
    case 4:
      return transpose_pieces_of<4>(senders, ranks);
    case 8:
      return transpose_pieces_of<8>(senders, ranks);
    case 16:
      return transpose_pieces_of<16>(senders, ranks);
    default:
      return transpose_pieces(
          senders, ranks, piece_bytes,
          [&](std::byte* to, const std::byte* from) { std::memcpy(to, from, piece_bytes); });
  }
}

/// Returns one operand of all ranks: rank r gets block r along `split` of each sender, concatenated
/// along `concat`. Empty for ranks whose results are not used.
Result<Tensors> exchange_blocks(const Tensors& operands, std::size_t split, std::size_t concat,
                                const ir::Type& type, UsedResults wanted) {
  std::vector<std::optional<TensorWriter>> writers(operands.size());
  std::vector<const std::byte*> senders;
  std::vector<std::byte*> ranks;  // null: not used
  for (std::size_t rank = 0; rank < operands.size(); ++rank) {
    if (wanted.has(rank)) {
      SHARDY_TRY(writers[rank], TensorWriter::make(type));
    }
    senders.push_back(operands[rank].data());
    ranks.push_back(writers[rank] ? writers[rank]->data() : nullptr);
  }
  const std::span<const int64_t> whole = operands[0].type().dims();
  std::vector<int64_t> block(whole.begin(), whole.end());
  block[split] /= std::ssize(operands);
  const std::vector<int64_t> from = row_major_strides(whole);
  const std::vector<int64_t> to = row_major_strides(type.dims());
  std::vector<CopyDim> dims;
  for (std::size_t dim = 0; dim < block.size(); ++dim) {
    dims.push_back({block[dim], from[dim], to[dim]});
  }
  const std::size_t element_bytes = ir::size_bytes(type.element());
  const StridedCopy copy(std::move(dims), element_bytes);
  if (copy.is_whole()) {
    transpose_pieces(senders, ranks, static_cast<std::size_t>(product(block)) * element_bytes);
  } else {
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      if (ranks[rank] == nullptr) continue;
      for (std::size_t sender = 0; sender < senders.size(); ++sender) {
        copy.run(senders[sender], ranks[rank],
                 static_cast<int64_t>(rank) * block[split] * from[split],
                 static_cast<int64_t>(sender) * block[concat] * to[concat]);
      }
    }
  }
  Tensors results;
  for (std::optional<TensorWriter>& writer : writers) {
    results.push_back(writer ? std::move(*writer).finish() : Tensor());
  }
  return results;
}

constexpr int64_t kNone = -1;
using Numbers = std::vector<int64_t>;

/// A map that is equal for all groups: from rank q to its source rank, or kNone.
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

/// Returns floor((a q + b) / c) + j if q is rho modulo M and the result is a rank; else kNone.
/// Intermediate values may need more than 64 bits.
int64_t affine_rank(std::span<const int64_t> numbers, int64_t q, int64_t num_ranks) {
  const Int128 a = numbers[0];
  const Int128 b = numbers[1];
  const Int128 c = numbers[2];
  const Int128 j = numbers[3];
  if (q % numbers[4] != numbers[5]) return kNone;
  const Int128 numerator = a * q + b;
  const Int128 source = numerator / c - (numerator % c < 0 ? 1 : 0) + j;
  return source >= 0 && source < num_ranks ? static_cast<int64_t>(source) : kNone;
}

/// Returns the map to the source of the first six numbers that give one.
Result<SourceMap> make_affine(const ir::PermuteMap& map, const DeviceGroups& groups) {
  return from_ranks(groups.size(), [&](int64_t q) {
    std::span<const int64_t> rest = map.numbers;
    int64_t source = kNone;
    for (; source == kNone && !rest.empty(); rest = rest.subspan(6)) {
      source = affine_rank(rest.first(6), q, groups.size());
    }
    return source;
  });
}

/// Returns a rank along `order` after its coordinates are moved by `offsets`, each modulo the axis
/// size. Empty offsets move nothing.
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

/// Returns the map to the source rank: its coordinates along `source_order` are the coordinates of
/// q along `receiver_order`. Offsets move the coordinates of q, further offsets the coordinates of
/// the source.
Result<SourceMap> make_relabel(const ir::PermuteMap& map, const DeviceGroups& groups) {
  SHARDY_TRY(const DeviceGroups from, DeviceGroups::make(groups.mesh(), map.source_order));
  SHARDY_TRY(const DeviceGroups to, DeviceGroups::make(groups.mesh(), map.receiver_order));
  const std::span<const int64_t> offsets = map.numbers;
  const std::size_t num_receiving = std::min(offsets.size(), map.receiver_order.size());
  // Both lists split the axes into the same sub-axes, so both number the members of one group.
  return from_ranks(groups.size(), [&](int64_t q) {
    const int64_t rank =
        moved_rank(map.receiver_order, offsets.first(num_receiving), to.rank(groups.member(0, q)));
    return groups.rank(
        from.member(0, moved_rank(map.source_order, offsets.subspan(num_receiving), rank)));
  });
}

/// Returns the rank of the device in the group of `leader`, or an error.
Result<int64_t> rank_in_group(const DeviceGroups& groups, int64_t leader, int64_t device) {
  const std::optional<int64_t> position = groups.mesh().position_of(device);
  if (position && groups.leader(*position) == leader) return groups.rank(*position);
  return fail("device " + std::to_string(device) + " is not in the group of its receiver");
}

/// Returns the map to the device at the same position of another mesh.
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

/// Returns the map of explicit pairs of device ids (source, target).
Result<SourceMap> make_pairs(const ir::PermuteMap& map, const DeviceGroups& groups) {
  return [pairs = map.numbers, groups](int64_t leader) -> Result<Numbers> {
    Numbers sources(static_cast<std::size_t>(groups.size()), kNone);
    for (std::size_t at = 0; at < pairs.size(); at += 2) {
      const std::optional<int64_t> target = groups.mesh().position_of(pairs[at + 1]);
      SHARDY_ASSERT(target.has_value());
      if (groups.leader(*target) != leader) continue;  // the pair belongs to another group
      SHARDY_TRY(const int64_t source, rank_in_group(groups, leader, pairs[at]));
      sources[static_cast<std::size_t>(groups.rank(*target))] = source;
    }
    return sources;
  };
}

/// Makers in the order of ir::PermuteMap::Kind.
constexpr std::array<MapMaker, 7> kMapMakers = {&make_shift,  &make_rotate,  &make_mirror,
                                                &make_affine, &make_relabel, &make_remesh,
                                                &make_pairs};

}  // namespace

int64_t bytes_of(const Tensors& tensors) {
  int64_t bytes = 0;
  for (const Tensor& tensor : tensors) bytes += tensor.num_bytes();
  return bytes;
}

Result<Tensors> zeros(std::span<const ir::Type> types) {
  Tensors values;
  for (const ir::Type& type : types) {
    SHARDY_TRY(Tensor value, filled_tensor(type, Fill::Zero));
    values.push_back(std::move(value));
  }
  return values;
}

Result<Exchanged> all_gather(ByRank by_rank, std::size_t dim, std::span<const ir::Type> types) {
  Exchanged out = sending(by_rank, bytes_of(by_rank[0]) * (std::ssize(by_rank) - 1));
  for (std::size_t operand = 0; operand < types.size(); ++operand) {
    const Tensors parts = operand_of_all(by_rank, operand);
    Tensor all = parts[0];
    if (parts.size() > 1) {
      SHARDY_TRY(all, concatenate(parts, dim, types[operand]));
    }
    for (Tensors& results : out.results) results.push_back(all);
  }
  return out;
}

Result<Exchanged> all_to_all(ByRank by_rank, std::size_t split, std::size_t concat,
                             std::span<const ir::Type> types, UsedResults wanted) {
  const int64_t num_ranks = std::ssize(by_rank);
  Exchanged out = sending(by_rank, fraction_of(bytes_of(by_rank[0]), num_ranks - 1, num_ranks));
  for (std::size_t operand = 0; operand < types.size(); ++operand) {
    SHARDY_TRY(Tensors results, exchange_blocks(operand_of_all(by_rank, operand), split, concat,
                                                types[operand], wanted));
    for (std::size_t rank = 0; rank < results.size(); ++rank) {
      out.results[rank].push_back(std::move(results[rank]));
    }
  }
  return out;
}

Exchanged all_reduce(std::size_t num_ranks, int64_t bytes, const Tensors& folded) {
  const auto count = static_cast<int64_t>(num_ranks);
  return {std::vector<Tensors>(num_ranks, folded),
          std::vector<int64_t>(num_ranks, fraction_of(bytes, 2 * (count - 1), count))};
}

Result<Exchanged> reduce_scatter(ByRank by_rank, const Tensors& folded, std::size_t dim) {
  const int64_t num_ranks = std::ssize(by_rank);
  Exchanged out = sending(by_rank, fraction_of(bytes_of(by_rank[0]), num_ranks - 1, num_ranks));
  for (const Tensor& tensor : folded) {
    for (int64_t rank = 0; rank < num_ranks; ++rank) {
      SHARDY_TRY(Tensor block, block_of(tensor, dim, num_ranks, rank));
      out.results[static_cast<std::size_t>(rank)].push_back(std::move(block));
    }
  }
  return out;
}

Result<Exchanged> reduce_scatter(ByRank by_rank, const Fold& fold, std::size_t dim,
                                 ThreadPool* pool, UsedResults wanted) {
  if (fold.loops().empty()) {
    SHARDY_TRY(const Tensors folded, fold_ranks(fold, by_rank, pool));
    return reduce_scatter(by_rank, folded, dim);
  }
  const int64_t num_ranks = std::ssize(by_rank);
  Exchanged out = sending(by_rank, fraction_of(bytes_of(by_rank[0]), num_ranks - 1, num_ranks));
  SHARDY_TRY(out.results, fold_blocks(fold, by_rank, dim, pool, wanted));
  return out;
}

Result<Exchanged> permute(ByRank by_rank, std::span<const int64_t> sources) {
  Exchanged out = sending(by_rank, 0);
  std::vector<ir::Type> types;
  for (const Tensor& tensor : by_rank[0]) types.push_back(tensor.type());
  SHARDY_TRY(const Tensors nothing, zeros(types));
  for (std::size_t rank = 0; rank < sources.size(); ++rank) {
    const bool has_source = sources[rank] >= 0;
    const auto source = static_cast<std::size_t>(has_source ? sources[rank] : 0);
    out.results[rank] = has_source ? by_rank[source] : nothing;
    if (has_source && source != rank) out.bytes_sent[source] += bytes_of(by_rank[source]);
  }
  return out;
}

Exchanged broadcast(ByRank by_rank, std::span<const std::size_t> roots) {
  Exchanged out = sending(by_rank, 0);
  for (std::size_t index = 0; index < roots.size(); ++index) {
    const Tensor& value = by_rank[roots[index]][index];
    for (Tensors& results : out.results) results.push_back(value);
    out.bytes_sent[roots[index]] += value.num_bytes() * (std::ssize(by_rank) - 1);
  }
  return out;
}

Result<SourceMap> make_source_map(const ir::PermuteMap& map, const DeviceGroups& groups) {
  return kMapMakers[static_cast<std::size_t>(map.kind)](map, groups);
}

}  // namespace shardy::simulation
