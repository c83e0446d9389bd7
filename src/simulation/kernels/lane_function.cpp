#include "simulation/kernels/lane_function.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "simulation/kernels/kernel_table.hpp"
#include "simulation/strided_copy.hpp"

namespace shardy::simulation {
namespace {

bool is_scalar(const ir::Type& type) { return type.is_static_tensor() && type.rank() == 0; }

/// Checks that no op of the block needs elements of other lanes.
bool is_elementwise(const ir::Module& module, ir::BlockId block) {
  const auto are_scalars = [&](const std::vector<ir::ValueId>& values) {
    return std::ranges::all_of(values,
                               [&](ir::ValueId value) { return is_scalar(module.type(value)); });
  };
  for (const ir::OpId op : module.ops(block)) {
    const bool lifts = module.has_trait(op, ir::kElementwise) ||
                       module.has_trait(op, ir::kReturnLike) ||
                       (module.has_trait(op, ir::kConstantLike) && has_kernel(module.kind(op)));
    if (!lifts || !are_scalars(module.operands(op)) || !are_scalars(module.results(op))) {
      return false;
    }
  }
  return true;
}

/// Runs the block once per lane. Used for blocks with ops that are not elementwise.
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
    for (const Tensor& argument : arguments) scalars.push_back(element_of(argument, lane));
    scalars.insert(scalars.end(), captured.begin(), captured.end());
    SHARDY_TRY(const Tensors values, runner(std::move(scalars)));
    for (std::size_t index = 0; index < values.size(); ++index) {
      const std::span<const std::byte> bytes = values[index].bytes();
      std::ranges::copy(bytes, out[index].data() + static_cast<std::size_t>(lane) * bytes.size());
    }
  }
  Tensors made;
  for (TensorWriter& writer : out) made.push_back(std::move(writer).finish());
  return made;
}

/// Returns the positions in `captured` of the values that the block uses or returns.
std::vector<std::size_t> used_captured(const KernelRequest& request, ir::BlockId block,
                                       std::span<const ir::ValueId> returned) {
  std::set<ir::ValueId> used(returned.begin(), returned.end());
  for (const ir::OpId op : request.module.ops(block)) {
    const auto operands = request.module.operands(op);
    used.insert(operands.begin(), operands.end());
  }
  std::vector<std::size_t> places;
  for (std::size_t at = 0; at < request.captured.size(); ++at) {
    if (used.contains(request.captured[at])) places.push_back(at);
  }
  return places;
}

}  // namespace

Result<Tensor> splat(const Tensor& scalar, int64_t num_lanes) {
  SHARDY_TRY(const ir::Type type, ir::Type::make_tensor({num_lanes}, scalar.type().element()));
  SHARDY_TRY(TensorWriter out, TensorWriter::make(type));
  StridedCopy({{num_lanes, 0, 1}}, ir::size_bytes(type.element())).run(scalar.data(), out.data());
  return std::move(out).finish();
}

Tensor element_of(const Tensor& tensor, int64_t position) {
  return tensor.part(tensor.type().with_dims({}), position);
}

Result<LaneFunction> LaneFunction::make(const KernelRequest& request, std::size_t region) {
  const ir::Module& module = request.module;
  const auto regions = module.regions(request.op);
  if (regions.size() <= region || module.blocks(regions[region]).size() != 1) {
    return op_fail(module, request.op, "needs regions of one block");
  }
  const ir::BlockId block = module.block(request.op, region);
  const ir::OpId last = module.last_op(block);
  if (!last.valid() || !module.has_trait(last, ir::kReturnLike)) {
    return op_fail(module, request.op, "needs regions that return");
  }
  const std::vector<ir::ValueId> returned = module.operands(last);
  LaneFunction function;
  SHARDY_TRY_STATUS(function.read_types(request, block, returned));
  if (is_elementwise(module, block)) {
    SHARDY_TRY_STATUS(function.lift(request, block, returned));
    return function;
  }
  if (!request.compile_region) {
    return op_fail(module, request.op, "the region cannot be run here");
  }
  SHARDY_TRY(function.runner_, request.compile_region(regions[region]));
  return function;
}

Result<std::optional<LaneFunction>> LaneFunction::make_for(const KernelRequest& request,
                                                           std::span<const ir::ValueId> returned) {
  const ir::BlockId block = request.module.block(request.op);
  if (!is_elementwise(request.module, block)) return std::optional<LaneFunction>();
  LaneFunction function;
  SHARDY_TRY_STATUS(function.read_types(request, block, returned));
  SHARDY_TRY_STATUS(function.lift(request, block, returned));
  return std::optional<LaneFunction>(std::move(function));
}

