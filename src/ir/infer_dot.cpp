// dot_general and ragged_dot. Spec: stablehlo 15.1, 22, 29.
#include <algorithm>

#include "dim_set.hpp"
#include "infer_families.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/window_ops.hpp"

namespace shardy::ir {

namespace {

using DimSpan = std::span<const int64_t>;

/// One operand with its dim lists.
struct DotSide {
  std::string_view name;  // lhs, rhs
  const Type& type;
  const Dims& batching;
  const Dims& contracting;
};

Status expect_dot_dims(const DotSide& side) {
  DimSet seen(side.type.dims().size());
  if (seen.add_all(side.batching) && seen.add_all(side.contracting)) return {};
  Dims all = side.batching;
  all.insert(all.end(), side.contracting.begin(), side.contracting.end());
  return expect_unique_dims(std::string(side.name) + " batching and contracting dims", all,
                            side.type.dims().size());
}

Status expect_pairs(std::string_view what, const DotSide& lhs, const DotSide& rhs, DimSpan lhs_dims,
                    DimSpan rhs_dims) {
  const std::string name(what);
  if (lhs_dims.size() != rhs_dims.size()) {
    return fail("lhs and rhs must have as many " + name + " dims, got " + list_text(lhs_dims) +
                " and " + list_text(rhs_dims));
  }
  for (std::size_t index = 0; index < lhs_dims.size(); ++index) {
    const int64_t left = lhs.type.dim(static_cast<std::size_t>(lhs_dims[index]));
    const int64_t right = rhs.type.dim(static_cast<std::size_t>(rhs_dims[index]));
    if (left == right || left == kDynamicDim || right == kDynamicDim) continue;
    return fail("paired " + name + " dims must have one size, got " + std::to_string(left) +
                " for dim " + std::to_string(lhs_dims[index]) + " of lhs and " +
                std::to_string(right) + " for dim " + std::to_string(rhs_dims[index]) + " of rhs");
  }
  return {};
}

/// Dims that are neither batching nor contracting, in order.
void append_free_dims(const DotSide& side, Dims& dims) {
  DimSet bound(side.type.dims().size());
  bound.add_all(side.batching);
  bound.add_all(side.contracting);
  for (std::size_t dim = 0; dim < side.type.dims().size(); ++dim) {
    if (!bound.contains(dim)) dims.push_back(side.type.dim(dim));
  }
}

Dims dot_shape(const DotSide& lhs, const DotSide& rhs) {
  Dims dims;
  dims.reserve(lhs.type.dims().size() + rhs.type.dims().size());
  for (std::size_t index = 0; index < lhs.batching.size(); ++index) {
    const int64_t left = lhs.type.dim(static_cast<std::size_t>(lhs.batching[index]));
    const int64_t right = rhs.type.dim(static_cast<std::size_t>(rhs.batching[index]));
    dims.push_back(left == kDynamicDim ? right : left);
  }
  append_free_dims(lhs, dims);
  append_free_dims(rhs, dims);
  return dims;
}

constexpr std::string_view kPrecisions[] = {"DEFAULT", "HIGH", "HIGHEST"};

Status expect_precision_config(const OpFacts& op, std::string_view kind) {
  const Attribute* attribute = op.attributes.find(attr::kPrecisionConfig);
  if (!attribute) return {};
  const auto* config = attribute->as<ArrayAttr>();
  if (!config || config->elements.size() > 2) {
    return fail("attribute 'precision_config' must be an array of at most 2 elements");
  }
  for (const Attribute& element : config->elements) {
    const auto* precision = element.as<EnumAttr>();
    const bool is_known = precision && precision->kind == kind &&
                          std::ranges::find(kPrecisions, precision->value) != std::end(kPrecisions);
    if (!is_known) {
      return fail("attribute 'precision_config' must hold DEFAULT, HIGH or HIGHEST, of " +
                  std::string(kind));
    }
  }
  return {};
}

/// Operands are converted to the element type of the result, so that is free to choose.
Result<ElementType> dot_element(const OpFacts& op) {
  if (op.result_types.size() == 1 && op.result_types.front().is_tensor()) {
    return op.result_types.front().element();
  }
  SHARDY_TRY_STATUS(expect_element_of(op, 1, 0));
  return op.operand_type(0).element();
}

}  // namespace

Result<Types> infer_dot_general(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_class(op, 0, kAnyClass));
  SHARDY_TRY_STATUS(expect_class(op, 1, kAnyClass));
  SHARDY_TRY(const DotGeneralOp view, DotGeneralOp::of(op.attributes));
  const DotDims* const dims = &view.dims;
  const DotSide lhs{"lhs", op.operand_type(0), dims->lhs_batch, dims->lhs_contracting};
  const DotSide rhs{"rhs", op.operand_type(1), dims->rhs_batch, dims->rhs_contracting};
  SHARDY_TRY_STATUS(expect_dot_dims(lhs));
  SHARDY_TRY_STATUS(expect_dot_dims(rhs));
  SHARDY_TRY_STATUS(expect_pairs("batching", lhs, rhs, lhs.batching, rhs.batching));
  SHARDY_TRY_STATUS(expect_pairs("contracting", lhs, rhs, lhs.contracting, rhs.contracting));
  SHARDY_TRY_STATUS(expect_precision_config(op, "stablehlo.precision"));
  SHARDY_TRY(const ElementType element, dot_element(op));
  return one_tensor(dot_shape(lhs, rhs), element);
}

