// broadcast_in_dim, reshape, transpose, reverse: one strided copy each. Spec: stablehlo 21.
#include <algorithm>
#include <vector>

#include "shardy/ir/shape_ops.hpp"
#include "simulation/kernels/copy_kernel.hpp"
#include "simulation/kernels/kernel_table.hpp"
#include "simulation/kernels/op_reader.hpp"

namespace shardy::simulation {
namespace {

Result<Kernel> make_broadcast_in_dim(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const ir::Type& x = reader.operand();
  const ir::Type& result = reader.result();
  const auto to_dims = reader.view<ir::BroadcastInDimOp>().dims;
  std::vector<CopyDim> dims = dims_written(result.dims());
  const std::vector<int64_t> strides = row_major_strides(x.dims());
  for (std::size_t dim = 0; dim < to_dims.size(); ++dim) {
    CopyDim& target = dims[static_cast<std::size_t>(to_dims[dim])];
    target.from_stride = x.dim(dim) == 1 ? 0 : strides[dim];
  }
  return copy_kernel(result, StridedCopy(std::move(dims), ir::size_bytes(x.element())));
}

Result<Kernel> make_reshape(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const ir::Type& result = reader.result();
  return [result](const KernelCall& call) -> Result<Tensors> {
    return Tensors{call.operands[0].reshaped(result)};
  };
}

Result<Kernel> make_transpose(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const ir::Type& x = reader.operand();
  const auto permutation = reader.view<ir::TransposeOp>().permutation;
  const std::vector<int64_t> strides = row_major_strides(x.dims());
  std::vector<CopyDim> dims = dims_written(reader.result().dims());
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    dims[dim].from_stride = strides[static_cast<std::size_t>(permutation[dim])];
  }
  return copy_kernel(reader.result(), StridedCopy(std::move(dims), ir::size_bytes(x.element())));
}

Result<Kernel> make_reverse(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const ir::Type& x = reader.operand();
  const auto reversed = reader.view<ir::ReverseOp>().dims;
  std::vector<CopyDim> dims = dims_written(x.dims());
  int64_t offset = 0;
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    const bool backwards = std::ranges::find(reversed, static_cast<int64_t>(dim)) != reversed.end();
    dims[dim].from_stride = backwards ? -dims[dim].to_stride : dims[dim].to_stride;
    if (backwards) offset += (dims[dim].size - 1) * dims[dim].to_stride;
  }
  return copy_kernel(reader.result(),
                     StridedCopy(std::move(dims), ir::size_bytes(x.element()), offset));
}

}  // namespace

SHARDY_KERNEL(BroadcastInDim, make_broadcast_in_dim)
SHARDY_KERNEL(Reshape, make_reshape)
SHARDY_KERNEL(Transpose, make_transpose)
SHARDY_KERNEL(Reverse, make_reverse)

}  // namespace shardy::simulation
