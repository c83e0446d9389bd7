// Ops that pick elements by run-time indices: slices, updates, gathers, scatters, selections.
#include <algorithm>
#include <array>
#include <utility>

#include "checking/random_maker.hpp"
#include "shardy/ir/attribute_names.hpp"

namespace shardy::checking {

using ir::AttributeMap;
using ir::ElementType;
using ir::IntegerAttr;
using ir::OpKind;
using ir::OpSpec;
using ir::Type;
using ir::ValueId;

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

/// A value that fits, or a constant.
ValueId RandomMaker::any_of_type(const Type& wanted) {
  std::vector<ValueId> fitting;
  for (const ValueId value : values_) {
    if (type(value) == wanted) fitting.push_back(value);
  }
  return fitting.empty() || random_.chance(3) ? constant(wanted) : random_.pick(fitting);
}

/// Integers of any shape.
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

/// Sizes of a part of the tensor; some dims are whole.
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
  const Known result{known(tensor).integral && known(update).integral,
                     std::max(known(tensor).bound, known(update).bound)};
  return emit_simple(OpKind::DynamicUpdateSlice, std::move(operands), result);
}

/// Returns the window dims of the result; the others are those of the indices.
std::vector<int64_t> RandomMaker::any_offset_dims(std::size_t windows, std::size_t batches) {
  std::vector<int64_t> offsets;
  for (int64_t dim = 0; windows + batches > 0; ++dim) {
    const bool is_window = batches == 0 || (windows > 0 && random_.chance(2));
    if (is_window) offsets.push_back(dim);
    --(is_window ? windows : batches);
  }
  return offsets;
}

/// Each dim of the table is passed on, cut into windows, or picked from; one may be a batch dim.
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

/// Rows of one dim are combined with updates, or set.
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
  Known result{known(table).integral && known(updates).integral,
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
