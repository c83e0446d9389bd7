#include "simulation/kernels/fold.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "simulation/kernels/binary_ops.hpp"
#include "simulation/kernels/fold_loops.hpp"
#include "simulation/kernels/op_reader.hpp"

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

/// `acc := x`, as scatters that set elements do.
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

/// Returns the loops of the op on accumulator `acc` and element `x` of that type; null if it is not
/// one of the common ops on just these two. op(x, acc) is none: it may pick another one of two
/// NaNs.
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

/// Checks whether the value returned for a pair depends on the arguments of that pair only.
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

}  // namespace shardy::simulation
