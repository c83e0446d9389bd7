#include "simulation/kernels/operand_form.hpp"

#include <algorithm>

#include "simulation/kernels/convert.hpp"
#include "simulation/kernels/copy_kernel.hpp"

namespace shardy::simulation {

ir::ElementType sum_element(ir::ElementType result) {
  const bool is_wide = result == ir::ElementType::F32 || result == ir::ElementType::F64 ||
                       result == ir::ElementType::Exact;
  return ir::is_float(result) && !is_wide ? ir::ElementType::F32 : result;
}

Result<MatrixProduct> read_product(const OpReader& reader) {
  const ir::Type& result = reader.result();
  const ir::ElementType sum = sum_element(result.element());
  const MatrixProduct product = pick_matrix_product(sum);
  if (product == nullptr) return reader.unsupported_element(result.element());
  SHARDY_TRY_STATUS(expect_conversion(reader, reader.operand(0), result.element()));
  SHARDY_TRY_STATUS(expect_conversion(reader, reader.operand(1), result.element()));
  SHARDY_TRY_STATUS(expect_conversion(reader, result, sum));
  return product;
}

OperandForm::OperandForm(const ir::Type& operand, std::span<const int64_t> order,
                         ir::ElementType result, std::span<const int64_t> reversed)
    : result_(result), in_order_(reversed.empty() && std::ranges::is_sorted(order)), copy_({}, 1) {
  const std::vector<int64_t> strides = row_major_strides(operand.dims());
  for (const int64_t dim : order) sizes_.push_back(operand.dim(static_cast<std::size_t>(dim)));
  std::vector<CopyDim> dims = dims_written(sizes_);
  int64_t offset = 0;
  for (std::size_t index = 0; index < order.size(); ++index) {
    const int64_t stride = strides[static_cast<std::size_t>(order[index])];
    const bool backwards = std::ranges::find(reversed, order[index]) != reversed.end();
    dims[index].from_stride = backwards ? -stride : stride;
    if (backwards) offset += (sizes_[index] - 1) * stride;
  }
  copy_ = StridedCopy(std::move(dims), ir::size_bytes(sum_element(result)), offset);
}

Result<Tensor> OperandForm::of(const Tensor& operand) const {
  SHARDY_TRY(const Tensor rounded, converted(operand, result_));
  SHARDY_TRY(Tensor x, converted(rounded, sum_element(result_)));
  if (in_order_) return x.reshaped(x.type().with_dims(sizes_));
  SHARDY_TRY(TensorWriter out, TensorWriter::make(x.type().with_dims(sizes_)));
  copy_.run(x.data(), out.data());
  return std::move(out).finish();
}

}  // namespace shardy::simulation