Status LaneFunction::read_types(const KernelRequest& request, ir::BlockId block,
                                std::span<const ir::ValueId> returned) {
  const ir::Module& module = request.module;
  const auto read = [&](ir::ValueId value, std::vector<ir::ElementType>& elements) {
    const ir::Type& type = module.type(value);
    if (is_scalar(type)) elements.push_back(type.element());
    return is_scalar(type);
  };
  bool fits = true;
  for (const ir::ValueId value : module.args(block)) fits = read(value, arguments_) && fits;
  for (const ir::ValueId value : returned) fits = read(value, results_) && fits;
  if (fits) return {};
  return op_fail(module, request.op, "needs regions from tensors of rank 0 to tensors of rank 0");
}

Status LaneFunction::lift(const KernelRequest& request, ir::BlockId block,
                          std::span<const ir::ValueId> returned) {
  const ir::Module& module = request.module;
  auto body = std::make_shared<LaneBlock>();
  std::map<ir::ValueId, std::size_t> places;
  const auto place = [&](ir::ValueId value) { places.emplace(value, places.size()); };
  std::ranges::for_each(module.args(block), place);
  body->captured = used_captured(request, block, returned);
  for (const std::size_t at : body->captured) place(request.captured[at]);
  const auto find_all = [&](ir::OpId op, std::span<const ir::ValueId> values,
                            std::vector<std::size_t>& found) -> Status {
    for (const ir::ValueId value : values) {
      const auto at = places.find(value);
      if (at == places.end()) return op_fail(module, op, "uses a value before it is defined");
      found.push_back(at->second);
    }
    return {};
  };
  // Constants come first, because they do not depend on lanes.
  for (const ir::OpId op : module.ops(block)) {
    if (!module.has_trait(op, ir::kConstantLike)) continue;
    SHARDY_TRY(Kernel kernel, make_kernel({.module = module, .op = op}));
    body->constants.push_back(std::move(kernel));
    place(module.result(op));
  }
  for (const ir::OpId op : module.ops(block)) {
    if (module.has_trait(op, ir::kConstantLike)) continue;
    if (module.has_trait(op, ir::kReturnLike)) break;
    std::vector<std::size_t> operands;
    SHARDY_TRY_STATUS(find_all(op, module.operands(op), operands));
    SHARDY_TRY(Kernel kernel, make_kernel({.module = module, .op = op}));
    body->steps.push_back({std::move(kernel), std::move(operands)});
    place(module.result(op));
  }
  SHARDY_TRY_STATUS(find_all(request.op, returned, body->returned));
  body_ = std::move(body);
  return {};
}

Result<Tensors> LaneFunction::run(const LaneBlock& body, Tensors values) {
  for (const LaneStep& step : body.steps) {
    Tensors operands;
    for (const std::size_t place : step.operands) operands.push_back(values[place]);
    SHARDY_TRY(Tensors results, step.kernel({.operands = operands}));
    SHARDY_ASSERT(results.front().num_elements() == values.front().num_elements());
    values.push_back(std::move(results.front()));
  }
  Tensors returned;
  for (const std::size_t place : body.returned) returned.push_back(values[place]);
  return returned;
}

Result<LaneFunction::Lanes> LaneFunction::lanes(int64_t max_lanes,
                                                std::span<const Tensor> captured) const {
  if (body_ == nullptr) {
    return [runner = runner_, elements = results_,
            outer = Tensors(captured.begin(), captured.end())](const Tensors& arguments) {
      return run_each_lane(runner, arguments, outer, elements);
    };
  }
  Tensors fixed;
  for (const std::size_t at : body_->captured) {
    SHARDY_TRY(Tensor lanes, splat(captured[at], max_lanes));
    fixed.push_back(std::move(lanes));
  }
  for (const Kernel& constant : body_->constants) {
    SHARDY_TRY(const Tensors value, constant({}));
    SHARDY_TRY(Tensor lanes, splat(value.front(), max_lanes));
    fixed.push_back(std::move(lanes));
  }
  return [body = body_, fixed = std::move(fixed), max_lanes](Tensors arguments) {
    const int64_t num_lanes = arguments.front().num_elements();
    Tensors values = std::move(arguments);
    for (const Tensor& value : fixed) {
      const bool whole = num_lanes == max_lanes;
      values.push_back(whole ? value : value.part(value.type().with_dims({num_lanes}), 0));
    }
    return run(*body, std::move(values));
  };
}

}  // namespace shardy::simulation
