// Sorts, maps, windows, gathers and scatters. Spec: stablehlo 15.1, 24, 25.
#include <algorithm>

#include "infer_families.hpp"

namespace shardy::ir {

namespace {

/// Operands [first, last) are tensors of the shape of the first of them.
Status expect_one_shape(const OpFacts& op, std::size_t first, std::size_t last) {
  for (std::size_t index = first; index < last; ++index) {
    SHARDY_TRY_STATUS(expect_tensor(op, index));
    if (compatible_dims(op.operand_type(index).dims(), op.operand_type(first).dims())) continue;
    return fail(operand_name(index) + " must have the shape of " + operand_name(first) + ", " +
                to_string(op.operand_type(first)) + ", got " + to_string(op.operand_type(index)));
  }
  return {};
}

Status expect_region(const OpFacts& op, std::size_t index, std::size_t num_args,
                     std::size_t num_returned) {
  const std::string name = "region " + std::to_string(index) + ": ";
  const std::size_t args = region_arg_types(op, index).size();
  if (args != num_args) {
    return fail(name + "expects " + counted(num_args, "block argument") + ", got " +
                std::to_string(args));
  }
  const std::size_t returned = returned_types(op, index).size();
  if (returned == num_returned) return {};
  return fail(name + "must return " + counted(num_returned, "value") + ", got " +
              std::to_string(returned));
}

/// Results: the inputs' shapes with the element types that the region returns.
Result<Types> with_returned_elements(const OpFacts& op, std::span<const int64_t> shape,
                                     std::size_t count) {
  const Types returned = returned_types(op, 0);
  Types results;
  for (std::size_t index = 0; index < count; ++index) {
    if (!returned[index].is_tensor()) return fail("region 0: must return tensors");
    SHARDY_TRY(Type type,
               Type::make_tensor({shape.begin(), shape.end()}, returned[index].element()));
    results.push_back(std::move(type));
  }
  return results;
}

}  // namespace

Result<Types> infer_sort(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_one_shape(op, 0, op.num_operands()));
  const auto rank = static_cast<int64_t>(op.operand_type(0).dims().size());
  const auto* dimension = op.attributes.get<IntegerAttr>("dimension");
  if (dimension && (dimension->value < -rank || dimension->value >= rank)) {
    return fail("dimension attribute value must be in range [-" + std::to_string(rank) + ", " +
                std::to_string(rank) + "), but found " + std::to_string(dimension->value));
  }
  SHARDY_TRY_STATUS(expect_region(op, 0, 2 * op.num_operands(), 1));
  const Types returned = returned_types(op, 0);
  if (!compatible(returned.front(), Type::tensor({}, ElementType::I1))) {
    return fail("comparator must return tensor<i1> but got '" + to_string(returned.front()) + "'");
  }
  return op.operand_types();
}

Result<Types> infer_map(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_one_shape(op, 0, op.num_operands()));
  SHARDY_TRY_STATUS(expect_region(op, 0, op.num_operands(), 1));
  return with_returned_elements(op, op.operand_type(0).dims(), 1);
}

namespace {

Result<Dims> window_list(const OpFacts& op, std::string_view name, std::size_t rank) {
  if (!op.attributes.contains(name)) return Dims(rank, 1);
  SHARDY_TRY(const auto list, required_array(op, name, rank));
  if (std::ranges::all_of(list, [](int64_t each) { return each > 0; })) {
    return Dims(list.begin(), list.end());
  }
  return fail(std::string(name) + " must be positive, got " + list_text(list));
}

/// How many windows operand 0 has along each dim.
Result<Dims> window_counts(const OpFacts& op) {
  const auto shape = op.operand_type(0).dims();
  const std::size_t rank = shape.size();
  SHARDY_TRY(const Dims sizes, window_list(op, "window_dimensions", rank));
  SHARDY_TRY(const Dims strides, window_list(op, "window_strides", rank));
  SHARDY_TRY(const Dims base, window_list(op, "base_dilations", rank));
  SHARDY_TRY(const Dims dilations, window_list(op, "window_dilations", rank));
  Dims low;
  Dims high;
  SHARDY_TRY_STATUS(read_padding(op, rank, low, high));
  Dims counts;
  for (std::size_t dim = 0; dim < rank; ++dim) {
    counts.push_back(window_count(
        {shape[dim], sizes[dim], strides[dim], base[dim], dilations[dim], low[dim], high[dim]}));
  }
  return counts;
}

}  // namespace

