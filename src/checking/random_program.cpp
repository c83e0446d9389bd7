#include "shardy/checking/random_program.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "shardy/ir/builder.hpp"
#include "shardy/ir/infer.hpp"
#include "shardy/ir/number.hpp"
#include "shardy/ir/sharding_access.hpp"

namespace shardy::checking {

using ir::AttributeMap;
using ir::DenseArrayAttr;
using ir::ElementType;
using ir::IntegerAttr;
using ir::Module;
using ir::OpKind;
using ir::OpSpec;
using ir::Type;
using ir::ValueId;

namespace {

constexpr std::array kElements = {ElementType::F32, ElementType::F32, ElementType::F64,
                                  ElementType::I32, ElementType::I64, ElementType::UI8,
                                  ElementType::I1};

/// What keeps sums exact: whether all elements are integers, and how large they may get.
struct Known {
  bool integral = true;
  double bound = 3;
};

DenseArrayAttr i64s(std::vector<int64_t> values) { return {ElementType::I64, std::move(values)}; }

double exact_limit(ElementType element) {
  if (element == ElementType::F32) return 0x1p24;
  if (element == ElementType::F64) return 0x1p53;
  return ir::is_float(element) ? 0x1p8 : HUGE_VAL;
}

/// Adds random ops to `main`, each on values that exist.
class Maker {
 public:
  Maker(uint64_t seed, const RandomProgramOptions& options)
      : random_(seed), options_(options), mesh_(random_mesh(random_, options.max_devices)) {}

  RandomProgram make();

 private:
  using Step = bool (Maker::*)();

  // ---- Steps: each adds an op and returns true, or finds nothing to do ----
  bool add_unary();
  bool add_function();
  bool add_binary();
  bool add_integer_binary();
  bool add_compare();
  bool add_select();
  bool add_clamp();
  bool add_convert();
  bool add_iota();
  bool add_constant();
  bool add_broadcast();
  bool add_reshape();
  bool add_transpose();
  bool add_reverse();
  bool add_reduce();
  bool add_dot();
  bool add_slice();
  bool add_concatenate();
  bool add_pad();
  bool add_constraint();

  // ---- Helpers ----
  const Type& type(ValueId value) const { return module_.type(value); }
  ElementType element(ValueId value) const { return type(value).element(); }
  std::vector<int64_t> dims(ValueId value) const {
    return {type(value).dims().begin(), type(value).dims().end()};
  }
  const Known& known(ValueId value) const { return known_[value.index()]; }
  ValueId any() { return random_.pick(values_); }
  std::optional<ValueId> any_like(ValueId model);
  Type random_type();
  /// Makes the op with inferred types; false if it is not legal.
  bool emit(OpSpec spec, const Known& known);
  bool emit_simple(OpKind kind, std::vector<ValueId> operands, const Known& known,
                   AttributeMap attributes = {});
  ValueId scalar(ElementType element, int64_t number);
  ir::RegionId reducer(OpKind kind, ElementType element);
  bool fits(ElementType element, double bound) const { return bound < exact_limit(element); }

