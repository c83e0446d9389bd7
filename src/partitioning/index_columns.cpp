#include "partitioning/index_columns.hpp"

#include <algorithm>

#include "ir/dim_set.hpp"
#include "shardy/ir/attribute_names.hpp"

namespace shardy::partitioning {

using ir::ValueId;

const ir::Literal* constant_of(const ir::Module& input, ValueId value) {
  const ir::OpId op = input.defining_op(value);
  const bool is_constant =
      op.valid() && (input.is(op, ir::OpKind::Constant) || input.is(op, ir::OpKind::SdyConstant));
  return is_constant ? input.attribute<ir::Literal>(op, ir::attr::kValue) : nullptr;
}

std::vector<std::size_t> batch_dims(std::size_t rank, int64_t vector_dim) {
  std::vector<std::size_t> dims;
  for (std::size_t dim = 0; dim < rank; ++dim) {
    if (static_cast<int64_t>(dim) != vector_dim) dims.push_back(dim);
  }
  return dims;
}

std::vector<ValueId> index_columns(Emitter& emit, ValueId indices, int64_t vector_dim) {
  indices = emit.to_i64(indices);
  const auto at = static_cast<std::size_t>(vector_dim);
  if (at == emit.dims(indices).size()) return {indices};
  std::vector<int64_t> batch(emit.dims(indices).begin(), emit.dims(indices).end());
  batch.erase(batch.begin() + vector_dim);
  std::vector<ValueId> columns;
  for (int64_t component = 0; component < emit.dim(indices, at); ++component) {
    columns.push_back(emit.reshape(emit.slice(indices, at, component, component + 1), batch));
  }
  return columns;
}

ValueId join_columns(Emitter& emit, std::span<const ValueId> columns) {
  std::vector<ValueId> parts;
  for (const ValueId column : columns) {
    std::vector<int64_t> dims(emit.dims(column).begin(), emit.dims(column).end());
    dims.push_back(1);
    parts.push_back(emit.reshape(column, std::move(dims)));
  }
  const std::size_t last = emit.dims(parts.front()).size() - 1;
  return emit.concatenate(std::move(parts), last);
}

std::vector<int64_t> without_vector_dim(std::span<const int64_t> dims, int64_t vector_dim) {
  std::vector<int64_t> moved;
  for (const int64_t dim : dims) moved.push_back(dim > vector_dim ? dim - 1 : dim);
  return moved;
}

std::vector<std::size_t> windowed_dims(std::size_t rank, std::span<const int64_t> dropped,
                                       std::span<const int64_t> batching) {
  std::vector<std::size_t> dims;
  for (std::size_t dim = 0; dim < rank; ++dim) {
    if (!ir::has_dim(dropped, dim) && !ir::has_dim(batching, dim)) dims.push_back(dim);
  }
  return dims;
}

}  // namespace shardy::partitioning
