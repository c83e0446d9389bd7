#include "simulation/kernels/exchange.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "shardy/support/math.hpp"
#include "simulation/kernels/copy_kernel.hpp"
#include "simulation/strided_copy.hpp"

namespace shardy::simulation {
namespace {

/// ceil(bytes * numerator / denominator) without the large product.
int64_t fraction_of(int64_t bytes, int64_t numerator, int64_t denominator) {
  const int64_t rest = bytes % denominator * numerator;
  return bytes / denominator * numerator + ceil_div(rest, denominator);
}

/// Each rank sends as much; results are to follow.
Exchanged sending(ByRank by_rank, int64_t bytes) {
  return {std::vector<Tensors>(by_rank.size()), std::vector<int64_t>(by_rank.size(), bytes)};
}

Tensors operand_of_all(ByRank by_rank, std::size_t operand) {
  Tensors tensors;
  for (const Tensors& operands : by_rank) tensors.push_back(operands[operand]);
  return tensors;
}

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

namespace {

/// Senders whose pieces go to one rank one after the other, before the next rank has its turn: the
/// lines of its buffer are written as a whole.
constexpr std::size_t kSendersAtOnce = 64;

/// Piece number `rank` of each sender becomes piece number `sender` of each rank that is not null.
/// Not worth a plan for each: with many ranks pieces are small and there are very many.
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

/// Pieces of a size that the compiler knows are moved at once.
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

/// One operand of all ranks: block `rank` along `split` of each of them, side by side along
/// `concat`. Empty for ranks whose results are not used.
Result<Tensors> exchange_blocks(const Tensors& operands, std::size_t split, std::size_t concat,
                                const ir::Type& type, Wanted wanted) {
  std::vector<std::optional<TensorWriter>> writers(operands.size());
  std::vector<const std::byte*> senders;
  std::vector<std::byte*> ranks;  // null: not wanted
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

}  // namespace

Result<Exchanged> all_to_all(ByRank by_rank, std::size_t split, std::size_t concat,
                             std::span<const ir::Type> types, Wanted wanted) {
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
                                 ThreadPool* pool, Wanted wanted) {
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

}  // namespace shardy::simulation
