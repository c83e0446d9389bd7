// Type rules of tuples, tokens, sizes, device numbers, ops that keep or reinterpret elements,
// loops, branches and calls. Spec: stablehlo 9, 15.1, 19, 21, 28, 32.
#include <algorithm>

#include "infer_families.hpp"
#include "op_facts.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/window_ops.hpp"

namespace shardy::ir {
namespace {

/// Checks that operand 2 of rng has one element per dim of the result.
Status expect_rank_of_shape(const OpFacts& op, const Type& result) {
  const Type& shape = op.operand_type(2);
  const bool fits =
      shape.dims().size() == 1 && (shape.dim(0) == kDynamicDim || shape.dim(0) == result.rank());
  if (fits) return {};
  return fail("operand 2 must hold one size per dim of the result, got " + to_string(shape) +
              " for " + to_string(result));
}

/// The types of the operands or of the results of an op. `what` is "operand" or "result".
struct ExpectedTypes {
  const Types& types;
  std::string_view what;
};

tl::unexpected<Error> unwanted_type(const std::string& name, std::size_t index, const Type& got,
                                    const ExpectedTypes& wanted) {
  const std::string number = " " + std::to_string(index);
  return fail(name + number + " must have the type of " + std::string(wanted.what) + number + ", " +
              to_string(wanted.types[index]) + ", got " + to_string(got));
}

/// Checks the types of values. `name`, such as `cond: block argument`, names the values in errors.
Status expect_types(const std::string& name, const Types& got, const ExpectedTypes& wanted) {
  if (got.size() != wanted.types.size()) {
    return fail(name + "s must be as many as " + std::string(wanted.what) + "s, " +
                std::to_string(wanted.types.size()) + ", got " + std::to_string(got.size()));
  }
  for (std::size_t index = 0; index < got.size(); ++index) {
    if (!compatible(got[index], wanted.types[index])) {
      return unwanted_type(name, index, got[index], wanted);
    }
  }
  return {};
}

Status expect_condition(const OpFacts& op) {
  const Types returned = returned_types(op, 0);
  if (returned.size() == 1 && compatible(returned.front(), Type::tensor({}, ElementType::I1))) {
    return {};
  }
  return fail("cond: must return tensor<i1>, got (" + to_string(returned) + ")");
}

Status expect_scalar_of(const OpFacts& op, ElementType element) {
  const Type wanted = Type::tensor({}, element);
  if (compatible(op.operand_type(0), wanted)) return {};
  return fail("operand 0 must be " + to_string(wanted) + ", got " + to_string(op.operand_type(0)));
}

/// Returns the types that all branches return. Branches take no arguments.
Result<Types> branch_types(const OpFacts& op) {
  const Types wanted = returned_types(op, 0);
  for (std::size_t index = 0; index < op.regions.size(); ++index) {
    const std::string name = "branch " + std::to_string(index);
    const std::size_t num_args = region_arg_types(op, index).size();
    if (num_args != 0) {
      return fail(name + ": must have no block arguments, got " + std::to_string(num_args));
    }
    SHARDY_TRY_STATUS(expect_types(name + ": returned value", returned_types(op, index),
                                   {wanted, "branch 0's returned value"}));
  }
  return wanted;
}

/// The result consists of slices of the operand, which the index picks after the batch dims. Spec:
/// stablehlo 30.
Result<Types> infer_torch_index_select(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_tensor(op, 0));
  SHARDY_TRY_STATUS(expect_class(op, 1, kS | kU));
  SHARDY_TRY(const auto view, read_view<TorchIndexSelectOp>(op.attributes));
  const Type& operand = op.operand_type(0);
  const auto index = op.operand_type(1).dims();
  SHARDY_TRY_STATUS(expect_dim(attr::kDim, view.dim, operand.dims().size()));
  SHARDY_TRY_STATUS(expect_dim(attr::kBatchDims, view.batch_dims, index.size() + 1));
  Dims dims(operand.dims().begin(), operand.dims().begin() + view.dim);
  dims.insert(dims.end(), index.begin() + view.batch_dims, index.end());
  dims.insert(dims.end(), operand.dims().begin() + view.dim + 1, operand.dims().end());
  return one_tensor(std::move(dims), operand.element());
}

}  // namespace

Result<Types> infer_tuple(const OpFacts& op) { return Types{Type(TupleType{op.operand_types()})}; }

