// slice, dynamic_slice, dynamic_update_slice, pad, concatenate. Spec: stablehlo 21.
#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "shardy/ir/number.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/support/math.hpp"
#include "simulation/kernels/copy_kernel.hpp"
#include "simulation/kernels/kernel_table.hpp"
#include "simulation/kernels/op_reader.hpp"
#include "simulation/kernels/padding.hpp"

namespace shardy::simulation {
namespace {

// ---- slice -----------------------------------------------------------------------------------

Result<Kernel> make_slice(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const ir::Type& x = reader.operand();
  const auto view = reader.view<ir::SliceOp>();
  std::vector<CopyDim> dims = dims_written(reader.result().dims());
  const std::vector<int64_t> x_strides = row_major_strides(x.dims());
  int64_t offset = 0;
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    offset += view.starts[dim] * x_strides[dim];
    if (dims[dim].size > 1) dims[dim].from_stride = view.strides[dim] * x_strides[dim];
  }
  return copy_kernel(reader.result(),
                     StridedCopy(std::move(dims), ir::size_bytes(x.element()), offset));
}

// ---- Dynamic starts --------------------------------------------------------------------------

/// Where a window lies that starts at run-time indices, moved so that it is inside.
struct Window {
  std::vector<int64_t> last_start;  // per dim
  std::vector<int64_t> strides;

  /// Offset of its first element, given one rank-0 index per dim.
  int64_t offset(std::span<const Tensor> starts) const {
    int64_t offset = 0;
    for (std::size_t dim = 0; dim < strides.size(); ++dim) {
      offset += std::clamp<int64_t>(read(starts[dim]), 0, last_start[dim]) * strides[dim];
    }
    return offset;
  }

 private:
  /// Indices keep their own signedness; those above int64 are as good as its maximum.
  static int64_t read(const Tensor& start) {
    const ir::ElementType element = start.type().element();
    const int64_t value = ir::decode_int(start.bytes(), element);
    const bool huge = element == ir::ElementType::UI64 && value < 0;
    return huge ? std::numeric_limits<int64_t>::max() : value;
  }
};

Window make_window(const ir::Type& x, std::span<const int64_t> sizes) {
  Window window{{}, row_major_strides(x.dims())};
  for (std::size_t dim = 0; dim < sizes.size(); ++dim) {
    window.last_start.push_back(x.dim(dim) - sizes[dim]);
  }
  return window;
}

Result<Kernel> make_dynamic_slice(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const ir::Type& x = reader.operand();
  const auto sizes = reader.view<ir::DynamicSliceOp>().sizes;
  Window window = make_window(x, sizes);
  std::vector<CopyDim> dims = dims_written(sizes);
  for (std::size_t dim = 0; dim < dims.size(); ++dim) dims[dim].from_stride = window.strides[dim];
  return [result = reader.result(), window = std::move(window),
          copy = StridedCopy(std::move(dims), ir::size_bytes(x.element()))](
             const KernelCall& call) -> Result<Tensors> {
    SHARDY_TRY(TensorWriter out, TensorWriter::make(result));
    copy.run(call.operands[0].data(), out.data(), window.offset(call.operands.subspan(1)));
    return Tensors{std::move(out).finish()};
  };
}

Result<Kernel> make_dynamic_update_slice(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const ir::Type& x = reader.operand(0);
  const ir::Type& update = reader.operand(1);
  Window window = make_window(x, update.dims());
  std::vector<CopyDim> dims;
  const std::vector<int64_t> from_strides = row_major_strides(update.dims());
  for (std::size_t dim = 0; dim < from_strides.size(); ++dim) {
    dims.push_back({update.dim(dim), from_strides[dim], window.strides[dim]});
  }
  return [result = reader.result(), window = std::move(window),
          copy = StridedCopy(std::move(dims), ir::size_bytes(x.element()))](
             const KernelCall& call) -> Result<Tensors> {
    SHARDY_TRY(TensorWriter out, TensorWriter::make(result));
    std::ranges::copy(call.operands[0].bytes(), out.data());
    copy.run(call.operands[1].data(), out.data(), 0, window.offset(call.operands.subspan(2)));
    return Tensors{std::move(out).finish()};
  };
}

// ---- pad -------------------------------------------------------------------------------------

Result<std::vector<PadDim>> read_padding(const OpReader& reader) {
  const ir::Type& x = reader.operand();
  const auto view = reader.view<ir::PadOp>();
  std::vector<PadDim> dims;
  for (std::size_t dim = 0; dim < view.low.size(); ++dim) {
    dims.push_back({x.dim(dim), view.low[dim], view.high[dim], view.interior[dim]});
    SHARDY_TRY_STATUS(reader.expect(dims.back().is_legal() && dims.back().padded(),
                                    "padding is too large, or negative where it may not be"));
  }
  return dims;
}

Result<Kernel> make_pad(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const ir::Type& x = reader.operand(0);
  SHARDY_TRY(const std::vector<PadDim> padding, read_padding(reader));
  const ir::Type& result = reader.result();
  return [result, copy = plan_pad(padding, result.dims(), ir::size_bytes(x.element())),
          fill_all = StridedCopy({{result.num_elements(), 0, 1}}, ir::size_bytes(x.element()))](
             const KernelCall& call) -> Result<Tensors> {
    SHARDY_TRY(TensorWriter out, TensorWriter::make(result));
    fill_all.run(call.operands[1].data(), out.data());
    copy.run(call.operands[0].data(), out.data());
    return Tensors{std::move(out).finish()};
  };
}

// ---- concatenate -----------------------------------------------------------------------------

Result<Kernel> make_concatenate(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const int64_t at = reader.view<ir::ConcatenateOp>().dim;
  return [result = reader.result(),
          along = static_cast<std::size_t>(at)](const KernelCall& call) -> Result<Tensors> {
    SHARDY_TRY(Tensor joined, concatenate(call.operands, along, result));
    return Tensors{std::move(joined)};
  };
}

}  // namespace

SHARDY_KERNEL(Slice, make_slice)
SHARDY_KERNEL(DynamicSlice, make_dynamic_slice)
SHARDY_KERNEL(DynamicUpdateSlice, make_dynamic_update_slice)
SHARDY_KERNEL(Pad, make_pad)
SHARDY_KERNEL(Concatenate, make_concatenate)

}  // namespace shardy::simulation
