// Ops of the per-device program: index arithmetic, local data movement, communication.
//
//   mesh <["x"=2, "y"=4]>, %a: tensor<4xf32>
//   floor_div(coord {"x", "y"}, 3)   ->   spmd.floordiv (spmd.coord {"x", "y"}), 3
//   add(2, 3)                        ->   5, folded
//   all_gather(%a, {"x"}, dim 0)     ->   spmd.all_gather %a {"x"}, dim 0 : tensor<8xf32>
//   all_gather(%a, {}, dim 0)        ->   %a
#include "partitioning/emitter.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "partitioning/families.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/support/detail/math.hpp"

namespace shardy::partitioning {

using ir::AttributeMap;
using ir::OpSpec;

namespace {

const Type& index_type() {
  static const Type kType = Type::tensor({}, ElementType::I64);
  return kType;
}

DenseArrayAttr i64s(std::vector<int64_t> values) { return {ElementType::I64, std::move(values)}; }

/// Drops axes of size 1 and merges adjacent sub-axes, as the textual form requires. Both keep the
/// ranks of devices within a group.
AxisList without_unit_axes(std::span<const AxisRef> axes) {
  AxisList kept;
  for (const AxisRef& axis : axes) {
    if (axis.size > 1) append_or_merge(kept, axis);
  }
  return kept;
}

}  // namespace

// ---- Index arithmetic ------------------------------------------------------------------------

ValueId Emitter::scalar(const ScalarIndex& index) {
  if (!index.constant) return index.value;
  return constant(ir::int_splat_literal(index_type(), *index.constant));
}

ScalarIndex Emitter::index_op(OpKind kind, const ScalarIndex& a, const ScalarIndex& b) {
  // In this order, because the evaluation order of arguments is unspecified.
  const ValueId lhs = scalar(a);
  const ValueId rhs = scalar(b);
  return {std::nullopt, binary(kind, lhs, rhs)};
}

ScalarIndex Emitter::add(const ScalarIndex& a, const ScalarIndex& b) {
  if (a.constant && b.constant) return ScalarIndex::of(*a.constant + *b.constant);
  if (a.constant && *a.constant == 0) return b;
  if (b.constant && *b.constant == 0) return a;
  return index_op(OpKind::Add, a, b);
}

ScalarIndex Emitter::subtract(const ScalarIndex& a, const ScalarIndex& b) {
  if (b.constant) return add(a, ScalarIndex::of(-*b.constant));
  return index_op(OpKind::Subtract, a, b);
}

ScalarIndex Emitter::multiply(const ScalarIndex& a, int64_t factor) {
  if (a.constant) return ScalarIndex::of(*a.constant * factor);
  if (factor == 0) return ScalarIndex::of(0);
  if (factor == 1) return a;
  return index_op(OpKind::Multiply, a, ScalarIndex::of(factor));
}

ScalarIndex Emitter::floor_div(const ScalarIndex& a, int64_t divisor) {
  if (a.constant) return ScalarIndex::of(shardy::floor_div(*a.constant, divisor));
  if (divisor == 1) return a;
  return index_op(OpKind::SpmdFloorDiv, a, ScalarIndex::of(divisor));
}

ScalarIndex Emitter::floor_mod(const ScalarIndex& a, int64_t divisor) {
  if (a.constant) return ScalarIndex::of(shardy::floor_mod(*a.constant, divisor));
  if (divisor == 1) return ScalarIndex::of(0);
  return index_op(OpKind::SpmdFloorMod, a, ScalarIndex::of(divisor));
}

ScalarIndex Emitter::clamp(const ScalarIndex& a, int64_t low, int64_t high) {
  if (a.constant) return ScalarIndex::of(std::clamp(*a.constant, low, high));
  if (low == high) return ScalarIndex::of(low);
  return {std::nullopt,
          builder_.create_value(
              OpKind::Clamp, {scalar(ScalarIndex::of(low)), a.value, scalar(ScalarIndex::of(high))},
              index_type())};
}

ScalarIndex Emitter::coord(const DeviceOrder& place, std::span<const AxisRef> axes) {
  const AxisList kept = without_unit_axes(axes);
  if (kept.empty()) return ScalarIndex::of(0);
  return {std::nullopt,
          builder_.create_value(OpKind::SpmdCoord, {}, index_type(), group(place, kept))};
}

// ---- Constants -------------------------------------------------------------------------------

ValueId Emitter::constant(const ir::Literal& literal) {
  AttributeMap attributes;
  attributes.set(ir::attr::kValue, literal);
  return builder_.create_value(OpKind::Constant, {}, literal.type(), std::move(attributes));
}

ValueId Emitter::splat(std::vector<int64_t> dims, const ir::Literal& element) {
  const Type type = Type::tensor(std::move(dims), element.type().element());
  const std::span<const std::byte> bytes = element.element_bytes(0);
  Result<ir::Literal> literal = ir::Literal::make_splat(type, {bytes.begin(), bytes.end()});
  SHARDY_ASSERT(literal.has_value());
  return constant(*literal);
}

ValueId Emitter::zeros(const Type& type) {
  const auto literal =
      ir::Literal::make_splat(type, std::vector<std::byte>(ir::size_bytes(type.element())));
  SHARDY_ASSERT(literal.has_value());
  return constant(*literal);
}

ValueId Emitter::undefined(const Type& type) {
  return builder_.create_value(OpKind::SpmdUndef, {}, type);
}

ValueId Emitter::iota(int64_t size) {
  AttributeMap attributes;
  attributes.set(ir::attr::kIotaDimension, IntegerAttr{0, ElementType::I64});
  return builder_.create_value(OpKind::Iota, {}, Type::tensor({size}, ElementType::I64),
                               std::move(attributes));
}

// ---- Local data movement ---------------------------------------------------------------------

ValueId Emitter::reshape(ValueId value, std::vector<int64_t> dims) {
  if (std::ranges::equal(this->dims(value), dims)) return value;
  const Type type = module_->type(value).with_dims(std::move(dims));
  return builder_.create_value(OpKind::Reshape, {value}, type);
}

ValueId Emitter::transpose(ValueId value, std::vector<int64_t> order) {
  std::vector<int64_t> sizes;
  sizes.reserve(order.size());
  for (const int64_t from : order) sizes.push_back(dim(value, static_cast<std::size_t>(from)));
  const Type type = module_->type(value).with_dims(std::move(sizes));
  AttributeMap attributes;
  attributes.set(ir::attr::kPermutation, i64s(std::move(order)));
  return builder_.create_value(OpKind::Transpose, {value}, type, std::move(attributes));
}

ValueId Emitter::broadcast(ValueId value, std::span<const int64_t> dims,
                           std::span<const int64_t> mapped) {
  const Type type = module_->type(value).with_dims(copy(dims));
  if (type == module_->type(value)) return value;
  AttributeMap attributes;
  attributes.set(ir::attr::kBroadcastDimensions, i64s(copy(mapped)));
  return builder_.create_value(OpKind::BroadcastInDim, {value}, type, std::move(attributes));
}

ValueId Emitter::slice(ValueId value, std::size_t dim, int64_t begin, int64_t end, int64_t stride) {
  std::vector<int64_t> dims = copy(this->dims(value));
  if (begin == 0 && end == dims[dim] && stride == 1) return value;
  std::vector<int64_t> starts(dims.size(), 0);
  std::vector<int64_t> limits = dims;
  std::vector<int64_t> strides(dims.size(), 1);
  starts[dim] = begin;
  limits[dim] = end;
  strides[dim] = stride;
  dims[dim] = ceil_div(end - begin, stride);
  AttributeMap attributes;
  attributes.set(ir::attr::kStartIndices, i64s(std::move(starts)));
  attributes.set(ir::attr::kLimitIndices, i64s(std::move(limits)));
  attributes.set(ir::attr::kStrides, i64s(std::move(strides)));
  const Type type = module_->type(value).with_dims(std::move(dims));
  return builder_.create_value(OpKind::Slice, {value}, type, std::move(attributes));
}

ValueId Emitter::dynamic_slice(ValueId value, std::size_t dim, const ScalarIndex& begin,
                               int64_t size) {
  if (begin.constant) return slice(value, dim, *begin.constant, *begin.constant + size);
  std::vector<int64_t> dims = copy(this->dims(value));
  if (dims[dim] == size) return value;
  dims[dim] = size;
  std::vector<ValueId> operands = {value};
  const ValueId zero = scalar(ScalarIndex::of(0));
  operands.resize(dims.size() + 1, zero);
  operands[dim + 1] = begin.value;
  AttributeMap attributes;
  attributes.set(ir::attr::kSliceSizes, i64s(dims));
  const Type type = module_->type(value).with_dims(std::move(dims));
  return builder_.create_value(OpKind::DynamicSlice, std::move(operands), type,
                               std::move(attributes));
}

ValueId Emitter::pad(ValueId value, std::size_t dim, const PadAmounts& edges, ValueId fill) {
  if (edges.low == 0 && edges.high == 0 && edges.interior == 0) return value;
  const Type& old = module_->type(value);
  std::vector<int64_t> dims = copy(old.dims());
  if (!fill.valid()) fill = undefined(Type::tensor({}, old.element()));
  std::vector<int64_t> low(dims.size(), 0);
  std::vector<int64_t> high(dims.size(), 0);
  std::vector<int64_t> interior(dims.size(), 0);
  low[dim] = edges.low;
  high[dim] = edges.high;
  interior[dim] = edges.interior;
  dims[dim] += edges.low + edges.high + std::max<int64_t>(dims[dim] - 1, 0) * edges.interior;
  AttributeMap attributes;
  attributes.set(ir::attr::kEdgePaddingLow, i64s(std::move(low)));
  attributes.set(ir::attr::kEdgePaddingHigh, i64s(std::move(high)));
  attributes.set(ir::attr::kInteriorPadding, i64s(std::move(interior)));
  const Type type = module_->type(value).with_dims(std::move(dims));
  return builder_.create_value(OpKind::Pad, {value, fill}, type, std::move(attributes));
}

ValueId Emitter::concatenate(std::vector<ValueId> values, std::size_t dim) {
  if (values.size() == 1) return values.front();
  std::vector<int64_t> dims = copy(this->dims(values.front()));
  dims[dim] = 0;
  for (const ValueId value : values) dims[dim] += this->dim(value, dim);
  AttributeMap attributes;
  attributes.set(ir::attr::kDimension, IntegerAttr{static_cast<int64_t>(dim), ElementType::I64});
  const Type type = module_->type(values.front()).with_dims(std::move(dims));
  return builder_.create_value(OpKind::Concatenate, std::move(values), type, std::move(attributes));
}

ValueId Emitter::reverse(ValueId value, std::vector<int64_t> dims) {
  if (dims.empty()) return value;
  AttributeMap attributes;
  attributes.set(ir::attr::kDimensions, i64s(std::move(dims)));
  const Type type = module_->type(value);
  return builder_.create_value(OpKind::Reverse, {value}, type, std::move(attributes));
}

ValueId Emitter::reduce(ValueId value, std::span<const std::size_t> dims, OpKind reducer,
                        ValueId init) {
  std::vector<int64_t> kept = copy(this->dims(value));
  std::vector<int64_t> reduced;
  for (auto dim = dims.rbegin(); dim != dims.rend(); ++dim) {
    kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(*dim));
    reduced.insert(reduced.begin(), static_cast<int64_t>(*dim));
  }
  OpSpec spec{.kind = OpKind::Reduce};
  spec.operands = {value, init};
  spec.result_types = {module_->type(value).with_dims(std::move(kept))};
  spec.attributes.set(ir::attr::kDimensions, i64s(std::move(reduced)));
  spec.regions = {reducer_region(reducer, module_->type(value).element())};
  return module_->result(builder_.create(std::move(spec)));
}

