#include "simulation/kernels/fold.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#include "shardy/support/detail/math.hpp"
#include "simulation/kernels/binary_ops.hpp"
#include "simulation/kernels/gather.hpp"
#include "simulation/kernels/kernel_table.hpp"

namespace shardy::simulation {
namespace {

struct FoldRow {
  ir::OpKind kind;
  FoldLoops (*pick)(ir::ElementType type);
};
constexpr FoldRow kFolds[] = {
    {ir::OpKind::Add, &pick_folds<Add>},         {ir::OpKind::Multiply, &pick_folds<Multiply>},
    {ir::OpKind::Maximum, &pick_folds<Maximum>}, {ir::OpKind::Minimum, &pick_folds<Minimum>},
    {ir::OpKind::And, &pick_folds<And>},         {ir::OpKind::Or, &pick_folds<Or>},
    {ir::OpKind::Xor, &pick_folds<Xor>},
};

const FoldRow* find_fold(ir::OpKind kind) {
  const auto* const row = std::ranges::find(kFolds, kind, &FoldRow::kind);
  return row == std::end(kFolds) ? nullptr : row;
}

/// The loop `acc := x`, for scatters that set elements.
template <std::size_t kBytes>
void take_loop(std::byte* acc, const std::byte* x, std::size_t count, bool into_one) {
  if (count == 0) return;
  if (into_one) {
    std::memcpy(acc, x + (count - 1) * kBytes, kBytes);
  } else {
    std::memcpy(acc, x, count * kBytes);
  }
}
void keep_loop(std::byte* /*acc*/, const std::byte* /*x*/, std::size_t /*count*/,
               bool /*into_one*/) {}

FoldLoop pick_take(ir::ElementType type) {
  static constexpr std::array<FoldLoop, 5> kLoops = {&take_loop<1>, &take_loop<2>, &take_loop<4>,
                                                     &take_loop<8>, &take_loop<16>};
  return kLoops[static_cast<std::size_t>(std::countr_zero(ir::size_bytes(type)))];
}

/// Returns the loops of the op `returned` on accumulator `acc` and element `x`, both of its type.
/// Null for other ops, and for op(x, acc), which may return the other NaN of two.
FoldLoops pick_loops_of(const ir::Module& module, ir::ValueId returned, ir::ValueId acc,
                        ir::ValueId x) {
  const ir::ElementType type = module.type(acc).element();
  if (returned == acc) return {&keep_loop};
  if (returned == x) return {pick_take(type)};
  const ir::OpId op = module.defining_op(returned);
  if (!op.valid() || module.num_operands(op) != 2) return {};
  if (module.operand(op, 0) != acc || module.operand(op, 1) != x) return {};
  const FoldRow* const row = find_fold(module.kind(op));
  return row == nullptr ? FoldLoops{} : row->pick(type);
}

/// Checks whether the value returned for a pair depends only on the arguments of this pair.
bool is_of_pair(const ir::Module& module, ir::BlockId block, std::size_t pair,
                std::size_t num_pairs) {
  std::vector<ir::ValueId> above = {module.operand(module.last_op(block), pair)};
  while (!above.empty()) {
    const ir::ValueOwner owner = module.owner(above.back());
    above.pop_back();
    if (!owner.is_result()) {
      if (owner.block == block && owner.index % num_pairs != pair) return false;
      continue;
    }
    if (module.parent_block(owner.op) != block) continue;
    if (!module.regions(owner.op).empty()) return false;
    for (const ir::ValueId operand : module.operands(owner.op)) above.push_back(operand);
  }
  return true;
}

bool keep_pairs_apart(const ir::Module& module, ir::BlockId block) {
  const std::size_t num_pairs = module.args(block).size() / 2;
  for (std::size_t pair = 0; pair < num_pairs; ++pair) {
    if (!is_of_pair(module, block, pair, num_pairs)) return false;
  }
  return true;
}

// ---- Loops -------------------------------------------------------------------------------------

/// The size of an accumulator segment that stays in the L1 cache while the operands of all ranks
/// are folded into it.
constexpr int64_t kSegmentBytes = 1 << 13;
/// The smallest part of an accumulator that is worth a separate thread.
constexpr int64_t kGrainBytes = 1 << 15;

/// A fold of one operand of all ranks by a loop.
class OperandFold {
 public:
  OperandFold(FoldLoop loop, ByRank by_rank, std::size_t operand)
      : loop_(loop), element_bytes_(element_size(by_rank[0][operand])) {
    for (const Tensors& operands : by_rank) ranks_.push_back(operands[operand].data());
  }

