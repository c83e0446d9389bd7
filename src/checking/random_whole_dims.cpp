// Random ops that look at all of a dim: sorts, rankings, the greatest element and where it stands.
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

}  // namespace shardy::checking