// ---- Elementwise -----------------------------------------------------------------------------

ValueId Emitter::to_i64(ValueId value) {
  const Type& type = module_->type(value);
  if (type.element() == ElementType::I64) return value;
  const Type wide = type.with_element(ElementType::I64);
  if (type.element() == ElementType::UI64) {
    const Type scalar = Type::tensor({}, ElementType::UI64);
    const ir::Literal most = ir::int_splat_literal(scalar, INT64_MAX);
    value = binary(OpKind::Minimum, value, splat(copy(dims(value)), most));
  }
  return builder_.create_value(OpKind::Convert, {value}, wide);
}

ValueId Emitter::clamp(ValueId value, int64_t low, int64_t high) {
  const Type type = module_->type(value);
  const ValueId least = scalar(ScalarIndex::of(low));
  const ValueId most = scalar(ScalarIndex::of(high));
  return builder_.create_value(OpKind::Clamp, {least, value, most}, type);
}

// ---- Predicates ------------------------------------------------------------------------------

ValueId Emitter::compare(ValueId a, ValueId b, std::string_view direction) {
  AttributeMap attributes;
  attributes.set(ir::attr::kComparisonDirection,
                 ir::EnumAttr{"stablehlo.comparison_direction", std::string(direction)});
  const Type type = module_->type(a).with_element(ElementType::I1);
  return builder_.create_value(OpKind::Compare, {a, b}, type, std::move(attributes));
}

