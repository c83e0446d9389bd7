#include "simulation/kernels/op_reader.hpp"

#include <algorithm>

#include "shardy/simulation/run.hpp"
#include "shardy/support/detail/math.hpp"
#include "simulation/kernels/convert.hpp"

namespace shardy::simulation {
namespace {

/// Returns an error for a dynamic type. Spec: stablehlo 36.
Status expect_static(const OpReader& reader, const ir::Type& type) {
  const Status status = expect_runnable(type);
  if (status) return {};
  return tl::unexpected<Error>(reader.at_op(status.error()));
}

/// A shape split at one dim: rows before the dim, and contiguous elements from the dim on.
struct RowsFrom {
  int64_t rows;
  int64_t length;

  RowsFrom(std::span<const int64_t> dims, std::size_t dim)
      : rows(product(dims.first(dim))), length(product(dims.subspan(dim))) {}
};

}  // namespace

bool are_distinct_dims(std::span<const int64_t> dims, int64_t rank) {
  std::vector<int64_t> sorted(dims.begin(), dims.end());
  std::ranges::sort(sorted);
  return std::ranges::adjacent_find(sorted) == sorted.end() &&
         std::ranges::all_of(sorted, [&](int64_t dim) { return dim >= 0 && dim < rank; });
}

Error OpReader::at_op(Error error) const {
  error.message.insert(0, std::string(module_->name(op_)) + ": ");
  error.location = module_->source_location(op_);
  return error;
}

Result<OpReader> OpReader::make(const KernelRequest& request) {
  const OpReader reader(request.module, request.op);
  const ir::Module& module = request.module;
  for (const ir::ValueId operand : module.operands(request.op)) {
    SHARDY_TRY_STATUS(expect_static(reader, module.type(operand)));
  }
  for (const ir::ValueId result : module.results(request.op)) {
    SHARDY_TRY_STATUS(expect_static(reader, module.type(result)));
  }
  return reader;
}

Status OpReader::expect(bool holds, std::string_view message) const {
  if (holds) return {};
  return fail(message);
}

Status OpReader::expect_counts(std::size_t num_operands, std::size_t num_results) const {
  if (this->num_operands() == num_operands && module_->num_results(op_) == num_results) return {};
  return fail("takes " + std::to_string(num_operands) + " operands and gives " +
              std::to_string(num_results) + " results");
}

Status OpReader::expect_result(std::span<const int64_t> dims, ir::ElementType element,
                               std::size_t index) const {
  const ir::Type& declared = result(index);
  if (std::ranges::equal(declared.dims(), dims) && declared.element() == element) return {};
  ir::TensorType computed;
  computed.dims.assign(dims.begin(), dims.end());
  computed.element = element;
  const Result<ir::Type> type = ir::Type::make_tensor(computed.dims, computed.element);
  return fail("result " + std::to_string(index) + " is declared as " + ir::to_string(declared) +
              (type ? ", computed as " + ir::to_string(*type) : ", which is too large"));
}

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
