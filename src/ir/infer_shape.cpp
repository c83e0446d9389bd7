// Constants, iota, and ops that move elements without computing. Spec: stablehlo 15.1, 21.
#include <algorithm>

#include "infer_families.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/shape_ops.hpp"

namespace shardy::ir {

Result<Types> infer_constant(const OpFacts& op) {
  const Attribute* value = op.attributes.find(attr::kValue);
  if (!value) return fail("requires attribute 'value'");
  if (const auto* literal = value->as<Literal>()) return Types{literal->type()};
  if (!value->as<OpaqueAttr>()) return fail("attribute 'value' must be a dense literal");
  // The elements are kept as text: strings, elided resources.
  SHARDY_TRY(Type type, written_tensor(op));
  return Types{std::move(type)};
}

Result<Types> infer_iota(const OpFacts& op) {
  SHARDY_TRY(Type type, written_tensor(op));
  SHARDY_TRY(const auto view, read_view<IotaOp>(op.attributes));
  if (!type.is_static_tensor()) {
    return fail("result must be a static tensor, got " + to_string(type));
  }
  if (!in_class(type.element(), kS | kU | kF | kC)) {
    return fail("result must be a tensor of " + class_text(kS | kU | kF | kC) + ", got " +
                to_string(type));
  }
  SHARDY_TRY_STATUS(expect_dim(attr::kIotaDimension, view.dim, type.dims().size()));
  return Types{std::move(type)};
}

namespace {

Status expect_broadcast(const Type& operand, const Type& result, std::span<const int64_t> dims) {
  for (std::size_t index = 0; index < dims.size(); ++index) {
    const int64_t size = operand.dim(index);
    const int64_t wanted = result.dim(static_cast<std::size_t>(dims[index]));
    if (size == 1 || size == wanted || size == kDynamicDim || wanted == kDynamicDim) continue;
    return fail("dim " + std::to_string(index) + " of operand 0 must have size 1 or " +
                std::to_string(wanted) + ", that of result dim " + std::to_string(dims[index]) +
                ", got " + std::to_string(size));
  }
  return {};
}

/// The written result has the element type of operand 0.
Status expect_element_kept(const OpFacts& op, const Type& result) {
  if (result.element() == op.operand_type(0).element()) return {};
  return fail("result must have the element type of operand 0, " +
              std::string(to_string(op.operand_type(0).element())) + ", got " + to_string(result));
}

}  // namespace

Result<Types> infer_broadcast_in_dim(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_tensor(op, 0));
  SHARDY_TRY(Type result, written_tensor(op));
  const Type& operand = op.operand_type(0);
  SHARDY_TRY(const auto view, read_view<BroadcastInDimOp>(op.attributes));
  SHARDY_TRY_STATUS(expect_one_per_dim(op, attr::kBroadcastDimensions, view.dims));
  SHARDY_TRY_STATUS(
      expect_unique_dims(attr::kBroadcastDimensions, view.dims, result.dims().size()));
  SHARDY_TRY_STATUS(expect_element_kept(op, result));
  SHARDY_TRY_STATUS(expect_broadcast(operand, result, view.dims));
  return Types{std::move(result)};
}

Result<Types> infer_reshape(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_tensor(op, 0));
  SHARDY_TRY(Type result, written_tensor(op));
  SHARDY_TRY_STATUS(expect_element_kept(op, result));
  const Type& operand = op.operand_type(0);
  const bool is_static = operand.is_static_tensor() && result.is_static_tensor();
  if (is_static && operand.num_elements() != result.num_elements()) {
    return fail("number of elements must stay " + std::to_string(operand.num_elements()) +
                ", but result " + to_string(result) + " has " +
                std::to_string(result.num_elements()));
  }
  return Types{std::move(result)};
}

Result<Types> infer_transpose(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_tensor(op, 0));
  const Type& operand = op.operand_type(0);
  SHARDY_TRY(const auto view, read_view<TransposeOp>(op.attributes));
  const std::span<const int64_t> order = view.permutation;
  SHARDY_TRY_STATUS(expect_one_per_dim(op, attr::kPermutation, order));
  SHARDY_TRY_STATUS(expect_unique_dims(attr::kPermutation, order, operand.dims().size()));
  Dims dims;
  for (const int64_t from : order) dims.push_back(operand.dim(static_cast<std::size_t>(from)));
  return one_tensor(std::move(dims), operand.element());
}

Result<Types> infer_reverse(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_tensor(op, 0));
  SHARDY_TRY(const auto view, read_view<ReverseOp>(op.attributes));
  SHARDY_TRY_STATUS(
      expect_unique_dims(attr::kDimensions, view.dims, op.operand_type(0).dims().size()));
  return Types{op.operand_type(0)};
}

}  // namespace shardy::ir
