// Reductions and their bodies. Spec: stablehlo 15.1, 24.1.
#include <algorithm>

#include "infer_families.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/shape_ops.hpp"

namespace shardy::ir {

bool is_promotable(ElementType from, ElementType to) {
  return info(from).kind == info(to).kind && info(from).bits <= info(to).bits;
}

namespace {

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

}  // namespace

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

namespace {

/// The element types of the first half of the block arguments.
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

}  // namespace

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

namespace {

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
