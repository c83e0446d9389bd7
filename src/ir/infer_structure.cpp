// Tuples, tokens, sizes, device numbers, and ops that keep or reinterpret elements.
// Spec: stablehlo 9, 19, 21, 32.
#include <algorithm>

#include "infer_families.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/window_ops.hpp"

namespace shardy::ir {

Result<Types> infer_tuple(const OpFacts& op) { return Types{Type(TupleType{op.operand_types()})}; }

Result<Types> infer_get_tuple_element(const OpFacts& op) {
  SHARDY_TRY(const auto view, read_view<GetTupleElementOp>(op.attributes));
  const int64_t index = view.index;
  const auto* tuple = op.operand_type(0).as<TupleType>();
  if (!tuple) return fail("operand 0 must be a tuple, got " + to_string(op.operand_type(0)));
  SHARDY_TRY_STATUS(expect_dim(attr::kIndex, index, tuple->elements.size()));
  return Types{tuple->elements[static_cast<std::size_t>(index)]};
}

/// Operands are tokens; of what goes to the host only the last one is. Spec: stablehlo 11.
Result<Types> infer_token(const OpFacts& op) {
  const bool only_last = op.kind == OpKind::Outfeed || op.kind == OpKind::Send;
  for (std::size_t index = only_last ? op.num_operands() - 1 : 0; index < op.num_operands();
       ++index) {
    if (op.operand_type(index).is_token()) continue;
    return fail(operand_name(index) + " must be a token, got " + to_string(op.operand_type(index)));
  }
  return Types{Type(TokenType{})};
}

Result<Types> infer_device_number(const OpFacts&) { return one_tensor({}, ElementType::UI32); }

Result<Types> infer_dimension_size(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_tensor(op, 0));
  SHARDY_TRY(const auto view, read_view<DimensionSizeOp>(op.attributes));
  SHARDY_TRY_STATUS(expect_dim(attr::kDimension, view.dim, op.operand_type(0).dims().size()));
  if (op.kind == OpKind::GetDimensionSize) return one_tensor({}, ElementType::I32);
  SHARDY_TRY(Type result, written_tensor(op));  // its bounds are free to choose
  return Types{std::move(result)};
}

namespace {

/// Operand 2 of rng lists the dims of the result, as many as it has elements.
Status expect_rank_of_shape(const OpFacts& op, const Type& result) {
  const Type& shape = op.operand_type(2);
  const bool fits =
      shape.dims().size() == 1 && (shape.dim(0) == kDynamicDim || shape.dim(0) == result.rank());
  if (fits) return {};
  return fail("operand 2 must hold one size per dim of the result, got " + to_string(shape) +
              " for " + to_string(result));
}

}  // namespace

/// Spec: stablehlo 27.3.
Result<Types> infer_rng(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_class(op, 0, kP | kS | kU | kF));
  SHARDY_TRY_STATUS(expect_scalar(op, 0));
  SHARDY_TRY_STATUS(expect_type_of(op, 1, 0));
  SHARDY_TRY_STATUS(expect_class(op, 2, kS | kU));
  SHARDY_TRY(const Type result, written_tensor(op));
  SHARDY_TRY_STATUS(expect_rank_of_shape(op, result));
  return Types{result.with_element(op.operand_type(0).element())};
}

/// The state keeps its type; bits become integers or floats of any shape. Spec: stablehlo 27.
Result<Types> infer_rng_bit_generator(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_class(op, 0, kS | kU | kF));
  if (op.result_types.size() != 2) {
    return fail("needs its two result types to be given, got " +
                std::to_string(op.result_types.size()));
  }
  const Type& bits = op.result_types[1];
  if (!bits.is_static_tensor() || !in_class(bits.element(), kS | kU | kF)) {
    return fail("result 1 must be a static tensor of " + class_text(kS | kU | kF) + ", got " +
                to_string(bits));
  }
  return Types{op.operand_type(0), bits};
}

Result<Types> infer_broadcast(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_tensor(op, 0));
  SHARDY_TRY(const auto view, read_view<BroadcastOp>(op.attributes));
  Dims dims(view.sizes.begin(), view.sizes.end());
  for (const int64_t dim : dims) {
    if (dim < 0) return fail("broadcast_sizes must not be negative, got " + list_text(dims));
  }
  const auto inner = op.operand_type(0).dims();
  dims.insert(dims.end(), inner.begin(), inner.end());
  return one_tensor(std::move(dims), op.operand_type(0).element());
}

/// Equal shapes, or one more dim, the last one, on the side of the narrower elements.
Result<Types> infer_bitcast_convert(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_tensor(op, 0));
  SHARDY_TRY(Type result, written_tensor(op));
  const Type& operand = op.operand_type(0);
  const int from = info(operand.element()).bits;
  const int to = info(result.element()).bits;
  constexpr unsigned kOwnClasses = kP | kC;  // they go to their own class only
  if ((in_class(operand.element(), kOwnClasses) || in_class(result.element(), kOwnClasses)) &&
      info(operand.element()).kind != info(result.element()).kind) {
    return fail("cannot convert between " + to_string(operand) + " and " + to_string(result));
  }
  Dims wide((from < to ? result : operand).dims().begin(),
            (from < to ? result : operand).dims().end());
  if (from != to) wide.push_back(std::max(from, to) / std::min(from, to));
  const auto other = (from < to ? operand : result).dims();
  if (std::max(from, to) % std::min(from, to) == 0 && compatible_dims(wide, other)) {
    return Types{std::move(result)};
  }
  return fail("the shapes of operand 0 and of the result must hold the same bits, got " +
              to_string(operand) + " and " + to_string(result));
}

/// Operands of one type, no results.
Result<Types> infer_check(const OpFacts& op) {
  for (std::size_t index = 1; index < op.num_operands(); ++index) {
    SHARDY_TRY_STATUS(expect_type_of(op, index, 0));
  }
  const auto* value = op.attributes.get<Literal>(attr::kValue);
  if (value && !compatible(value->type(), op.operand_type(0))) {
    return fail("operand 0 must have the type of the constant, " + to_string(value->type()) +
                ", got " + to_string(op.operand_type(0)));
  }
  return Types();
}

// ---- CHLO --------------------------------------------------------------------------------------

/// Spec: stablehlo 29.
Result<Types> infer_top_k(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_class(op, 0, kP | kS | kU | kF));
  SHARDY_TRY(const auto view, read_view<TopKOp>(op.attributes));
  const int64_t k = view.k;
  const Type& type = op.operand_type(0);
  if (type.dims().empty()) return fail("operand's rank must be at least 1");
  Dims dims(type.dims().begin(), type.dims().end());
  if (k < 0) return fail("k must be at least 0, got " + std::to_string(k));
  // The result size for a dim of unknown size is the upper bound k.
  dims.back() = dims.back() == kDynamicDim ? k : std::min(k, dims.back());
  SHARDY_TRY(Type values, Type::make_tensor(dims, type.element()));
  SHARDY_TRY(Type indices, Type::make_tensor(dims, ElementType::I32));
  return Types{std::move(values), std::move(indices)};
}

}  // namespace shardy::ir