Result<Types> infer_reduce_window(const OpFacts& op) {
  if (op.num_operands() % 2 != 0) {
    return fail("expects as many inputs as initial values, got " +
                counted(op.num_operands(), "operand"));
  }
  const std::size_t count = op.num_operands() / 2;
  SHARDY_TRY_STATUS(expect_one_shape(op, 0, count));
  for (std::size_t index = count; index < op.num_operands(); ++index) {
    SHARDY_TRY_STATUS(expect_scalar(op, index));
  }
  SHARDY_TRY_STATUS(required_array(op, "window_dimensions"));
  SHARDY_TRY(const Dims shape, window_counts(op));
  SHARDY_TRY_STATUS(expect_region(op, 0, 2 * count, count));
  return with_returned_elements(op, shape, count);
}

Result<Types> infer_select_and_scatter(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_tensor(op, 0));
  SHARDY_TRY_STATUS(expect_element_of(op, 1, 0));
  SHARDY_TRY_STATUS(expect_scalar(op, 2));
  SHARDY_TRY(const Dims counts, window_counts(op));
  if (!compatible_dims(counts, op.operand_type(1).dims())) {
    return fail("expects source-type to be the shape " + list_text(counts) + ", got " +
                to_string(op.operand_type(1)));
  }
  SHARDY_TRY_STATUS(expect_region(op, 0, 2, 1));
  SHARDY_TRY_STATUS(expect_region(op, 1, 2, 1));
  const Types returned = returned_types(op, 1);
  if (!returned.front().is_tensor()) return fail("region 1: must return a tensor");
  const auto shape = op.operand_type(0).dims();
  return one_tensor({shape.begin(), shape.end()}, returned.front().element());
}

// ---- Gather and scatter ------------------------------------------------------------------------

namespace {

Dims joined(const Dims& a, const Dims& b) {
  Dims all = a;
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

bool contains(std::span<const int64_t> list, std::size_t dim) {
  return std::ranges::find(list, static_cast<int64_t>(dim)) != list.end();
}

/// Sizes of the dims that are not index vectors.
Dims batch_sizes(std::span<const int64_t> indices, int64_t vector_dim) {
  Dims sizes;
  for (std::size_t dim = 0; dim < indices.size(); ++dim) {
    if (static_cast<int64_t>(dim) != vector_dim) sizes.push_back(indices[dim]);
  }
  return sizes;
}

/// The list of index components must be as long as an index vector.
Status expect_index_map(const OpFacts& op, std::string_view what, const Dims& map,
                        int64_t vector_dim) {
  const auto indices =
      op.operand_type(op.kind == OpKind::Scatter ? op.num_operands() / 2 : 1).dims();
  const auto rank = static_cast<int64_t>(indices.size());
  if (vector_dim < 0 || vector_dim > rank) {
    return fail("index_vector_dim must be in range [0, " + std::to_string(rank + 1) + "), got " +
                std::to_string(vector_dim));
  }
  const int64_t length = vector_dim == rank ? 1 : indices[static_cast<std::size_t>(vector_dim)];
  if (length == kDynamicDim || length == static_cast<int64_t>(map.size())) return {};
  return fail(std::string(what) + " size (" + std::to_string(map.size()) +
              ") is not equal to size of index dimension (" + std::to_string(vector_dim) + ") of " +
              "the indices (" + std::to_string(length) + ")");
}

}  // namespace

Result<Types> infer_gather(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_tensor(op, 0));
  SHARDY_TRY_STATUS(expect_class(op, 1, kS | kU));
  SHARDY_TRY(const auto* dims, required<GatherDims>(op, "dimension_numbers", "gather dimensions"));
  const auto shape = op.operand_type(0).dims();
  const std::size_t rank = shape.size();
  SHARDY_TRY(const auto sizes, required_array(op, "slice_sizes", rank));
  const Dims dropped = joined(dims->collapsed_slice_dims, dims->operand_batching_dims);
  SHARDY_TRY_STATUS(
      expect_unique_dims("collapsed_slice_dims and operand_batching_dims", dropped, rank));
  SHARDY_TRY_STATUS(expect_unique_dims("start_index_map", dims->start_index_map, rank));
  SHARDY_TRY_STATUS(
      expect_index_map(op, "start_index_map", dims->start_index_map, dims->index_vector_dim));
  for (std::size_t dim = 0; dim < rank; ++dim) {
    const int64_t most = contains(dropped, dim) ? 1 : shape[dim];
    if (sizes[dim] >= 0 &&
        (shape[dim] == kDynamicDim || sizes[dim] <= std::min(most, shape[dim]))) {
      continue;
    }
    return fail("slice size (" + std::to_string(sizes[dim]) +
                ") is out of bounds for operand dim " + std::to_string(dim) + ", got " +
                to_string(op.operand_type(0)));
  }
  const Dims batch = batch_sizes(op.operand_type(1).dims(), dims->index_vector_dim);
  const std::size_t result_rank = batch.size() + dims->offset_dims.size();
  if (dims->offset_dims.size() + dropped.size() != rank) {
    return fail("offset_dims size (" + std::to_string(dims->offset_dims.size()) +
                ") plus dims that are collapsed or batching (" + std::to_string(dropped.size()) +
                ") is not equal to operand rank (" + std::to_string(rank) + ")");
  }
  SHARDY_TRY_STATUS(expect_unique_dims("offset_dims", dims->offset_dims, result_rank));
  Dims result;
  std::size_t next_batch = 0;
  std::size_t next_offset = 0;
  for (std::size_t dim = 0; dim < result_rank; ++dim) {
    if (!contains(dims->offset_dims, dim)) {
      result.push_back(batch[next_batch++]);
      continue;
    }
    while (contains(dropped, next_offset)) ++next_offset;
    result.push_back(sizes[next_offset++]);
  }
  return one_tensor(std::move(result), op.operand_type(0).element());
}

