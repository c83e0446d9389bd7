// Kernels made of strided copies.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "shardy/ir/type.hpp"
#include "shardy/simulation/kernels/kernel.hpp"
#include "simulation/strided_copy.hpp"

namespace shardy::simulation {

/// Loop dims that write a whole buffer of these sizes in order; what they read is still to be said.
inline std::vector<CopyDim> dims_written(std::span<const int64_t> sizes) {
  const std::vector<int64_t> strides = row_major_strides(sizes);
  std::vector<CopyDim> dims;
  for (std::size_t dim = 0; dim < sizes.size(); ++dim) {
    dims.push_back({sizes[dim], 0, strides[dim]});
  }
  return dims;
}

/// Requires: `copy` writes each element of `result` and reads only elements of the operand.
inline Kernel copy_kernel(const ir::Type& result, StridedCopy copy) {
  return [result, copy = std::move(copy)](const KernelCall& call) -> Result<Tensors> {
    SHARDY_TRY(TensorWriter out, TensorWriter::make(result));
    copy.run(call.operands[0].data(), out.data(), 0, 0, call.pool);
    return Tensors{std::move(out).finish()};
  };
}

/// A buffer of that type that holds one value everywhere, converted to its element type. Requires:
/// the conversion exists.
Result<TensorWriter> filled_with(const ir::Type& type, const Tensor& scalar);

/// The operands side by side along a dim. Each is rows of contiguous elements, one row per index of
/// the dims before it. Requires: the result has that type.
Result<Tensor> concatenate(std::span<const Tensor> parts, std::size_t dim, const ir::Type& result);
/// Part `index` of `count` equal parts along a dim. Requires: the dim is divisible.
Result<Tensor> block_of(const Tensor& tensor, std::size_t dim, int64_t count, int64_t index);

}  // namespace shardy::simulation
