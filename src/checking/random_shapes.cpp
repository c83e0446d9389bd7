#include <algorithm>
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

/// Merges neighbours, then splits dims at divisors, then puts in dims of size 1.
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
  Known result = known(first);
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

}  // namespace shardy::checking