Result<Types> infer_scatter(const OpFacts& op) {
  if (op.num_operands() % 2 != 1) {
    return fail("expects as many updates as inputs, and indices, got " +
                counted(op.num_operands(), "operand"));
  }
  const std::size_t count = op.num_operands() / 2;
  SHARDY_TRY_STATUS(expect_one_shape(op, 0, count));
  SHARDY_TRY_STATUS(expect_class(op, count, kS | kU));
  SHARDY_TRY_STATUS(expect_one_shape(op, count + 1, op.num_operands()));
  SHARDY_TRY(const auto* dims,
             required<ScatterDims>(op, "scatter_dimension_numbers", "scatter dimensions"));
  const std::size_t rank = op.operand_type(0).dims().size();
  const Dims dropped = joined(dims->inserted_window_dims, dims->input_batching_dims);
  SHARDY_TRY_STATUS(
      expect_unique_dims("inserted_window_dims and input_batching_dims", dropped, rank));
  SHARDY_TRY_STATUS(
      expect_unique_dims("scatter_dims_to_operand_dims", dims->scatter_dims_to_operand_dims, rank));
  SHARDY_TRY_STATUS(expect_index_map(op, "scatter_dims_to_operand_dims",
                                     dims->scatter_dims_to_operand_dims, dims->index_vector_dim));
  const auto updates = op.operand_type(count + 1).dims();
  SHARDY_TRY_STATUS(
      expect_unique_dims("update_window_dims", dims->update_window_dims, updates.size()));
  if (dims->update_window_dims.size() + dropped.size() != rank) {
    return fail("update_window_dims size (" + std::to_string(dims->update_window_dims.size()) +
                ") plus dims that are inserted or batching (" + std::to_string(dropped.size()) +
                ") is not equal to input rank (" + std::to_string(rank) + ")");
  }
  const Dims batch = batch_sizes(op.operand_type(count).dims(), dims->index_vector_dim);
  if (batch.size() + dims->update_window_dims.size() != updates.size()) {
    return fail("expects updates of rank " +
                std::to_string(batch.size() + dims->update_window_dims.size()) + ", got " +
                to_string(op.operand_type(count + 1)));
  }
  SHARDY_TRY_STATUS(expect_region(op, 0, 2 * count, count));
  return with_returned_elements(op, op.operand_type(0).dims(), count);
}

}  // namespace shardy::ir