  int64_t element_bytes() const { return element_bytes_; }
  /// Folds `count` elements from `begin` on of each rank's operand.
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

/// Folds all operands at once. They have equal numbers of elements.
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

/// Folds one operand; the other operands, whose results are unused, are zeros. Requires: each
/// result depends only on its own pair.
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

/// One operand of all ranks, split into one block per rank. A block has one row of contiguous
/// elements per index of the dims before the split dim.
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

using MoveLoop = void (*)(const std::byte* from, std::byte* to, std::span<const int64_t> places);

template <std::size_t kBytes>
void take_placed_loop(const std::byte* from, std::byte* to, std::span<const int64_t> places) {
  for (std::size_t lane = 0; lane < places.size(); ++lane) {
    std::memcpy(to + lane * kBytes, from + static_cast<std::size_t>(places[lane]) * kBytes, kBytes);
  }
}
template <std::size_t kBytes>
void put_loop(const std::byte* from, std::byte* to, std::span<const int64_t> places) {
  for (std::size_t lane = 0; lane < places.size(); ++lane) {
    std::memcpy(to + static_cast<std::size_t>(places[lane]) * kBytes, from + lane * kBytes, kBytes);
  }
}

constexpr std::array<MoveLoop, 5> kTake = {&take_placed_loop<1>, &take_placed_loop<2>,
                                           &take_placed_loop<4>, &take_placed_loop<8>,
                                           &take_placed_loop<16>};
constexpr std::array<MoveLoop, 5> kPut = {&put_loop<1>, &put_loop<2>, &put_loop<4>, &put_loop<8>,
                                          &put_loop<16>};

MoveLoop pick(const std::array<MoveLoop, 5>& loops, ir::ElementType element) {
  return loops[static_cast<std::size_t>(std::countr_zero(ir::size_bytes(element)))];
}

}  // namespace

FoldLoop pick_fold_loop(ir::OpKind kind, ir::ElementType type) {
  const FoldRow* const row = find_fold(kind);
  return row == nullptr ? nullptr : row->pick(type).one;
}

Result<Fold> Fold::make(const KernelRequest& request, std::size_t num_pairs, std::size_t region) {
  SHARDY_TRY(LaneFunction function, LaneFunction::make(request, region));
  const auto args = function.arguments();
  const auto results = function.results();
  if (args.size() != 2 * num_pairs || !std::ranges::equal(results, args.first(num_pairs))) {
    return op_fail(request.module, request.op,
                   "needs a region with two scalars per operand, returning one");
  }
  Fold fold(std::move(function));
  fold.pick_loops(request, region);
  fold.keeps_pairs_apart_ =
      keep_pairs_apart(request.module, request.module.block(request.op, region));
  return fold;
}

void Fold::pick_loops(const KernelRequest& request, std::size_t region) {
  const ir::Module& module = request.module;
  if (!std::ranges::equal(accumulators(), inputs())) return;
  const ir::BlockId block = module.block(request.op, region);
  const ir::OpId last = module.last_op(block);
  const auto args = module.args(block);
  const std::size_t num_pairs = args.size() / 2;
  std::vector<FoldLoops> loops;
  for (std::size_t pair = 0; pair < num_pairs; ++pair) {
    const FoldLoops picked =
        pick_loops_of(module, module.operand(last, pair), args[pair], args[num_pairs + pair]);
    if (picked.one == nullptr) return;
    loops.push_back(picked);
  }
  loops_ = std::move(loops);
}

Result<LaneFold> Fold::lanes(int64_t max_lanes, std::span<const Tensor> captured) const {
  SHARDY_TRY(LaneFunction::Lanes lanes, function_.lanes(max_lanes, captured));
  return [lanes = std::move(lanes)](const Tensors& acc, const Tensors& x) {
    Tensors arguments = acc;
    arguments.insert(arguments.end(), x.begin(), x.end());
    return lanes(std::move(arguments));
  };
}

Result<Tensors> fold_slices(const Fold& fold, const FoldSlices& slices,
                            std::span<const Tensor> inputs, std::span<const ir::Type> results,
                            const KernelCall& call) {
  const int64_t num_lanes = results.front().num_elements();
  SHARDY_TRY(const LaneFold next, fold.lanes(num_lanes, call.operands.subspan(2 * inputs.size())));
  Tensors acc;
  std::vector<StridedCopy> copies;
  for (std::size_t index = 0; index < inputs.size(); ++index) {
    SHARDY_TRY(TensorWriter start,
               filled_with(results[index], call.operands[inputs.size() + index]));
    acc.push_back(as_lanes(std::move(start).finish()));
    copies.emplace_back(slices.lanes, ir::size_bytes(inputs[index].type().element()));
  }
  IndexWalk walk(slices.sizes);
  for (int64_t left = num_lanes == 0 ? 0 : product(slices.sizes); left > 0; --left) {
    Tensors x;
    for (std::size_t index = 0; index < inputs.size(); ++index) {
      const ir::Type type = ir::Type::tensor({num_lanes}, inputs[index].type().element());
      const int64_t first = dot(walk.index(), slices.strides);
      if (copies[index].is_whole()) {
        x.push_back(inputs[index].part(type, first));
        continue;
      }
      SHARDY_TRY(TensorWriter slice, TensorWriter::make(type));
      copies[index].run(inputs[index].data(), slice.data(), first);
      x.push_back(std::move(slice).finish());
    }
    SHARDY_TRY(acc, next(acc, x));
    walk.next();
  }
  for (std::size_t index = 0; index < acc.size(); ++index) {
    acc[index] = acc[index].reshaped(results[index]);
  }
  return acc;
}

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

Result<std::vector<Tensors>> fold_blocks(const Fold& fold, ByRank by_rank, std::size_t dim,
                                         ThreadPool* pool, UsedResults wanted) {
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

Result<Tensor> take(const std::byte* from, ir::ElementType element,
                    std::span<const int64_t> places) {
  SHARDY_TRY(const ir::Type type, ir::Type::make_tensor({std::ssize(places)}, element));
  SHARDY_TRY(TensorWriter out, TensorWriter::make(type));
  pick(kTake, element)(from, out.data(), places);
  return std::move(out).finish();
}

ScatterWriteBatches::ScatterWriteBatches(std::vector<TensorWriter>& targets, Apply apply)
    : targets_(targets),
      apply_(std::move(apply)),
      batch_of_(static_cast<std::size_t>(targets.front().type().num_elements()), 0) {}

Status ScatterWriteBatches::add(ScatterWrite write) {
  const auto target = static_cast<std::size_t>(write.target);
  if (batch_of_[target] == batch_ || std::ssize(waiting_targets_) == kMaxLanes) {
    SHARDY_TRY_STATUS(finish());
  }
  batch_of_[target] = batch_;
  waiting_targets_.push_back(write.target);
  waiting_sources_.push_back(write.source);
  return {};
}

Status ScatterWriteBatches::finish() {
  if (waiting_targets_.empty()) return {};
  SHARDY_TRY(const Tensors values, apply_(waiting_targets_, waiting_sources_));
  for (std::size_t index = 0; index < targets_.size(); ++index) {
    pick(kPut, targets_[index].type().element())(values[index].data(), targets_[index].data(),
                                                 waiting_targets_);
  }
  waiting_targets_.clear();
  waiting_sources_.clear();
  if (++batch_ == 0) {  // the batch counter overflowed
    std::ranges::fill(batch_of_, 0);
    batch_ = 1;
  }
  return {};
}

}  // namespace shardy::simulation
