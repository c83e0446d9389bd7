// Random ops that look at all of a dim: sorts, rankings, the greatest element and where it stands,
// batch norms.
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "checking/random_maker.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/number.hpp"

namespace shardy::checking {

using ir::ElementType;
using ir::EnumAttr;
using ir::OpKind;
using ir::OpSpec;
using ir::Type;
using ir::ValueId;

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

/// (value, place, value, place) -> the greater one and the first of equals.
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
  const Known values = known(operand);
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
  const Known values = known(operand);
  const ir::OpId op = builder_->create(std::move(spec));
  remember(module_.result(op, 0), values);
  remember(module_.result(op, 1), {true, size});
  return true;
}

bool RandomMaker::add_whole_dim() {
  switch (random_.between(0, 2)) {
    case 0:
      return add_sort();
    case 1:
      return add_top_k();
    default:
      return add_argmax();
  }
}

namespace {

/// Types that round small counts and small epsilons, and one that does not.
constexpr auto kNormElements = std::to_array<ElementType>(
    {ElementType::F32, ElementType::BF16, ElementType::BF16, ElementType::F16, ElementType::F16,
     ElementType::F8E3M4, ElementType::F8E4M3, ElementType::F8E4M3FN, ElementType::F8E4M3FNUZ,
     ElementType::F8E5M2, ElementType::F8E5M2FNUZ, ElementType::F8E4M3B11FNUZ});

/// Sums of products of two distances: whether one overflows may depend on the order of summands.
bool may_overflow(const Type& type, std::size_t feature, double bound) {
  const auto each = static_cast<double>(type.num_elements() / type.dim(feature));
  const double distance = bound + 3;  // from a mean or of a gradient, which are constants up to 3
  const double most = each * distance * distance;
  const double held = ir::decode_double(ir::encode(most, type.element()), type.element());
  return !std::isfinite(held) || held < most / 2;
}

constexpr auto kNorms = std::to_array<OpKind>(
    {OpKind::BatchNormTraining, OpKind::BatchNormInference, OpKind::BatchNormGrad});

}  // namespace

/// Operands: x, scale, then offset or the mean, the variance and the gradient, as the op has them.
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
    ir::AttributeMap one;  // what is divided by almost nothing is as large as its rounding
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

}  // namespace shardy::checking
