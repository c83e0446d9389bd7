// Gathers and scatters. Spec: stablehlo 15.1, 25.2, 25.3.
#include <algorithm>

#include "infer_families.hpp"
#include "shardy/ir/window_ops.hpp"

namespace shardy::ir {

namespace {

using DimSpan = std::span<const int64_t>;

bool contains(DimSpan list, std::size_t dim) {
  return std::ranges::find(list, static_cast<int64_t>(dim)) != list.end();
}

Dims joined(DimSpan a, DimSpan b) {
  Dims all(a.begin(), a.end());
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

Status expect_sorted(std::string_view what, DimSpan list) {
  if (std::ranges::is_sorted(list)) return {};
  return fail(std::string(what) + " must be sorted, got " + list_text(list));
}

/// Dims of the tensor and of the indices, for gather and scatter, with the attribute names of each.
struct IndexDims {
  std::string dropped_name, batching_name, indices_batching_name, map_name;
  DimSpan dropped, batching, indices_batching, map;
  int64_t vector_dim;
};

IndexDims index_dims(const GatherDims& dims) {
  return {"collapsed_slice_dims",
          "operand_batching_dims",
          "start_indices_batching_dims",
          "start_index_map",
          dims.collapsed_slice_dims,
          dims.operand_batching_dims,
          dims.start_indices_batching_dims,
          dims.start_index_map,
          dims.index_vector_dim};
}

IndexDims index_dims(const ScatterDims& dims) {
  return {"inserted_window_dims",
          "input_batching_dims",
          "scatter_indices_batching_dims",
          "scatter_dims_to_operand_dims",
          dims.inserted_window_dims,
          dims.input_batching_dims,
          dims.scatter_indices_batching_dims,
          dims.scatter_dims_to_operand_dims,
          dims.index_vector_dim};
}

/// The list of index components must be as long as an index vector.
Status expect_index_map(const IndexDims& dims, DimSpan indices) {
  const auto rank = static_cast<int64_t>(indices.size());
  if (dims.vector_dim < 0 || dims.vector_dim > rank) {
    return fail("index_vector_dim must be in range [0, " + std::to_string(rank + 1) + "), got " +
                std::to_string(dims.vector_dim));
  }
  const int64_t length =
      dims.vector_dim == rank ? 1 : indices[static_cast<std::size_t>(dims.vector_dim)];
  if (length == kDynamicDim || length == static_cast<int64_t>(dims.map.size())) return {};
  return fail(dims.map_name + " size (" + std::to_string(dims.map.size()) +
              ") is not equal to size of index dimension (" + std::to_string(dims.vector_dim) +
              ") of the indices (" + std::to_string(length) + ")");
}

/// Batching dims come in pairs of one size, one of the tensor and one of the indices.
Status expect_batching(const IndexDims& dims, DimSpan shape, DimSpan indices) {
  SHARDY_TRY_STATUS(
      expect_unique_dims(dims.indices_batching_name, dims.indices_batching, indices.size()));
  if (std::ranges::find(dims.indices_batching, dims.vector_dim) != dims.indices_batching.end()) {
    return fail(dims.indices_batching_name + " must not name index_vector_dim " +
                std::to_string(dims.vector_dim) + ", got " + list_text(dims.indices_batching));
  }
  std::string both = dims.batching_name + " and " + dims.indices_batching_name;
  const std::string lists =
      ", got " + list_text(dims.batching) + " and " + list_text(dims.indices_batching);
  if (dims.batching.size() != dims.indices_batching.size()) {
    return fail(both + " must be as many" + lists);
  }
  for (std::size_t index = 0; index < dims.batching.size(); ++index) {
    const int64_t left = shape[static_cast<std::size_t>(dims.batching[index])];
    const int64_t right = indices[static_cast<std::size_t>(dims.indices_batching[index])];
    if (left == right || left == kDynamicDim || right == kDynamicDim) continue;
    return fail(both.append(" must pair equal sizes").append(lists));
  }
  return {};
}

/// Errors of everything but the windows.
Status expect_index_dims(const IndexDims& dims, DimSpan shape, DimSpan indices) {
  const std::size_t rank = shape.size();
  SHARDY_TRY_STATUS(expect_unique_dims(dims.dropped_name + " and " + dims.batching_name,
                                       joined(dims.dropped, dims.batching), rank));
  SHARDY_TRY_STATUS(expect_sorted(dims.dropped_name, dims.dropped));
  SHARDY_TRY_STATUS(expect_sorted(dims.batching_name, dims.batching));
  SHARDY_TRY_STATUS(expect_unique_dims(dims.map_name + " and " + dims.batching_name,
                                       joined(dims.map, dims.batching), rank));
  SHARDY_TRY_STATUS(expect_index_map(dims, indices));
  return expect_batching(dims, shape, indices);
}

/// Sizes of the dims that are not index vectors.
Dims batch_sizes(DimSpan indices, int64_t vector_dim) {
  Dims sizes;
  for (std::size_t dim = 0; dim < indices.size(); ++dim) {
    if (static_cast<int64_t>(dim) != vector_dim) sizes.push_back(indices[dim]);
  }
  return sizes;
}

Status expect_slice_sizes(const OpFacts& op, DimSpan sizes, DimSpan dropped) {
  const auto shape = op.operand_type(0).dims();
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    const bool fits = shape[dim] == kDynamicDim || sizes[dim] <= shape[dim];
    if (sizes[dim] >= 0 && fits && (sizes[dim] <= 1 || !contains(dropped, dim))) continue;
    return fail("slice size (" + std::to_string(sizes[dim]) +
                ") is out of bounds for operand dim " + std::to_string(dim) + ", got " +
                to_string(op.operand_type(0)));
  }
  return {};
}

/// `window` dims of a result or of updates, which with those that are `dropped` are all dims.
Status expect_window(std::string_view what, DimSpan window, std::size_t num_dropped,
                     std::size_t rank, std::size_t window_rank) {
  SHARDY_TRY_STATUS(expect_unique_dims(what, window, window_rank));
  SHARDY_TRY_STATUS(expect_sorted(what, window));
  if (window.size() + num_dropped == rank) return {};
  return fail(std::string(what) + " size (" + std::to_string(window.size()) +
              ") plus dims that have no window (" + std::to_string(num_dropped) +
              ") is not equal to operand rank (" + std::to_string(rank) + ")");
}

}  // namespace

Result<Types> infer_gather(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_tensor(op, 0));
  SHARDY_TRY_STATUS(expect_class(op, 1, kS | kU));
  const auto shape = op.operand_type(0).dims();
  SHARDY_TRY(const GatherOp view, GatherOp::of(op.attributes, shape.size()));
  const GatherDims* const dims = &view.dims;
  const auto indices = op.operand_type(1).dims();
  SHARDY_TRY_STATUS(expect_index_dims(index_dims(*dims), shape, indices));
  const Dims dropped = joined(dims->collapsed_slice_dims, dims->operand_batching_dims);
  SHARDY_TRY_STATUS(expect_slice_sizes(op, view.slice_sizes, dropped));
  const Dims batch = batch_sizes(indices, dims->index_vector_dim);
  const std::size_t result_rank = batch.size() + dims->offset_dims.size();
  SHARDY_TRY_STATUS(
      expect_window("offset_dims", dims->offset_dims, dropped.size(), shape.size(), result_rank));
  Dims result;
  std::size_t next_batch = 0;
  std::size_t next_offset = 0;
  for (std::size_t dim = 0; dim < result_rank; ++dim) {
    if (!contains(dims->offset_dims, dim)) {
      result.push_back(batch[next_batch++]);
      continue;
    }
    while (contains(dropped, next_offset)) ++next_offset;
    result.push_back(view.slice_sizes[next_offset++]);
  }
  return one_tensor(std::move(result), op.operand_type(0).element());
}

