// Lowers ops that move elements along dims: slice, pad, reverse, concatenate, dynamic slices.
#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "partitioning/families.hpp"
#include "partitioning/gather.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/rules/detail/indexed_lowering.hpp"
#include "shardy/support/detail/math.hpp"

namespace shardy::partitioning {

// ---- Static slices ------------------------------------------------------------------------------

// Ops that move elements along a dim by a static distance: slice, pad, reverse.
// Spec: partitioning 8.4, 8.5, 8.14.
//
//   sdy.mesh @mesh = <["x"=2]>, %a: tensor<8xf32> [{"x"}]
//   %0 = slice %a [1:7] : 6 [{"x"}]       ->  %0 = dynamic_slice %a, 1 - spmd.coord {"x"}, [3]
//   %0 = pad %a, low = [1], high = [1]    ->  %1 = pad %a, low = [1], high = [1] : 4 -> 6
//                                             %0 = dynamic_slice %1, spmd.coord {"x"}, [5]
//   %0 = reverse %a, dims = [0]           ->  %1 = reverse %a, dims = [0]
//                                             %0 = spmd.permute %1 {"x"}, mirror

/// Exchanges halos up to the slice limits, then slices each shard with the strides. Spec:
/// partitioning 8.5.
Status lower_slice(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  Emitter& emit = lowering.emit();
  const ValueId result = input.result(op);
  const Type& global = input.type(result);
  const std::vector<AxisList> axes = lowering.axes_of(result);
  if (global.num_elements() == 0) return lowering.finish_empty(op);
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

/// Lowers pad. Spec: partitioning 8.4.
Status lower_pad(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  const ValueId result = input.result(op);
  const Type& global = input.type(result);
  const std::vector<AxisList> axes = lowering.axes_of(result);
  if (global.num_elements() == 0) return lowering.finish_empty(op);
  const PartitionedValue operand =
      lowering.reshard_to(op, lowering.local(input.operand(op, 0)), axes);
  const ValueId fill = lowering.local(input.operand(op, 1)).value;
  const auto [low, high, interior] = ir::view<ir::PadOp>(input, op);
  std::vector<ShardedWindow> sharded_dims;
  std::vector<std::pair<std::size_t, LocalPadding>> edges;
  for (std::size_t dim = 0; dim < axes.size(); ++dim) {
    const Window window{{.base_dilation = interior[dim] + 1, .low = low[dim], .high = high[dim]},
                        operand.dim(dim)};
    if (window.is_element()) continue;
    if (is_too_large(window)) {
      return lowering.error(op, "E_UNSUPPORTED_OP", "padding is too large to be lowered");
    }
    if (is_sharded(axes[dim])) {
      sharded_dims.push_back(ShardedWindow::of_windows(dim, axes[dim], window));
      edges.emplace_back(dim, local_padding(sharded_dims.back()));
    } else {
      edges.emplace_back(dim, LocalPadding{window.low, window.high, window.base_dilation});
    }
  }
  ValueId value = exchange_windows(lowering, 0, operand, sharded_dims, fill);
  for (const auto& [dim, edge] : edges) {
    value = lowering.emit().pad(value, dim, {edge.low, edge.high, edge.base_dilation - 1}, fill);
  }
  for (const ShardedWindow& window : sharded_dims)
    value = own_windows(lowering, value, window.dim, window);
  lowering.finish(op, value);
  return {};
}

/// Moves padding to the low end, reverses each shard and mirrors the order of shards. Spec:
/// partitioning 8.14.
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
  if (input.type(result).num_elements() == 0) return lowering.finish_empty(op);
  const PartitionedValue operand =
      lowering.reshard_to(op, lowering.local(input.operand(op, 0)), axes);
  lowering.finish(op, reversed(lowering, operand, ir::view<ir::ReverseOp>(input, op).dims));
  return {};
}

// ---- Concatenate --------------------------------------------------------------------------------

// concatenate is local along unsharded dims. Along a sharded dim, a halo exchange brings the
// elements of each operand, or of a value from which the operand is computed. Spec: partitioning
// 8.13.
//
//   sdy.mesh @mesh = <["x"=2]>
//   %0 = concatenate %a, %b, dim = 0
//     : 4 {"x"}, 4 {"x"} -> 8 {"x"}
//   ->
//   %1 = concatenate %a, spmd.permute(%a) {"x"}, shift 1       : all of %a on device 0
//   %2 = concatenate spmd.permute(%b) {"x"}, shift -1, %b      : all of %b on device 1
//   %0 = select (iota + spmd.coord {"x"} * 4 >= 4), %2, %1     : tensor<4xf32>

namespace {

/// A value of the input program with all elements of an operand, and the elementwise ops that
/// compute the operand's elements from it.
struct ElementSource {
  ValueId value;           // in the input program
  int64_t begin = 0;       // index in `value` of the operand's first element
  std::vector<OpId> maps;  // elementwise ops, the last one first
  // Bytes that slices of the input program no longer receive if this source is used.
  int64_t dead_cost = 0;
};

/// Returns true for a slice with stride 1 along `dim` that contains all elements of other dims.
bool slices_only(const Module& module, OpId slice, std::size_t dim) {
  const Type& from = module.type(module.operand(slice, 0));
  const Type& to = module.type(module.result(slice));
  for (std::size_t each = 0; each < static_cast<std::size_t>(from.rank()); ++each) {
    if (each != dim && from.dim(each) != to.dim(each)) return false;
  }
  return ir::view<ir::SliceOp>(module, slice).strides[dim] == 1;
}

bool only_moves(OpKind kind) {
  return kind == OpKind::SdyAllGather || kind == OpKind::SdyAllSlice ||
         kind == OpKind::SdyAllToAll || kind == OpKind::SdyCollectivePermute;
}

/// A search for the cheapest sources of the operands of one concatenate along a sharded dim.
class Sources {
 public:
  Sources(const Lowering& lowering, OpId op, std::size_t dim)
      : lowering_(lowering),
        module_(lowering.input()),
        dim_(dim),
        axes_(lowering.axes_of(module_.result(op))),
        tile_(ceil_div(module_.type(module_.result(op)).dim(dim), sharding_size(axes_[dim]))) {}

