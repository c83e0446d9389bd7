// Type rules of constants, elementwise ops, ops that move elements, slices, concatenations,
// paddings, and reductions with their bodies. Spec: stablehlo 15.1, 17, 19, 20, 21, 24.1, 29.
#include <algorithm>

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

/// Checks that all operands have the type of operand 0 and one of the element classes. Returns
/// their common type, which usually is the type of operand 0 itself.
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

/// Returns a tensor type with the shape of `type` and the given element type, without an encoding.
Result<Types> one_tensor_like(const Type& type, ElementType element) {
  if (type.element() == element && type.tensor()->encoding.empty()) return Types{type};
  return one_tensor(Dims(type.dims().begin(), type.dims().end()), element);
}

/// Checks that operand `index` is a scalar or has the shape of operand `reference`.
Status expect_scalar_or_shape_of(const OpFacts& op, std::size_t index, std::size_t reference) {
  const Type& type = op.operand_type(index);
  const Type& wanted = op.operand_type(reference);
  if (type.dims().empty() || compatible_dims(type.dims(), wanted.dims())) return {};
  return fail(operand_name(index) + " must have rank 0 or the shape of " + operand_name(reference) +
              ", " + to_string(wanted) + ", got " + to_string(type));
}

/// Returns the element classes that a compare_type applies to.
unsigned classes_of_compare_type(std::string_view type) {
  if (type == "FLOAT") return kF | kC;
  if (type == "TOTALORDER") return kF;
  if (type == "SIGNED") return kS;
  return type == "UNSIGNED" ? kU | kP : kAnyClass;
}

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

/// Checks that the written result has the element type of operand 0.
Status expect_element_kept(const OpFacts& op, const Type& result) {
  if (result.element() == op.operand_type(0).element()) return {};
  return fail("result must have the element type of operand 0, " +
              std::string(to_string(op.operand_type(0).element())) + ", got " + to_string(result));
}

std::string of_dim(std::size_t dim) { return " of dim " + std::to_string(dim); }

/// Returns the sum, or an error if it does not fit int64.
Result<int64_t> grown(int64_t size, int64_t by) {
  const std::optional<int64_t> sum = checked_add(size, by);
  if (!sum) return fail("result is too large: a size does not fit 64 bits");
  return *sum;
}

/// Returns the sum of two sizes; dynamic if one of them is.
Result<int64_t> joined_size(int64_t a, int64_t b) {
  if (a == kDynamicDim || b == kDynamicDim) return kDynamicDim;
  return grown(a, b);
}

Status expect_concatenable(const OpFacts& op, std::size_t index, std::size_t along) {
  SHARDY_TRY_STATUS(expect_element_of(op, index, 0));
  const auto first = op.operand_type(0).dims();
  const auto dims = op.operand_type(index).dims();
  Dims wanted(first.begin(), first.end());
  if (dims.size() == first.size()) wanted[along] = dims[along];
  if (compatible_dims(dims, wanted)) return {};
  return fail(operand_name(index) + " must have the sizes of operand 0 but for dim " +
              std::to_string(along) + ", got " + to_string(op.operand_type(index)) + " and " +
              to_string(op.operand_type(0)));
}

struct Padding {
  int64_t low, high, interior;
};

Result<int64_t> padded_size(int64_t size, const Padding& padding, std::size_t dim) {
  if (padding.interior < 0) {
    return fail(std::string(attr::kInteriorPadding) + of_dim(dim) + " must be at least 0, got " +
                std::to_string(padding.interior));
  }
  if (size == kDynamicDim) return kDynamicDim;
  const auto between = checked_mul(std::max<int64_t>(size - 1, 0), padding.interior);
  if (!between) return fail("result is too large: a size does not fit 64 bits");
  SHARDY_TRY(const int64_t inner, grown(size, *between));
  SHARDY_TRY(const int64_t with_low, grown(inner, padding.low));
  SHARDY_TRY(const int64_t result, grown(with_low, padding.high));
  if (result >= 0) return result;
  return fail("edge paddings " + std::to_string(padding.low) + " and " +
              std::to_string(padding.high) + of_dim(dim) + " cut off more than its " +
              std::to_string(inner) + " elements");
}