ValueId Emitter::both(ValueId a, ValueId b) {
  if (!a.valid()) return b;
  if (!b.valid()) return a;
  return binary(OpKind::And, a, b);
}

ValueId Emitter::select(ValueId predicate, ValueId on_true, ValueId on_false) {
  const Type type = module_->type(on_true);
  return builder_.create_value(OpKind::Select, {predicate, on_true, on_false}, type);
}

ValueId Emitter::binary(OpKind kind, ValueId a, ValueId b) {
  const Type type = module_->type(a);
  return builder_.create_value(kind, {a, b}, type);
}

// ---- Communication ---------------------------------------------------------------------------

AttributeMap Emitter::group(const DeviceOrder& place, std::span<const AxisRef> axes,
                            AttributeMap own) const {
  own.set(ir::attr::kMesh, ir::SymbolAttr{place.mesh_name});
  own.set(ir::attr::kAxes, ir::AxesAttr{place.mesh, {axes.begin(), axes.end()}});
  return own;
}

ir::RegionId Emitter::reducer_region(OpKind reducer, ElementType element) {
  const ir::RegionId region = module_->new_region();
  const Type type = Type::tensor({}, element);
  const std::vector<Type> args = {type, type};
  const ir::BlockId block = module_->new_block(region, args);
  ir::Builder body(*module_, block);
  const ValueId lhs = module_->args(block)[0];
  const ValueId rhs = module_->args(block)[1];
  OpSpec terminator{.kind = OpKind::StablehloReturn};
  terminator.operands = {body.create_value(reducer, {lhs, rhs}, type)};
  body.create(std::move(terminator));
  return region;
}

