// Type rules of sorts, maps, windows, dot_general, ragged_dot, gathers and scatters. Spec:
// stablehlo 15.1, 22, 24, 25, 29.
#include <algorithm>

#include "dim_set.hpp"
#include "infer_families.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/window_ops.hpp"

namespace shardy::ir {
namespace {

/// Checks that region 0 has `copies` scalar arguments for each operand and returns one value.
Status expect_function_of_elements(const OpFacts& op, std::size_t num_operands,
                                   std::size_t copies) {
  const Types args = region_arg_types(op, 0);
  if (args.size() != copies * num_operands) {
    return fail("region 0: expects " + counted(copies * num_operands, "block argument") + ", got " +
                std::to_string(args.size()));
  }
  for (std::size_t index = 0; index < args.size(); ++index) {
    const ElementType element = op.operand_type(index / copies).element();
    if (is_scalar(args[index]) && is_promotable(element, args[index].element())) continue;
    return fail("region 0: block argument " + std::to_string(index) + " must be tensor<" +
                std::string(to_string(element)) + ">, got " + to_string(args[index]));
  }
  const std::size_t returned = returned_types(op, 0).size();
  if (returned == 1) return {};
  return fail("region 0: must return 1 value, got " + std::to_string(returned));
}

Status expect_predicate(const OpFacts& op) {
  const Types returned = returned_types(op, 0);
  if (compatible(returned.front(), Type::tensor({}, ElementType::I1))) return {};
  return fail("comparator must return tensor<i1> but got '" + to_string(returned.front()) + "'");
}

/// Returns the number of windows of operand 0 along each dim.
Dims window_counts(const OpFacts& op, const std::vector<WindowDim>& window) {
  Dims counts;
  for (std::size_t dim = 0; dim < window.size(); ++dim) {
    counts.push_back(window_count(op.operand_type(0).dim(dim), window[dim]));
  }
  return counts;
}

/// Checks that a region compares two elements of operand 0.
Status expect_selector(const OpFacts& op) {
  const Types args = region_arg_types(op, 0);
  const ElementType element = op.operand_type(0).element();
  const bool are_elements = std::ranges::all_of(args, [&](const Type& type) {
    return is_scalar(type) && is_promotable(element, type.element());
  });
  if (args.size() != 2 || !are_elements) {
    return fail("region 0: expects 2 block arguments of type tensor<" +
                std::string(to_string(element)) + ">, got (" + to_string(args) + ")");
  }
  const Types returned = returned_types(op, 0);
  if (returned.size() == 1 && is_scalar(returned.front(), ElementType::I1)) return {};
  return fail("region 0: must return tensor<i1>, got (" + to_string(returned) + ")");
}

using DimSpan = std::span<const int64_t>;

/// One operand of a product with the lists of its dims.
struct DotSide {
  std::string_view name;  // "lhs" or "rhs"
  const Type& type;
  const Dims& batching;
  const Dims& contracting;
};

Status expect_dot_dims(const DotSide& side) {
  DimSet seen(side.type.dims().size());
  if (seen.add_all(side.batching) && seen.add_all(side.contracting)) return {};
  Dims all = side.batching;
  all.insert(all.end(), side.contracting.begin(), side.contracting.end());
  return expect_unique_dims(std::string(side.name) + " batching and contracting dims", all,
                            side.type.dims().size());
}

Status expect_pairs(std::string_view what, const DotSide& lhs, const DotSide& rhs, DimSpan lhs_dims,
                    DimSpan rhs_dims) {
  const std::string name(what);
  if (lhs_dims.size() != rhs_dims.size()) {
    return fail("lhs and rhs must have as many " + name + " dims, got " + list_text(lhs_dims) +
                " and " + list_text(rhs_dims));
  }
  for (std::size_t index = 0; index < lhs_dims.size(); ++index) {
    const int64_t left = lhs.type.dim(static_cast<std::size_t>(lhs_dims[index]));
    const int64_t right = rhs.type.dim(static_cast<std::size_t>(rhs_dims[index]));
    if (left == right || left == kDynamicDim || right == kDynamicDim) continue;
    return fail("paired " + name + " dims must have one size, got " + std::to_string(left) +
                " for dim " + std::to_string(lhs_dims[index]) + " of lhs and " +
                std::to_string(right) + " for dim " + std::to_string(rhs_dims[index]) + " of rhs");
  }
  return {};
}

/// Appends the dims that are neither batching nor contracting, in their order.
void append_free_dims(const DotSide& side, Dims& dims) {
  DimSet bound(side.type.dims().size());
  bound.add_all(side.batching);
  bound.add_all(side.contracting);
  for (std::size_t dim = 0; dim < side.type.dims().size(); ++dim) {
    if (!bound.contains(dim)) dims.push_back(side.type.dim(dim));
  }
}

Dims dot_shape(const DotSide& lhs, const DotSide& rhs) {
  Dims dims;
  dims.reserve(lhs.type.dims().size() + rhs.type.dims().size());
  for (std::size_t index = 0; index < lhs.batching.size(); ++index) {
    const int64_t left = lhs.type.dim(static_cast<std::size_t>(lhs.batching[index]));
    const int64_t right = rhs.type.dim(static_cast<std::size_t>(rhs.batching[index]));
    dims.push_back(left == kDynamicDim ? right : left);
  }
  append_free_dims(lhs, dims);
  append_free_dims(rhs, dims);
  return dims;
}

constexpr std::string_view kPrecisions[] = {"DEFAULT", "HIGH", "HIGHEST"};

Status expect_precision_config(const OpFacts& op, std::string_view kind) {
  const Attribute* attribute = op.attributes.find(attr::kPrecisionConfig);
  if (!attribute) return {};
  const auto* config = attribute->as<ArrayAttr>();
  if (!config || config->elements.size() > 2) {
    return fail("attribute 'precision_config' must be an array of at most 2 elements");
  }
  for (const Attribute& element : config->elements) {
    const auto* precision = element.as<EnumAttr>();
    const bool is_known = precision && precision->kind == kind &&
                          std::ranges::find(kPrecisions, precision->value) != std::end(kPrecisions);
    if (!is_known) {
      return fail("attribute 'precision_config' must hold DEFAULT, HIGH or HIGHEST, of " +
                  std::string(kind));
    }
  }
  return {};
}

/// Operands are converted to the element type of the result, so the op chooses that type.
Result<ElementType> dot_element(const OpFacts& op) {
  if (op.result_types.size() == 1 && op.result_types.front().is_tensor()) {
    return op.result_types.front().element();
  }
  SHARDY_TRY_STATUS(expect_element_of(op, 1, 0));
  return op.operand_type(0).element();
}

Status expect_one_ragged_dim(const RaggedDotDims& dims, std::size_t lhs_rank) {
  if (dims.lhs_ragged.size() != 1) return fail("there must be exactly one ragged dim in the lhs");
  return expect_dim("lhs_ragged_dimensions", dims.lhs_ragged.front(), lhs_rank);
}

/// Checks the group sizes: one list for all, or one list for each element of the prefix dims.
Status expect_group_sizes(const RaggedDotDims& dims, const Type& lhs, const Type& sizes) {
  if (sizes.rank() == 0) return fail("expected rank of group_sizes to be at least 1");
  if (sizes.rank() == 1) return {};
  std::vector<int64_t> expected;
  for (const int64_t dim : ragged_prefix(dims, lhs.rank())) {
    expected.push_back(lhs.dim(static_cast<std::size_t>(dim)));
  }
  expected.push_back(sizes.dims().back());
  if (compatible_dims(expected, sizes.dims())) return {};
  return fail("group_sizes is expected to have shape " + list_text(expected) + ", got " +
              list_text(sizes.dims()));
}

Status expect_group_dims(const RaggedDotDims& dims, const Type& rhs, int64_t num_groups) {
  if (ragged_mode(dims) != RaggedMode::Free) {
    if (dims.rhs_group.empty()) return {};
    return fail("rhs must have no group dim when the ragged dim is batching or contracting");
  }
  if (dims.rhs_group.size() != 1) {
    return fail(
        "rhs must have exactly one group dim when the ragged dim is neither batching nor "
        "contracting");
  }
  Dims bound = dims.rhs_batch;
  bound.insert(bound.end(), dims.rhs_contracting.begin(), dims.rhs_contracting.end());
  bound.push_back(dims.rhs_group.front());
  SHARDY_TRY_STATUS(
      expect_unique_dims("rhs batching, contracting and group dims", bound, rhs.dims().size()));
  const int64_t size = rhs.dim(static_cast<std::size_t>(dims.rhs_group.front()));
  if (size == num_groups || size == kDynamicDim || num_groups == kDynamicDim) return {};
  return fail("rhs group dim is expected to have size " + std::to_string(num_groups) + ", got " +
              std::to_string(size));
}

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

/// The dims of the tensor and of the indices of a gather or scatter, with the names of their
/// attributes.
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

/// Checks that the map has one entry per component of an index vector.
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

/// Checks that each batching dim of the tensor is paired with a batching dim of the indices that
/// has the same size.
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

/// Checks everything except the windows.
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

/// Returns the sizes of all dims of the indices except the dim of the index vectors.
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

/// Checks that the `window` dims of the result or the updates, together with the `dropped` dims,
/// are all dims of the tensor.
Status expect_window(std::string_view what, DimSpan window, std::size_t num_dropped,
                     std::size_t rank, std::size_t window_rank) {
  SHARDY_TRY_STATUS(expect_unique_dims(what, window, window_rank));
  SHARDY_TRY_STATUS(expect_sorted(what, window));
  if (window.size() + num_dropped == rank) return {};
  return fail(std::string(what) + " size (" + std::to_string(window.size()) +
              ") plus dims that have no window (" + std::to_string(num_dropped) +
              ") is not equal to operand rank (" + std::to_string(rank) + ")");
}

/// Checks that the windows of the updates are at most as large as the inputs, and that the other
/// dims of the updates have the sizes of the dims of the indices.
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

Status expect_one_shape(const OpFacts& op, std::size_t first, std::size_t last) {
  for (std::size_t index = first; index < last; ++index) {
    SHARDY_TRY_STATUS(expect_tensor(op, index));
    if (compatible_dims(op.operand_type(index).dims(), op.operand_type(first).dims())) continue;
    return fail(operand_name(index) + " must have the shape of " + operand_name(first) + ", " +
                to_string(op.operand_type(first)) + ", got " + to_string(op.operand_type(index)));
  }
  return {};
}

Result<Types> infer_sort(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_one_shape(op, 0, op.num_operands()));
  const auto rank = static_cast<int64_t>(op.operand_type(0).dims().size());
  SHARDY_TRY(const auto view, read_view<SortOp>(op.attributes));
  const int64_t dimension = view.dim.value_or(-1);
  if (dimension < -rank || dimension >= rank) {
    return fail("dimension attribute value must be in range [-" + std::to_string(rank) + ", " +
                std::to_string(rank) + "), but found " + std::to_string(dimension));
  }
  SHARDY_TRY_STATUS(expect_function_of_elements(op, op.num_operands(), 2));
  SHARDY_TRY_STATUS(expect_predicate(op));
  return op.operand_types();
}

Result<Types> infer_map(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_one_shape(op, 0, op.num_operands()));
  const auto shape = op.operand_type(0).dims();
  SHARDY_TRY(const auto view, read_view<MapOp>(op.attributes));
  SHARDY_TRY_STATUS(expect_one_per_dim(op, attr::kDimensions, view.dims));
  SHARDY_TRY_STATUS(expect_unique_dims(attr::kDimensions, view.dims, shape.size()));
  SHARDY_TRY_STATUS(expect_function_of_elements(op, op.num_operands(), 1));
  const Types returned = returned_types(op, 0);
  if (!is_scalar(returned.front())) {
    return fail("region 0: must return a tensor of rank 0, got " + to_string(returned.front()));
  }
  return one_tensor({shape.begin(), shape.end()}, returned.front().element());
}

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
  SHARDY_TRY(const ReduceWindowOp view,
             ReduceWindowOp::of(op.attributes, op.operand_type(0).dims().size()));
  const Dims shape = window_counts(op, view.window);
  SHARDY_TRY(const std::vector<ElementType> elements, accumulated_elements(op, count, count));
  Types results;
  for (const ElementType element : elements) {
    SHARDY_TRY(Type type, Type::make_tensor(shape, element));
    results.push_back(std::move(type));
  }
  return results;
}