struct SliceBounds {
  int64_t start, limit, stride;
};

Result<int64_t> sliced_size(int64_t size, const SliceBounds& bounds, std::size_t dim) {
  if (bounds.stride < 1) {
    return fail(std::string(attr::kStrides) + of_dim(dim) + " must be at least 1, got " +
                std::to_string(bounds.stride));
  }
  const bool in_range = size == kDynamicDim || bounds.limit <= size;
  if (bounds.start < 0 || bounds.start > bounds.limit || !in_range) {
    return fail("slice [" + std::to_string(bounds.start) + ", " + std::to_string(bounds.limit) +
                ")" + of_dim(dim) + " must lie in [0, " +
                (size == kDynamicDim ? "?" : std::to_string(size)) + ")");
  }
  return ceil_div(bounds.limit - bounds.start, bounds.stride);
}

/// Checks the operands from `first` on: one rank-0 integer for each dim of operand 0, all of one
/// type.
Status expect_start_indices(const OpFacts& op, std::size_t first) {
  const std::size_t rank = op.operand_type(0).dims().size();
  if (op.num_operands() != first + rank) {
    return fail("expects one start index for each of the " + counted(rank, "dim") +
                " of operand 0, got " + std::to_string(op.num_operands() - first));
  }
  for (std::size_t index = first; index < op.num_operands(); ++index) {
    SHARDY_TRY_STATUS(expect_class(op, index, kS | kU));
    SHARDY_TRY_STATUS(expect_scalar(op, index));
    SHARDY_TRY_STATUS(expect_type_of(op, index, first));
  }
  return {};
}

/// Checks for each dim that 0 <= size <= size of operand 0.
Status expect_part(const OpFacts& op, std::string_view what, std::span<const int64_t> sizes) {
  for (std::size_t dim = 0; dim < sizes.size(); ++dim) {
    const int64_t whole = op.operand_type(0).dim(dim);
    if (sizes[dim] >= 0 && (whole == kDynamicDim || sizes[dim] <= whole)) continue;
    return fail(std::string(what) + of_dim(dim) + " must be in range [0, " +
                (whole == kDynamicDim ? "?" : std::to_string(whole)) + "], got " +
                std::to_string(sizes[dim]));
  }
  return {};
}

std::string scalar_text(ElementType element) {
  return "tensor<" + std::string(to_string(element)) + ">";
}

std::string region_name(std::size_t region) { return "region " + std::to_string(region) + ": "; }

Status expect_scalars(const Types& types, std::span<const ElementType> elements,
                      const std::string& what) {
  for (std::size_t index = 0; index < types.size(); ++index) {
    const ElementType wanted = elements[index % elements.size()];
    if (is_foreign(types[index]) || is_scalar(types[index], wanted)) continue;
    return fail(what + " " + std::to_string(index) + " must be " + scalar_text(wanted) + ", got " +
                to_string(types[index]));
  }
  return {};
}

/// Returns the element types of the first half of the block arguments.
Result<std::vector<ElementType>> accumulators(const OpFacts& op, std::size_t num_inputs,
                                              std::size_t region) {
  const Types args = region_arg_types(op, region);
  std::vector<ElementType> elements;
  for (std::size_t index = 0; index < num_inputs; ++index) {
    if (index >= args.size() || !is_scalar(args[index])) {
      return fail(region_name(region) + "expects " + counted(2 * num_inputs, "block argument") +
                  " that are tensors of rank 0");
    }
    elements.push_back(args[index].element());
  }
  return elements;
}