Result<Types> infer_get_tuple_element(const OpFacts& op) {
  SHARDY_TRY(const auto view, read_view<GetTupleElementOp>(op.attributes));
  const int64_t index = view.index;
  const auto* tuple = op.operand_type(0).as<TupleType>();
  if (!tuple) return fail("operand 0 must be a tuple, got " + to_string(op.operand_type(0)));
  SHARDY_TRY_STATUS(expect_dim(attr::kIndex, index, tuple->elements.size()));
  return Types{tuple->elements[static_cast<std::size_t>(index)]};
}

/// Checks that all operands are tokens. An op that sends to the host needs only its last operand to
/// be a token. Spec: stablehlo 11.
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
  SHARDY_TRY(Type result, written_tensor(op));  // the op chooses the bounds
  return Types{std::move(result)};
}

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

/// The state keeps its type. The bits become integers or floats of any shape. Spec: stablehlo 27.
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

/// The shapes are equal, or the side with the narrower elements has one more dim at the end.
Result<Types> infer_bitcast_convert(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_tensor(op, 0));
  SHARDY_TRY(Type result, written_tensor(op));
  const Type& operand = op.operand_type(0);
  const int from = info(operand.element()).bits;
  const int to = info(result.element()).bits;
  // Elements that convert only to elements of their own class.
  constexpr unsigned kOwnClasses = kP | kC;
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

/// The operands have one type, and the op has no results.
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
  // If the size of the dim is unknown, the result size is k, an upper bound.
  dims.back() = dims.back() == kDynamicDim ? k : std::min(k, dims.back());
  SHARDY_TRY(Type values, Type::make_tensor(dims, type.element()));
  SHARDY_TRY(Type indices, Type::make_tensor(dims, ElementType::I32));
  return Types{std::move(values), std::move(indices)};
}

Result<Types> infer_while(const OpFacts& op) {
  const Types carried = op.operand_types();
  const ExpectedTypes wanted{carried, "operand"};
  SHARDY_TRY_STATUS(expect_types("cond: block argument", region_arg_types(op, 0), wanted));
  SHARDY_TRY_STATUS(expect_condition(op));
  SHARDY_TRY_STATUS(expect_types("body: block argument", region_arg_types(op, 1), wanted));
  SHARDY_TRY_STATUS(expect_types("body: returned value", returned_types(op, 1), wanted));
  return carried;
}

Result<Types> infer_case(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_scalar_of(op, ElementType::I32));
  return branch_types(op);
}

Result<Types> infer_if(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_scalar_of(op, ElementType::I1));
  return branch_types(op);
}

Result<Types> infer_call(const OpFacts& op) {
  SHARDY_TRY(const auto view, read_view<CallOp>(op.attributes));
  const std::optional<OpId> function = nearest_symbol(op.module, op.op, view.callee->name);
  if (!function || !op.module.is(*function, OpKind::Func)) {
    return fail("'" + view.callee->name + "' does not reference a valid function");
  }
  const Types args = op.module.arg_types(*function);
  const ExpectedTypes wanted{args, "callee argument"};
  SHARDY_TRY_STATUS(expect_types("operand", op.operand_types(), wanted));
  // The types must be equal, as for a body.
  for (std::size_t index = 0; index < args.size(); ++index) {
    if (op.operand_type(index) == args[index]) continue;
    return unwanted_type("operand", index, op.operand_type(index), wanted);
  }
  return op.module.function(*function).result_types;
}

Result<Types> infer_operand_types(const OpFacts& op) { return op.operand_types(); }

Result<Types> infer_written(const OpFacts& op) {
  if (op.kind == OpKind::Rng) return infer_rng(op);
  if (op.kind == OpKind::RngBitGenerator) return infer_rng_bit_generator(op);
  if (op.kind == OpKind::TorchIndexSelect) return infer_torch_index_select(op);
  if (op.result_types.empty() && definition_of(op.kind).types_given) {
    return fail("needs its result types to be given");
  }
  if (writes_one_tensor(op.kind)) {
    SHARDY_TRY(Type result, written_result(op));
    return Types{std::move(result)};
  }
  return Types(op.result_types.begin(), op.result_types.end());
}

Result<Types> infer_nothing(const OpFacts&) { return Types(); }

}  // namespace shardy::ir
