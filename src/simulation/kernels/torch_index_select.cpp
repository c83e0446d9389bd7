// torch_index_select: whole slices along a dim, picked by indices. Spec: stablehlo 30.
#include <algorithm>
#include <vector>

#include "shardy/ir/window_ops.hpp"
#include "shardy/support/math.hpp"
#include "simulation/kernels/convert.hpp"
#include "simulation/kernels/kernel_table.hpp"
#include "simulation/kernels/op_reader.hpp"

namespace shardy::simulation {
namespace {

/// The operand as (batch, rows before the dim, dim, bytes after it), the indices as (batch,
/// count).
struct SelectShape {
  int64_t batches;
  int64_t rows;
  int64_t size;
  int64_t slice_bytes;
  int64_t count;
};

void select_slices(const SelectShape& shape, const std::byte* x, std::span<const int64_t> indices,
                   std::byte* out) {
  const int64_t row_bytes = shape.size * shape.slice_bytes;
  for (int64_t row = 0; row < shape.batches * shape.rows; ++row) {
    const int64_t batch = row / shape.rows;
    for (int64_t at = 0; at < shape.count; ++at) {
      // As a gather does, what is out of range goes to the nearest slice.
      const int64_t index = std::clamp<int64_t>(
          indices[static_cast<std::size_t>(batch * shape.count + at)], 0, shape.size - 1);
      out = std::copy_n(x + row * row_bytes + index * shape.slice_bytes, shape.slice_bytes, out);
    }
  }
}

Result<Kernel> make_torch_index_select(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  SHARDY_TRY_STATUS(reader.expect_counts(2, 1));
  const ir::Type& x = reader.operand(0);
  const ir::Type& index = reader.operand(1);
  SHARDY_TRY(const auto view, reader.read_view<ir::TorchIndexSelectOp>());
  const bool fits = view.dim < x.rank() && view.batch_dims >= 0 && view.batch_dims <= view.dim &&
                    view.batch_dims <= index.rank();
  SHARDY_TRY_STATUS(reader.expect(fits, "needs 0 <= `batch_dims` <= `dim` < rank"));
  const auto places = static_cast<std::size_t>(view.dim);
  const auto shared = static_cast<std::size_t>(view.batch_dims);
  const auto before = x.dims().first(places);
  const auto behind = x.dims().subspan(places + 1);
  const auto picked = index.dims().subspan(shared);
  SHARDY_TRY_STATUS(
      reader.expect(std::ranges::equal(before.first(shared), index.dims().first(shared)),
                    "both operands must have the same batch dims"));
  std::vector<int64_t> dims(before.begin(), before.end());
  dims.insert(dims.end(), picked.begin(), picked.end());
  dims.insert(dims.end(), behind.begin(), behind.end());
  SHARDY_TRY_STATUS(reader.expect_result(dims, x.element()));
  const auto widen = Conversion::pick(index.element(), ir::ElementType::I64);
  if (!widen || !ir::is_integer(index.element()))
    return reader.unsupported_element(index.element());
  const auto bytes = static_cast<int64_t>(ir::size_bytes(x.element()));
  const SelectShape shape{product(before.first(shared)), product(before.subspan(shared)),
                          x.dim(places), product(behind) * bytes, product(picked)};
  SHARDY_TRY_STATUS(reader.expect(shape.size > 0 || reader.result().num_elements() == 0,
                                  "there is nothing to select from"));
  return
      [shape, widen = *widen, type = reader.result()](const KernelCall& call) -> Result<Tensors> {
        const Tensor& picks = call.operands[1];
        std::vector<int64_t> indices(static_cast<std::size_t>(picks.num_elements()));
        widen.run(picks.data(), reinterpret_cast<std::byte*>(indices.data()), indices.size());
        SHARDY_TRY(TensorWriter out, TensorWriter::make(type));
        if (type.num_elements() > 0)
          select_slices(shape, call.operands[0].data(), indices, out.data());
        return Tensors{std::move(out).finish()};
      };
}

}  // namespace

SHARDY_KERNEL(TorchIndexSelect, make_torch_index_select)

}  // namespace shardy::simulation
