// dynamic_slice and dynamic_update_slice: a window that begins anywhere, also across shards.
#include <algorithm>
#include <optional>
#include <utility>

#include "partitioning/families.hpp"
#include "partitioning/index_columns.hpp"
#include "partitioning/one_hot.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/number.hpp"

namespace shardy::partitioning {

using ir::DenseArrayAttr;
using ir::OpId;
using ir::OpKind;
using ir::Type;
using ir::ValueId;

namespace {

/// Where a window lies along a sharded dim that it does not fill.
struct SplitDim {
  std::size_t dim = 0;
  int64_t tile = 0;    // of the tensor
  int64_t window = 0;  // size of it
  Index begin;         // of the window, counted from the begin of the own tile
  Index near;          // the nearest place of a window in the tile, where that is large enough
  Index shift;         // begin - near, at most a window to either side
};

/// A window of a tensor, as the device sees it.
struct Cut {
  std::vector<SplitDim> split;
  std::vector<int64_t> sizes;    // of the window, on the device
  std::vector<ValueId> starts;   // places of it in the tile that exist
  std::vector<AxisList> window;  // axes of its dims
};

/// A constant among the starts, with the sign that its type has.
std::optional<int64_t> constant_start(const ir::Module& input, ValueId start) {
  const ir::Literal* literal = constant_of(input, start);
  if (literal == nullptr || literal->num_elements() != 1) return std::nullopt;
  const ir::ElementType element = literal->type().element();
  const int64_t value = ir::decode_int(literal->element_bytes(0), element);
  return value < 0 && ir::is_unsigned_integer(element) ? INT64_MAX : value;
}

/// A start, moved so that the window is inside of the whole dim. Spec: stablehlo 25.1.
Index clamped_start(Lowering& lowering, ValueId start, int64_t last) {
  if (const auto constant = constant_start(lowering.input(), start)) {
    return Index::of(std::clamp<int64_t>(*constant, 0, last));
  }
  Emitter& emit = lowering.emit();
  return emit.clamp({std::nullopt, emit.to_i64(lowering.local(start).value)}, 0, last);
}

SplitDim split_dim(Lowering& lowering, const LocalValue& tensor, std::size_t dim, int64_t window,
                   ValueId start) {
  Emitter& emit = lowering.emit();
  const Tiling tiling = tensor.tiling(dim);
  SplitDim split{dim, tiling.tile, window, {}, {}, {}};
  const Index first = clamped_start(lowering, start, tiling.size - window);
  const Index own = emit.multiply(emit.coord(lowering.place(), tensor.axes[dim]), tiling.tile);
  split.begin = emit.subtract(first, own);
  split.near = emit.clamp(split.begin, 0, std::max(tiling.tile, window) - window);
  split.shift = emit.subtract(split.begin, split.near);
  return split;
}

/// Where the window of `op` is in the tiles of `tensor`; starts are the operands from
/// `first_start`.
Cut cut_of(Lowering& lowering, OpId op, const LocalValue& tensor, const Type& window,
           std::size_t first_start) {
  const ir::Module& input = lowering.input();
  Emitter& emit = lowering.emit();
  Cut cut;
  for (std::size_t dim = 0; dim < tensor.axes.size(); ++dim) {
    const ValueId start = input.operand(op, first_start + dim);
    const bool is_full = window.dim(dim) == tensor.dim(dim);
    cut.window.push_back(is_full ? tensor.axes[dim] : AxisList());
    cut.sizes.push_back(is_full ? emit.dim(tensor.value, dim) : window.dim(dim));
    if (is_full || sharding_size(tensor.axes[dim]) == 1) {
      cut.starts.push_back(lowering.local(start).value);
      continue;
    }
    cut.split.push_back(split_dim(lowering, tensor, dim, window.dim(dim), start));
    cut.starts.push_back(emit.scalar(cut.split.back().near));
  }
  if (cut.split.empty()) return cut;
  for (ValueId& start : cut.starts) start = emit.to_i64(start);  // all of one type
  return cut;
}

/// Tiles that a window does not fit into grow to its size.
ValueId with_room(Emitter& emit, ValueId tensor, const Cut& cut) {
  for (const SplitDim& split : cut.split) {
    tensor = emit.pad(tensor, split.dim, {0, std::max<int64_t>(split.window - split.tile, 0), 0});
  }
  return tensor;
}

ValueId read(Emitter& emit, ValueId tensor, const Cut& cut, ir::AttributeMap attributes = {}) {
  std::vector<ValueId> operands = {tensor};
  operands.insert(operands.end(), cut.starts.begin(), cut.starts.end());
  attributes.set(ir::attr::kSliceSizes, DenseArrayAttr{ir::ElementType::I64, cut.sizes});
  return emit.builder().create_value(OpKind::DynamicSlice, std::move(operands),
                                     emit.module().type(tensor).with_dims(cut.sizes),
                                     std::move(attributes));
}

/// Position i of the result is position i + shift of `window`, where there is one.
ValueId shifted(Emitter& emit, ValueId window, const SplitDim& split, const Index& shift) {
  if (split.window == 1) return window;
  const ValueId twice = emit.concatenate({window, window}, split.dim);
  return emit.dynamic_slice(twice, split.dim, emit.floor_mod(shift, split.window), split.window);
}

/// Which positions of the window, moved by `offset`, are in [0, limit); in the shape of the window.
ValueId inside(Emitter& emit, const Cut& cut, const SplitDim& split, const Index& offset,
               int64_t limit) {
  const std::vector<int64_t> line = {split.window};
  const ValueId before = uniform(emit, line, offset);
  const ValueId position = emit.binary(OpKind::Add, emit.iota(split.window), before);
  const std::vector<int64_t> mapped = {static_cast<int64_t>(split.dim)};
  return emit.broadcast(in_range(emit, position, 0, limit), cut.sizes, mapped);
}

/// Axes of the tensor: dims that the window fills as `wanted`, of others what it has, but for axes
/// that the window needs.
std::vector<AxisList> tensor_axes(const LocalValue& tensor, const Type& window,
                                  std::span<const AxisList> wanted) {
  AxisList taken;
  std::vector<AxisList> axes(tensor.axes.size());
  for (std::size_t dim = 0; dim < axes.size(); ++dim) {
    if (window.dim(dim) != tensor.dim(dim)) continue;
    axes[dim] = wanted[dim];
    taken.insert(taken.end(), axes[dim].begin(), axes[dim].end());
  }
  for (std::size_t dim = 0; dim < axes.size(); ++dim) {
    if (window.dim(dim) == tensor.dim(dim)) continue;
    axes[dim] = truncate_by_removing_overlaps(tensor.axes[dim], taken);
  }
  return axes;
}

}  // namespace

/// Each device reads what it has of the window. Spec: partitioning 8.6.
Status lower_dynamic_slice(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  Emitter& emit = lowering.emit();
  const ValueId result = input.result(op);
  const Type& window = input.type(result);
  const std::vector<AxisList> wanted = lowering.axes_of(result);
  if (window.num_elements() == 0) {
    lowering.finish(op, emit.undefined(lowering.local_type(window, wanted)));
    return {};
  }
  LocalValue tensor = lowering.local(input.operand(op, 0));
  const std::vector<AxisList> axes = tensor_axes(tensor, window, wanted);
  tensor = lowering.conform(op, std::move(tensor), axes);
  const Cut cut = cut_of(lowering, op, tensor, window, 1);
  const ValueId value =
      read(emit, with_room(emit, tensor.value, cut), cut, local_attributes(input.attributes(op)));
  Lookup lookup{value, cut.window, ValueId(), {}};
  for (const SplitDim& split : cut.split) {
    lookup.value = shifted(emit, lookup.value, split, split.shift);
    lookup.hit = emit.both(lookup.hit, inside(emit, cut, split, split.begin, split.tile));
    const AxisList& along = tensor.axes[split.dim];
    lookup.owners.insert(lookup.owners.end(), along.begin(), along.end());
  }
  finish_lookup(lowering, op, std::move(lookup));
  return {};
}

/// Each device writes what falls into its tile: reads the place, mixes, writes it back. Spec:
/// partitioning 8.7.
Status lower_dynamic_update_slice(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  Emitter& emit = lowering.emit();
  const ValueId result = input.result(op);
  const Type& window = input.type(input.operand(op, 1));
  const std::vector<AxisList> axes = lowering.axes_of(result);
  const LocalValue tensor = lowering.conform(op, lowering.local(input.operand(op, 0)), axes);
  if (window.num_elements() == 0) {
    lowering.finish(op, tensor.value);
    return {};
  }
  const Cut cut = cut_of(lowering, op, tensor, window, 2);
  LocalValue update = lowering.conform(op, lowering.local(input.operand(op, 1)), cut.window);
  const ValueId old = with_room(emit, tensor.value, cut);
  ValueId mine;
  for (const SplitDim& split : cut.split) {
    const Index back = emit.subtract(Index::of(0), split.shift);
    update.value = shifted(emit, update.value, split, back);
    mine = emit.both(mine, inside(emit, cut, split, back, split.window));
  }
  if (mine.valid()) update.value = emit.select(mine, update.value, read(emit, old, cut));
  std::vector<ValueId> operands = {old, update.value};
  operands.insert(operands.end(), cut.starts.begin(), cut.starts.end());
  ValueId written =
      lowering.output().result(lowering.clone(op, std::move(operands), {emit.module().type(old)}));
  for (const SplitDim& split : cut.split) {
    written = emit.slice(written, split.dim, 0, split.tile);
  }
  lowering.finish(op, written);
  return {};
}

}  // namespace shardy::partitioning
