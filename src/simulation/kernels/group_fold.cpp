#include "simulation/kernels/group_fold.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "shardy/support/math.hpp"

namespace shardy::simulation {
namespace {

// ---- Loops -------------------------------------------------------------------------------------

/// Bytes of an accumulator segment that stays in the L1 cache while all ranks are folded into it.
constexpr int64_t kSegmentBytes = 1 << 13;
/// Smallest part of an accumulator for a thread of its own.
constexpr int64_t kGrainBytes = 1 << 15;

/// One operand of all ranks, and the loop that folds it.
class OperandFold {
 public:
  OperandFold(FoldLoop loop, ByRank by_rank, std::size_t operand)
      : loop_(loop), element_bytes_(element_size(by_rank[0][operand])) {
    for (const Tensors& operands : by_rank) ranks_.push_back(operands[operand].data());
  }

  int64_t element_bytes() const { return element_bytes_; }
  /// The elements from `begin` of each rank on.
  void run(std::byte* acc, int64_t begin, int64_t count) const {
    const int64_t most = kSegmentBytes / element_bytes_;
    for (int64_t at = 0; at < count; at += most) {
      const auto size = static_cast<std::size_t>(std::min(most, count - at));
      std::byte* const to = acc + at * element_bytes_;
      const int64_t from = (begin + at) * element_bytes_;
      std::memcpy(to, ranks_[0] + from, size * static_cast<std::size_t>(element_bytes_));
      for (std::size_t rank = 1; rank < ranks_.size(); ++rank) {
        loop_(to, ranks_[rank] + from, size, false);
      }
    }
  }

 private:
  static int64_t element_size(const Tensor& tensor) {
    return static_cast<int64_t>(ir::size_bytes(tensor.type().element()));
  }

  FoldLoop loop_;
  int64_t element_bytes_;
  std::vector<const std::byte*> ranks_;
};

// ---- Lanes -------------------------------------------------------------------------------------

Tensor as_lanes(const Tensor& tensor) {
  return tensor.reshaped(tensor.type().with_dims({tensor.num_elements()}));
}

/// All operands at once; they have as many elements.
Result<Tensors> fold_together(const Fold& fold, ByRank by_rank, std::span<const Tensor> captured) {
  const auto lanes_of = [](Tensors tensors) {
    for (Tensor& tensor : tensors) tensor = as_lanes(tensor);
    return tensors;
  };
  SHARDY_TRY(const LaneFold next, fold.lanes(by_rank[0][0].num_elements(), captured));
  Tensors folded = lanes_of(by_rank[0]);
  for (const Tensors& operands : by_rank.subspan(1)) {
    SHARDY_TRY(folded, next(folded, lanes_of(operands)));
  }
  for (std::size_t operand = 0; operand < folded.size(); ++operand) {
    folded[operand] = folded[operand].reshaped(by_rank[0][operand].type());
  }
  return folded;
}

/// One operand. The others, of which nothing is kept, are zeros. Requires: pairs are kept apart.
Result<Tensor> fold_alone(const Fold& fold, std::size_t operand, ByRank by_rank,
                          std::span<const Tensor> captured) {
  const ir::Type& type = by_rank[0][operand].type();
  const int64_t num_lanes = by_rank[0][operand].num_elements();
  SHARDY_TRY(const LaneFold next, fold.lanes(num_lanes, captured));
  Tensors acc;
  for (const Tensor& tensor : by_rank[0]) {
    SHARDY_TRY(Tensor zeros, filled_tensor(tensor.type().with_dims({num_lanes}), Fill::Zero));
    acc.push_back(std::move(zeros));
  }
  Tensors x = acc;
  acc[operand] = as_lanes(by_rank[0][operand]);
  for (const Tensors& operands : by_rank.subspan(1)) {
    x[operand] = as_lanes(operands[operand]);
    SHARDY_TRY(acc, next(acc, x));
  }
  return acc[operand].reshaped(type);
}

}  // namespace

Result<Tensor> fold_ranks(FoldLoop loop, ByRank by_rank, std::size_t operand, ThreadPool* pool) {
  const OperandFold fold(loop, by_rank, operand);
  const ir::Type& type = by_rank[0][operand].type();
  SHARDY_TRY(TensorWriter acc, TensorWriter::make(type));
  for_ranges(pool, type.num_elements(), kGrainBytes / fold.element_bytes(),
             [&](int64_t begin, int64_t end) {
               fold.run(acc.data() + begin * fold.element_bytes(), begin, end - begin);
             });
  return std::move(acc).finish();
}

Result<Tensors> fold_ranks(const Fold& fold, ByRank by_rank, ThreadPool* pool,
                           std::span<const Tensor> captured) {
  if (by_rank.size() == 1) return by_rank[0];
  Tensors folded;
  for (std::size_t operand = 0; operand < fold.loops().size(); ++operand) {
    SHARDY_TRY(Tensor one, fold_ranks(fold.loops()[operand].one, by_rank, operand, pool));
    folded.push_back(std::move(one));
  }
  if (!folded.empty()) return folded;
  const int64_t num_lanes = by_rank[0][0].num_elements();
  const bool are_alike = std::ranges::all_of(
      by_rank[0], [&](const Tensor& each) { return each.num_elements() == num_lanes; });
  if (are_alike) return fold_together(fold, by_rank, captured);
  for (std::size_t operand = 0; operand < by_rank[0].size(); ++operand) {
    SHARDY_TRY(Tensor one, fold_alone(fold, operand, by_rank, captured));
    folded.push_back(std::move(one));
  }
  return folded;
}

namespace {

/// One operand of all ranks, cut into a block per rank. A block is one row of contiguous elements
/// per index of the dims before.
struct BlockRows {
  ir::Type type;
  int64_t num_rows = 0;
  int64_t row_size = 0;