  /// Returns the halo exchange that brings the operand at position `offset` of the result from its
  /// source.
  Lowering::Halo halo_of(const ElementSource& source, std::size_t operand, int64_t offset,
                         int64_t size) const {
    const int64_t total = sharding_size(axes_[dim_]);
    Lowering::Halo want{dim_,   {tile_, source.begin - offset, 1}, tile_, std::nullopt, total,
                        operand};
    want.wanted = NeededRange{source.begin, source.begin + size};
    return want;
  }

  /// Returns the bytes received from other shards, per position of the other dims.
  int64_t cost(const ElementSource& source, const Lowering::Halo& want) const {
    return lowering_.plan(tiling(source), want).received * width(source.value);
  }
  int64_t gather_cost(ValueId value) const {
    const Tiling whole = Tiling::of(module_.type(value).dim(dim_), sharding_size(axes_[dim_]));
    return (whole.shards - 1) * whole.tile * width(value);
  }
  Tiling tiling(const ElementSource& source) const {
    return Tiling::of(module_.type(source.value).dim(dim_), sharding_size(axes_[dim_]));
  }

  /// Returns the source for which the fewest bytes are received. On ties, a source after which no
  /// op uses a slice; then the operand itself.
  ElementSource cheapest(std::size_t operand, ValueId value, int64_t offset) const {
    const int64_t size = module_.type(value).dim(dim_);
    ElementSource best{value, 0, {}, 0};
    if (lowering_.local(value).partial) return best;  // a source cannot be partial
    int64_t least = cost(best, halo_of(best, operand, offset, size));
    ElementSource next = best;
    bool is_only_use = true;
    while (least > 0 && step(next, is_only_use)) {
      if (!is_held_alike(next.value)) continue;
      const int64_t price = cost(next, halo_of(next, operand, offset, size)) - next.dead_cost;
      const bool spares_slice = next.dead_cost > 0;  // and its permutes
      if (price > least || (price == least && !spares_slice)) continue;
      least = price;
      best = next;
    }
    return best;
  }

  int64_t width(ValueId value) const {
    return static_cast<int64_t>(ir::size_bytes(module_.type(value).element()));
  }

