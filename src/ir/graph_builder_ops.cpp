// One function per op that takes more than operands.
#include <algorithm>

#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/graph_builder.hpp"
#include "shardy/ir/number.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/window_ops.hpp"

namespace shardy::ir {

namespace {

Attribute i64(int64_t value) { return IntegerAttr{value, ElementType::I64}; }
Attribute i64_array(std::vector<int64_t> values) {
  return DenseArrayAttr{ElementType::I64, std::move(values)};
}

}  // namespace

/// Type of an operand that the builder itself has to look at.
std::optional<Type> GraphBuilder::tensor_type(OpKind kind, ValueId value) {
  const std::string_view name = info(kind).name;
  if (!check_place(name) || !check_operands(name, std::span(&value, 1))) return std::nullopt;
  const Type& found = module_.type(value);
  if (found.is_tensor()) return found;
  fail_with(kind, "operand 0 must be a tensor");
  return std::nullopt;
}

std::optional<Type> GraphBuilder::make_type(OpKind kind, Dims dims, ElementType element) {
  if (error_) return std::nullopt;
  Result<Type> made = Type::make_tensor(std::move(dims), element);
  if (made) return *std::move(made);
  fail_with(info(kind).name, std::move(made).error());
  return std::nullopt;
}

// ---- Constants ----------------------------------------------------------------------------------

ValueId GraphBuilder::constant(Literal value) {
  OpSpec spec{.kind = OpKind::Constant};
  spec.attributes.set(attr::kValue, std::move(value));
  return value_of(std::move(spec));
}

ValueId GraphBuilder::splat(const Type& type, double value) {
  if (error_) return {};
  if (type.is_static_tensor()) return constant(splat_literal(type, value));
  fail_with(OpKind::Constant, "needs a static tensor type");
  return {};
}

ValueId GraphBuilder::int_splat(const Type& type, int64_t value) {
  if (error_) return {};
  if (type.is_static_tensor()) return constant(int_splat_literal(type, value));
  fail_with(OpKind::Constant, "needs a static tensor type");
  return {};
}

ValueId GraphBuilder::constant(const Type& type, std::span<const double> values) {
  if (error_) return {};
  const bool fits =
      type.is_static_tensor() && type.num_elements() == static_cast<int64_t>(values.size());
  if (fits) return constant(literal_from(type, values));
  fail_with(OpKind::Constant, "needs a static tensor type with one element for each of the " +
                                  std::to_string(values.size()) + " values");
  return {};
}

ValueId GraphBuilder::constant(const Type& type, std::initializer_list<double> values) {
  return constant(type, std::span<const double>(values.begin(), values.size()));
}

ValueId GraphBuilder::iota(const Type& type, int64_t dim) {
  OpSpec spec{.kind = OpKind::Iota, .result_types = {type}};
  spec.attributes.set(attr::kIotaDimension, i64(dim));
  return value_of(std::move(spec));
}

// ---- Elementwise --------------------------------------------------------------------------------

ValueId GraphBuilder::compare(ValueId a, ValueId b, std::string direction, std::string type) {
  OpSpec spec{.kind = OpKind::Compare, .operands = {a, b}};
  spec.attributes.set(attr::kComparisonDirection,
                      EnumAttr{"stablehlo.comparison_direction", std::move(direction)});
  if (!type.empty()) {
    spec.attributes.set(attr::kCompareType, EnumAttr{"stablehlo.comparison_type", std::move(type)});
  }
  return value_of(std::move(spec));
}

ValueId GraphBuilder::convert(ValueId x, ElementType element) {
  const std::optional<Type> operand = tensor_type(OpKind::Convert, x);
  if (!operand) return {};
  const auto type =
      make_type(OpKind::Convert, {operand->dims().begin(), operand->dims().end()}, element);
  if (!type) return {};
  return value_of({.kind = OpKind::Convert, .operands = {x}, .result_types = {*type}});
}

ValueId GraphBuilder::reduce_precision(ValueId x, int64_t exponent_bits, int64_t mantissa_bits) {
  OpSpec spec{.kind = OpKind::ReducePrecision, .operands = {x}};
  spec.attributes.set(attr::kExponentBits, IntegerAttr{exponent_bits, ElementType::I32});
  spec.attributes.set(attr::kMantissaBits, IntegerAttr{mantissa_bits, ElementType::I32});
  return value_of(std::move(spec));
}

// ---- Shapes -------------------------------------------------------------------------------------

ValueId GraphBuilder::broadcast_in_dim(ValueId x, Dims result_shape, Dims dims) {
  const std::optional<Type> operand = tensor_type(OpKind::BroadcastInDim, x);
  if (!operand) return {};
  const auto type = make_type(OpKind::BroadcastInDim, std::move(result_shape), operand->element());
  if (!type) return {};
  OpSpec spec{.kind = OpKind::BroadcastInDim, .operands = {x}, .result_types = {*type}};
  spec.attributes.set(attr::kBroadcastDimensions, i64_array(std::move(dims)));
  return value_of(std::move(spec));
}

ValueId GraphBuilder::reshape(ValueId x, Dims shape) {
  const std::optional<Type> operand = tensor_type(OpKind::Reshape, x);
  if (!operand) return {};
  const auto type = make_type(OpKind::Reshape, std::move(shape), operand->element());
  if (!type) return {};
  return value_of({.kind = OpKind::Reshape, .operands = {x}, .result_types = {*type}});
}

ValueId GraphBuilder::transpose(ValueId x, Dims permutation) {
  OpSpec spec{.kind = OpKind::Transpose, .operands = {x}};
  spec.attributes.set(attr::kPermutation, i64_array(std::move(permutation)));
  return value_of(std::move(spec));
}

ValueId GraphBuilder::reverse(ValueId x, Dims dims) {
  OpSpec spec{.kind = OpKind::Reverse, .operands = {x}};
  spec.attributes.set(attr::kDimensions, i64_array(std::move(dims)));
  return value_of(std::move(spec));
}

ValueId GraphBuilder::slice(ValueId x, Dims starts, Dims limits, Dims strides) {
  if (strides.empty()) strides.assign(starts.size(), 1);
  const SliceOp view{.starts = starts, .limits = limits, .strides = strides};
  return value_of({.kind = OpKind::Slice, .operands = {x}, .attributes = view.attributes()});
}

ValueId GraphBuilder::concatenate(const Values& values, int64_t dim) {
  OpSpec spec{.kind = OpKind::Concatenate, .operands = values};
  spec.attributes.set(attr::kDimension, i64(dim));
  return value_of(std::move(spec));
}

ValueId GraphBuilder::pad(ValueId x, ValueId value, Dims low, Dims high, Dims interior) {
  if (interior.empty()) interior.assign(low.size(), 0);
  const PadOp view{.low = low, .high = high, .interior = interior};
  return value_of({.kind = OpKind::Pad, .operands = {x, value}, .attributes = view.attributes()});
}

ValueId GraphBuilder::dynamic_slice(ValueId x, const Values& starts, Dims sizes) {
  OpSpec spec{.kind = OpKind::DynamicSlice, .operands = {x}};
  spec.operands.insert(spec.operands.end(), starts.begin(), starts.end());
  spec.attributes = DynamicSliceOp{.sizes = sizes}.attributes();
  return value_of(std::move(spec));
}

ValueId GraphBuilder::dynamic_update_slice(ValueId x, ValueId update, const Values& starts) {
  OpSpec spec{.kind = OpKind::DynamicUpdateSlice, .operands = {x, update}};
  spec.operands.insert(spec.operands.end(), starts.begin(), starts.end());
  return value_of(std::move(spec));
}

// ---- Contractions and reductions ----------------------------------------------------------------

ValueId GraphBuilder::dot_general(ValueId lhs, ValueId rhs, const DotDims& dims,
                                  std::optional<ElementType> element) {
  OpSpec spec{.kind = OpKind::DotGeneral, .operands = {lhs, rhs}};
  // The shape follows from the operands; of the written type only the element type counts.
  if (element) spec.result_types = {Type::tensor({}, *element)};
  spec.attributes = DotGeneralOp{.dims = dims}.attributes();
  return value_of(std::move(spec));
}

ValueId GraphBuilder::dot(ValueId lhs, ValueId rhs) {
  const std::optional<Type> type = tensor_type(OpKind::DotGeneral, lhs);
  if (!type) return {};
  DotDims dims;
  dims.lhs_contracting = {type->rank() - 1};
  dims.rhs_contracting = {0};
  return dot_general(lhs, rhs, dims);
}

GraphBuilder::Values GraphBuilder::reduce(const Values& inputs, const Values& inits, Dims dims,
                                          const Body& body) {
  const std::string_view name = info(OpKind::Reduce).name;
  if (!check_place(name) || !check_operands(name, inits)) return {};
  const std::vector<Type> scalars = types_of(inits);
  std::vector<Type> args = scalars;
  args.insert(args.end(), scalars.begin(), scalars.end());
  OpSpec spec{.kind = OpKind::Reduce, .operands = inputs};
  spec.operands.insert(spec.operands.end(), inits.begin(), inits.end());
  spec.attributes.set(attr::kDimensions, i64_array(std::move(dims)));
  spec.regions = {region(args, body, OpKind::StablehloReturn)};
  return op(std::move(spec));
}

ValueId GraphBuilder::reduce(ValueId x, ValueId init, Dims dims, OpKind combiner) {
  const Values results =
      reduce({x}, {init}, std::move(dims), [&](std::span<const ValueId> args) -> Values {
        return {binary(combiner, args[0], args[1])};
      });
  return results.size() == 1 ? results.front() : ValueId();
}

ValueId GraphBuilder::reduce_from(ValueId x, Dims dims, OpKind combiner, InitialValue initial) {
  const std::optional<Type> type = tensor_type(OpKind::Reduce, x);
  if (!type) return {};
  const double value = initial(type->element());
  return reduce(x, splat(Type::tensor({}, type->element()), value), std::move(dims), combiner);
}

ValueId GraphBuilder::reduce_sum(ValueId x, Dims dims) {
  return reduce_from(x, std::move(dims), OpKind::Add, [](ElementType) { return 0.0; });
}
ValueId GraphBuilder::reduce_product(ValueId x, Dims dims) {
  return reduce_from(x, std::move(dims), OpKind::Multiply, [](ElementType) { return 1.0; });
}
ValueId GraphBuilder::reduce_max(ValueId x, Dims dims) {
  return reduce_from(x, std::move(dims), OpKind::Maximum, &least_value);
}
ValueId GraphBuilder::reduce_min(ValueId x, Dims dims) {
  return reduce_from(x, std::move(dims), OpKind::Minimum, &greatest_value);
}
ValueId GraphBuilder::reduce_or(ValueId x, Dims dims) {
  return reduce_from(x, std::move(dims), OpKind::Or, [](ElementType) { return 0.0; });
}
ValueId GraphBuilder::reduce_and(ValueId x, Dims dims) {
  return reduce_from(x, std::move(dims), OpKind::And, [](ElementType element) {
    // All bits set.
    return is_signed_integer(element) ? -1.0 : greatest_value(element);
  });
}

// ---- Control flow -------------------------------------------------------------------------------

GraphBuilder::Values GraphBuilder::while_loop(const Values& inits, const Body& condition,
                                              const Body& body) {
  const std::string_view name = info(OpKind::While).name;
  if (!check_place(name) || !check_operands(name, inits)) return {};
  const std::vector<Type> carried = types_of(inits);
  const RegionId cond_region = region(carried, condition, OpKind::StablehloReturn);
  const RegionId body_region = region(carried, body, OpKind::StablehloReturn);
  return op({.kind = OpKind::While, .operands = inits, .regions = {cond_region, body_region}});
}

GraphBuilder::Values GraphBuilder::case_of(ValueId index,
                                           const std::vector<std::function<Values()>>& branches) {
  if (!check_place(info(OpKind::Case).name)) return {};
  OpSpec spec{.kind = OpKind::Case, .operands = {index}};
  for (const auto& branch : branches) {
    const Body body = [&](std::span<const ValueId>) { return branch(); };
    spec.regions.push_back(region({}, body, OpKind::StablehloReturn));
  }
  return op(std::move(spec));
}

GraphBuilder::Values GraphBuilder::if_else(ValueId predicate,
                                           const std::function<Values()>& on_true,
                                           const std::function<Values()>& on_false) {
  if (!check_place(info(OpKind::If).name)) return {};
  OpSpec spec{.kind = OpKind::If, .operands = {predicate}};
  for (const auto* branch : {&on_true, &on_false}) {
    const Body body = [&](std::span<const ValueId>) { return (*branch)(); };
    spec.regions.push_back(region({}, body, OpKind::StablehloReturn));
  }
  return op(std::move(spec));
}

GraphBuilder::Values GraphBuilder::call(const std::string& callee, const Values& operands) {
  OpSpec spec{.kind = OpKind::FuncCall, .operands = operands};
  spec.attributes.set(attr::kCallee, SymbolAttr{callee});
  return op(std::move(spec));
}

GraphBuilder::Values GraphBuilder::optimization_barrier(const Values& operands) {
  return op({.kind = OpKind::OptimizationBarrier, .operands = operands});
}

// ---- sdy ----------------------------------------------------------------------------------------

void GraphBuilder::sharding_group(ValueId x, int64_t group_id) {
  OpSpec spec{.kind = OpKind::SdyShardingGroup, .operands = {x}};
  spec.attributes.set(attr::kGroupId, i64(group_id));
  op(std::move(spec));
}

ValueId GraphBuilder::propagation_barrier(ValueId x, std::string direction) {
  OpSpec spec{.kind = OpKind::SdyPropagationBarrier, .operands = {x}};
  spec.attributes.set(attr::kAllowedDirection,
                      EnumAttr{"sdy.propagation_direction", std::move(direction)});
  return value_of(std::move(spec));
}

GraphBuilder::Values GraphBuilder::named_computation(std::string name, const Values& operands,
                                                     const Body& body) {
  const std::string_view op_name = info(OpKind::SdyNamedComputation).name;
  if (!check_place(op_name) || !check_operands(op_name, operands)) return {};
  OpSpec spec{.kind = OpKind::SdyNamedComputation, .operands = operands};
  spec.attributes.set(attr::kName, std::move(name));
  spec.regions = {region(types_of(operands), body, OpKind::SdyReturn)};
  return op(std::move(spec));
}

}  // namespace shardy::ir
