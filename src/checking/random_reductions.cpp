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
  Known result = known(value);
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

/// A dot of `lhs` with a second operand that is made to fit.
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
    const int64_t role = random.between(0, 3);  // 0: free, 1: batch, else contracting
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
  const Known left = known(lhs);
  const Known result{left.integral, left.bound * 3 * dot.summands};
  if (ir::is_float(element(lhs)) && (!left.integral || !fits(element(lhs), result.bound))) {
    return false;
  }
  const Type rhs_type = Type::tensor(std::move(dot.rhs), element(lhs));
  if (rhs_type.num_elements() > 3000) return false;
  const ValueId rhs = random_constant(rhs_type);
  OpSpec spec{.kind = OpKind::DotGeneral};
  spec.operands = {lhs, rhs};
  // dot_general leaves the element type of its result open.
  spec.result_types = {Type::tensor(std::move(dot.result), element(lhs))};
  spec.attributes.set(ir::attr::kDotDimensionNumbers, std::move(dot.numbers));
  remember(module_.result(builder_->create(std::move(spec))), result);
  return true;
}

}  // namespace shardy::checking