 private:
  bool is_held_alike(ValueId value) const {
    const PartitionedValue& local = lowering_.local(value);
    return local.value.valid() && local.axes == axes_ && !local.partial &&
           local.place->mesh == lowering_.place().mesh;
  }

  /// Moves the source to the operand of its defining op, if that op is elementwise, a slice or an
  /// sdy collective that only moves elements.
  bool step(ElementSource& source, bool& is_only_use) const {
    const OpId op = module_.defining_op(source.value);
    if (!op.valid() || module_.num_operands(op) != 1) return false;
    is_only_use = is_only_use && module_.num_uses(source.value) == 1;
    const ValueId operand = module_.operand(op, 0);
    if (module_.is(op, OpKind::Slice) && slices_only(module_, op, dim_)) {
      const int64_t start = ir::view<ir::SliceOp>(module_, op).starts[dim_];
      if (is_only_use) source.dead_cost += slice_cost(op, start);
      source.begin += start;
    } else if (module_.has_trait(op, ir::kElementwise) && module_.regions(op).empty()) {
      source.maps.push_back(op);
    } else if (!only_moves(module_.kind(op))) {
      return false;
    }
    source.value = operand;
    return true;
  }

  int64_t slice_cost(OpId slice, int64_t start) const {
    const Type& type = module_.type(module_.result(slice));
    const PartitionedValue& made = lowering_.local(module_.result(slice));
    if (made.axes != axes_ || type.dim(dim_) == 0) return 0;
    const int64_t tile = ceil_div(type.dim(dim_), sharding_size(axes_[dim_]));
    Lowering::Halo want{dim_, {tile, start, 1}, tile, std::nullopt, ceil_div(type.dim(dim_), tile)};
    const ElementSource source{module_.operand(slice, 0), 0, {}, 0};
    return is_held_alike(source.value) ? cost(source, want) : 0;
  }

