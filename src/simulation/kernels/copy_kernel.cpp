#include "simulation/kernels/copy_kernel.hpp"

#include "shardy/support/math.hpp"
#include "simulation/kernels/convert.hpp"

namespace shardy::simulation {
namespace {

/// A shape seen from one dim: what lies before it, and the contiguous elements from it on.
struct RowsFrom {
  int64_t rows;
  int64_t length;

  RowsFrom(std::span<const int64_t> dims, std::size_t dim)
      : rows(product(dims.first(dim))), length(product(dims.subspan(dim))) {}
};

}  // namespace

Result<TensorWriter> filled_with(const ir::Type& type, const Tensor& scalar) {
  SHARDY_TRY(const Tensor value, converted(scalar, type.element()));
  SHARDY_TRY(TensorWriter out, TensorWriter::make(type));
  StridedCopy({{type.num_elements(), 0, 1}}, ir::size_bytes(type.element()))
      .run(value.data(), out.data());
  return out;
}

Result<Tensor> concatenate(std::span<const Tensor> parts, std::size_t dim, const ir::Type& result) {
  SHARDY_TRY(TensorWriter out, TensorWriter::make(result));
  const std::size_t bytes = ir::size_bytes(result.element());
  const RowsFrom to(result.dims(), dim);
  int64_t offset = 0;
  for (const Tensor& part : parts) {
    const int64_t length = RowsFrom(part.type().dims(), dim).length;
    StridedCopy({{to.rows, length, to.length}, {length, 1, 1}}, bytes, 0, offset)
        .run(part.data(), out.data());
    offset += length;
  }
  return std::move(out).finish();
}

Result<Tensor> block_of(const Tensor& tensor, std::size_t dim, int64_t count, int64_t index) {
  std::vector<int64_t> sizes(tensor.type().dims().begin(), tensor.type().dims().end());
  const RowsFrom from(sizes, dim);
  sizes[dim] /= count;
  const ir::Type type = tensor.type().with_dims(sizes);
  const int64_t length = from.length / count;
  if (from.rows == 1) return tensor.part(type, index * length);
  SHARDY_TRY(TensorWriter out, TensorWriter::make(type));
  StridedCopy({{from.rows, from.length, length}, {length, 1, 1}}, ir::size_bytes(type.element()),
              index * length, 0)
      .run(tensor.data(), out.data());
  return std::move(out).finish();
}

}  // namespace shardy::simulation
