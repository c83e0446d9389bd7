#include <algorithm>
#include <array>

#include "checking/random_maker.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/number.hpp"

namespace shardy::checking {

using ir::AttributeMap;
using ir::ElementType;
using ir::IntegerAttr;
using ir::OpKind;
using ir::OpSpec;
using ir::Type;
using ir::ValueId;

bool RandomMaker::add_unary() {
  constexpr std::array kNumbers = {OpKind::Abs, OpKind::Negate, OpKind::Sign};
  constexpr std::array kBits = {OpKind::Not, OpKind::PopulationCount, OpKind::CountLeadingZeros};
  const ValueId value = any();
  const bool bits = !ir::is_float(element(value));
  const OpKind kind = bits && random_.chance(2) ? random_.pick(std::span<const OpKind>(kBits))
                                                : random_.pick(std::span<const OpKind>(kNumbers));
  const bool is_chosen_by_rounding = kind == OpKind::Sign && !known(value).integral;
  if (options_.batch_norms && is_chosen_by_rounding) return false;  // of a sum that may be 0
  return emit_simple(kind, {value}, known(value));
}

/// Functions with results other than integers: no sum follows them.
bool RandomMaker::add_function() {
  constexpr std::array kFunctions = {OpKind::Exponential,
                                     OpKind::Tanh,
                                     OpKind::Logistic,
                                     OpKind::Sine,
                                     OpKind::Cosine,
                                     OpKind::Sqrt,
                                     OpKind::Rsqrt,
                                     OpKind::Log,
                                     OpKind::Cbrt,
                                     OpKind::Floor,
                                     OpKind::Ceil,
                                     OpKind::LogPlusOne,
                                     OpKind::ExponentialMinusOne,
                                     OpKind::RoundNearestEven};
  if (!options_.transcendental) return false;
  const ValueId value = any();
  return emit_simple(random_.pick(std::span<const OpKind>(kFunctions)), {value}, {false, 0});
}

bool RandomMaker::add_binary() {
  constexpr std::array kKinds = {OpKind::Add, OpKind::Subtract, OpKind::Multiply, OpKind::Maximum,
                                 OpKind::Minimum};
  const ValueId lhs = any();
  const ValueId rhs = *any_like(lhs);
  const OpKind kind = random_.pick(std::span<const OpKind>(kKinds));
  Known result{known(lhs).integral && known(rhs).integral, known(lhs).bound + known(rhs).bound};
  if (kind == OpKind::Multiply) result.bound = known(lhs).bound * known(rhs).bound;
  if (!fits(element(lhs), result.bound)) return false;
  return emit_simple(kind, {lhs, rhs}, result);
}

bool RandomMaker::add_integer_binary() {
  constexpr std::array kKinds = {OpKind::And,
                                 OpKind::Or,
                                 OpKind::Xor,
                                 OpKind::Divide,
                                 OpKind::Remainder,
                                 OpKind::ShiftLeft,
                                 OpKind::ShiftRightArithmetic};
  const ValueId lhs = any();
  if (ir::is_float(element(lhs))) return false;
  return emit_simple(random_.pick(std::span<const OpKind>(kKinds)), {lhs, *any_like(lhs)}, {});
}

bool RandomMaker::add_compare() {
  constexpr std::array<const char*, 6> kDirections = {"EQ", "NE", "GE", "GT", "LE", "LT"};
  const ValueId lhs = any();
  const ValueId rhs = *any_like(lhs);
  const bool is_exact = known(lhs).integral && known(rhs).integral;
  if (options_.batch_norms && !is_exact) return false;  // the order of sums would decide
  AttributeMap attributes;
  attributes.set(ir::attr::kComparisonDirection,
                 ir::EnumAttr{"stablehlo.comparison_direction",
                              random_.pick(std::span<const char* const>(kDirections))});
  return emit_simple(OpKind::Compare, {lhs, rhs}, {}, std::move(attributes));
}

bool RandomMaker::add_select() {
  const ValueId on_true = any();
  const ValueId on_false = *any_like(on_true);
  std::vector<ValueId> predicates;
  for (const ValueId value : values_) {
    if (element(value) == ElementType::I1 &&
        (type(value).rank() == 0 || dims(value) == dims(on_true))) {
      predicates.push_back(value);
    }
  }
  if (predicates.empty()) return false;
  const Known result{known(on_true).integral && known(on_false).integral,
                     std::max(known(on_true).bound, known(on_false).bound)};
  return emit_simple(OpKind::Select, {random_.pick(predicates), on_true, on_false}, result);
}

bool RandomMaker::add_clamp() {
  const ValueId value = any();
  if (element(value) == ElementType::I1) return false;
  const ValueId low = scalar(element(value), 0);
  const ValueId high = scalar(element(value), random_.between(1, 4));
  return emit_simple(OpKind::Clamp, {low, value, high}, {known(value).integral, 4});
}

bool RandomMaker::add_convert() {
  const ValueId value = any();
  if (!known(value).integral || known(value).bound > 100) return false;
  const ElementType target = random_element();
  OpSpec spec{.kind = OpKind::Convert};
  spec.operands = {value};
  spec.result_types = {type(value).with_element(target)};
  const Known result{true, std::max(known(value).bound, 255.0)};
  remember(module_.result(builder_->create(std::move(spec))), result);
  return true;
}

bool RandomMaker::add_iota() {
  const Type wanted = random_type();
  if (wanted.rank() == 0 || wanted.element() == ElementType::I1) return false;
  AttributeMap attributes;
  attributes.set(ir::attr::kIotaDimension, IntegerAttr{random_.between(0, wanted.rank() - 1)});
  remember(builder_->create_value(OpKind::Iota, {}, wanted, std::move(attributes)),
           {true, static_cast<double>(options_.max_dim)});
  return true;
}

bool RandomMaker::add_constant() {
  const Type wanted = random_type();
  AttributeMap attributes;
  const bool splat = random_.chance(2);
  attributes.set(ir::attr::kValue, splat ? ir::int_splat_literal(wanted, random_.between(0, 3))
                                         : random_tensor(random_, wanted).to_literal());
  remember(builder_->create_value(OpKind::Constant, {}, wanted, std::move(attributes)), {});
  return true;
}

}  // namespace shardy::checking
