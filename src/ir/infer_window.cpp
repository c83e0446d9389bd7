// Sorts, maps and windows. Spec: stablehlo 15.1, 24, 25.1.
#include <algorithm>

#include "infer_families.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/window_ops.hpp"

namespace shardy::ir {

Status expect_one_shape(const OpFacts& op, std::size_t first, std::size_t last) {
  for (std::size_t index = first; index < last; ++index) {
    SHARDY_TRY_STATUS(expect_tensor(op, index));
    if (compatible_dims(op.operand_type(index).dims(), op.operand_type(first).dims())) continue;
    return fail(operand_name(index) + " must have the shape of " + operand_name(first) + ", " +
                to_string(op.operand_type(first)) + ", got " + to_string(op.operand_type(index)));
  }
  return {};
}

namespace {

/// Arguments of region 0: `copies` scalars for each operand, one value is returned.
Status expect_function_of_elements(const OpFacts& op, std::size_t num_operands,
                                   std::size_t copies) {
  const Types args = region_arg_types(op, 0);
  if (args.size() != copies * num_operands) {
    return fail("region 0: expects " + counted(copies * num_operands, "block argument") + ", got " +
                std::to_string(args.size()));
  }
  for (std::size_t index = 0; index < args.size(); ++index) {
    const ElementType element = op.operand_type(index / copies).element();
    if (is_scalar(args[index]) && is_promotable(element, args[index].element())) continue;
    return fail("region 0: block argument " + std::to_string(index) + " must be tensor<" +
                std::string(to_string(element)) + ">, got " + to_string(args[index]));
  }
  const std::size_t returned = returned_types(op, 0).size();
  if (returned == 1) return {};
  return fail("region 0: must return 1 value, got " + std::to_string(returned));
}

Status expect_predicate(const OpFacts& op) {
  const Types returned = returned_types(op, 0);
  if (compatible(returned.front(), Type::tensor({}, ElementType::I1))) return {};
  return fail("comparator must return tensor<i1> but got '" + to_string(returned.front()) + "'");
}

}  // namespace

Result<Types> infer_sort(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_one_shape(op, 0, op.num_operands()));
  const auto rank = static_cast<int64_t>(op.operand_type(0).dims().size());
  SHARDY_TRY(const auto view, read_view<SortOp>(op.attributes));
  const int64_t dimension = view.dim.value_or(-1);
  if (dimension < -rank || dimension >= rank) {
    return fail("dimension attribute value must be in range [-" + std::to_string(rank) + ", " +
                std::to_string(rank) + "), but found " + std::to_string(dimension));
  }
  SHARDY_TRY_STATUS(expect_function_of_elements(op, op.num_operands(), 2));
  SHARDY_TRY_STATUS(expect_predicate(op));
  return op.operand_types();
}

Result<Types> infer_map(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_one_shape(op, 0, op.num_operands()));
  const auto shape = op.operand_type(0).dims();
  SHARDY_TRY(const auto view, read_view<MapOp>(op.attributes));
  SHARDY_TRY_STATUS(expect_one_per_dim(op, attr::kDimensions, view.dims));
  SHARDY_TRY_STATUS(expect_unique_dims(attr::kDimensions, view.dims, shape.size()));
  SHARDY_TRY_STATUS(expect_function_of_elements(op, op.num_operands(), 1));
  const Types returned = returned_types(op, 0);
  if (!is_scalar(returned.front())) {
    return fail("region 0: must return a tensor of rank 0, got " + to_string(returned.front()));
  }
  return one_tensor({shape.begin(), shape.end()}, returned.front().element());
}

namespace {

/// How many windows operand 0 has along each dim.
Dims window_counts(const OpFacts& op, const std::vector<WindowDim>& window) {
  Dims counts;
  for (std::size_t dim = 0; dim < window.size(); ++dim) {
    counts.push_back(window_count(op.operand_type(0).dim(dim), window[dim]));
  }
  return counts;
}

}  // namespace

Result<Types> infer_reduce_window(const OpFacts& op) {
  if (op.num_operands() % 2 != 0) {
    return fail("expects as many inputs as initial values, got " +
                counted(op.num_operands(), "operand"));
  }
  const std::size_t count = op.num_operands() / 2;
  SHARDY_TRY_STATUS(expect_one_shape(op, 0, count));
  for (std::size_t index = count; index < op.num_operands(); ++index) {
    SHARDY_TRY_STATUS(expect_scalar(op, index));
  }
  SHARDY_TRY(const ReduceWindowOp view,
             ReduceWindowOp::of(op.attributes, op.operand_type(0).dims().size()));
  const Dims shape = window_counts(op, view.window);
  SHARDY_TRY(const std::vector<ElementType> elements, accumulated_elements(op, count, count));
  Types results;
  for (const ElementType element : elements) {
    SHARDY_TRY(Type type, Type::make_tensor(shape, element));
    results.push_back(std::move(type));
  }
  return results;
}

namespace {

/// Two elements of operand 0 are compared.
Status expect_selector(const OpFacts& op) {
  const Types args = region_arg_types(op, 0);
  const ElementType element = op.operand_type(0).element();
  const bool are_elements = std::ranges::all_of(args, [&](const Type& type) {
    return is_scalar(type) && is_promotable(element, type.element());
  });
  if (args.size() != 2 || !are_elements) {
    return fail("region 0: expects 2 block arguments of type tensor<" +
                std::string(to_string(element)) + ">, got (" + to_string(args) + ")");
  }
  const Types returned = returned_types(op, 0);
  if (returned.size() == 1 && is_scalar(returned.front(), ElementType::I1)) return {};
  return fail("region 0: must return tensor<i1>, got (" + to_string(returned) + ")");
}

}  // namespace

Result<Types> infer_select_and_scatter(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_tensor(op, 0));
  SHARDY_TRY_STATUS(expect_element_of(op, 1, 0));
  SHARDY_TRY_STATUS(expect_scalar(op, 2));
  SHARDY_TRY(const SelectAndScatterOp view,
             SelectAndScatterOp::of(op.attributes, op.operand_type(0).dims().size()));
  const Dims counts = window_counts(op, view.window);
  if (!compatible_dims(counts, op.operand_type(1).dims())) {
    return fail("expects source-type to be the shape " + list_text(counts) + ", got " +
                to_string(op.operand_type(1)));
  }
  SHARDY_TRY_STATUS(expect_selector(op));
  SHARDY_TRY(const std::vector<ElementType> elements, accumulated_elements(op, 1, 2, 1));
  const auto shape = op.operand_type(0).dims();
  return one_tensor({shape.begin(), shape.end()}, elements.front());
}

}  // namespace shardy::ir