  const Lowering& lowering_;
  const Module& module_;
  std::size_t dim_;
  std::vector<AxisList> axes_;
  int64_t tile_;
};

/// A non-empty operand with its range in the result and its source.
struct ConcatenatedOperand {
  PartitionedValue value;
  ElementSource source;
  Lowering::Halo want;
  int64_t offset = 0;
};

/// Returns the number of permutes of a plan that is not a gather.
int64_t num_permutes(const HaloPlan& plan) {
  if (plan.kind == HaloPlan::Kind::Compact) {
    return plan.residues * (plan.pieces.empty() ? plan.tiles : std::ssize(plan.pieces));
  }
  return std::ranges::count_if(plan.pieces, [](const HaloPiece& piece) { return piece.hop != 0; });
}

/// Returns the plan of the halo exchange. Requests a plan whose permutes can be united with those
/// of other operands if no shard receives more: the compact plan instead of as many shifts, because
/// only shards that need a tile receive it, and a permute per other shard instead of a gather.
HaloPlan unitable_plan(const Lowering& lowering, const Tiling& tiling, Lowering::Halo& want) {
  HaloPlan plan = lowering.plan(tiling, want);
  const bool is_gather = plan.kind == HaloPlan::Kind::Gather;
  const int64_t most = is_gather ? tiling.shards - 1 : num_permutes(plan);
  if (most <= 1 && !is_gather) return plan;
  for (const HaloStrategy strategy : {HaloStrategy::Compact, HaloStrategy::Hull}) {
    Lowering::Halo exact = want;
    exact.strategy = strategy;
    HaloPlan other = lowering.plan(tiling, exact);
    const bool fits = other.kind != HaloPlan::Kind::Gather && other.received <= plan.received &&
                      num_permutes(other) <= most;
    if (!fits) continue;
    want = exact;
    return other;
  }
  return plan;
}

std::vector<ConcatenatedOperand> parts_of(Lowering& lowering, OpId op, std::size_t dim) {
  const Module& input = lowering.input();
  const std::vector<AxisList> axes = lowering.axes_of(input.result(op));
  const Sources sources(lowering, op, dim);
  std::vector<ConcatenatedOperand> parts;
  int64_t offset = 0;
  std::vector<HaloPlan> plans;
  std::vector<int64_t> widths;
  int64_t whole = 0;  // bytes per position of other dims
  std::vector<ValueId> seen;
  for (std::size_t index = 0; index < input.num_operands(op); ++index) {
    const ValueId operand = input.operand(op, index);
    const int64_t size = input.type(operand).dim(dim);
    if (size == 0) continue;
    ConcatenatedOperand part{
        lowering.local(operand), sources.cheapest(index, operand, offset), {}, offset};
    if (part.source.value == operand) {
      part.value = lowering.reshard_to(op, std::move(part.value), axes);
    } else {
      part.value = lowering.local(part.source.value);
    }
    part.want = sources.halo_of(part.source, index, offset, size);
    plans.push_back(unitable_plan(lowering, sources.tiling(part.source), part.want));
    widths.push_back(sources.width(part.source.value));
    if (std::ranges::find(seen, part.source.value) == seen.end()) {
      whole += sources.gather_cost(part.source.value);
      seen.push_back(part.source.value);
    }
    offset += size;
    parts.push_back(std::move(part));
  }
  if (whole < most_received(plans, widths, sharding_size(axes[dim]))) {
    for (ConcatenatedOperand& part : parts) part.want.strategy = HaloStrategy::Gather;
  }
  return parts;
}

/// Applies the elementwise ops of the source to received elements.
ValueId mapped(Lowering& lowering, const ElementSource& source, ValueId value) {
  for (auto map = source.maps.rbegin(); map != source.maps.rend(); ++map) {
    const Type& type = lowering.input().type(lowering.input().result(*map));
    const std::span<const int64_t> dims = lowering.emit().dims(value);
    const Type local = type.with_dims({dims.begin(), dims.end()});
    value = lowering.output().result(lowering.clone(*map, {value}, {local}));
  }
  return value;
}

Status concatenate_locally(Lowering& lowering, OpId op, std::size_t dim) {
  const Module& input = lowering.input();
  const std::vector<AxisList> axes = lowering.axes_of(input.result(op));
  std::vector<ValueId> values;
  for (PartitionedValue& operand : lowering.operands(op)) {
    if (operand.dim(dim) == 0) continue;
    values.push_back(lowering.reshard_to(op, std::move(operand), axes).value);
  }
  lowering.finish(op, lowering.emit().concatenate(std::move(values), dim));
  return {};
}

}  // namespace

Status lower_concatenate(Lowering& lowering, OpId op) {
  const Module& input = lowering.input();
  Emitter& emit = lowering.emit();
  const ValueId result = input.result(op);
  const Type& global = input.type(result);
  const std::vector<AxisList> axes = lowering.axes_of(result);
  if (global.num_elements() == 0) return lowering.finish_empty(op);
  const auto dim = static_cast<std::size_t>(ir::view<ir::ConcatenateOp>(input, op).dim);
  if (!is_sharded(axes[dim])) return concatenate_locally(lowering, op, dim);
  const int64_t tile = ceil_div(global.dim(dim), sharding_size(axes[dim]));
  const std::vector<int64_t> line = {tile};
  const std::vector<int64_t> shape = lowering.local_dims(global, axes);
  const ScalarIndex begin = emit.multiply(emit.coord(lowering.place(), axes[dim]), tile);
  const ValueId before = emit.broadcast(emit.scalar(begin), line, {});
  const ValueId position = emit.binary(OpKind::Add, emit.iota(tile), before);
  ValueId joined;
  for (const ConcatenatedOperand& part : parts_of(lowering, op, dim)) {
    ValueId piece =
        lowering.exchange_halo(part.value.value, axes[dim], part.value.tiling(dim), part.want);
    piece = mapped(lowering, part.source, piece);
    if (!joined.valid()) {
      joined = piece;
      continue;
    }
    const ValueId bound = emit.broadcast(emit.scalar(ScalarIndex::of(part.offset)), line, {});
    const std::vector<int64_t> along = {static_cast<int64_t>(dim)};
    const ValueId from_here = emit.broadcast(emit.compare(position, bound, "GE"), shape, along);
    joined = emit.select(from_here, piece, joined);
  }
  lowering.finish(op, joined);
  return {};
}

// ---- Dynamic slices -----------------------------------------------------------------------------

// dynamic_slice and dynamic_update_slice: a window at any start, which may cross shards. Spec:
// partitioning 8.6, 8.7.
//
//   sdy.mesh @mesh = <["x"=2]>, %a: tensor<8xf32> [{"x"}]
//   %0 = dynamic_slice %a, %i, sizes = [2]            %1 = clamp(%i, 0, 6) - spmd.coord {"x"} * 4
//                                                ->   %2 = dynamic_slice %a, clamp(%1, 0, 2), [2]
//                                                     %3 = %2 shifted by %1 - clamp(%1, 0, 2)
//                                                     %4 = select (elements of this shard), %3, 0
//                                                     %0 = spmd.all_reduce or (bits of %4) {"x"}
//
//   %0 = dynamic_update_slice %a, %u, %i         ->   the same window of %a is read, overwritten by
//                                                     elements of %u in this shard, written back

namespace {

/// The position of a window along a sharded dim that is larger than the window.
struct WindowedDim {
  std::size_t dim = 0;
  int64_t tile = 0;    // shard size of the tensor
  int64_t window = 0;  // window size
  ScalarIndex begin;   // window start relative to the start of the local shard
  ScalarIndex near;    // the start of a window inside the local shard that is nearest to `begin`
  ScalarIndex shift;   // begin - near, at most one window to either side
};

/// A window of a tensor in the coordinates of the local shard.
struct DynamicSlicePlan {
  std::vector<WindowedDim> split;
  std::vector<int64_t> sizes;    // local window sizes
  std::vector<ValueId> starts;   // window starts clamped to the local shard
  std::vector<AxisList> window;  // axes per dim of the window
};

/// Clamps a start so that the window is inside the global dim; `last` is the largest valid start.
/// Spec: stablehlo 25.1.
ScalarIndex clamped_start(Lowering& lowering, ValueId start, int64_t last) {
  if (const auto constant = rules::constant_start(lowering.input(), start)) {
    return ScalarIndex::of(std::clamp<int64_t>(*constant, 0, last));
  }
  Emitter& emit = lowering.emit();
  return emit.clamp({std::nullopt, emit.to_i64(lowering.local(start).value)}, 0, last);
}

WindowedDim split_dim(Lowering& lowering, const PartitionedValue& tensor, std::size_t dim,
                      int64_t window, ValueId start) {
  Emitter& emit = lowering.emit();
  const Tiling tiling = tensor.tiling(dim);
  WindowedDim split{dim, tiling.tile, window, {}, {}, {}};
  const ScalarIndex first = clamped_start(lowering, start, tiling.size - window);
  const ScalarIndex own =
      emit.multiply(emit.coord(lowering.place(), tensor.axes[dim]), tiling.tile);
  split.begin = emit.subtract(first, own);
  split.near = emit.clamp(split.begin, 0, std::max(tiling.tile, window) - window);
  split.shift = emit.subtract(split.begin, split.near);
  return split;
}

/// Returns the plan for the window of `op` in the shards of `tensor`. The operands from
/// `first_start` on are the starts.
DynamicSlicePlan dynamic_slice_plan(Lowering& lowering, OpId op, const PartitionedValue& tensor,
                                    const Type& window, std::size_t first_start) {
  const ir::Module& input = lowering.input();
  Emitter& emit = lowering.emit();
  DynamicSlicePlan plan;
  for (std::size_t dim = 0; dim < tensor.axes.size(); ++dim) {
    const ValueId start = input.operand(op, first_start + dim);
    const bool is_full = window.dim(dim) == tensor.dim(dim);
    plan.window.push_back(is_full ? tensor.axes[dim] : AxisList());
    plan.sizes.push_back(is_full ? emit.dim(tensor.value, dim) : window.dim(dim));
    if (is_full || sharding_size(tensor.axes[dim]) == 1) {
      plan.starts.push_back(lowering.local(start).value);
      continue;
    }
    plan.split.push_back(split_dim(lowering, tensor, dim, window.dim(dim), start));
    plan.starts.push_back(emit.scalar(plan.split.back().near));
  }
  if (plan.split.empty()) return plan;
  for (ValueId& start : plan.starts) start = emit.to_i64(start);  // all starts get one type
  return plan;
}

/// Pads shards that are smaller than the window to the size of the window.
ValueId with_room(Emitter& emit, ValueId tensor, const DynamicSlicePlan& plan) {
  for (const WindowedDim& split : plan.split) {
    tensor = emit.pad(tensor, split.dim, {0, std::max<int64_t>(split.window - split.tile, 0), 0});
  }
  return tensor;
}

ValueId read(Emitter& emit, ValueId tensor, const DynamicSlicePlan& plan,
             ir::AttributeMap attributes = {}) {
  std::vector<ValueId> operands = {tensor};
  operands.insert(operands.end(), plan.starts.begin(), plan.starts.end());
  attributes.set(ir::attr::kSliceSizes, DenseArrayAttr{ir::ElementType::I64, plan.sizes});
  return emit.builder().create_value(OpKind::DynamicSlice, std::move(operands),
                                     emit.module().type(tensor).with_dims(plan.sizes),
                                     std::move(attributes));
}

/// Shifts the window: element i of the result is element i + shift of `window`, if that exists.
ValueId shifted(Emitter& emit, ValueId window, const WindowedDim& split, const ScalarIndex& shift) {
  if (split.window == 1) return window;
  const ValueId twice = emit.concatenate({window, window}, split.dim);
  return emit.dynamic_slice(twice, split.dim, emit.floor_mod(shift, split.window), split.window);
}

/// Returns a mask in the shape of the window. It is true where the position plus `offset` is in [0,
/// limit).
ValueId inside(Emitter& emit, const DynamicSlicePlan& plan, const WindowedDim& split,
               const ScalarIndex& offset, int64_t limit) {
  const std::vector<int64_t> line = {split.window};
  const ValueId before = uniform(emit, line, offset);
  const ValueId position = emit.binary(OpKind::Add, emit.iota(split.window), before);
  const std::vector<int64_t> mapped = {static_cast<int64_t>(split.dim)};
  return emit.broadcast(in_range(emit, position, 0, limit), plan.sizes, mapped);
}

/// Returns the axes of the tensor during the op. Dims that the window spans get `wanted`; other
/// dims keep their axes except axes that the window needs.
std::vector<AxisList> tensor_axes(const PartitionedValue& tensor, const Type& window,
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

namespace {

/// Returns the constant window start along a dim if tensor and window have equal axes but different
/// sizes. The window's elements then move to other shards by a halo exchange.
std::optional<int64_t> fixed_begin(const Lowering& lowering, ValueId start,
                                   const PartitionedValue& a, const PartitionedValue& b,
                                   std::size_t dim) {
  const bool moves =
      a.dim(dim) != b.dim(dim) && is_sharded(a.axes[dim]) && a.axes[dim] == b.axes[dim];
  const auto constant = moves ? rules::constant_start(lowering.input(), start) : std::nullopt;
  if (!constant) return std::nullopt;
  return std::clamp<int64_t>(*constant, 0, std::abs(a.dim(dim) - b.dim(dim)));
}

/// Sets the size and the local elements of the value along the dim.
void replace_dim(PartitionedValue& value, std::size_t dim, int64_t size, ValueId elements) {
  std::vector<int64_t> dims(value.global.dims().begin(), value.global.dims().end());
  dims[dim] = size;
  value.global = value.global.with_dims(std::move(dims));
  value.value = elements;
  value.padding[dim].reset();
}

/// Replaces the tensor by the window along dims with a constant window start. Each shard receives
/// its elements of the window.
PartitionedValue own_windows(Lowering& lowering, OpId op, PartitionedValue tensor,
                             const PartitionedValue& window) {
  for (std::size_t dim = 0; dim < tensor.axes.size(); ++dim) {
    const ValueId start = lowering.input().operand(op, 1 + dim);
    const auto begin = fixed_begin(lowering, start, tensor, window, dim);
    if (!begin) continue;
    const Tiling tiling = window.tiling(dim);
    const Lowering::Halo want{dim,
                              {tiling.tile, *begin, 1},
                              tiling.tile,
                              std::nullopt,
                              ceil_div(tiling.size, tiling.tile)};
    const ValueId own =
        lowering.exchange_halo(tensor.value, tensor.axes[dim], tensor.tiling(dim), want);
    replace_dim(tensor, dim, tiling.size, own);
  }
  return tensor;
}

/// The plan by which update elements move to the shards of the elements that they replace.
struct Placement {
  std::vector<std::optional<int64_t>> begins;  // per dim: constant start, if moved by halo exchange
  std::vector<AxisList> axes;                  // axes per dim of the update before the move
};

Lowering::Halo halo_to(const Tiling& tiling, std::size_t dim, int64_t begin, int64_t size) {
  Lowering::Halo want{dim, {tiling.tile, -begin, 1}, tiling.tile, std::nullopt, tiling.shards, 1};
  want.wanted = NeededRange{0, size};
  return want;
}

/// Checks whether the busiest shard receives more than `gathered` elements per line if each op with
/// this update moves it by a halo exchange. With more than kMany ops, compares the sum over the
/// ops, because the exact comparison is quadratic in their number.
bool receive_more(const Lowering& lowering, ValueId update, std::size_t dim, int64_t gathered) {
  constexpr std::size_t kMany = 8;
  const ir::Module& input = lowering.input();
  const PartitionedValue& part = lowering.local(update);
  std::vector<HaloPlan> plans;
  int64_t sum = 0;
  for (const ir::Use& use : input.uses(update)) {
    if (plans.size() > kMany && sum > gathered) return true;
    if (!input.is(use.op, OpKind::DynamicUpdateSlice) || use.operand != 1) continue;
    const ValueId result = input.result(use.op);
    const PartitionedValue tensor =
        lowering.make(ValueId(), input.type(result), lowering.axes_of(result));
    const auto begin = fixed_begin(lowering, input.operand(use.op, 2 + dim), tensor, part, dim);
    if (!begin) continue;
    const auto want = halo_to(tensor.tiling(dim), dim, *begin, part.dim(dim));
    plans.push_back(lowering.plan(part.tiling(dim), want));
    sum += plans.back().received;
  }
  if (plans.size() > kMany || sum <= gathered) return sum > gathered;
  const std::vector<int64_t> weights(plans.size(), 1);
  return most_received(plans, weights, part.tiling(dim).shards) > gathered;
}

/// Decides which dims of the update are moved by halo exchange: dims with a constant start. If all
/// ops with this update together would receive more elements than by one shared gather, no halo
/// exchange moves the dim.
Placement placement_of(const Lowering& lowering, OpId op, const PartitionedValue& tensor) {
  const ValueId operand = lowering.input().operand(op, 1);
  const PartitionedValue& update = lowering.local(operand);
  Placement placement;
  for (std::size_t dim = 0; dim < tensor.axes.size(); ++dim) {
    const ValueId start = lowering.input().operand(op, 2 + dim);
    auto begin = fixed_begin(lowering, start, tensor, update, dim);
    const Tiling tiling = update.tiling(dim);
    const int64_t gathered = (tiling.shards - 1) * tiling.tile;
    if (begin && receive_more(lowering, operand, dim, gathered)) begin.reset();
    const bool is_whole = update.dim(dim) == tensor.dim(dim);
    placement.axes.push_back(begin || is_whole ? tensor.axes[dim] : AxisList());
    placement.begins.push_back(begin);
  }
  return placement;
}

/// Moves the update, which gets the tensor's size along moved dims. Elements outside of the update
/// are undefined.
PartitionedValue moved_update(Lowering& lowering, const PartitionedValue& tensor,
                              PartitionedValue update, const Placement& placement) {
  for (std::size_t dim = 0; dim < tensor.axes.size(); ++dim) {
    if (!placement.begins[dim]) continue;
    const Tiling tiling = tensor.tiling(dim);
    const auto want = halo_to(tiling, dim, *placement.begins[dim], update.dim(dim));
    const ValueId moved =
        lowering.exchange_halo(update.value, update.axes[dim], update.tiling(dim), want);
    replace_dim(update, dim, tiling.size, moved);
  }
  return update;
}

/// Returns an i1 mask of the elements that belong to the update along moved dims; invalid if all
/// do.
ValueId moved_elements(Lowering& lowering, OpId op, const PartitionedValue& moved,
                       const Placement& placement) {
  Emitter& emit = lowering.emit();
  const std::vector<int64_t> shape(emit.dims(moved.value).begin(), emit.dims(moved.value).end());
  ValueId elements;
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    if (!placement.begins[dim]) continue;
    const int64_t begin = *placement.begins[dim];
    const int64_t size = lowering.input().type(lowering.input().operand(op, 1)).dim(dim);
    const ScalarIndex own =
        emit.multiply(emit.coord(lowering.place(), moved.axes[dim]), shape[dim]);
    const ValueId before = uniform(emit, std::vector<int64_t>{shape[dim]}, own);
    const ValueId position = emit.binary(OpKind::Add, emit.iota(shape[dim]), before);
    const ValueId line = in_range(emit, position, begin, begin + size);
    const std::vector<int64_t> mapped = {static_cast<int64_t>(dim)};
    elements = emit.both(elements, emit.broadcast(line, shape, mapped));
  }
  return elements;
}

}  // namespace

/// Reads the window's elements in the local shard on each device. Spec: partitioning 8.6.
Status lower_dynamic_slice(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  Emitter& emit = lowering.emit();
  const ValueId result = input.result(op);
  const Type& window = input.type(result);
  const std::vector<AxisList> wanted = lowering.axes_of(result);
  if (window.num_elements() == 0) return lowering.finish_empty(op);
  PartitionedValue tensor = lowering.local(input.operand(op, 0));
  const std::vector<AxisList> axes = tensor_axes(tensor, window, wanted);
  tensor = lowering.reshard_to(op, std::move(tensor), axes);
  tensor = own_windows(lowering, op, std::move(tensor), lowering.make(ValueId(), window, wanted));
  const DynamicSlicePlan plan = dynamic_slice_plan(lowering, op, tensor, window, 1);
  const ValueId value =
      read(emit, with_room(emit, tensor.value, plan), plan, local_attributes(input.attributes(op)));
  Lookup lookup{value, plan.window, ValueId(), {}};
  for (const WindowedDim& split : plan.split) {
    lookup.value = shifted(emit, lookup.value, split, split.shift);
    lookup.hit = emit.both(lookup.hit, inside(emit, plan, split, split.begin, split.tile));
    const AxisList& along = tensor.axes[split.dim];
    lookup.owners.insert(lookup.owners.end(), along.begin(), along.end());
  }
  finish_lookup(lowering, op, std::move(lookup));
  return {};
}

/// Writes the update's elements in the local shard: reads the window, selects, writes it back.
/// Spec: partitioning 8.7.
Status lower_dynamic_update_slice(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  Emitter& emit = lowering.emit();
  const ValueId result = input.result(op);
  const std::vector<AxisList> axes = lowering.axes_of(result);
  const PartitionedValue tensor =
      lowering.reshard_to(op, lowering.local(input.operand(op, 0)), axes);
  if (input.type(input.operand(op, 1)).num_elements() == 0) {
    lowering.finish(op, tensor.value);
    return {};
  }
  const Placement placement = placement_of(lowering, op, tensor);
  PartitionedValue update =
      lowering.reshard_to(op, lowering.local(input.operand(op, 1)), placement.axes);
  update = moved_update(lowering, tensor, std::move(update), placement);
  ValueId mine = moved_elements(lowering, op, update, placement);
  const DynamicSlicePlan plan = dynamic_slice_plan(lowering, op, tensor, update.global, 2);
  const ValueId old = with_room(emit, tensor.value, plan);
  for (const WindowedDim& split : plan.split) {
    const ScalarIndex back = emit.subtract(ScalarIndex::of(0), split.shift);
    update.value = shifted(emit, update.value, split, back);
    mine = emit.both(mine, inside(emit, plan, split, back, split.window));
  }
  const bool is_all =
      plan.split.empty() && std::ranges::equal(emit.dims(update.value), emit.dims(old));
  const ValueId there = is_all || !mine.valid() ? old : read(emit, old, plan);
  if (mine.valid()) update.value = emit.select(mine, update.value, there);
  if (is_all) {
    lowering.finish(op, update.value);
    return {};
  }
  std::vector<ValueId> operands = {old, update.value};
  operands.insert(operands.end(), plan.starts.begin(), plan.starts.end());
  ValueId written =
      lowering.output().result(lowering.clone(op, std::move(operands), {emit.module().type(old)}));
  for (const WindowedDim& split : plan.split) {
    written = emit.slice(written, split.dim, 0, split.tile);
  }
  lowering.finish(op, written);
  return {};
}

}  // namespace shardy::partitioning