namespace {

/// Windows of updates are at most as large as the inputs; their other dims are those of the
/// indices.
Status expect_updates(const OpFacts& op, const ScatterDims& dims, const Dims& dropped) {
  const std::size_t count = op.num_operands() / 2;
  const auto shape = op.operand_type(0).dims();
  const Type& type = op.operand_type(count + 1);
  const auto updates = type.dims();
  const Dims batch = batch_sizes(op.operand_type(count).dims(), dims.index_vector_dim);
  const std::size_t rank = batch.size() + dims.update_window_dims.size();
  if (rank != updates.size()) {
    return fail("expects updates of rank " + std::to_string(rank) + ", got " + to_string(type));
  }
  std::size_t next_batch = 0;
  std::size_t next_window = 0;
  for (std::size_t dim = 0; dim < rank; ++dim) {
    const bool is_window = contains(dims.update_window_dims, dim);
    while (is_window && contains(dropped, next_window)) ++next_window;
    const int64_t wanted = is_window ? shape[next_window++] : batch[next_batch++];
    const bool known = wanted != kDynamicDim && updates[dim] != kDynamicDim;
    if (!known || updates[dim] == wanted || (is_window && updates[dim] < wanted)) continue;
    return fail("updates must have size " + std::string(is_window ? "at most " : "") +
                std::to_string(wanted) + " in dim " + std::to_string(dim) + ", got " +
                to_string(type));
  }
  return {};
}

}  // namespace

Result<Types> infer_scatter(const OpFacts& op) {
  if (op.num_operands() % 2 != 1) {
    return fail("expects as many updates as inputs, and indices, got " +
                counted(op.num_operands(), "operand"));
  }
  const std::size_t count = op.num_operands() / 2;
  SHARDY_TRY_STATUS(expect_one_shape(op, 0, count));
  SHARDY_TRY_STATUS(expect_class(op, count, kS | kU));
  SHARDY_TRY_STATUS(expect_one_shape(op, count + 1, op.num_operands()));
  SHARDY_TRY(const ScatterOp view, ScatterOp::of(op.attributes));
  const ScatterDims* const dims = &view.dims;
  const auto shape = op.operand_type(0).dims();
  SHARDY_TRY_STATUS(expect_index_dims(index_dims(*dims), shape, op.operand_type(count).dims()));
  const Dims dropped = joined(dims->inserted_window_dims, dims->input_batching_dims);
  SHARDY_TRY_STATUS(expect_window("update_window_dims", dims->update_window_dims, dropped.size(),
                                  shape.size(), op.operand_type(count + 1).dims().size()));
  SHARDY_TRY_STATUS(expect_updates(op, *dims, dropped));
  SHARDY_TRY(const std::vector<ElementType> elements, accumulated_elements(op, count, count + 1));
  Types results;
  for (const ElementType element : elements) {
    SHARDY_TRY(Type type, Type::make_tensor({shape.begin(), shape.end()}, element));
    results.push_back(std::move(type));
  }
  return results;
}

}  // namespace shardy::ir
