#include "simulation/kernels/fold.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "shardy/ir/reducer.hpp"
#include "simulation/kernels/binary_ops.hpp"
#include "simulation/kernels/copy_kernel.hpp"
#include "simulation/kernels/op_reader.hpp"

namespace shardy::simulation {
namespace {

struct FoldRow {
  ir::OpKind kind;
  FoldLoop (*pick)(ir::ElementType type);
};
constexpr FoldRow kFolds[] = {
    {ir::OpKind::Add, &pick_fold<Add>},         {ir::OpKind::Multiply, &pick_fold<Multiply>},
    {ir::OpKind::Maximum, &pick_fold<Maximum>}, {ir::OpKind::Minimum, &pick_fold<Minimum>},
    {ir::OpKind::And, &pick_fold<And>},         {ir::OpKind::Or, &pick_fold<Or>},
    {ir::OpKind::Xor, &pick_fold<Xor>},
};

Result<Tensor> splat(const Tensor& scalar, int64_t num_lanes) {
  SHARDY_TRY(const ir::Type type, ir::Type::make_tensor({num_lanes}, scalar.type().element()));
  SHARDY_TRY(TensorWriter out, TensorWriter::make(type));
  StridedCopy({{num_lanes, 0, 1}}, ir::size_bytes(type.element())).run(scalar.data(), out.data());
  return std::move(out).finish();
}

/// The body has one block, and no op of it needs more than the elements of its own lane.
bool is_elementwise(const ir::Module& module, ir::BlockId block) {
  for (const ir::OpId op : module.ops(block)) {
    const bool lifts = module.has_trait(op, ir::kElementwise) ||
                       module.has_trait(op, ir::kReturnLike) ||
                       (module.has_trait(op, ir::kConstantLike) && has_kernel(module.kind(op)));
    if (!lifts) return false;
  }
  return true;
}

/// Runs a body that only a scalar interpreter can run, lane by lane.
Result<Tensors> run_each_lane(const RegionRunner& runner, const Tensors& arguments,
                              std::span<const Tensor> captured,
                              std::span<const ir::ElementType> results) {
  const int64_t num_lanes = arguments.front().num_elements();
  std::vector<TensorWriter> out;
  for (const ir::ElementType element : results) {
    SHARDY_TRY(TensorWriter writer, TensorWriter::make(ir::Type::tensor({num_lanes}, element)));
    out.push_back(std::move(writer));
  }
  for (int64_t lane = 0; lane < num_lanes; ++lane) {
    Tensors scalars;
    for (const Tensor& argument : arguments) {
      scalars.push_back(argument.part(argument.type().with_dims({}), lane));
    }
    scalars.insert(scalars.end(), captured.begin(), captured.end());
    SHARDY_TRY(const Tensors values, runner(std::move(scalars)));
    for (std::size_t index = 0; index < values.size(); ++index) {
      const std::span<const std::byte> bytes = values[index].bytes();
      std::ranges::copy(bytes, out[index].data() + static_cast<std::size_t>(lane) * bytes.size());
    }
  }
  Tensors folded;
  for (TensorWriter& writer : out) folded.push_back(std::move(writer).finish());
  return folded;
}

Tensors concatenated(const Tensors& first, const Tensors& second) {
  Tensors all = first;
  all.insert(all.end(), second.begin(), second.end());
  return all;
}

}  // namespace

FoldLoop pick_fold_loop(ir::OpKind kind, ir::ElementType type) {
  const auto* const row = std::ranges::find(kFolds, kind, &FoldRow::kind);
  return row == std::end(kFolds) ? nullptr : row->pick(type);
}

Result<Fold> Fold::make(const KernelRequest& request, std::size_t num_pairs) {
  Fold fold;
  SHARDY_TRY_STATUS(fold.read_types(request, num_pairs));
  fold.pick_loops(request);
  if (is_elementwise(request.module, request.module.block(request.op))) {
    SHARDY_TRY_STATUS(fold.lift(request));
    return fold;
  }
  if (!request.compile_region) {
    return op_fail(request.module, request.op, "the region cannot be run here");
  }
  SHARDY_TRY(fold.runner_, request.compile_region(request.module.regions(request.op).front()));
  return fold;
}

Status Fold::read_types(const KernelRequest& request, std::size_t num_pairs) {
  const ir::Module& module = request.module;
  const auto error = [&] {
    return op_fail(module, request.op,
                   "needs one region of one block with two scalars per operand, returning one");
  };
  const auto regions = module.regions(request.op);
  if (regions.size() != 1 || module.blocks(regions[0]).size() != 1) return error();
  const ir::BlockId block = module.block(request.op);
  const ir::OpId last = module.last_op(block);
  if (!last.valid() || !module.has_trait(last, ir::kReturnLike)) return error();
  const auto args = module.args(block);
  if (args.size() != 2 * num_pairs || module.num_operands(last) != num_pairs) return error();
  for (std::size_t index = 0; index < args.size(); ++index) {
    const ir::Type& type = module.type(args[index]);
    if (!type.is_static_tensor() || type.rank() != 0) return error();
    (index < num_pairs ? accumulators_ : inputs_).push_back(type.element());
  }
  for (std::size_t pair = 0; pair < num_pairs; ++pair) {
    if (module.type(module.operand(last, pair)) != module.type(args[pair])) return error();
  }
  return {};
}

void Fold::pick_loops(const KernelRequest& request) {
  const ir::Module& module = request.module;
  const auto kinds = ir::recognized_reducers(module, request.op, accumulators_.size());
  if (!kinds || accumulators_ != inputs_) return;
  const ir::BlockId block = module.block(request.op);
  std::vector<FoldLoop> loops;
  for (std::size_t pair = 0; pair < kinds->size(); ++pair) {
    // body(acc, x) = op(x, acc) may pick another one of two NaNs.
    const ir::OpId op = module.defining_op(module.operand(module.last_op(block), pair));
    if (module.operand(op, 0) != module.args(block)[pair]) return;
    loops.push_back(pick_fold_loop((*kinds)[pair], accumulators_[pair]));
    if (loops.back() == nullptr) return;
  }
  loops_ = std::move(loops);
}

Status Fold::lift(const KernelRequest& request) {
  const ir::Module& module = request.module;
  const ir::BlockId block = module.block(request.op);
  auto body = std::make_shared<Body>();
  std::map<ir::ValueId, std::size_t> places;
  const auto place = [&](ir::ValueId value) { places.emplace(value, places.size()); };
  std::ranges::for_each(module.args(block), place);
  std::ranges::for_each(request.captured, place);
  for (const ir::OpId op : module.ops(block)) {  // constants do not depend on lanes: first
    if (!module.has_trait(op, ir::kConstantLike)) continue;
    SHARDY_TRY(Kernel kernel, make_kernel({.module = module, .op = op}));
    body->constants.push_back(std::move(kernel));
    place(module.result(op));
  }
  for (const ir::OpId op : module.ops(block)) {
    if (module.has_trait(op, ir::kConstantLike)) continue;
    std::vector<std::size_t> operands;
    for (const ir::ValueId operand : module.operands(op)) {
      const auto found = places.find(operand);
      if (found == places.end()) return op_fail(module, op, "uses a value before it is defined");
      operands.push_back(found->second);
    }
    if (module.has_trait(op, ir::kReturnLike)) {
      body->returned = std::move(operands);
      break;
    }
    SHARDY_TRY(Kernel kernel, make_kernel({.module = module, .op = op}));
    body->steps.push_back({std::move(kernel), std::move(operands)});
    place(module.result(op));
  }
  body_ = std::move(body);
  return {};
}

Result<Tensors> Fold::run(const Body& body, std::vector<Tensor> values) {
  for (const Step& step : body.steps) {
    Tensors operands;
    for (const std::size_t place : step.operands) operands.push_back(values[place]);
    SHARDY_TRY(Tensors results, step.kernel({.operands = operands}));
    values.push_back(std::move(results.front()));
  }
  Tensors returned;
  for (const std::size_t place : body.returned) returned.push_back(values[place]);
  return returned;
}

Result<LaneFold> Fold::lanes(int64_t num_lanes, std::span<const Tensor> captured) const {
  if (body_ == nullptr) {
    return
        [runner = runner_, elements = accumulators_,
         outer = Tensors(captured.begin(), captured.end())](const Tensors& acc, const Tensors& x) {
          return run_each_lane(runner, concatenated(acc, x), outer, elements);
        };
  }
  Tensors fixed;
  for (const Tensor& value : captured) {
    SHARDY_TRY(Tensor lanes, splat(value, num_lanes));
    fixed.push_back(std::move(lanes));
  }
  for (const Kernel& constant : body_->constants) {
    SHARDY_TRY(const Tensors value, constant({}));
    SHARDY_TRY(Tensor lanes, splat(value.front(), num_lanes));
    fixed.push_back(std::move(lanes));
  }
  return [body = body_, fixed = std::move(fixed)](const Tensors& acc, const Tensors& x) {
    return run(*body, concatenated(concatenated(acc, x), fixed));
  };
}

}  // namespace shardy::simulation
