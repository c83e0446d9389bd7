// Ops that shift elements along a dim by a fixed number: slice, pad, concatenate, reverse.
#include <algorithm>
#include <utility>

#include "partitioning/families.hpp"
#include "shardy/support/math.hpp"

namespace shardy::partitioning {

using ir::DenseArrayAttr;
using ir::IntegerAttr;
using ir::OpId;
using ir::OpKind;
using ir::PermuteMap;
using ir::Type;
using ir::ValueId;

namespace {

const std::vector<int64_t>& list(const ir::Module& module, OpId op, std::string_view name) {
  return module.attribute<DenseArrayAttr>(op, name)->values;
}

/// Binds a result without elements.
Status finish_empty(Lowering& lowering, OpId op, const std::vector<AxisList>& axes) {
  const ValueId result = lowering.input().result(op);
  lowering.finish(
      op, lowering.emit().undefined(lowering.local_type(lowering.input().type(result), axes)));
  return {};
}

bool is_sharded(const AxisList& axes) { return sharding_size(axes) > 1; }

}  // namespace

/// A window per shard, then a local strided slice. Spec: partitioning 8.5.
Status lower_slice(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  Emitter& emit = lowering.emit();
  const ValueId result = input.result(op);
  const Type& global = input.type(result);
  const std::vector<AxisList> axes = lowering.axes_of(result);
  if (global.num_elements() == 0) return finish_empty(lowering, op, axes);
  const LocalValue operand = lowering.conform(op, lowering.local(input.operand(op, 0)), axes);
  const auto& starts = list(input, op, "start_indices");
  const auto& limits = list(input, op, "limit_indices");
  const auto& strides = list(input, op, "strides");
  ValueId value = operand.value;
  for (std::size_t dim = 0; dim < axes.size(); ++dim) {
    if (!is_sharded(axes[dim])) {
      value = emit.slice(value, dim, starts[dim], limits[dim], strides[dim]);
      continue;
    }
    const int64_t tile = ceil_div(global.dim(dim), sharding_size(axes[dim]));
    const int64_t length = (tile - 1) * strides[dim] + 1;
    Lowering::Fetch want{dim, {tile * strides[dim], starts[dim], 1}, length, std::nullopt, 0};
    want.receivers = ceil_div(global.dim(dim), tile);
    value = lowering.fetch(value, axes[dim], operand.tiling(dim), want);
    value = emit.slice(value, dim, 0, length, strides[dim]);
  }
  lowering.finish(op, value);
  return {};
}

namespace {

struct Padding {
  std::size_t dim = 0;
  int64_t low = 0;
  int64_t high = 0;
  int64_t interior = 0;
  int64_t size = 0;  // of the padded dim
};

/// A padded dim that is sharded: windows of size 1 over the dilated dim. Spec: partitioning 7.2.
ValueId pad_sharded(Lowering& lowering, const LocalValue& operand, ValueId value,
                    const Padding& padding, ValueId fill) {
  Emitter& emit = lowering.emit();
  const std::size_t dim = padding.dim;
  const AxisList& axes = operand.axes[dim];
  const int64_t shards = sharding_size(axes);
  const int64_t tile = ceil_div(padding.size, shards);
  const int64_t receivers = ceil_div(padding.size, tile);
  const int64_t dilation = padding.interior + 1;
  const QuasiAffine first{tile, dilation - 1 - padding.low, dilation};
  const auto phase = [&](int64_t shard) {
    return first(shard) * dilation - (shard * tile - padding.low);
  };
  int64_t phase_min = phase(0);
  int64_t phase_max = phase(0);
  for (int64_t shard = 1; shard < std::min(receivers, dilation); ++shard) {
    phase_min = std::min(phase_min, phase(shard));
    phase_max = std::max(phase_max, phase(shard));
  }
  const int64_t length = std::max<int64_t>(1, floor_div(tile - 1 - phase_min, dilation) + 1);
  value = lowering.fetch(value, axes, operand.tiling(dim), {dim, first, length, fill, receivers});
  const int64_t high = tile - phase_min - ((length - 1) * dilation + 1);
  value = emit.pad(value, dim, {phase_max, high, padding.interior}, fill);
  if (phase_max == phase_min) return value;
  const Index coord = emit.coord(lowering.place(), axes);
  const Index begin = emit.subtract(emit.multiply(coord, tile), Index::of(padding.low));
  const Index start =
      emit.floor_div(emit.add(emit.multiply(coord, first.a), Index::of(first.b)), first.c);
  const Index own_phase = emit.subtract(emit.multiply(start, dilation), begin);
  return emit.dynamic_slice(value, dim, emit.subtract(Index::of(phase_max), own_phase), tile);
}

}  // namespace

/// Spec: partitioning 8.4.
Status lower_pad(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  const ValueId result = input.result(op);
  const Type& global = input.type(result);
  const std::vector<AxisList> axes = lowering.axes_of(result);
  if (global.num_elements() == 0) return finish_empty(lowering, op, axes);
  const LocalValue operand = lowering.conform(op, lowering.local(input.operand(op, 0)), axes);
  const ValueId fill = lowering.local(input.operand(op, 1)).value;
  const auto& low = list(input, op, "edge_padding_low");
  const auto& high = list(input, op, "edge_padding_high");
  const auto& interior = list(input, op, "interior_padding");
  ValueId value = operand.value;
  for (std::size_t dim = 0; dim < axes.size(); ++dim) {
    const Padding padding{dim, low[dim], high[dim], interior[dim], global.dim(dim)};
    const bool kept = padding.low == 0 && padding.high == 0 && padding.interior == 0;
    if (kept) continue;
    if (std::max({std::abs(padding.low), std::abs(padding.high), padding.interior}) > kMaxDim) {
      return lowering.error(op, "E_UNSUPPORTED_OP", "padding is too large to be lowered");
    }
    value =
        is_sharded(axes[dim])
            ? pad_sharded(lowering, operand, value, padding, fill)
            : lowering.emit().pad(value, dim, {padding.low, padding.high, padding.interior}, fill);
  }
  lowering.finish(op, value);
  return {};
}

/// Spec: partitioning 8.13.
Status lower_concatenate(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  Emitter& emit = lowering.emit();
  const ValueId result = input.result(op);
  const Type& global = input.type(result);
  const std::vector<AxisList> axes = lowering.axes_of(result);
  if (global.num_elements() == 0) return finish_empty(lowering, op, axes);
  const auto dim = static_cast<std::size_t>(input.attribute<IntegerAttr>(op, "dimension")->value);
  std::vector<LocalValue> operands;
  for (LocalValue& operand : lowering.operands(op)) {
    if (operand.dim(dim) == 0) continue;
    operands.push_back(lowering.conform(op, std::move(operand), axes));
  }
  if (!is_sharded(axes[dim])) {
    std::vector<ValueId> values;
    values.reserve(operands.size());
    for (const LocalValue& operand : operands) values.push_back(operand.value);
    lowering.finish(op, emit.concatenate(std::move(values), dim));
    return {};
  }
  const int64_t tile = ceil_div(global.dim(dim), sharding_size(axes[dim]));
  const int64_t receivers = ceil_div(global.dim(dim), tile);
  const std::vector<int64_t> line = {tile};
  const std::vector<int64_t> shape = lowering.local_dims(global, axes);
  const Index begin = emit.multiply(emit.coord(lowering.place(), axes[dim]), tile);
  const ValueId position =
      emit.binary(OpKind::Add, emit.iota(tile), emit.broadcast(emit.scalar(begin), line, {}));
  int64_t offset = 0;
  ValueId joined;
  for (const LocalValue& operand : operands) {
    const Lowering::Fetch want{dim, {tile, -offset, 1}, tile, std::nullopt, receivers};
    const ValueId part = lowering.fetch(operand.value, axes[dim], operand.tiling(dim), want);
    const ValueId bound = emit.broadcast(emit.scalar(Index::of(offset)), line, {});
    offset += operand.dim(dim);
    if (!joined.valid()) {
      joined = part;
      continue;
    }
    const std::vector<int64_t> mapped = {static_cast<int64_t>(dim)};
    const ValueId from_here = emit.broadcast(emit.compare(position, bound, "GE"), shape, mapped);
    joined = emit.select(from_here, part, joined);
  }
  lowering.finish(op, joined);
  return {};
}

/// Padding moves to the low end, then the shards are mirrored. Spec: partitioning 8.14.
Status lower_reverse(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  const ValueId result = input.result(op);
  const std::vector<AxisList> axes = lowering.axes_of(result);
  if (input.type(result).num_elements() == 0) return finish_empty(lowering, op, axes);
  const LocalValue operand = lowering.conform(op, lowering.local(input.operand(op, 0)), axes);
  const auto& dims = list(input, op, "dimensions");
  ValueId value = operand.value;
  for (const int64_t reversed : dims) {
    const auto dim = static_cast<std::size_t>(reversed);
    const Tiling tiling = operand.tiling(dim);
    if (tiling.padding() == 0) continue;
    value = lowering.fetch(
        value, axes[dim], tiling,
        {dim, {tiling.tile, -tiling.padding(), 1}, tiling.tile, std::nullopt, tiling.shards});
  }
  value = lowering.output().result(
      lowering.clone(op, {value}, {lowering.local_type(input.type(result), axes)}));
  for (const int64_t reversed : dims) {
    const AxisList& along = axes[static_cast<std::size_t>(reversed)];
    if (!is_sharded(along)) continue;
    PermuteMap map;
    map.kind = PermuteMap::Kind::Mirror;
    value = lowering.emit().permute(value, lowering.place(), along, std::move(map));
  }
  lowering.finish(op, value);
  return {};
}

}  // namespace shardy::partitioning
