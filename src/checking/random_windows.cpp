#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "checking/random_maker.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/number.hpp"

namespace shardy::checking {

using ir::ElementType;
using ir::IntegerAttr;
using ir::OpKind;
using ir::OpSpec;
using ir::Type;
using ir::ValueId;

namespace {

/// Windows along each of some dims.
struct Windows {
  std::vector<int64_t> sizes, strides, base_dilations, dilations, padding, counts;
  double taps = 1;
};

/// The size of a window, and padding with which windows reach to an end of the dim.
void append_scan(Random& random, int64_t base, Windows& windows) {
  windows.sizes.push_back(base);
  for (std::vector<int64_t>* list :
       {&windows.strides, &windows.base_dilations, &windows.dilations}) {
    list->push_back(1);
  }
  const bool forward = random.chance(2);
  windows.padding.insert(windows.padding.end(), {forward ? base - 1 : 0, forward ? 0 : base - 1});
  windows.counts.push_back(base);
}

/// With dilations only if asked for; at least one window fits.
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
  windows.sizes.push_back(size);
  windows.strides.push_back(stride);
  windows.base_dilations.push_back(base_dilation);
  windows.dilations.push_back(dilation);
  windows.padding.insert(windows.padding.end(), {low, high});
  windows.counts.push_back((padded - extent) / stride + 1);
}

void append_pass(int64_t base, Windows& windows) {
  for (std::vector<int64_t>* list :
       {&windows.sizes, &windows.strides, &windows.base_dilations, &windows.dilations}) {
    list->push_back(1);
  }
  windows.padding.insert(windows.padding.end(), {0, 0});
  windows.counts.push_back(base);
}

Windows random_windows(Random& random, const std::vector<int64_t>& dims, bool dilates) {
  Windows windows;
  for (const int64_t dim : dims) {
    const int64_t role = random.between(0, 5);
    if (role == 0 && dilates) {
      append_scan(random, dim, windows);
    } else if (role < 3) {
      append_pass(dim, windows);
    } else {
      append_window(random, dim, dilates, windows);
    }
    windows.taps *= static_cast<double>(windows.sizes.back());
  }
  return windows;
}

ir::Literal padding_of(const Windows& windows) {
  const auto rank = static_cast<int64_t>(windows.sizes.size());
  return ir::literal_from(Type::tensor({rank, 2}, ElementType::I64), windows.padding);
}

}  // namespace

bool RandomMaker::add_reduce_window() {
  constexpr std::array kKinds = {OpKind::Add, OpKind::Maximum, OpKind::Minimum};
  const ValueId value = any();
  const OpKind kind = random_.pick(std::span<const OpKind>(kKinds));
  const Windows windows = random_windows(random_, dims(value), true);
  const int64_t init = random_.chance(2) ? 0 : random_.between(1, 2);
  Known result = known(value);
  if (kind == OpKind::Add) result.bound = (result.bound + 2) * windows.taps + 2;
  const bool sums = kind == OpKind::Add && ir::is_float(element(value));
  if (sums && (!result.integral || !fits(element(value), result.bound))) return false;
  OpSpec spec{.kind = OpKind::ReduceWindow};
  spec.operands = {value, scalar(element(value), init)};
  spec.attributes.set(ir::attr::kWindowDimensions, i64s(windows.sizes));
  spec.attributes.set(ir::attr::kWindowStrides, i64s(windows.strides));
  spec.attributes.set(ir::attr::kBaseDilations, i64s(windows.base_dilations));
  spec.attributes.set(ir::attr::kWindowDilations, i64s(windows.dilations));
  spec.attributes.set(ir::attr::kPadding, padding_of(windows));
  spec.regions = {reducer(kind, element(value))};
  return emit(std::move(spec), result);
}

/// Selects the first of the greatest elements.
ir::RegionId RandomMaker::selector(ElementType element) {
  const ir::RegionId region = module_.new_region();
  const std::vector<Type> args(2, Type::tensor({}, element));
  const ir::BlockId block = module_.new_block(region, args);
  ir::Builder body(module_, block);
  ir::AttributeMap attributes;
  attributes.set(ir::attr::kComparisonDirection,
                 ir::EnumAttr{"stablehlo.comparison_direction", "GE"});
  OpSpec terminator{.kind = OpKind::StablehloReturn};
  terminator.operands = {
      body.create_value(OpKind::Compare, {module_.args(block)[0], module_.args(block)[1]},
                        Type::tensor({}, ElementType::I1), std::move(attributes))};
  body.create(std::move(terminator));
  return region;
}