Status expect_reducible(const OpFacts& op, std::size_t index, ElementType accumulator) {
  const ElementType element = op.operand_type(index).element();
  if (is_promotable(element, accumulator)) return {};
  return fail(operand_name(index) + ", " + to_string(op.operand_type(index)) +
              ", cannot be accumulated as " + scalar_text(accumulator));
}

Status expect_inputs_and_inits(const OpFacts& op, std::size_t num_inputs) {
  for (std::size_t index = 0; index < num_inputs; ++index) {
    SHARDY_TRY_STATUS(expect_tensor(op, index));
    const Type& type = op.operand_type(index);
    if (!compatible_dims(type.dims(), op.operand_type(0).dims())) {
      return fail(operand_name(index) + " must have the shape of operand 0, " +
                  to_string(op.operand_type(0)) + ", got " + to_string(type));
    }
  }
  for (std::size_t index = num_inputs; index < op.num_operands(); ++index) {
    SHARDY_TRY_STATUS(expect_tensor(op, index));
    SHARDY_TRY_STATUS(expect_scalar(op, index));
  }
  return {};
}

Dims dims_without(std::span<const int64_t> dims, std::span<const int64_t> dropped) {
  std::vector<bool> is_dropped(dims.size(), false);
  for (const int64_t dim : dropped) is_dropped[static_cast<std::size_t>(dim)] = true;
  Dims kept;
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    if (!is_dropped[dim]) kept.push_back(dims[dim]);
  }
  return kept;
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

Result<Types> infer_constant(const OpFacts& op) {
  const Attribute* value = op.attributes.find(attr::kValue);
  if (!value) return fail("requires attribute 'value'");
  if (const auto* literal = value->as<Literal>()) return Types{literal->type()};
  if (!value->as<OpaqueAttr>()) return fail("attribute 'value' must be a dense literal");
  // These elements are kept as text: strings and elided resources.
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

Result<Types> infer_concatenate(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_tensor(op, 0));
  SHARDY_TRY(const auto view, read_view<ConcatenateOp>(op.attributes));
  const int64_t dimension = view.dim;
  const Type& first = op.operand_type(0);
  SHARDY_TRY_STATUS(expect_dim(attr::kDimension, dimension, first.dims().size()));
  const auto along = static_cast<std::size_t>(dimension);
  Dims dims(first.dims().begin(), first.dims().end());
  for (std::size_t index = 1; index < op.num_operands(); ++index) {
    SHARDY_TRY_STATUS(expect_concatenable(op, index, along));
    const Type& type = op.operand_type(index);
    SHARDY_TRY(const int64_t sum, joined_size(dims[along], type.dim(along)));
    dims = merged_dims(dims, type.dims());
    dims[along] = sum;
  }
  return one_tensor(std::move(dims), first.element());
}

Result<Types> infer_pad(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_tensor(op, 0));
  SHARDY_TRY_STATUS(expect_element_of(op, 1, 0));
  SHARDY_TRY_STATUS(expect_scalar(op, 1));
  const Type& operand = op.operand_type(0);
  const std::size_t rank = operand.dims().size();
  SHARDY_TRY(const PadOp view, PadOp::of(op.attributes, rank));
  Dims dims;
  for (std::size_t dim = 0; dim < rank; ++dim) {
    SHARDY_TRY(const int64_t size,
               padded_size(operand.dim(dim),
                           Padding{view.low[dim], view.high[dim], view.interior[dim]}, dim));
    dims.push_back(size);
  }
  return one_tensor(std::move(dims), operand.element());
}

Result<Types> infer_slice(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_tensor(op, 0));
  const Type& operand = op.operand_type(0);
  const std::size_t rank = operand.dims().size();
  SHARDY_TRY(const SliceOp view, SliceOp::of(op.attributes, rank));
  Dims dims;
  for (std::size_t dim = 0; dim < rank; ++dim) {
    SHARDY_TRY(
        const int64_t size,
        sliced_size(operand.dim(dim),
                    SliceBounds{view.starts[dim], view.limits[dim], view.strides[dim]}, dim));
    dims.push_back(size);
  }
  return one_tensor(std::move(dims), operand.element());
}

