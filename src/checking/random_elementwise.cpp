// Adds random elementwise ops, ops that change shapes, and ops with indices.

#include <algorithm>
#include <array>
#include <utility>

#include "checking/ir_names.hpp"
#include "checking/random_maker.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/number.hpp"

namespace shardy::checking {

bool RandomMaker::add_unary() {
  constexpr std::array kNumbers = {OpKind::Abs, OpKind::Negate, OpKind::Sign};
  constexpr std::array kBits = {OpKind::Not, OpKind::PopulationCount, OpKind::CountLeadingZeros};
  const ValueId value = any();
  const bool bits = !ir::is_float(element(value));
  const OpKind kind = bits && random_.chance(2) ? random_.pick(std::span<const OpKind>(kBits))
                                                : random_.pick(std::span<const OpKind>(kNumbers));
  const bool is_chosen_by_rounding = kind == OpKind::Sign && !known(value).integral;
  if (options_.batch_norms && is_chosen_by_rounding)
    return false;  // the argument may be a sum that rounds to 0
  return emit_simple(kind, {value}, known(value));
}

/// Adds functions whose results are not integers, so that no sum uses the results.
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
  ValueRange result{known(lhs).integral && known(rhs).integral,
                    known(lhs).bound + known(rhs).bound};
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
  if (options_.batch_norms && !is_exact) return false;  // the result depends on the order of sums
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
  const ValueRange result{known(on_true).integral && known(on_false).integral,
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
  const ValueRange result{true, std::max(known(value).bound, 255.0)};
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

bool RandomMaker::add_broadcast() {
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
  spec.attributes.set(ir::attr::kBroadcastDimensions, i64s(std::move(mapped)));
  if (spec.result_types.front().num_elements() > 20000) return false;
  remember(module_.result(builder_->create(std::move(spec))), known(value));
  return true;
}

/// Merges adjacent dims, then splits dims at divisors, then inserts dims of size 1.
bool RandomMaker::add_reshape() {
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
  remember(module_.result(builder_->create(std::move(spec))), known(value));
  return true;
}

bool RandomMaker::add_transpose() {
  const ValueId value = any();
  std::vector<int64_t> permutation;
  for (int64_t dim = 0; dim < type(value).rank(); ++dim) {
    const auto at = random_.between(0, static_cast<int64_t>(permutation.size()));
    permutation.insert(permutation.begin() + at, dim);
  }
  AttributeMap attributes;
  attributes.set(ir::attr::kPermutation, i64s(std::move(permutation)));
  return emit_simple(OpKind::Transpose, {value}, known(value), std::move(attributes));
}

bool RandomMaker::add_reverse() {
  const ValueId value = any();
  std::vector<int64_t> reversed;
  for (int64_t dim = 0; dim < type(value).rank(); ++dim) {
    if (random_.chance(2)) reversed.push_back(dim);
  }
  AttributeMap attributes;
  attributes.set(ir::attr::kDimensions, i64s(std::move(reversed)));
  return emit_simple(OpKind::Reverse, {value}, known(value), std::move(attributes));
}

bool RandomMaker::add_slice() {
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
  attributes.set(ir::attr::kStartIndices, i64s(std::move(starts)));
  attributes.set(ir::attr::kLimitIndices, i64s(std::move(limits)));
  attributes.set(ir::attr::kStrides, i64s(std::move(strides)));
  return emit_simple(OpKind::Slice, {value}, known(value), std::move(attributes));
}

bool RandomMaker::add_concatenate() {
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
  ValueRange result = known(first);
  for (int64_t count = random_.between(1, 2); count > 0; --count) {
    operands.push_back(random_.pick(fitting));
    result.integral = result.integral && known(operands.back()).integral;
    result.bound = std::max(result.bound, known(operands.back()).bound);
  }
  AttributeMap attributes;
  attributes.set(ir::attr::kDimension, IntegerAttr{static_cast<int64_t>(dim)});
  return emit_simple(OpKind::Concatenate, std::move(operands), result, std::move(attributes));
}

bool RandomMaker::add_pad() {
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
  attributes.set(ir::attr::kEdgePaddingLow, i64s(std::move(low)));
  attributes.set(ir::attr::kEdgePaddingHigh, i64s(std::move(high)));
  attributes.set(ir::attr::kInteriorPadding, i64s(std::move(interior)));
  const ValueId fill = scalar(element(value), random_.between(0, 3));
  return emit_simple(OpKind::Pad, {value, fill},
                     {known(value).integral, std::max(known(value).bound, 3.0)},
                     std::move(attributes));
}

// Ops that select elements by run-time indices: slices, updates, gathers, scatters, selections.

namespace {

bool can_index(const Type& type) {
  return type.element() == ElementType::I32 || type.element() == ElementType::I64 ||
         type.element() == ElementType::UI8;
}

std::vector<int64_t> without(std::vector<int64_t> dims, std::size_t dim) {
  dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(dim));
  return dims;
}

}  // namespace

ValueId RandomMaker::constant(const Type& type) {
  AttributeMap attributes;
  attributes.set(ir::attr::kValue, random_tensor(random_, type).to_literal());
  return remember(builder_->create_value(OpKind::Constant, {}, type, std::move(attributes)), {});
}

/// Returns an existing value of the type, or a constant.
ValueId RandomMaker::any_of_type(const Type& wanted) {
  std::vector<ValueId> fitting;
  for (const ValueId value : values_) {
    if (type(value) == wanted) fitting.push_back(value);
  }
  return fitting.empty() || random_.chance(3) ? constant(wanted) : random_.pick(fitting);
}

/// Returns integers of any shape.
ValueId RandomMaker::any_indices() {
  std::vector<ValueId> fitting;
  for (const ValueId value : values_) {
    if (can_index(type(value)) && rank(value) <= 3) fitting.push_back(value);
  }
  if (!fitting.empty() && !random_.chance(3)) return random_.pick(fitting);
  std::vector<int64_t> sizes;
  for (int64_t dim = random_.between(0, 2); dim > 0; --dim) {
    sizes.push_back(random_.between(1, options_.max_dim));
  }
  return constant(Type::tensor(std::move(sizes), ElementType::I32));
}

std::vector<ValueId> RandomMaker::any_starts(ValueId tensor) {
  const Type index = Type::tensor({}, random_.chance(2) ? ElementType::I32 : ElementType::I64);
  std::vector<ValueId> starts;
  for (const int64_t size : dims(tensor)) {
    starts.push_back(random_.chance(2) ? any_of_type(index)
                                       : scalar(index.element(), random_.between(-1, size)));
  }
  return starts;
}

/// Returns the sizes of a part of the tensor. Some dims are complete.
std::vector<int64_t> RandomMaker::any_part(ValueId tensor) {
  std::vector<int64_t> sizes;
  for (const int64_t size : dims(tensor)) {
    sizes.push_back(random_.chance(2) ? size : random_.between(1, size));
  }
  return sizes;
}

bool RandomMaker::add_dynamic_slice() {
  const ValueId tensor = any();
  AttributeMap attributes;
  attributes.set(ir::attr::kSliceSizes, i64s(any_part(tensor)));
  std::vector<ValueId> operands = any_starts(tensor);
  operands.insert(operands.begin(), tensor);
  return emit_simple(OpKind::DynamicSlice, std::move(operands), known(tensor),
                     std::move(attributes));
}

bool RandomMaker::add_dynamic_update_slice() {
  const ValueId tensor = any();
  const ValueId update = any_of_type(Type::tensor(any_part(tensor), element(tensor)));
  std::vector<ValueId> operands = any_starts(tensor);
  operands.insert(operands.begin(), {tensor, update});
  const ValueRange result{known(tensor).integral && known(update).integral,
                          std::max(known(tensor).bound, known(update).bound)};
  return emit_simple(OpKind::DynamicUpdateSlice, std::move(operands), result);
}

/// Returns the window dims of the result. Its other dims come from the indices.
std::vector<int64_t> RandomMaker::any_offset_dims(std::size_t windows, std::size_t batches) {
  std::vector<int64_t> offsets;
  for (int64_t dim = 0; windows + batches > 0; ++dim) {
    const bool is_window = batches == 0 || (windows > 0 && random_.chance(2));
    if (is_window) offsets.push_back(dim);
    --(is_window ? windows : batches);
  }
  return offsets;
}

/// Adds a gather. Each dim of the table is kept, split into windows, or indexed; one may be a
/// batching dim.
bool RandomMaker::add_gather() {
  const ValueId table = any();
  const ValueId indices = any_indices();
  const std::vector<int64_t> rows = dims(indices);
  ir::GatherDims numbers;
  std::vector<int64_t> sizes;
  for (std::size_t dim = 0; dim < rank(table); ++dim) {
    const int64_t size = type(table).dim(dim);
    const auto at = static_cast<int64_t>(dim);
    const auto row = std::ranges::find(rows, size);
    const bool can_batch = row != rows.end() && numbers.operand_batching_dims.empty();
    if (can_batch && random_.chance(3)) {
      numbers.operand_batching_dims.push_back(at);
      numbers.start_indices_batching_dims.push_back(row - rows.begin());
      sizes.push_back(1);
      continue;
    }
    const bool is_indexed = numbers.start_index_map.empty() && random_.chance(2);
    if (is_indexed) numbers.start_index_map.push_back(at);
    const bool is_dropped = random_.chance(is_indexed ? 2 : 4);
    if (is_dropped) numbers.collapsed_slice_dims.push_back(at);
    sizes.push_back(is_dropped ? 1 : random_.chance(2) ? size : random_.between(1, size));
  }
  if (numbers.start_index_map.empty()) return false;
  numbers.index_vector_dim = std::ssize(rows);
  const std::size_t num_windows =
      rank(table) - numbers.collapsed_slice_dims.size() - numbers.operand_batching_dims.size();
  numbers.offset_dims = any_offset_dims(num_windows, rows.size());
  if (num_windows + rows.size() > static_cast<std::size_t>(options_.max_rank) + 1) return false;
  AttributeMap attributes;
  attributes.set(ir::attr::kDimensionNumbers, std::move(numbers));
  attributes.set(ir::attr::kSliceSizes, i64s(std::move(sizes)));
  return emit_simple(OpKind::Gather, {table, indices}, known(table), std::move(attributes));
}

/// Adds a scatter, which combines rows of one dim with updates or overwrites them.
bool RandomMaker::add_scatter() {
  constexpr std::array kKinds = {OpKind::Add, OpKind::Add, OpKind::Maximum, OpKind::Minimum,
                                 OpKind::Unknown};
  const ValueId table = any();
  if (rank(table) == 0) return false;
  const ValueId indices = any_indices();
  const auto dim = static_cast<std::size_t>(random_.between(0, std::ssize(dims(table)) - 1));
  std::vector<int64_t> shape = dims(indices);
  ir::ScatterDims numbers;
  const std::vector<int64_t> windows = without(dims(table), dim);
  for (const int64_t size : windows) {
    numbers.update_window_dims.push_back(std::ssize(shape));
    shape.push_back(random_.chance(3) ? random_.between(1, size) : size);
  }
  const Type wanted = Type::tensor(std::move(shape), element(table));
  if (wanted.num_elements() > 3000) return false;
  const ValueId updates = any_of_type(wanted);
  numbers.inserted_window_dims = {static_cast<int64_t>(dim)};
  numbers.scatter_dims_to_operand_dims = {static_cast<int64_t>(dim)};
  numbers.index_vector_dim = std::ssize(dims(indices));
  const OpKind kind = random_.pick(std::span<const OpKind>(kKinds));
  ValueRange result{known(table).integral && known(updates).integral,
                    std::max(known(table).bound, known(updates).bound)};
  if (kind == OpKind::Add) {
    result.bound =
        known(table).bound + known(updates).bound * static_cast<double>(wanted.num_elements());
    const bool is_float = ir::is_float(element(table));
    if (is_float && (!result.integral || !fits(element(table), result.bound))) return false;
  }
  OpSpec spec{.kind = OpKind::Scatter};
  spec.operands = {table, indices, updates};
  spec.attributes.set(ir::attr::kScatterDimensionNumbers, std::move(numbers));
  spec.regions = {reducer(kind, element(table))};
  return emit(std::move(spec), result);
}

bool RandomMaker::add_index_select() {
  const ValueId table = any();
  if (rank(table) == 0) return false;
  const ValueId indices = any_indices();
  const auto dim = static_cast<std::size_t>(random_.between(0, std::ssize(dims(table)) - 1));
  const std::vector<int64_t> rows = dims(indices);
  std::size_t batches = 0;
  while (batches < std::min(dim, rows.size()) && rows[batches] == type(table).dim(batches) &&
         random_.chance(2)) {
    ++batches;
  }
  std::vector<int64_t> shape = dims(table);
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(dim));
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(dim),
               rows.begin() + static_cast<std::ptrdiff_t>(batches), rows.end());
  if (std::ssize(shape) > options_.max_rank + 1) return false;
  OpSpec spec{.kind = OpKind::TorchIndexSelect};
  spec.operands = {table, indices};
  spec.result_types = {type(table).with_dims(std::move(shape))};
  if (spec.result_types.front().num_elements() > 3000) return false;
  spec.attributes.set(ir::attr::kDim, IntegerAttr{static_cast<int64_t>(dim)});
  spec.attributes.set(ir::attr::kBatchDims, IntegerAttr{static_cast<int64_t>(batches)});
  remember(module_.result(builder_->create(std::move(spec))), known(table));
  return true;
}

bool RandomMaker::add_indexed() {
  constexpr std::array<Step, 5> kSteps = {
      &RandomMaker::add_dynamic_slice, &RandomMaker::add_dynamic_update_slice,
      &RandomMaker::add_gather, &RandomMaker::add_scatter, &RandomMaker::add_index_select};
  return (this->*random_.pick(std::span<const Step>(kSteps)))();
}

}  // namespace shardy::checking
