// Ops that move elements along a dim by a static distance: slice, pad, reverse.
// Spec: partitioning 8.4, 8.5, 8.14.
//
//   sdy.mesh @mesh = <["x"=2]>, %a: tensor<8xf32> [{"x"}]
//   %0 = slice %a [1:7] : 6 [{"x"}]       ->  %0 = dynamic_slice %a, 1 - spmd.coord {"x"}, [3]
//   %0 = pad %a, low = [1], high = [1]    ->  %1 = pad %a, low = [1], high = [1] : 4 -> 6
//                                             %0 = dynamic_slice %1, spmd.coord {"x"}, [5]
//   %0 = reverse %a, dims = [0]           ->  %1 = reverse %a, dims = [0]
//                                             %0 = spmd.permute %1 {"x"}, mirror
#include <algorithm>
#include <utility>

#include "partitioning/families.hpp"
#include "partitioning/windowed_dims.hpp"
#include "shardy/ir/shape_ops.hpp"
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

/// Binds a result without elements.
Status finish_empty(Lowering& lowering, OpId op, const std::vector<AxisList>& axes) {
  const ValueId result = lowering.input().result(op);
  lowering.finish(
      op, lowering.emit().undefined(lowering.local_type(lowering.input().type(result), axes)));
  return {};
}

}  // namespace

/// Exchanges halos of the slice limits, then slices locally with strides. Spec: partitioning 8.5.
Status lower_slice(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  Emitter& emit = lowering.emit();
  const ValueId result = input.result(op);
  const Type& global = input.type(result);
  const std::vector<AxisList> axes = lowering.axes_of(result);
  if (global.num_elements() == 0) return finish_empty(lowering, op, axes);
  const PartitionedValue operand =
      lowering.reshard_to(op, lowering.local(input.operand(op, 0)), axes);
  const auto [starts, limits, strides] = ir::view<ir::SliceOp>(input, op);
  ValueId value = operand.value;
  for (std::size_t dim = 0; dim < axes.size(); ++dim) {
    if (!is_sharded(axes[dim])) {
      value = emit.slice(value, dim, starts[dim], limits[dim], strides[dim]);
      continue;
    }
    const int64_t tile = ceil_div(global.dim(dim), sharding_size(axes[dim]));
    const int64_t length = (tile - 1) * strides[dim] + 1;
    Lowering::Halo want{dim, {tile * strides[dim], starts[dim], 1}, length, std::nullopt, 0};
    want.receivers = ceil_div(global.dim(dim), tile);
    value = lowering.exchange_halo(value, axes[dim], operand.tiling(dim), want);
    value = emit.slice(value, dim, 0, length, strides[dim]);
  }
  lowering.finish(op, value);
  return {};
}

/// Spec: partitioning 8.4.
Status lower_pad(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  const ValueId result = input.result(op);
  const Type& global = input.type(result);
  const std::vector<AxisList> axes = lowering.axes_of(result);
  if (global.num_elements() == 0) return finish_empty(lowering, op, axes);
  const PartitionedValue operand =
      lowering.reshard_to(op, lowering.local(input.operand(op, 0)), axes);
  const ValueId fill = lowering.local(input.operand(op, 1)).value;
  const auto [low, high, interior] = ir::view<ir::PadOp>(input, op);
  std::vector<CutWindow> cut;
  std::vector<std::pair<std::size_t, LocalPadding>> edges;
  for (std::size_t dim = 0; dim < axes.size(); ++dim) {
    const Window window{.base = operand.dim(dim),
                        .low = low[dim],
                        .high = high[dim],
                        .base_dilation = interior[dim] + 1};
    if (window.is_element()) continue;
    if (is_too_large(window)) {
      return lowering.error(op, "E_UNSUPPORTED_OP", "padding is too large to be lowered");
    }
    if (is_sharded(axes[dim])) {
      cut.push_back(CutWindow::of_windows(dim, axes[dim], window));
      edges.emplace_back(dim, local_padding(cut.back()));
    } else {
      edges.emplace_back(dim, LocalPadding{window.low, window.high, window.base_dilation});
    }
  }
  ValueId value = exchange_windows(lowering, 0, operand, cut, fill);
  for (const auto& [dim, edge] : edges) {
    value = lowering.emit().pad(value, dim, {edge.low, edge.high, edge.base_dilation - 1}, fill);
  }
  for (const CutWindow& window : cut) value = own_windows(lowering, value, window.dim, window);
  lowering.finish(op, value);
  return {};
}

/// Moves padding to the low end, reverses locally and mirrors the shards. Spec: partitioning 8.14.
ValueId reversed(Lowering& lowering, const PartitionedValue& value, std::span<const int64_t> dims) {
  ValueId moved = value.value;
  for (const int64_t each : dims) {
    const auto dim = static_cast<std::size_t>(each);
    const Tiling tiling = value.tiling(dim);
    if (tiling.padding() == 0) continue;
    moved = lowering.exchange_halo(
        moved, value.axes[dim], tiling,
        {dim, {tiling.tile, -tiling.padding(), 1}, tiling.tile, std::nullopt, tiling.shards});
  }
  moved = lowering.emit().reverse(moved, {dims.begin(), dims.end()});
  for (const int64_t each : dims) {
    const AxisList& along = value.axes[static_cast<std::size_t>(each)];
    if (!is_sharded(along)) continue;
    PermuteMap map;
    map.kind = PermuteMap::Kind::Mirror;
    moved = lowering.emit().permute(moved, lowering.place(), along, std::move(map));
  }
  return moved;
}

Status lower_reverse(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  const ValueId result = input.result(op);
  const std::vector<AxisList> axes = lowering.axes_of(result);
  if (input.type(result).num_elements() == 0) return finish_empty(lowering, op, axes);
  const PartitionedValue operand =
      lowering.reshard_to(op, lowering.local(input.operand(op, 0)), axes);
  lowering.finish(op, reversed(lowering, operand, ir::view<ir::ReverseOp>(input, op).dims));
  return {};
}

}  // namespace shardy::partitioning