Result<Types> infer_dynamic_slice(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_tensor(op, 0));
  SHARDY_TRY_STATUS(expect_start_indices(op, 1));
  const Type& operand = op.operand_type(0);
  SHARDY_TRY(const DynamicSliceOp view, DynamicSliceOp::of(op.attributes, operand.dims().size()));
  SHARDY_TRY_STATUS(expect_part(op, attr::kSliceSizes, view.sizes));
  return one_tensor({view.sizes.begin(), view.sizes.end()}, operand.element());
}

Result<Types> infer_dynamic_update_slice(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_tensor(op, 0));
  SHARDY_TRY_STATUS(expect_element_of(op, 1, 0));
  const Type& operand = op.operand_type(0);
  const Type& update = op.operand_type(1);
  if (update.dims().size() != operand.dims().size()) {
    return fail("operand 1 must have the rank of operand 0, " + std::to_string(operand.rank()) +
                ", got " + to_string(update));
  }
  Dims sizes(update.dims().begin(), update.dims().end());
  std::ranges::replace(sizes, kDynamicDim, 0);  // size 0 fits any size
  SHARDY_TRY_STATUS(expect_part(op, "size of operand 1", sizes));
  SHARDY_TRY_STATUS(expect_start_indices(op, 2));
  return Types{operand};
}

bool is_promotable(ElementType from, ElementType to) {
  return info(from).kind == info(to).kind && info(from).bits <= info(to).bits;
}

Status expect_reducer(const OpFacts& op, std::span<const ElementType> elements,
                      std::size_t region) {
  const std::string name = region_name(region);
  const Types args = region_arg_types(op, region);
  if (args.size() != 2 * elements.size()) {
    return fail(name + "expects " + counted(2 * elements.size(), "block argument") + ", got " +
                std::to_string(args.size()));
  }
  SHARDY_TRY_STATUS(expect_scalars(args, elements, name + "block argument"));
  const Types returned = returned_types(op, region);
  if (returned.size() != elements.size()) {
    return fail(name + "must return " + counted(elements.size(), "value") + ", got " +
                std::to_string(returned.size()));
  }
  return expect_scalars(returned, elements, name + "returned value");
}

Result<std::vector<ElementType>> accumulated_elements(const OpFacts& op, std::size_t count,
                                                      std::size_t second, std::size_t region) {
  SHARDY_TRY(std::vector<ElementType> elements, accumulators(op, count, region));
  SHARDY_TRY_STATUS(expect_reducer(op, elements, region));
  for (std::size_t index = 0; index < count; ++index) {
    SHARDY_TRY_STATUS(expect_reducible(op, index, elements[index]));
    SHARDY_TRY_STATUS(expect_reducible(op, second + index, elements[index]));
  }
  return elements;
}

Result<Types> infer_reduce(const OpFacts& op) {
  if (op.num_operands() % 2 != 0) {
    return fail("expects as many inputs as initial values, got " +
                counted(op.num_operands(), "operand"));
  }
  const std::size_t num_inputs = op.num_operands() / 2;
  SHARDY_TRY_STATUS(expect_inputs_and_inits(op, num_inputs));
  const auto shape = op.operand_type(0).dims();
  SHARDY_TRY(const auto view, read_view<ReduceOp>(op.attributes));
  const std::span<const int64_t> reduced = view.dims;
  SHARDY_TRY_STATUS(expect_unique_dims(attr::kDimensions, reduced, shape.size()));
  SHARDY_TRY(const std::vector<ElementType> elements,
             accumulated_elements(op, num_inputs, num_inputs));
  Types results;
  for (const ElementType element : elements) {
    SHARDY_TRY(Type type, Type::make_tensor(dims_without(shape, reduced), element));
    results.push_back(std::move(type));
  }
  return results;
}

}  // namespace shardy::ir
