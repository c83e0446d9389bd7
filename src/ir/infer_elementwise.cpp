// Elementwise ops. Spec: stablehlo 15.1, 17, 19, 20, 29.
#include <array>

#include "infer_families.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/op_definition.hpp"
#include "shardy/ir/shape_ops.hpp"

namespace shardy::ir {

namespace {

constexpr ElementType real_part(ElementType element) {
  return is_complex(element) ? part_of(element) : element;
}

Result<ElementType> result_element(ResultElement rule, const Type& operand) {
  const ElementType element = operand.element();
  switch (rule) {
    case ResultElement::Same:
      break;
    case ResultElement::Boolean:
      return ElementType::I1;
    case ResultElement::RealPart:
      return real_part(element);
    case ResultElement::ComplexOf:
      if (element == ElementType::F32) return ElementType::Complex64;
      if (element == ElementType::F64) return ElementType::Complex128;
      if (element == ElementType::Exact) return ElementType::ExactComplex;
      return fail("operand 0 must be a tensor of f32 or f64, got " + to_string(operand));
  }
  return element;
}

/// The type of all operands, each of which has the class and the type of operand 0. Mostly that
/// very type, which costs nothing.
Result<Type> common_type(const OpFacts& op, unsigned classes) {
  SHARDY_TRY_STATUS(expect_class(op, 0, classes));
  Type common = op.operand_type(0);
  for (std::size_t index = 1; index < op.num_operands(); ++index) {
    SHARDY_TRY_STATUS(expect_class(op, index, classes));
    SHARDY_TRY_STATUS(expect_type_of(op, index, 0));
    const Type& type = op.operand_type(index);
    if (type == common) continue;
    SHARDY_TRY(common, Type::make_tensor(merged_dims(common.dims(), type.dims()), type.element()));
  }
  return common;
}

/// The same shape, of other elements, without an encoding.
Result<Types> one_tensor_like(const Type& type, ElementType element) {
  if (type.element() == element && type.tensor()->encoding.empty()) return Types{type};
  return one_tensor(Dims(type.dims().begin(), type.dims().end()), element);
}

/// Operand `index` is a scalar, or has the shape of operand `reference`.
Status expect_scalar_or_shape_of(const OpFacts& op, std::size_t index, std::size_t reference) {
  const Type& type = op.operand_type(index);
  const Type& wanted = op.operand_type(reference);
  if (type.dims().empty() || compatible_dims(type.dims(), wanted.dims())) return {};
  return fail(operand_name(index) + " must have rank 0 or the shape of " + operand_name(reference) +
              ", " + to_string(wanted) + ", got " + to_string(type));
}

/// Element classes that a compare_type is for.
unsigned classes_of_compare_type(std::string_view type) {
  if (type == "FLOAT") return kF | kC;
  if (type == "TOTALORDER") return kF;
  if (type == "SIGNED") return kS;
  return type == "UNSIGNED" ? kU | kP : kAnyClass;
}

}  // namespace

Result<Types> infer_elementwise(const OpFacts& op) {
  const OpDefinition& definition = definition_of(op.kind);
  SHARDY_TRY(const Type type, common_type(op, definition.classes));
  SHARDY_TRY(const ElementType element,
             result_element(definition.result_element, op.operand_type(0)));
  return one_tensor_like(type, element);
}

Result<Types> infer_reduce_precision(const OpFacts& op) {
  SHARDY_TRY(const Type type, common_type(op, kF));
  SHARDY_TRY(const auto view, read_view<ReducePrecisionOp>(op.attributes));
  if (view.exponent_bits < 1) {
    return fail("exponent_bits must be at least 1, got " + std::to_string(view.exponent_bits));
  }
  if (view.mantissa_bits < 0) {
    return fail("mantissa_bits must be at least 0, got " + std::to_string(view.mantissa_bits));
  }
  return one_tensor_like(type, type.element());
}

Result<Types> infer_compare(const OpFacts& op) {
  SHARDY_TRY(const Type operand, common_type(op, kAnyClass));
  SHARDY_TRY_STATUS(expect_enumerator(op, attr::kCompareType));
  SHARDY_TRY(const auto view, read_view<CompareOp>(op.attributes));
  SHARDY_TRY_STATUS(expect_enumerator(op, attr::kComparisonDirection));
  const unsigned allowed = classes_of_compare_type(view.type.value_or("NOTYPE"));
  if (!in_class(op.operand_type(0).element(), allowed)) {
    return fail("compare_type " + std::string(*view.type) + " is for " + class_text(allowed) +
                ", but operand 0 is " + to_string(op.operand_type(0)));
  }
  return one_tensor_like(operand, ElementType::I1);
}

Result<Types> infer_select(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_class(op, 0, kP));
  SHARDY_TRY_STATUS(expect_tensor(op, 1));
  SHARDY_TRY_STATUS(expect_tensor(op, 2));
  SHARDY_TRY_STATUS(expect_type_of(op, 2, 1));
  SHARDY_TRY_STATUS(expect_scalar_or_shape_of(op, 0, 1));
  const Type& on_true = op.operand_type(1);
  return one_tensor(merged_dims(on_true.dims(), op.operand_type(2).dims()), on_true.element());
}

Result<Types> infer_clamp(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_class(op, 1, kAnyClass));
  for (const std::size_t bound : {std::size_t{0}, std::size_t{2}}) {
    SHARDY_TRY_STATUS(expect_element_of(op, bound, 1));
    SHARDY_TRY_STATUS(expect_scalar_or_shape_of(op, bound, 1));
  }
  return Types{op.operand_type(1)};
}

Result<Types> infer_convert(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_class(op, 0, kAnyClass));
  SHARDY_TRY(const Type result, written_tensor(op));
  if (!in_class(result.element(), kAnyClass)) {
    return fail("result must be a tensor of " + class_text(kAnyClass) + ", got " +
                to_string(result));
  }
  const Type& operand = op.operand_type(0);
  return one_tensor({operand.dims().begin(), operand.dims().end()}, result.element());
}

}  // namespace shardy::ir