Result<Types> infer_select_and_scatter(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_tensor(op, 0));
  SHARDY_TRY_STATUS(expect_element_of(op, 1, 0));
  SHARDY_TRY_STATUS(expect_scalar(op, 2));
  SHARDY_TRY(const SelectAndScatterOp view,
             SelectAndScatterOp::of(op.attributes, op.operand_type(0).dims().size()));
  const Dims counts = window_counts(op, view.window);
  if (!compatible_dims(counts, op.operand_type(1).dims())) {
    return fail("expects source-type to be the shape " + list_text(counts) + ", got " +
                to_string(op.operand_type(1)));
  }
  SHARDY_TRY_STATUS(expect_selector(op));
  SHARDY_TRY(const std::vector<ElementType> elements, accumulated_elements(op, 1, 2, 1));
  const auto shape = op.operand_type(0).dims();
  return one_tensor({shape.begin(), shape.end()}, elements.front());
}

Result<Types> infer_dot_general(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_class(op, 0, kAnyClass));
  SHARDY_TRY_STATUS(expect_class(op, 1, kAnyClass));
  SHARDY_TRY(const DotGeneralOp view, DotGeneralOp::of(op.attributes));
  const DotDims* const dims = &view.dims;
  const DotSide lhs{"lhs", op.operand_type(0), dims->lhs_batch, dims->lhs_contracting};
  const DotSide rhs{"rhs", op.operand_type(1), dims->rhs_batch, dims->rhs_contracting};
  SHARDY_TRY_STATUS(expect_dot_dims(lhs));
  SHARDY_TRY_STATUS(expect_dot_dims(rhs));
  SHARDY_TRY_STATUS(expect_pairs("batching", lhs, rhs, lhs.batching, rhs.batching));
  SHARDY_TRY_STATUS(expect_pairs("contracting", lhs, rhs, lhs.contracting, rhs.contracting));
  SHARDY_TRY_STATUS(expect_precision_config(op, "stablehlo.precision"));
  SHARDY_TRY(const ElementType element, dot_element(op));
  return one_tensor(dot_shape(lhs, rhs), element);
}

