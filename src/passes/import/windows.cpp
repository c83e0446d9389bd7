// Replaces ops with windows of known position or size by simpler ops. Spec: partitioning 8.11,
// 8.16, 8.17.
#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "passes/common/functions.hpp"
#include "passes/common/ops.hpp"
#include "passes/import/import_passes.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/graph_builder.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/ir/window_ops.hpp"

namespace shardy::passes {

// ---- Constant windows ---------------------------------------------------------------------------
// A gather or scatter of one window at a constant index becomes a slice or an update. Their
// lowerings send only the elements that move to other shards. Spec: partitioning 8.16, 8.17.
//
//   %0 = scatter(%x, dense<2>, %u) { return %new }     %1 = constant 2
//                                                 ->   %0 = dynamic_update_slice %x, %u, %1
//
//   %0 = gather(%x, dense<2>), slice_sizes = [6]  ->   %0 = slice %x [2:8]

namespace {

using Dims = std::vector<int64_t>;

bool has_dim(std::span<const int64_t> dims, std::size_t dim) {
  return std::ranges::find(dims, static_cast<int64_t>(dim)) != dims.end();
}

/// Returns the literal of a constant, or of a broadcast of a one-element constant.
const ir::Literal* literal_of(const Module& module, ValueId value) {
  OpId op = module.defining_op(value);
  while (op.valid() && (module.is(op, OpKind::Reshape) || module.is(op, OpKind::BroadcastInDim))) {
    op = module.defining_op(module.operand(op, 0));
  }
  const bool is_constant = op.valid() && module.is(op, OpKind::Constant);
  return is_constant ? module.attribute<ir::Literal>(op, ir::attr::kValue) : nullptr;
}

/// Returns the index vector of a gather or scatter that has only one, if it is constant.
std::optional<Dims> only_index(const Module& module, ValueId indices, std::size_t size) {
  const Type& type = module.type(indices);
  const ir::Literal* literal = literal_of(module, indices);
  const bool is_one = type.is_static_tensor() && literal != nullptr && size > 0 &&
                      type.num_elements() == static_cast<int64_t>(size);
  if (!is_one || (literal->num_elements() != type.num_elements() && literal->num_elements() != 1)) {
    return std::nullopt;
  }
  Dims index;
  for (int64_t at = 0; at < type.num_elements(); ++at) {
    const ir::ElementType element = literal->type().element();
    const int64_t number =
        ir::decode_int(literal->element_bytes(std::min(at, literal->num_elements() - 1)), element);
    index.push_back(number < 0 && ir::is_unsigned_integer(element) ? INT64_MAX : number);
  }
  return index;
}

/// Returns the start of the window along each dim of the tensor.
Dims begins_of(std::size_t rank, std::span<const int64_t> map, std::span<const int64_t> index) {
  Dims begins(rank);
  for (std::size_t at = 0; at < map.size(); ++at) {
    begins[static_cast<std::size_t>(map[at])] = index[at];
  }
  return begins;
}

bool is_static(const Module& module, OpId op) {
  const auto has_type = [&](ValueId value) { return module.type(value).is_static_tensor(); };
  return std::ranges::all_of(module.operands(op), has_type) &&
         std::ranges::all_of(module.results(op), has_type);
}

ir::Builder before(Module& module, OpId op) {
  ir::Builder builder = ir::Builder::before(module, op);
  builder.set_location(module.location(op));
  return builder;
}

/// Replaces the op by `made`, which has the shape of the result.
void replace(Module& module, OpId op, ValueId made) {
  const ValueId result = module.result(op);
  const auto sharding = ir::get_sharding(module, result);
  const bool is_new = module.owner(made).is_result() && module.num_uses(made) == 0;
  if (sharding && is_new) ir::set_sharding(module, made, *sharding);
  module.replace_all_uses(result, made);
  module.erase(op);
}

ValueId reshaped(ir::Builder& builder, const Module& module, ValueId value, const Type& type) {
  if (module.type(value) == type) return value;
  return builder.create_value(OpKind::Reshape, {value}, type);
}

// ---- Gather -------------------------------------------------------------------------------------

void gather_to_slice(Module& module, OpId op) {
  const auto view = ir::GatherOp::of(module, op);
  if (!view || !is_static(module, op) || !view->dims.operand_batching_dims.empty()) return;
  const Type result = module.type(module.result(op));
  const auto index = only_index(module, module.operand(op, 1), view->dims.start_index_map.size());
  if (!index || result.num_elements() == 0) return;
  const ValueId tensor = module.operand(op, 0);
  const Dims sizes(view->slice_sizes.begin(), view->slice_sizes.end());
  Dims starts = begins_of(sizes.size(), view->dims.start_index_map, *index);
  Dims limits = sizes;
  for (std::size_t dim = 0; dim < sizes.size(); ++dim) {
    starts[dim] = std::clamp<int64_t>(starts[dim], 0, module.type(tensor).dim(dim) - sizes[dim]);
    limits[dim] += starts[dim];
  }
  ir::Builder builder = before(module, op);
  const ValueId slice =
      builder.create_value(OpKind::Slice, {tensor}, module.type(tensor).with_dims(sizes),
                           ir::SliceOp{starts, limits, Dims(sizes.size(), 1)}.attributes());
  replace(module, op, reshaped(builder, module, slice, result));
}

// ---- Scatter ------------------------------------------------------------------------------------

/// Checks whether the region returns the update, which then replaces the elements of the operand.
bool overwrites(const Module& module, OpId op) {
  const auto blocks = module.blocks(module.regions(op).front());
  if (blocks.size() != 1 || module.num_results(op) != 1) return false;
  const OpId last = module.last_op(blocks.front());
  return last.valid() && module.has_trait(last, ir::kTerminator) &&
         module.num_operands(last) == 1 &&
         module.operand(last, 0) == module.args(blocks.front())[1];
}

/// Returns the size of the window along each dim of the tensor: 1 along dims that the update does
/// not have.
Dims window_of(const ir::ScatterDims& dims, const Type& tensor, const Type& update) {
  Dims window;
  std::size_t next = 0;
  for (std::size_t dim = 0; dim < tensor.dims().size(); ++dim) {
    const bool is_inserted = has_dim(dims.inserted_window_dims, dim);
    window.push_back(
        is_inserted ? 1 : update.dim(static_cast<std::size_t>(dims.update_window_dims[next++])));
  }
  return window;
}

void scatter_to_update(Module& module, OpId op) {
  const auto view = ir::ScatterOp::of(module, op);
  if (!view || !is_static(module, op) || !overwrites(module, op)) return;
  const ir::ScatterDims& dims = view->dims;
  const auto index =
      only_index(module, module.operand(op, 1), dims.scatter_dims_to_operand_dims.size());
  const ValueId tensor = module.operand(op, 0);
  const ValueId update = module.operand(op, 2);
  const Type type = module.type(tensor);
  if (!index || !dims.input_batching_dims.empty() || module.type(update).num_elements() == 0 ||
      module.type(update).element() != type.element()) {
    return;
  }
  const Dims window = window_of(dims, type, module.type(update));
  const Dims begins = begins_of(window.size(), dims.scatter_dims_to_operand_dims, *index);
  for (std::size_t dim = 0; dim < window.size(); ++dim) {
    const bool fits = begins[dim] >= 0 && begins[dim] <= type.dim(dim) - window[dim];
    if (!fits) return;  // a scatter that is out of bounds writes nothing
  }
  ir::Builder builder = before(module, op);
  std::vector<ValueId> operands = {tensor,
                                   reshaped(builder, module, update, type.with_dims(window))};
  for (const int64_t begin : begins) {
    const Type scalar = Type::tensor({}, ir::ElementType::I64);
    ir::AttributeMap attributes;
    attributes.set(ir::attr::kValue, ir::int_splat_literal(scalar, begin));
    operands.push_back(builder.create_value(OpKind::Constant, {}, scalar, std::move(attributes)));
  }
  replace(module, op, builder.create_value(OpKind::DynamicUpdateSlice, std::move(operands), type));
}

}  // namespace

void constant_windows_to_slices(Module& module) {
  for (const OpId op : ir::post_order(module)) {
    if (module.is(op, OpKind::Gather)) gather_to_slice(module, op);
    if (module.is(op, OpKind::Scatter)) scatter_to_update(module, op);
  }
}

// ---- Whole windows ------------------------------------------------------------------------------
// A reduce_window whose windows span full dims becomes a reduce, which leaves partial results
// instead of exchanging halos. Spec: partitioning 8.11.
//
//   %0 = reduce_window(%a, %z), window_dimensions = [1, 16], add
//     : tensor<8x16xf32> -> tensor<8x1xf32>
//   ->
//   %1 = reduce(%a, %z), dimensions = [1], add : tensor<8x16xf32> -> tensor<8xf32>
//   %0 = reshape %1 : tensor<8x1xf32>

namespace {

bool is_list_of(const Module& module, OpId op, std::string_view name, int64_t number) {
  const auto* list = module.attribute<ir::DenseArrayAttr>(op, name);
  if (list == nullptr) return true;
  for (const int64_t each : list->values) {
    if (each != number) return false;
  }
  return true;
}

bool has_padding(const Module& module, OpId op) {
  const auto* padding = module.attribute<ir::Literal>(op, ir::attr::kPadding);
  if (padding == nullptr) return false;
  for (int64_t at = 0; at < padding->type().num_elements(); ++at) {
    if (padding->at<int64_t>(at) != 0) return true;
  }
  return false;
}

/// Returns the dims that one window spans, if windows have size 1 and stride 1 along all other
/// dims; else empty.
std::vector<int64_t> whole_dims(const Module& module, OpId op) {
  const Type& base = module.type(module.operand(op, 0));
  const auto* sizes = module.attribute<ir::DenseArrayAttr>(op, ir::attr::kWindowDimensions);
  const auto* strides = module.attribute<ir::DenseArrayAttr>(op, ir::attr::kWindowStrides);
  if (sizes == nullptr || !base.is_static_tensor() || has_padding(module, op) ||
      !is_list_of(module, op, ir::attr::kBaseDilations, 1) ||
      !is_list_of(module, op, ir::attr::kWindowDilations, 1)) {
    return {};
  }
  std::vector<int64_t> dims;
  for (std::size_t dim = 0; dim < sizes->values.size(); ++dim) {
    const bool is_whole = sizes->values[dim] == base.dim(dim) && base.dim(dim) > 1;
    const bool is_element =
        sizes->values[dim] == 1 && (strides == nullptr || strides->values[dim] == 1);
    if (!is_whole && !is_element) return {};
    if (is_whole) dims.push_back(static_cast<int64_t>(dim));
  }
  return dims;
}

Type without_dims(const Type& type, const std::vector<int64_t>& dims) {
  std::vector<int64_t> kept;
  for (std::size_t dim = 0; dim < static_cast<std::size_t>(type.rank()); ++dim) {
    if (std::ranges::find(dims, static_cast<int64_t>(dim)) == dims.end()) {
      kept.push_back(type.dim(dim));
    }
  }
  return type.with_dims(std::move(kept));
}

/// Reduces the dims, then reshapes each result to its old type and sharding.
void replace_by_reduction(Module& module, OpId op, const std::vector<int64_t>& dims) {
  ir::OpSpec spec{.kind = OpKind::Reduce};
  spec.operands = module.operands(op);
  for (const ValueId result : module.results(op)) {
    spec.result_types.push_back(without_dims(module.type(result), dims));
  }
  spec.attributes.set(ir::attr::kDimensions, ir::DenseArrayAttr{ir::ElementType::I64, dims});
  spec.regions = {moved_body(module, op)};
  ir::Builder builder = ir::Builder::before(module, op);
  builder.set_location(module.location(op));
  const OpId made = builder.create(std::move(spec));
  for (std::size_t index = 0; index < module.num_results(op); ++index) {
    const ValueId result = module.result(op, index);
    const auto sharding = ir::get_sharding(module, result);
    const ValueId shaped = builder.create_value(OpKind::Reshape, {module.result(made, index)},
                                                Type(module.type(result)));
    if (sharding) ir::set_sharding(module, shaped, *sharding);
    module.replace_all_uses(result, shaped);
  }
  module.erase(op);
}

}  // namespace

void whole_windows_to_reductions(Module& module) {
  for (const OpId op : ir::post_order(module)) {
    if (!module.is(op, OpKind::ReduceWindow) || module.blocks(module.regions(op)[0]).size() != 1) {
      continue;
    }
    const std::vector<int64_t> dims = whole_dims(module, op);
    if (!dims.empty()) replace_by_reduction(module, op, dims);
  }
}

}  // namespace shardy::passes