ValueId RandomMaker::random_constant(const Type& type) {
  ir::AttributeMap literal;
  literal.set(ir::attr::kValue, random_tensor(random_, type).to_literal());
  return remember(builder_->create_value(OpKind::Constant, {}, type, std::move(literal)), Known{});
}

bool RandomMaker::add_select_and_scatter() {
  const ValueId value = any();
  if (element(value) == ElementType::I1) return false;
  const Windows windows = random_windows(random_, dims(value), false);
  const int64_t init = random_.between(0, 1);
  const Known result{true, (3 + static_cast<double>(init)) * windows.taps + 1};
  if (!fits(element(value), result.bound)) return false;
  const Type source = Type::tensor(windows.counts, element(value));
  if (source.num_elements() > 3000) return false;
  OpSpec spec{.kind = OpKind::SelectAndScatter};
  spec.operands = {value, random_constant(source), scalar(element(value), init)};
  spec.attributes.set(ir::attr::kWindowDimensions, i64s(windows.sizes));
  spec.attributes.set(ir::attr::kWindowStrides, i64s(windows.strides));
  spec.attributes.set(ir::attr::kPadding, padding_of(windows));
  spec.regions = {selector(element(value)), reducer(OpKind::Add, element(value))};
  return emit(std::move(spec), result);
}

namespace {

/// Dims of the operands and the result in the order batch, features, spatial dims.
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

/// Roles of the dims of `lhs` at random; the kernel has features first.
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
    shape.rhs.push_back(shape.windows.sizes[dim]);
    shape.result.push_back(shape.windows.counts[dim]);
    shape.summands *= static_cast<double>(shape.windows.sizes[dim]);
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
  const Known left = known(lhs);
  const Known result{left.integral, left.bound * 3 * shape.summands};
  if (ir::is_float(element(lhs)) && (!left.integral || !fits(element(lhs), result.bound))) {
    return false;
  }
  const Type rhs = Type::tensor(std::move(shape.rhs), element(lhs));
  const Type type = Type::tensor(std::move(shape.result), element(lhs));
  if (rhs.num_elements() > 3000 || type.num_elements() > 20000) return false;
  OpSpec spec{.kind = OpKind::Convolution};
  spec.operands = {lhs, random_constant(rhs)};
  spec.result_types = {type};
  spec.attributes.set(ir::attr::kDimensionNumbers, std::move(shape.numbers));
  spec.attributes.set(ir::attr::kFeatureGroupCount,
                      IntegerAttr{shape.feature_groups, ElementType::I64});
  spec.attributes.set(ir::attr::kBatchGroupCount,
                      IntegerAttr{shape.batch_groups, ElementType::I64});
  if (!shape.windows.sizes.empty()) {
    std::vector<int64_t> reversal;
    for (std::size_t dim = 0; dim < shape.windows.sizes.size(); ++dim) {
      reversal.push_back(random_.between(0, 1));
    }
    spec.attributes.set(ir::attr::kWindowStrides, i64s(shape.windows.strides));
    spec.attributes.set(ir::attr::kLhsDilation, i64s(shape.windows.base_dilations));
    spec.attributes.set(ir::attr::kRhsDilation, i64s(shape.windows.dilations));
    spec.attributes.set(ir::attr::kPadding, padding_of(shape.windows));
    spec.attributes.set(ir::attr::kWindowReversal,
                        ir::DenseArrayAttr{ElementType::I1, std::move(reversal)});
  }
  remember(module_.result(builder_->create(std::move(spec))), result);
  return true;
}

bool RandomMaker::add_window() {
  switch (random_.between(0, 2)) {
    case 0:
      return add_convolution();
    case 1:
      return add_reduce_window();
    default:
      return add_select_and_scatter();
  }
}

}  // namespace shardy::checking