template <>
Result<Types> infer_op<OpKind::ChloRaggedDot>(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_class(op, 0, kAnyClass));
  SHARDY_TRY_STATUS(expect_class(op, 1, kAnyClass));
  SHARDY_TRY_STATUS(expect_class(op, 2, kS | kU));
  SHARDY_TRY(const auto view, read_view<RaggedDotOp>(op.attributes));
  const RaggedDotDims& dims = *view.dims;
  const DotSide lhs{"lhs", op.operand_type(0), dims.lhs_batch, dims.lhs_contracting};
  const DotSide rhs{"rhs", op.operand_type(1), dims.rhs_batch, dims.rhs_contracting};
  SHARDY_TRY_STATUS(expect_dot_dims(lhs));
  SHARDY_TRY_STATUS(expect_dot_dims(rhs));
  SHARDY_TRY_STATUS(expect_pairs("batching", lhs, rhs, lhs.batching, rhs.batching));
  SHARDY_TRY_STATUS(expect_pairs("contracting", lhs, rhs, lhs.contracting, rhs.contracting));
  SHARDY_TRY_STATUS(expect_one_ragged_dim(dims, lhs.type.dims().size()));
  SHARDY_TRY_STATUS(expect_group_sizes(dims, lhs.type, op.operand_type(2)));
  const int64_t num_groups = op.operand_type(2).dims().back();
  SHARDY_TRY_STATUS(expect_group_dims(dims, rhs.type, num_groups));
  SHARDY_TRY_STATUS(expect_precision_config(op, "chlo.precision"));
  SHARDY_TRY(const ElementType element, dot_element(op));
  // The group dim is excluded like the contracting dims.
  Dims bound = dims.rhs_contracting;
  bound.insert(bound.end(), dims.rhs_group.begin(), dims.rhs_group.end());
  Dims shape;
  if (ragged_mode(dims) == RaggedMode::Contracting) shape.push_back(num_groups);
  const Dims product = dot_shape(lhs, DotSide{"rhs", rhs.type, rhs.batching, bound});
  shape.insert(shape.end(), product.begin(), product.end());
  return one_tensor(std::move(shape), element);
}

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