ValueId Emitter::collective(ValueId value, const DeviceOrder& place, std::span<const AxisRef> axes,
                            OpSpec spec) {
  const AxisList kept = without_unit_axes(axes);
  if (kept.empty()) return value;
  spec.operands = {value};
  spec.attributes = group(place, kept, std::move(spec.attributes));
  return module_->result(builder_.create(std::move(spec)));
}

ValueId Emitter::all_gather(ValueId value, const DeviceOrder& place, std::span<const AxisRef> axes,
                            std::size_t dim) {
  std::vector<int64_t> dims = copy(this->dims(value));
  dims[dim] *= sharding_size(axes);
  OpSpec spec{.kind = OpKind::SpmdAllGather};
  spec.result_types = {module_->type(value).with_dims(std::move(dims))};
  spec.attributes.set(ir::attr::kDim, IntegerAttr{static_cast<int64_t>(dim), ElementType::I64});
  return collective(value, place, axes, std::move(spec));
}

ValueId Emitter::all_reduce(ValueId value, const DeviceOrder& place, std::span<const AxisRef> axes,
                            OpKind reducer) {
  if (sharding_size(axes) == 1) return value;
  const Type type = module_->type(value);
  if (reducer == OpKind::Or && has_hidden_bits(type.element())) {
    const ValueId bits = all_reduce(to_bits(*this, value), place, axes, reducer);
    return from_bits(*this, bits, type.element());
  }
  OpSpec spec{.kind = OpKind::SpmdAllReduce};
  spec.result_types = {type};
  spec.regions = {reducer_region(reducer, type.element())};
  return collective(value, place, axes, std::move(spec));
}

ValueId Emitter::reduce_scatter(ValueId value, const DeviceOrder& place,
                                std::span<const AxisRef> axes, std::size_t dim, OpKind reducer) {
  if (sharding_size(axes) == 1) return value;
  const ElementType element = module_->type(value).element();
  if (reducer == OpKind::Or && has_hidden_bits(element)) {
    const std::size_t at = ir::is_complex(element) ? dim + 1 : dim;
    const ValueId bits = reduce_scatter(to_bits(*this, value), place, axes, at, reducer);
    return from_bits(*this, bits, element);
  }
  std::vector<int64_t> dims = copy(this->dims(value));
  dims[dim] /= sharding_size(axes);
  OpSpec spec{.kind = OpKind::SpmdReduceScatter};
  spec.result_types = {module_->type(value).with_dims(std::move(dims))};
  spec.attributes.set(ir::attr::kDim, IntegerAttr{static_cast<int64_t>(dim), ElementType::I64});
  spec.regions = {reducer_region(reducer, element)};
  return collective(value, place, axes, std::move(spec));
}

