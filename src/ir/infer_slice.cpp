// Slices, concatenations and paddings. Spec: stablehlo 15.1, 21.
#include <algorithm>

#include "infer_families.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/shape_ops.hpp"

namespace shardy::ir {

namespace {

std::string of_dim(std::size_t dim) { return " of dim " + std::to_string(dim); }

/// A sum that may not fit.
Result<int64_t> grown(int64_t size, int64_t by) {
  const std::optional<int64_t> sum = checked_add(size, by);
  if (!sum) return fail("result is too large: a size does not fit 64 bits");
  return *sum;
}

/// The same of sizes that may be unknown.
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

}  // namespace

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

namespace {

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

}  // namespace

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

namespace {

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

}  // namespace

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

namespace {

/// Operands from `first` on: one rank-0 integer for each dim of operand 0, all of one type.
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

/// 0 <= size <= size of operand 0.
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

}  // namespace

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
  std::ranges::replace(sizes, kDynamicDim, 0);  // fits whatever it turns out to be
  SHARDY_TRY_STATUS(expect_part(op, "size of operand 1", sizes));
  SHARDY_TRY_STATUS(expect_start_indices(op, 2));
  return Types{operand};
}

}  // namespace shardy::ir