  BlockRows(const ir::Type& whole, std::size_t dim, int64_t num_ranks) {
    std::vector<int64_t> dims(whole.dims().begin(), whole.dims().end());
    dims[dim] /= num_ranks;
    row_size = product(std::span(dims).subspan(dim));
    type = whole.with_dims(std::move(dims));
    num_rows = row_size == 0 ? 0 : type.num_elements() / row_size;
  }
};

Result<Tensors> fold_operand_blocks(const OperandFold& fold, const BlockRows& blocks,
                                    std::span<const std::size_t> wanted, int64_t num_ranks,
                                    ThreadPool* pool) {
  std::vector<TensorWriter> writers;
  for (std::size_t index = 0; index < wanted.size(); ++index) {
    SHARDY_TRY(TensorWriter writer, TensorWriter::make(blocks.type));
    writers.push_back(std::move(writer));
  }
  const int64_t grain = ceil_div(kGrainBytes, std::max<int64_t>(blocks.type.num_bytes(), 1));
  for_ranges(pool, std::ssize(wanted), grain, [&](int64_t first, int64_t end) {
    for (auto index = static_cast<std::size_t>(first); index < static_cast<std::size_t>(end);
         ++index) {
      const auto rank = static_cast<int64_t>(wanted[index]);
      for (int64_t row = 0; row < blocks.num_rows; ++row) {
        fold.run(writers[index].data() + row * blocks.row_size * fold.element_bytes(),
                 (row * num_ranks + rank) * blocks.row_size, blocks.row_size);
      }
    }
  });
  Tensors folded;
  for (TensorWriter& writer : writers) folded.push_back(std::move(writer).finish());
  return folded;
}

}  // namespace

Result<std::vector<Tensors>> fold_blocks(const Fold& fold, ByRank by_rank, std::size_t dim,
                                         ThreadPool* pool, Wanted wanted) {
  std::vector<std::size_t> ranks;
  for (std::size_t rank = 0; rank < by_rank.size(); ++rank) {
    if (wanted.has(rank)) ranks.push_back(rank);
  }
  std::vector<Tensors> blocks(by_rank.size());
  for (std::size_t operand = 0; operand < fold.loops().size(); ++operand) {
    const OperandFold loop(fold.loops()[operand].one, by_rank, operand);
    const BlockRows rows(by_rank[0][operand].type(), dim, std::ssize(by_rank));
    SHARDY_TRY(Tensors folded, fold_operand_blocks(loop, rows, ranks, std::ssize(by_rank), pool));
    for (std::size_t index = 0; index < ranks.size(); ++index) {
      blocks[ranks[index]].push_back(std::move(folded[index]));
    }
  }
  return blocks;
}

}  // namespace shardy::simulation