ValueId Emitter::all_to_all(ValueId value, const DeviceOrder& place, std::span<const AxisRef> axes,
                            std::size_t split_dim, std::size_t concat_dim) {
  OpSpec spec{.kind = OpKind::SpmdAllToAll};
  const auto set = [&](const ir::AttributeName& name, std::size_t dim) {
    spec.attributes.set(name, IntegerAttr{static_cast<int64_t>(dim), ElementType::I64});
  };
  set(ir::attr::kSplitDim, split_dim);
  set(ir::attr::kConcatDim, concat_dim);
  const int64_t size = sharding_size(axes);
  std::vector<int64_t> dims = copy(this->dims(value));
  dims[split_dim] /= size;
  dims[concat_dim] *= size;
  spec.result_types = {module_->type(value).with_dims(std::move(dims))};
  return collective(value, place, axes, std::move(spec));
}

ValueId Emitter::permute(ValueId value, const DeviceOrder& place, std::span<const AxisRef> axes,
                         ir::PermuteMap map) {
  AttributeMap own;
  own.set(ir::attr::kMap, std::move(map));
  return builder_.create_value(OpKind::SpmdPermute, {value}, module_->type(value),
                               group(place, without_unit_axes(axes), std::move(own)));
}

// ---- Bit patterns -------------------------------------------------------------------------------

std::optional<ElementType> integer_of_width(ElementType element) {
  switch (ir::info(element).bits) {
    case 4:
      return ElementType::UI4;
    case 8:
      return ElementType::UI8;
    case 16:
      return ElementType::UI16;
    case 32:
      return ElementType::UI32;
    case 64:
      return ElementType::UI64;
    default:
      return std::nullopt;
  }
}

namespace {

ValueId unary(Emitter& emit, OpKind kind, ValueId value, ElementType to) {
  const Type type = emit.module().type(value).with_element(to);
  return emit.builder().create_value(kind, {value}, type);
}

/// Adds a leading dim of size 1.
ValueId stacked(Emitter& emit, ValueId value) {
  std::vector<int64_t> dims = {1};
  dims.insert(dims.end(), emit.dims(value).begin(), emit.dims(value).end());
  return emit.reshape(value, std::move(dims));
}

/// Returns row `index` of the first dim, without that dim.
ValueId unstacked(Emitter& emit, ValueId value, int64_t index) {
  const std::vector<int64_t> dims(emit.dims(value).begin() + 1, emit.dims(value).end());
  return emit.reshape(emit.slice(value, 0, index, index + 1), dims);
}

}  // namespace

OpKind exact_combiner(ElementType element) {
  const bool has_bits = ir::is_integer(element) || ir::is_boolean(element) ||
                        ir::is_complex(element) || integer_of_width(element).has_value();
  return has_bits && element != ElementType::Index ? OpKind::Or : OpKind::Add;
}

ir::Literal nothing_beside(ElementType element) {
  if (exact_combiner(element) != OpKind::Or) return reducer_identity(OpKind::Add, element);
  const Type type = Type::tensor({}, element);
  const Result<ir::Literal> zeros =
      ir::Literal::make_splat(type, std::vector<std::byte>(ir::size_bytes(element)));
  return zeros ? *zeros : ir::splat_literal(type, 0);
}

ir::Literal neutral_to(OpKind reducer, ElementType element) {
  const bool is_of_bits = reducer == OpKind::Or && has_hidden_bits(element);
  return is_of_bits ? nothing_beside(element) : reducer_identity(reducer, element);
}

bool has_hidden_bits(ElementType element) {
  return ir::is_float(element) || ir::is_complex(element);
}

ValueId to_bits(Emitter& emit, ValueId value) {
  const ElementType element = emit.module().type(value).element();
  if (!ir::is_complex(element)) {
    const ElementType to = integer_of_width(element).value_or(ElementType::UI8);
    return unary(emit, OpKind::BitcastConvert, value, to);
  }
  const ElementType part = ir::part_of(element);
  const ValueId real = stacked(emit, unary(emit, OpKind::Real, value, part));
  const ValueId imag = stacked(emit, unary(emit, OpKind::Imag, value, part));
  const ElementType to = integer_of_width(part).value_or(ElementType::UI64);
  return unary(emit, OpKind::BitcastConvert, emit.concatenate({real, imag}, 0), to);
}

ValueId from_bits(Emitter& emit, ValueId bits, ElementType element) {
  if (!ir::is_complex(element)) {
    return unary(emit, OpKind::BitcastConvert, bits, element);
  }
  const ValueId parts = unary(emit, OpKind::BitcastConvert, bits, ir::part_of(element));
  const ValueId real = unstacked(emit, parts, 0);
  const ValueId imag = unstacked(emit, parts, 1);
  const Type type = emit.module().type(real).with_element(element);
  return emit.builder().create_value(OpKind::Complex, {real, imag}, type);
}

}  // namespace shardy::partitioning
