// Adds random ops that use windows or unsharded dims: reductions, sorts, FFTs, solvers,
// convolutions.

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "checking/ir_names.hpp"
#include "checking/random_maker.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/window_ops.hpp"

namespace shardy::checking {

using ir::EnumAttr;

bool RandomMaker::add_reduce() {
  constexpr std::array kNumbers = {OpKind::Add, OpKind::Add, OpKind::Maximum, OpKind::Minimum,
                                   OpKind::Multiply};
  constexpr std::array kBits = {OpKind::And, OpKind::Or, OpKind::Xor};
  const ValueId value = any();
  const bool bits = !ir::is_float(element(value)) && random_.chance(2);
  const OpKind kind = bits ? random_.pick(std::span<const OpKind>(kBits))
                           : random_.pick(std::span<const OpKind>(kNumbers));
  std::vector<int64_t> reduced;
  double count = 1;
  for (int64_t dim = 0; dim < type(value).rank(); ++dim) {
    if (random_.chance(2)) continue;
    reduced.push_back(dim);
    count *= static_cast<double>(type(value).dim(static_cast<std::size_t>(dim)));
  }
  ValueRange result = known(value);
  const int64_t init = random_.between(0, 2);
  if (kind == OpKind::Add) result.bound = result.bound * count + 2;
  if (kind == OpKind::Multiply) result.bound = 2 * std::pow(result.bound, count);
  const bool sums = kind == OpKind::Add || kind == OpKind::Multiply;
  if (sums && ir::is_float(element(value)) &&
      (!result.integral || !fits(element(value), result.bound))) {
    return false;
  }
  OpSpec spec{.kind = OpKind::Reduce};
  spec.operands = {value, scalar(element(value), init)};
  spec.attributes.set(ir::attr::kDimensions, i64s(std::move(reduced)));
  spec.regions = {reducer(kind, element(value))};
  return emit(std::move(spec), result);
}

namespace {

/// The shape of a dot of `lhs` with a generated second operand.
struct DotShape {
  ir::DotDims numbers;
  std::vector<int64_t> rhs;
  std::vector<int64_t> result;
  double summands = 1;
};

bool listed(const std::vector<int64_t>& list, std::size_t dim) {
  return std::ranges::find(list, static_cast<int64_t>(dim)) != list.end();
}

DotShape random_dot(Random& random, const std::vector<int64_t>& lhs) {
  DotShape dot;
  std::vector<int64_t> free;
  for (std::size_t dim = 0; dim < lhs.size(); ++dim) {
    const int64_t role = random.between(0, 3);  // 0: free, 1: batching, else contracting
    if (role == 0) {
      free.push_back(lhs[dim]);
      continue;
    }
    const auto at = static_cast<int64_t>(dot.rhs.size());
    dot.rhs.push_back(lhs[dim]);
    ir::DotDims& numbers = dot.numbers;
    (role == 1 ? numbers.lhs_batch : numbers.lhs_contracting).push_back(static_cast<int64_t>(dim));
    (role == 1 ? numbers.rhs_batch : numbers.rhs_contracting).push_back(at);
    if (role == 1) {
      dot.result.push_back(lhs[dim]);
    } else {
      dot.summands *= static_cast<double>(lhs[dim]);
    }
  }
  if (random.chance(2)) dot.rhs.push_back(random.between(1, 6));
  dot.result.insert(dot.result.end(), free.begin(), free.end());
  for (std::size_t dim = 0; dim < dot.rhs.size(); ++dim) {
    if (listed(dot.numbers.rhs_batch, dim) || listed(dot.numbers.rhs_contracting, dim)) continue;
    dot.result.push_back(dot.rhs[dim]);
  }
  return dot;
}

}  // namespace

bool RandomMaker::add_dot() {
  const ValueId lhs = any();
  if (element(lhs) == ElementType::I1 || element(lhs) == ElementType::UI8) return false;
  DotShape dot = random_dot(random_, dims(lhs));
  const ValueRange left = known(lhs);
  const ValueRange result{left.integral, left.bound * 3 * dot.summands};
  if (ir::is_float(element(lhs)) && (!left.integral || !fits(element(lhs), result.bound))) {
    return false;
  }
  const Type rhs_type = Type::tensor(std::move(dot.rhs), element(lhs));
  if (rhs_type.num_elements() > 3000) return false;
  const ValueId rhs = constant(rhs_type);
  OpSpec spec{.kind = OpKind::DotGeneral};
  spec.operands = {lhs, rhs};
  // The element type of a dot_general result cannot be inferred.
  spec.result_types = {Type::tensor(std::move(dot.result), element(lhs))};
  spec.attributes.set(ir::attr::kDotDimensionNumbers, std::move(dot.numbers));
  remember(module_.result(builder_->create(std::move(spec))), result);
  return true;
}

// Random ops that need an unsharded dim: sorts, rankings, argmax, batch norms.

namespace {

/// Compares values of one element type in a region.
ValueId compared(ir::Builder& body, ValueId a, ValueId b, const char* direction) {
  const ir::Module& module = body.module();
  const ElementType element = module.type(a).element();
  ir::AttributeMap attributes;
  attributes.set(ir::attr::kComparisonDirection,
                 EnumAttr{"stablehlo.comparison_direction", direction});
  if (ir::is_float(element)) {
    attributes.set(ir::attr::kCompareType, EnumAttr{"stablehlo.comparison_type", "TOTALORDER"});
  }
  return body.create_value(OpKind::Compare, {a, b}, Type::tensor({}, ElementType::I1),
                           std::move(attributes));
}

void end_region(ir::Builder& body, std::vector<ValueId> values) {
  OpSpec terminator{.kind = OpKind::StablehloReturn};
  terminator.operands = std::move(values);
  body.create(std::move(terminator));
}

/// Returns a region (value, index, value, index) -> the pair with the greater value, on ties the
/// first pair.
ir::RegionId first_greatest(ir::Module& module, ElementType element) {
  const ir::RegionId region = module.new_region();
  const Type value = Type::tensor({}, element);
  const Type place = Type::tensor({}, ElementType::I32);
  const std::vector<Type> types = {value, place, value, place};
  const ir::BlockId block = module.new_block(region, types);
  const std::vector<ValueId> arg(module.args(block).begin(), module.args(block).end());
  ir::Builder body(module, block);
  const Type flag = Type::tensor({}, ElementType::I1);
  const ValueId greater = compared(body, arg[0], arg[2], "GT");
  const ValueId equal = compared(body, arg[0], arg[2], "EQ");
  const ValueId first =
      body.create_value(OpKind::And, {equal, compared(body, arg[1], arg[3], "LT")}, flag);
  const ValueId wins = body.create_value(OpKind::Or, {greater, first}, flag);
  const ValueId best = body.create_value(OpKind::Select, {greater, arg[0], arg[2]}, value);
  end_region(body, {best, body.create_value(OpKind::Select, {wins, arg[1], arg[3]}, place)});
  return region;
}

}  // namespace

bool RandomMaker::add_sort() {
  const ValueId operand = any();
  if (rank(operand) == 0) return false;
  const ir::RegionId region = module_.new_region();
  const std::vector<Type> types(2, Type::tensor({}, element(operand)));
  const ir::BlockId block = module_.new_block(region, types);
  const std::vector<ValueId> args(module_.args(block).begin(), module_.args(block).end());
  ir::Builder body(module_, block);
  end_region(body, {compared(body, args[0], args[1], random_.chance(2) ? "LT" : "GT")});
  OpSpec spec{.kind = OpKind::Sort};
  spec.operands = {operand};
  const int64_t dim = random_.between(0, static_cast<int64_t>(rank(operand)) - 1);
  spec.attributes.set(ir::attr::kDimension, ir::IntegerAttr{dim, ElementType::I64});
  spec.attributes.set(ir::attr::kIsStable, true);
  spec.regions = {region};
  return emit(std::move(spec), known(operand));
}

bool RandomMaker::add_top_k() {
  const ValueId operand = any();
  if (rank(operand) == 0 || dims(operand).back() == 0) return false;
  std::vector<int64_t> best = dims(operand);
  const auto size = static_cast<double>(best.back());
  best.back() = random_.between(1, best.back());
  OpSpec spec{.kind = OpKind::ChloTopK};
  spec.operands = {operand};
  spec.attributes.set(ir::attr::kK, ir::IntegerAttr{best.back(), ElementType::I64});
  spec.result_types = {type(operand).with_dims(best), Type::tensor(best, ElementType::I32)};
  const ValueRange values = known(operand);
  const ir::OpId op = builder_->create(std::move(spec));
  remember(module_.result(op, 0), values);
  remember(module_.result(op, 1), {true, size});
  return true;
}

bool RandomMaker::add_argmax() {
  const ValueId operand = any();
  if (rank(operand) == 0 || type(operand).num_elements() == 0) return false;
  const int64_t dim = random_.between(0, static_cast<int64_t>(rank(operand)) - 1);
  std::vector<int64_t> kept = dims(operand);
  const auto size = static_cast<double>(kept[static_cast<std::size_t>(dim)]);
  kept.erase(kept.begin() + dim);
  const Type places = type(operand).with_element(ElementType::I32);
  ir::AttributeMap along;
  along.set(ir::attr::kIotaDimension, ir::IntegerAttr{dim, ElementType::I64});
  const ValueId iota = builder_->create_value(OpKind::Iota, {}, places, std::move(along));
  const Type one = Type::tensor({}, element(operand));
  ir::AttributeMap least;
  least.set(ir::attr::kValue,
            ir::is_float(one.element())
                ? ir::splat_literal(one, ir::least_value(one.element()))
                : ir::int_splat_literal(one, ir::is_signed_integer(one.element()) ? -100 : 0));
  const ValueId init = builder_->create_value(OpKind::Constant, {}, one, std::move(least));
  OpSpec spec{.kind = OpKind::Reduce};
  spec.operands = {operand, iota, init, scalar(ElementType::I32, 0)};
  spec.attributes.set(ir::attr::kDimensions, i64s({dim}));
  spec.regions = {first_greatest(module_, one.element())};
  spec.result_types = {type(operand).with_dims(kept), Type::tensor(kept, ElementType::I32)};
  const ValueRange values = known(operand);
  const ir::OpId op = builder_->create(std::move(spec));
  remember(module_.result(op, 0), values);
  remember(module_.result(op, 1), {true, size});
  return true;
}

bool RandomMaker::add_whole_dim() {
  constexpr std::array<Step, 3> kSteps = {&RandomMaker::add_sort, &RandomMaker::add_top_k,
                                          &RandomMaker::add_argmax};
  return (this->*random_.pick(std::span<const Step>(kSteps)))();
}

namespace {

/// Element types that round small counts and small epsilons, and a type that rounds neither counts
/// nor epsilons.
constexpr auto kNormElements = std::to_array<ElementType>(
    {ElementType::F32, ElementType::BF16, ElementType::BF16, ElementType::F16, ElementType::F16,
     ElementType::F8E3M4, ElementType::F8E4M3, ElementType::F8E4M3FN, ElementType::F8E4M3FNUZ,
     ElementType::F8E5M2, ElementType::F8E5M2FNUZ, ElementType::F8E4M3B11FNUZ});

/// Returns true for sums of products of two distances whose overflow may depend on the order of
/// summands.
bool may_overflow(const Type& type, std::size_t feature, double bound) {
  const int64_t num_summands = type.num_elements() / type.dim(feature);
  // Distance from a mean or of a gradient; both are constants up to 3.
  const double distance = bound + 3;
  const double most = static_cast<double>(num_summands) * distance * distance;
  const double held = ir::decode_double(ir::encode(most, type.element()), type.element());
  return !std::isfinite(held) || held < most / 2;
}

constexpr auto kNorms = std::to_array<OpKind>(
    {OpKind::BatchNormTraining, OpKind::BatchNormInference, OpKind::BatchNormGrad});

}  // namespace

/// Adds a batch norm. Its operands are x, scale, and then the offset, or the mean, the variance and
/// the gradient.
bool RandomMaker::add_batch_norm() {
  const ValueId value = any();
  const bool is_small = known(value).integral && known(value).bound <= 100;
  if (rank(value) == 0 || type(value).num_elements() == 0 || !is_small) return false;
  const Type whole =
      type(value).with_element(random_.pick(std::span<const ElementType>(kNormElements)));
  const auto feature = static_cast<std::size_t>(random_.between(0, whole.rank() - 1));
  const Type each = Type::tensor({whole.dim(feature)}, whole.element());
  OpSpec spec{.kind = random_.pick(std::span<const OpKind>(kNorms))};
  if (spec.kind != OpKind::BatchNormInference && may_overflow(whole, feature, known(value).bound)) {
    return false;
  }
  spec.operands = {builder_->create_value(OpKind::Convert, {value}, whole), constant(each)};
  if (spec.kind != OpKind::BatchNormGrad) spec.operands.push_back(constant(each));
  if (spec.kind != OpKind::BatchNormTraining) {
    const ValueId root = constant(each);
    spec.operands.push_back(constant(each));
    const ValueId square = builder_->create_value(OpKind::Multiply, {root, root}, each);
    ir::AttributeMap one;  // a quotient by almost 0 is as large as its rounding error
    one.set(ir::attr::kValue, ir::splat_literal(each, 1));
    const ValueId ones = builder_->create_value(OpKind::Constant, {}, each, std::move(one));
    spec.operands.push_back(builder_->create_value(OpKind::Add, {square, ones}, each));
  }
  if (spec.kind == OpKind::BatchNormGrad) spec.operands.push_back(constant(whole));
  constexpr std::array kEpsilons = {1e-5F, 1e-3F, 0.1F, 0.5F};
  const auto epsilon = static_cast<double>(random_.pick(std::span<const float>(kEpsilons)));
  spec.attributes.set(ir::attr::kEpsilon, ir::FloatAttr{epsilon, ElementType::F32});
  spec.attributes.set(ir::attr::kFeatureIndex,
                      ir::IntegerAttr{static_cast<int64_t>(feature), ElementType::I64});
  return emit(std::move(spec), {false, 0});
}

namespace {

/// The windows along each of some dims.
struct Windows {
  std::vector<ir::WindowDim> dims;
  std::vector<int64_t> counts;
  double taps = 1;
};

/// Appends the size of a window and its padding such that each window extends to one end of the
/// dim.
void append_scan(Random& random, int64_t base, Windows& windows) {
  const bool forward = random.chance(2);
  windows.dims.push_back(
      {.size = base, .low = forward ? base - 1 : 0, .high = forward ? 0 : base - 1});
  windows.counts.push_back(base);
}

/// Appends a window, with dilations only on request. At least one window fits.
void append_window(Random& random, int64_t base, bool dilates, Windows& windows) {
  const int64_t size = random.between(1, 3);
  const int64_t stride = random.chance(2) ? 1 : random.between(1, 3);
  const int64_t base_dilation = dilates && random.chance(3) ? random.between(2, 3) : 1;
  const int64_t dilation = dilates && random.chance(3) ? 2 : 1;
  const int64_t low = random.between(-1, 2);
  int64_t high = random.between(-1, 2);
  const int64_t extent = (size - 1) * dilation + 1;
  const int64_t missing = extent - (low + (base - 1) * base_dilation + 1 + high);
  if (missing > 0) high += missing;
  const int64_t padded = low + (base - 1) * base_dilation + 1 + high;
  windows.dims.push_back({size, stride, base_dilation, dilation, low, high});
  windows.counts.push_back((padded - extent) / stride + 1);
}

Windows random_windows(Random& random, const std::vector<int64_t>& dims, bool dilates) {
  Windows windows;
  for (const int64_t dim : dims) {
    const int64_t role = random.between(0, 5);
    if (role == 0 && dilates) {
      append_scan(random, dim, windows);
    } else if (role < 3) {
      windows.dims.emplace_back();
      windows.counts.push_back(dim);
    } else {
      append_window(random, dim, dilates, windows);
    }
    windows.taps *= static_cast<double>(windows.dims.back().size);
  }
  return windows;
}

}  // namespace

bool RandomMaker::add_reduce_window() {
  constexpr std::array kKinds = {OpKind::Add, OpKind::Maximum, OpKind::Minimum};
  const ValueId value = any();
  const OpKind kind = random_.pick(std::span<const OpKind>(kKinds));
  const Windows windows = random_windows(random_, dims(value), true);
  const int64_t init = random_.chance(2) ? 0 : random_.between(1, 2);
  ValueRange result = known(value);
  if (kind == OpKind::Add) result.bound = (result.bound + 2) * windows.taps + 2;
  const bool sums = kind == OpKind::Add && ir::is_float(element(value));
  if (sums && (!result.integral || !fits(element(value), result.bound))) return false;
  OpSpec spec{.kind = OpKind::ReduceWindow};
  spec.operands = {value, scalar(element(value), init)};
  spec.attributes = ir::ReduceWindowOp{windows.dims}.attributes();
  spec.regions = {reducer(kind, element(value))};
  return emit(std::move(spec), result);
}

/// Returns a region that selects the greatest element, on ties the first one.
ir::RegionId RandomMaker::selector(ElementType element) {
  const ir::RegionId region = module_.new_region();
  const std::vector<Type> args(2, Type::tensor({}, element));
  const ir::BlockId block = module_.new_block(region, args);
  ir::Builder body(module_, block);
  ir::AttributeMap attributes;
  attributes.set(ir::attr::kComparisonDirection,
                 ir::EnumAttr{"stablehlo.comparison_direction", "GE"});
  end_region(body,
             {body.create_value(OpKind::Compare, {module_.args(block)[0], module_.args(block)[1]},
                                Type::tensor({}, ElementType::I1), std::move(attributes))});
  return region;
}

bool RandomMaker::add_select_and_scatter() {
  const ValueId value = any();
  if (element(value) == ElementType::I1) return false;
  const Windows windows = random_windows(random_, dims(value), false);
  const int64_t init = random_.between(0, 1);
  const ValueRange result{true, (3 + static_cast<double>(init)) * windows.taps + 1};
  if (!fits(element(value), result.bound)) return false;
  const Type source = Type::tensor(windows.counts, element(value));
  if (source.num_elements() > 3000) return false;
  OpSpec spec{.kind = OpKind::SelectAndScatter};
  spec.operands = {value, constant(source), scalar(element(value), init)};
  spec.attributes = ir::SelectAndScatterOp{windows.dims}.attributes();
  spec.regions = {selector(element(value)), reducer(OpKind::Add, element(value))};
  return emit(std::move(spec), result);
}

namespace {

/// The dims of operands and result in the order batch, features, spatial dims.
struct ConvolutionShape {
  ir::ConvolutionDims numbers;
  std::vector<int64_t> rhs, result;
  int64_t feature_groups = 1, batch_groups = 1;
  Windows windows;
  double summands = 1;
};

int64_t random_divisor(Random& random, int64_t number) {
  std::vector<int64_t> divisors;
  for (int64_t divisor = 1; divisor <= number; ++divisor) {
    if (number % divisor == 0) divisors.push_back(divisor);
  }
  return random.pick(divisors);
}

/// Assigns random roles to the dims of `lhs`. The kernel has its feature dims first.
ConvolutionShape random_convolution(Random& random, const std::vector<int64_t>& lhs) {
  ConvolutionShape shape;
  std::vector<int64_t> order;
  for (int64_t dim = 0; dim < std::ssize(lhs); ++dim) {
    order.insert(order.begin() + random.between(0, std::ssize(order)), dim);
  }
  const auto size = [&](int64_t dim) { return lhs[static_cast<std::size_t>(dim)]; };
  if (random.chance(3)) {
    (random.chance(2) ? shape.feature_groups : shape.batch_groups) =
        random_divisor(random, size(order[random.chance(2) ? 0 : 1]));
    if (size(order[1]) % shape.feature_groups != 0) shape.feature_groups = 1;
    if (size(order[0]) % shape.batch_groups != 0) shape.batch_groups = 1;
  }
  const int64_t inputs = size(order[1]) / shape.feature_groups;
  const int64_t outputs = shape.feature_groups * shape.batch_groups * random.between(1, 3);
  shape.rhs = {inputs, outputs};
  shape.result = {size(order[0]) / shape.batch_groups, outputs};
  std::vector<int64_t> spatial;
  for (std::size_t index = 2; index < order.size(); ++index) {
    spatial.push_back(size(order[index]));
    shape.numbers.input_spatial.push_back(order[index]);
    shape.numbers.kernel_spatial.push_back(static_cast<int64_t>(index));
    shape.numbers.output_spatial.push_back(static_cast<int64_t>(index));
  }
  for (const int64_t dim : spatial) append_window(random, dim, true, shape.windows);
  shape.summands = static_cast<double>(inputs);
  for (std::size_t dim = 0; dim < spatial.size(); ++dim) {
    shape.rhs.push_back(shape.windows.dims[dim].size);
    shape.result.push_back(shape.windows.counts[dim]);
    shape.summands *= static_cast<double>(shape.windows.dims[dim].size);
  }
  shape.numbers.input_batch = order[0];
  shape.numbers.input_feature = order[1];
  shape.numbers.kernel_output_feature = 1;
  shape.numbers.output_feature = 1;
  return shape;
}

}  // namespace

bool RandomMaker::add_convolution() {
  const ValueId lhs = any();
  if (rank(lhs) < 2 || element(lhs) == ElementType::I1 || element(lhs) == ElementType::UI8) {
    return false;
  }
  ConvolutionShape shape = random_convolution(random_, dims(lhs));
  const ValueRange left = known(lhs);
  const ValueRange result{left.integral, left.bound * 3 * shape.summands};
  if (ir::is_float(element(lhs)) && (!left.integral || !fits(element(lhs), result.bound))) {
    return false;
  }
  const Type rhs = Type::tensor(std::move(shape.rhs), element(lhs));
  const Type type = Type::tensor(std::move(shape.result), element(lhs));
  if (rhs.num_elements() > 3000 || type.num_elements() > 20000) return false;
  OpSpec spec{.kind = OpKind::Convolution};
  spec.operands = {lhs, constant(rhs)};
  spec.result_types = {type};
  std::vector<ir::WindowDim>& window = shape.windows.dims;
  for (ir::WindowDim& dim : window) dim.reversed = random_.between(0, 1) != 0;
  spec.attributes =
      ir::ConvolutionOp{shape.numbers, window, shape.feature_groups, shape.batch_groups}
          .attributes();
  if (window.empty()) {  // empty lists are not printed
    for (const std::string_view name :
         {ir::attr::kWindowStrides, ir::attr::kLhsDilation, ir::attr::kRhsDilation,
          ir::attr::kPadding, ir::attr::kWindowReversal}) {
      spec.attributes.erase(name);
    }
  }
  remember(module_.result(builder_->create(std::move(spec))), result);
  return true;
}

bool RandomMaker::add_window() {
  constexpr std::array<Step, 3> kSteps = {&RandomMaker::add_convolution,
                                          &RandomMaker::add_reduce_window,
                                          &RandomMaker::add_select_and_scatter};
  return (this->*random_.pick(std::span<const Step>(kSteps)))();
}

}  // namespace shardy::checking