namespace {

Status expect_one_ragged_dim(const RaggedDotDims& dims, std::size_t lhs_rank) {
  if (dims.lhs_ragged.size() != 1) return fail("there must be exactly one ragged dim in the lhs");
  return expect_dim("lhs_ragged_dimensions", dims.lhs_ragged.front(), lhs_rank);
}

/// A list of sizes for all, or one for each element of the prefix.
Status expect_group_sizes(const RaggedDotDims& dims, const Type& lhs, const Type& sizes) {
  if (sizes.rank() == 0) return fail("expected rank of group_sizes to be at least 1");
  if (sizes.rank() == 1) return {};
  std::vector<int64_t> expected;
  for (const int64_t dim : ragged_prefix(dims, lhs.rank())) {
    expected.push_back(lhs.dim(static_cast<std::size_t>(dim)));
  }
  expected.push_back(sizes.dims().back());
  if (compatible_dims(expected, sizes.dims())) return {};
  return fail("group_sizes is expected to have shape " + list_text(expected) + ", got " +
              list_text(sizes.dims()));
}

Status expect_group_dims(const RaggedDotDims& dims, const Type& rhs, int64_t num_groups) {
  if (ragged_mode(dims) != RaggedMode::Free) {
    if (dims.rhs_group.empty()) return {};
    return fail("rhs must have no group dim when the ragged dim is batching or contracting");
  }
  if (dims.rhs_group.size() != 1) {
    return fail(
        "rhs must have exactly one group dim when the ragged dim is neither batching nor "
        "contracting");
  }
  Dims bound = dims.rhs_batch;
  bound.insert(bound.end(), dims.rhs_contracting.begin(), dims.rhs_contracting.end());
  bound.push_back(dims.rhs_group.front());
  SHARDY_TRY_STATUS(
      expect_unique_dims("rhs batching, contracting and group dims", bound, rhs.dims().size()));
  const int64_t size = rhs.dim(static_cast<std::size_t>(dims.rhs_group.front()));
  if (size == num_groups || size == kDynamicDim || num_groups == kDynamicDim) return {};
  return fail("rhs group dim is expected to have size " + std::to_string(num_groups) + ", got " +
              std::to_string(size));
}

}  // namespace

template <>
Result<Types> infer_op<OpKind::ChloRaggedDot>(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_class(op, 0, kAnyClass));
  SHARDY_TRY_STATUS(expect_class(op, 1, kAnyClass));
  SHARDY_TRY_STATUS(expect_class(op, 2, kS | kU));
  SHARDY_TRY(const auto view, read_view<RaggedDotOp>(op.attributes));
  const RaggedDotDims& dims = *view.dims;
  const DotSide lhs{"lhs", op.operand_type(0), dims.lhs_batch, dims.lhs_contracting};
  const DotSide rhs{"rhs", op.operand_type(1), dims.rhs_batch, dims.rhs_contracting};
  SHARDY_TRY_STATUS(expect_dot_dims(lhs));
  SHARDY_TRY_STATUS(expect_dot_dims(rhs));
  SHARDY_TRY_STATUS(expect_pairs("batching", lhs, rhs, lhs.batching, rhs.batching));
  SHARDY_TRY_STATUS(expect_pairs("contracting", lhs, rhs, lhs.contracting, rhs.contracting));
  SHARDY_TRY_STATUS(expect_one_ragged_dim(dims, lhs.type.dims().size()));
  SHARDY_TRY_STATUS(expect_group_sizes(dims, lhs.type, op.operand_type(2)));
  const int64_t num_groups = op.operand_type(2).dims().back();
  SHARDY_TRY_STATUS(expect_group_dims(dims, rhs.type, num_groups));
  SHARDY_TRY_STATUS(expect_precision_config(op, "chlo.precision"));
  SHARDY_TRY(const ElementType element, dot_element(op));
  // A group dim is bound as the contracting ones are.
  Dims bound = dims.rhs_contracting;
  bound.insert(bound.end(), dims.rhs_group.begin(), dims.rhs_group.end());
  Dims shape;
  if (ragged_mode(dims) == RaggedMode::Contracting) shape.push_back(num_groups);
  const Dims product = dot_shape(lhs, DotSide{"rhs", rhs.type, rhs.batching, bound});
  shape.insert(shape.end(), product.begin(), product.end());
  return one_tensor(std::move(shape), element);
}

}  // namespace shardy::ir