  Random random_;
  RandomProgramOptions options_;
  Mesh mesh_;
  Module module_;
  std::optional<ir::Builder> builder_;
  std::vector<ValueId> values_;
  std::vector<Known> known_;
};

Type Maker::random_type() {
  std::vector<int64_t> dims;
  const int64_t rank = random_.between(0, options_.max_rank);
  int64_t elements = 1;
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t size = random_.between(1, options_.max_dim);
    if (elements * size > 3000) size = 2;
    elements *= size;
    dims.push_back(size);
  }
  return Type::tensor(std::move(dims), random_.pick(std::span<const ElementType>(kElements)));
}

/// Another value of the same type; the value itself when there is no other.
std::optional<ValueId> Maker::any_like(ValueId model) {
  std::vector<ValueId> alike;
  for (const ValueId value : values_) {
    if (type(value) == type(model)) alike.push_back(value);
  }
  return random_.pick(alike);
}

bool Maker::emit(OpSpec spec, const Known& known) {
  const auto types = ir::infer_result_types(module_, spec);
  if (!types) return false;
  spec.result_types = *types;
  for (const Type& type : spec.result_types) {
    if (type.num_elements() > 20000) return false;
  }
  const ir::OpId op = builder_->create(std::move(spec));
  known_.resize(module_.num_values());
  for (const ValueId result : module_.results(op)) {
    known_[result.index()] = known;
    values_.push_back(result);
  }
  return true;
}

bool Maker::emit_simple(OpKind kind, std::vector<ValueId> operands, const Known& known,
                        AttributeMap attributes) {
  OpSpec spec{.kind = kind};
  spec.operands = std::move(operands);
  spec.attributes = std::move(attributes);
  return emit(std::move(spec), known);
}

ValueId Maker::scalar(ElementType element, int64_t number) {
  AttributeMap attributes;
  attributes.set("value", ir::int_splat_literal(Type::tensor({}, element), number));
  const ValueId value = builder_->create_value(OpKind::Constant, {}, Type::tensor({}, element),
                                               std::move(attributes));
  known_.resize(module_.num_values());
  known_[value.index()] = {true, static_cast<double>(std::abs(number))};
  return value;
}

ir::RegionId Maker::reducer(OpKind kind, ElementType element) {
  const ir::RegionId region = module_.new_region();
  const std::vector<Type> args(2, Type::tensor({}, element));
  const ir::BlockId block = module_.new_block(region, args);
  ir::Builder body(module_, block);
  const ValueId lhs = module_.args(block)[0];
  const ValueId rhs = module_.args(block)[1];
  OpSpec terminator{.kind = OpKind::StablehloReturn};
  terminator.operands = {body.create_value(kind, {lhs, rhs}, args.front())};
  body.create(std::move(terminator));
  return region;
}

// ---- Elementwise -----------------------------------------------------------------------------

bool Maker::add_unary() {
  constexpr std::array kNumbers = {OpKind::Abs, OpKind::Negate, OpKind::Sign};
  constexpr std::array kBits = {OpKind::Not, OpKind::PopulationCount, OpKind::CountLeadingZeros};
  const ValueId value = any();
  const bool bits = !ir::is_float(element(value));
  const OpKind kind = bits && random_.chance(2) ? random_.pick(std::span<const OpKind>(kBits))
                                                : random_.pick(std::span<const OpKind>(kNumbers));
  return emit_simple(kind, {value}, known(value));
}

/// Functions whose values are no integers: nothing is summed after them.
bool Maker::add_function() {
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

bool Maker::add_binary() {
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

bool Maker::add_integer_binary() {
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

bool Maker::add_compare() {
  constexpr std::array<const char*, 6> kDirections = {"EQ", "NE", "GE", "GT", "LE", "LT"};
  const ValueId lhs = any();
  AttributeMap attributes;
  attributes.set("comparison_direction",
                 ir::EnumAttr{"stablehlo.comparison_direction",
                              random_.pick(std::span<const char* const>(kDirections))});
  return emit_simple(OpKind::Compare, {lhs, *any_like(lhs)}, {}, std::move(attributes));
}

bool Maker::add_select() {
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

bool Maker::add_clamp() {
  const ValueId value = any();
  if (element(value) == ElementType::I1) return false;
  const ValueId low = scalar(element(value), 0);
  const ValueId high = scalar(element(value), random_.between(1, 4));
  return emit_simple(OpKind::Clamp, {low, value, high}, {known(value).integral, 4});
}

bool Maker::add_convert() {
  const ValueId value = any();
  if (!known(value).integral || known(value).bound > 100) return false;
  const ElementType target = random_.pick(std::span<const ElementType>(kElements));
  OpSpec spec{.kind = OpKind::Convert};
  spec.operands = {value};
  spec.result_types = {type(value).with_element(target)};
  const ir::OpId op = builder_->create(std::move(spec));
  known_.resize(module_.num_values());
  known_[module_.result(op).index()] = {true, std::max(known(value).bound, 255.0)};
  values_.push_back(module_.result(op));
  return true;
}

// ---- Sources ---------------------------------------------------------------------------------

bool Maker::add_iota() {
  const Type wanted = random_type();
  if (wanted.rank() == 0 || wanted.element() == ElementType::I1) return false;
  AttributeMap attributes;
  attributes.set("iota_dimension", IntegerAttr{random_.between(0, wanted.rank() - 1)});
  values_.push_back(builder_->create_value(OpKind::Iota, {}, wanted, std::move(attributes)));
  known_.resize(module_.num_values());
  known_.back() = {true, static_cast<double>(options_.max_dim)};
  return true;
}

bool Maker::add_constant() {
  const Type wanted = random_type();
  AttributeMap attributes;
  const bool splat = random_.chance(2);
  attributes.set("value", splat ? ir::int_splat_literal(wanted, random_.between(0, 3))
                                : random_tensor(random_, wanted).to_literal());
  values_.push_back(builder_->create_value(OpKind::Constant, {}, wanted, std::move(attributes)));
  known_.resize(module_.num_values());
  return true;
}

// ---- Shapes ----------------------------------------------------------------------------------

bool Maker::add_broadcast() {
  const ValueId value = any();
  const std::vector<int64_t> from = dims(value);
  std::vector<int64_t> to;
  std::vector<int64_t> mapped;
  for (const int64_t dim : from) {
    if (random_.chance(3)) to.push_back(random_.between(1, 5));
    mapped.push_back(static_cast<int64_t>(to.size()));
    to.push_back(dim == 1 && random_.chance(2) ? random_.between(1, options_.max_dim) : dim);
  }
  if (random_.chance(2)) to.push_back(random_.between(1, 5));
  if (std::ssize(to) > options_.max_rank) return false;
  OpSpec spec{.kind = OpKind::BroadcastInDim};
  spec.operands = {value};
  spec.result_types = {type(value).with_dims(to)};
  spec.attributes.set("broadcast_dimensions", i64s(std::move(mapped)));
  if (spec.result_types.front().num_elements() > 20000) return false;
  values_.push_back(module_.result(builder_->create(std::move(spec))));
  known_.resize(module_.num_values());
  known_.back() = known(value);
  return true;
}

/// Merges neighbours, then splits dims at divisors, then puts in dims of size 1.
bool Maker::add_reshape() {
  const ValueId value = any();
  std::vector<int64_t> merged;
  for (const int64_t dim : dims(value)) {
    if (!merged.empty() && random_.chance(2)) {
      merged.back() *= dim;
    } else {
      merged.push_back(dim);
    }
  }
  std::vector<int64_t> to;
  for (const int64_t dim : merged) {
    int64_t rest = dim;
    for (int64_t divisor = 2; divisor < rest; ++divisor) {
      if (rest % divisor != 0 || random_.chance(2)) continue;
      to.push_back(divisor);
      rest /= divisor;
      break;
    }
    to.push_back(rest);
    if (random_.chance(6)) to.push_back(1);
  }
  if (std::ssize(to) > options_.max_rank + 1) return false;
  OpSpec spec{.kind = OpKind::Reshape};
  spec.operands = {value};
  spec.result_types = {type(value).with_dims(std::move(to))};
  values_.push_back(module_.result(builder_->create(std::move(spec))));
  known_.resize(module_.num_values());
  known_.back() = known(value);
  return true;
}

bool Maker::add_transpose() {
  const ValueId value = any();
  std::vector<int64_t> permutation;
  for (int64_t dim = 0; dim < type(value).rank(); ++dim) {
    const auto at = random_.between(0, static_cast<int64_t>(permutation.size()));
    permutation.insert(permutation.begin() + at, dim);
  }
  AttributeMap attributes;
  attributes.set("permutation", i64s(std::move(permutation)));
  return emit_simple(OpKind::Transpose, {value}, known(value), std::move(attributes));
}

bool Maker::add_reverse() {
  const ValueId value = any();
  std::vector<int64_t> reversed;
  for (int64_t dim = 0; dim < type(value).rank(); ++dim) {
    if (random_.chance(2)) reversed.push_back(dim);
  }
  AttributeMap attributes;
  attributes.set("dimensions", i64s(std::move(reversed)));
  return emit_simple(OpKind::Reverse, {value}, known(value), std::move(attributes));
}

// ---- Reductions ------------------------------------------------------------------------------

bool Maker::add_reduce() {
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
  spec.attributes.set("dimensions", i64s(std::move(reduced)));
  spec.regions = {reducer(kind, element(value))};
  return emit(std::move(spec), result);
}

/// The second operand is made to fit: a fresh value of the right shape.
bool Maker::add_dot() {
  const ValueId lhs = any();
  if (element(lhs) == ElementType::I1 || element(lhs) == ElementType::UI8) return false;
  ir::DotDims numbers;
  std::vector<int64_t> rhs_dims;
  double count = 1;
  const std::vector<int64_t> sizes = dims(lhs);
  for (std::size_t dim = 0; dim < sizes.size(); ++dim) {
    const int64_t role = random_.between(0, 3);
    if (role == 0) continue;
    const auto at = static_cast<int64_t>(rhs_dims.size());
    rhs_dims.push_back(sizes[dim]);
    auto& lhs_list = role == 1 ? numbers.lhs_batch : numbers.lhs_contracting;
    auto& rhs_list = role == 1 ? numbers.rhs_batch : numbers.rhs_contracting;
    lhs_list.push_back(static_cast<int64_t>(dim));
    rhs_list.push_back(at);
    if (role != 1) count *= static_cast<double>(sizes[dim]);
  }
  if (random_.chance(2)) rhs_dims.push_back(random_.between(1, 6));
  const Known& left = known(lhs);
  const double bound = left.bound * 3 * count;
  if (ir::is_float(element(lhs)) && (!left.integral || !fits(element(lhs), bound))) return false;
  const Type rhs_type = Type::tensor(std::move(rhs_dims), element(lhs));
  if (rhs_type.num_elements() > 3000) return false;
  AttributeMap literal;
  literal.set("value", random_tensor(random_, rhs_type).to_literal());
  const ValueId rhs = builder_->create_value(OpKind::Constant, {}, rhs_type, std::move(literal));
  known_.resize(module_.num_values());
  values_.push_back(rhs);
  OpSpec spec{.kind = OpKind::DotGeneral};
  spec.operands = {lhs, rhs};
  // dot_general leaves the element type of its result open.
  std::vector<int64_t> result;
  for (const int64_t dim : numbers.lhs_batch)
    result.push_back(sizes[static_cast<std::size_t>(dim)]);
  const auto listed = [](const std::vector<int64_t>& list, std::size_t dim) {
    return std::ranges::find(list, static_cast<int64_t>(dim)) != list.end();
  };
  for (std::size_t dim = 0; dim < sizes.size(); ++dim) {
    if (!listed(numbers.lhs_batch, dim) && !listed(numbers.lhs_contracting, dim)) {
      result.push_back(sizes[dim]);
    }
  }
  for (std::size_t dim = 0; dim < static_cast<std::size_t>(rhs_type.rank()); ++dim) {
    if (!listed(numbers.rhs_batch, dim) && !listed(numbers.rhs_contracting, dim)) {
      result.push_back(rhs_type.dim(dim));
    }
  }
  spec.result_types = {Type::tensor(std::move(result), element(lhs))};
  spec.attributes.set("dot_dimension_numbers", std::move(numbers));
  values_.push_back(module_.result(builder_->create(std::move(spec))));
  known_.resize(module_.num_values());
  known_.back() = {left.integral, bound};
  return true;
}

// ---- Slices ----------------------------------------------------------------------------------

bool Maker::add_slice() {
  const ValueId value = any();
  std::vector<int64_t> starts;
  std::vector<int64_t> limits;
  std::vector<int64_t> strides;
  for (const int64_t dim : dims(value)) {
    const bool whole = random_.chance(2);
    starts.push_back(whole ? 0 : random_.between(0, dim - 1));
    limits.push_back(whole ? dim : random_.between(starts.back() + 1, dim));
    strides.push_back(whole ? 1 : random_.between(1, 3));
  }
  AttributeMap attributes;
  attributes.set("start_indices", i64s(std::move(starts)));
  attributes.set("limit_indices", i64s(std::move(limits)));
  attributes.set("strides", i64s(std::move(strides)));
  return emit_simple(OpKind::Slice, {value}, known(value), std::move(attributes));
}

bool Maker::add_concatenate() {
  const ValueId first = any();
  if (type(first).rank() == 0) return false;
  const auto dim = static_cast<std::size_t>(random_.between(0, type(first).rank() - 1));
  std::vector<ValueId> fitting;
  for (const ValueId value : values_) {
    if (element(value) != element(first) || type(value).rank() != type(first).rank()) continue;
    std::vector<int64_t> other = dims(value);
    other[dim] = dims(first)[dim];
    if (other == dims(first)) fitting.push_back(value);
  }
  std::vector<ValueId> operands = {first};
  Known result = known(first);
  for (int64_t count = random_.between(1, 2); count > 0; --count) {
    operands.push_back(random_.pick(fitting));
    result.integral = result.integral && known(operands.back()).integral;
    result.bound = std::max(result.bound, known(operands.back()).bound);
  }
  AttributeMap attributes;
  attributes.set("dimension", IntegerAttr{static_cast<int64_t>(dim)});
  return emit_simple(OpKind::Concatenate, std::move(operands), result, std::move(attributes));
}

bool Maker::add_pad() {
  const ValueId value = any();
  std::vector<int64_t> low;
  std::vector<int64_t> high;
  std::vector<int64_t> interior;
  for (const int64_t dim : dims(value)) {
    const bool kept = random_.chance(2);
    low.push_back(kept ? 0 : random_.between(-2, 4));
    high.push_back(kept ? 0 : random_.between(-2, 4));
    interior.push_back(kept ? 0 : random_.between(0, 2));
    const int64_t size = dim + low.back() + high.back() + (dim - 1) * interior.back();
    if (size <= 0) high.back() += 1 - size;
  }
  AttributeMap attributes;
  attributes.set("edge_padding_low", i64s(std::move(low)));
  attributes.set("edge_padding_high", i64s(std::move(high)));
  attributes.set("interior_padding", i64s(std::move(interior)));
  const ValueId fill = scalar(element(value), random_.between(0, 3));
  return emit_simple(OpKind::Pad, {value, fill},
                     {known(value).integral, std::max(known(value).bound, 3.0)},
                     std::move(attributes));
}

bool Maker::add_constraint() {
  const ValueId value = any();
  AttributeMap attributes;
  attributes.set("sharding",
                 random_sharding(random_, mesh_, static_cast<std::size_t>(type(value).rank())));
  return emit_simple(OpKind::SdyShardingConstraint, {value}, known(value), std::move(attributes));
}

// ---- Program ---------------------------------------------------------------------------------

RandomProgram Maker::make() {
  constexpr std::array<Step, 20> kSteps = {
      &Maker::add_unary,   &Maker::add_function,    &Maker::add_binary,    &Maker::add_binary,
      &Maker::add_compare, &Maker::add_select,      &Maker::add_clamp,     &Maker::add_convert,
      &Maker::add_iota,    &Maker::add_constant,    &Maker::add_broadcast, &Maker::add_reshape,
      &Maker::add_reshape, &Maker::add_transpose,   &Maker::add_reduce,    &Maker::add_dot,
      &Maker::add_slice,   &Maker::add_concatenate, &Maker::add_pad,       &Maker::add_constraint};
  constexpr std::array<Step, 2> kRare = {&Maker::add_reverse, &Maker::add_integer_binary};
  module_.add_mesh("mesh", mesh_);
  std::vector<Type> args;
  for (int64_t count = random_.between(1, 3); count > 0; --count) args.push_back(random_type());
  const ir::OpId function = module_.add_function("main", args, {});
  const ir::BlockId entry = module_.entry(function);
  builder_.emplace(module_, entry);
  known_.resize(module_.num_values());
  RandomProgram program;
  for (std::size_t index = 0; index < args.size(); ++index) {
    const ValueId arg = module_.args(entry)[index];
    values_.push_back(arg);
    program.inputs.push_back(random_tensor(random_, args[index]));
    if (random_.chance(4)) continue;
    ir::set_arg_sharding(
        module_, function, index,
        random_sharding(random_, mesh_, static_cast<std::size_t>(args[index].rank())));
  }
  int64_t wanted = random_.between(options_.min_ops, options_.max_ops);
  for (int64_t tries = 0; wanted > 0 && tries < 200; ++tries) {
    const Step step = random_.chance(8) ? random_.pick(std::span<const Step>(kRare))
                                        : random_.pick(std::span<const Step>(kSteps));
    if ((this->*step)()) --wanted;
  }
  OpSpec terminator{.kind = OpKind::FuncReturn};
  const auto num_results = std::min<int64_t>(random_.between(1, 3), std::ssize(values_));
  ir::FunctionData& data = module_.function(function);
  for (int64_t index = 0; index < num_results; ++index) {
    const ValueId value = index == 0 ? values_.back() : any();
    terminator.operands.push_back(value);
    data.result_types.push_back(type(value));
    data.result_attributes.emplace_back();
  }
  for (std::size_t index = 0; index < terminator.operands.size(); ++index) {
    if (random_.chance(2)) continue;
    const auto rank = static_cast<std::size_t>(type(terminator.operands[index]).rank());
    ir::set_result_sharding(module_, function, index, random_sharding(random_, mesh_, rank));
  }
  builder_->create(std::move(terminator));
  program.module = std::move(module_);
  return program;
}

}  // namespace

simulation::Tensor random_tensor(Random& random, const Type& type) {
  std::vector<int64_t> numbers(static_cast<std::size_t>(type.num_elements()));
  const bool boolean = type.element() == ElementType::I1;
  const bool natural = ir::is_unsigned_integer(type.element());
  for (int64_t& number : numbers) {
    number = boolean ? random.between(0, 1) : random.between(natural ? 0 : -3, 3);
  }
  const auto tensor = simulation::Tensor::from_integers(type, numbers);
  return tensor ? *tensor : simulation::Tensor();
}

RandomProgram random_program(uint64_t seed, const RandomProgramOptions& options) {
  return Maker(seed, options).make();
}

}  // namespace shardy::checking
