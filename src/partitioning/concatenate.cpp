// concatenate is local along unsharded dims; a sharded dim gets each operand, or its source, by a
// halo exchange. Spec: partitioning 8.13.
//
//   sdy.mesh @mesh = <["x"=2]>
//   %0 = concatenate %a, %b, dim = 0
//     : 4 {"x"}, 4 {"x"} -> 8 {"x"}
//   ->
//   %1 = concatenate %a, spmd.permute(%a) {"x"}, shift 1       : all of %a on device 0
//   %2 = concatenate spmd.permute(%b) {"x"}, shift -1, %b      : all of %b on device 1
//   %0 = select (iota + spmd.coord {"x"} * 4 >= 4), %2, %1     : tensor<4xf32>
#include <algorithm>
#include <utility>

#include "partitioning/families.hpp"
#include "partitioning/windowed_dims.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/support/math.hpp"

namespace shardy::partitioning {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::Type;
using ir::ValueId;

namespace {

/// A source of the elements of an operand: a value that contains them and elementwise ops that map
/// them.
struct ElementSource {
  ValueId value;           // in the input program
  int64_t begin = 0;       // offset of the operand's first element in it
  std::vector<OpId> maps;  // elementwise ops, last one first
  int64_t dead_cost = 0;   // bytes that need not be received with this source
};

/// Checks for a slice of consecutive elements of `dim` and of all other dims.
bool cuts_only(const Module& module, OpId slice, std::size_t dim) {
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

/// A search for sources of the operands of one concatenate along a sharded dim.
class Sources {
 public:
  Sources(const Lowering& lowering, OpId op, std::size_t dim)
      : lowering_(lowering),
        module_(lowering.input()),
        dim_(dim),
        axes_(lowering.axes_of(module_.result(op))),
        tile_(ceil_div(module_.type(module_.result(op)).dim(dim), sharding_size(axes_[dim]))) {}

  /// Returns the halo exchange of each shard for the operand at `offset` in the result.
  Lowering::Halo halo_of(const ElementSource& source, std::size_t operand, int64_t offset,
                         int64_t size) const {
    const int64_t total = sharding_size(axes_[dim_]);
    Lowering::Halo want{dim_,   {tile_, source.begin - offset, 1}, tile_, std::nullopt, total,
                        operand};
    want.wanted = NeededRange{source.begin, source.begin + size};
    return want;
  }

  /// Returns the bytes per line received from other shards.
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

  /// Returns the source with the fewest received bytes; the operand itself on ties.
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
      if (price >= least) continue;
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

  /// Steps to the operand of an elementwise op or a slice.
  bool step(ElementSource& source, bool& is_only_use) const {
    const OpId op = module_.defining_op(source.value);
    if (!op.valid() || module_.num_operands(op) != 1) return false;
    is_only_use = is_only_use && module_.num_uses(source.value) == 1;
    const ValueId operand = module_.operand(op, 0);
    if (module_.is(op, OpKind::Slice) && cuts_only(module_, op, dim_)) {
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

/// A non-empty operand: its range in the result and its source.
struct Part {
  PartitionedValue value;
  ElementSource source;
  Lowering::Halo want;
  int64_t offset = 0;
};

std::vector<Part> parts_of(Lowering& lowering, OpId op, std::size_t dim) {
  const Module& input = lowering.input();
  const std::vector<AxisList> axes = lowering.axes_of(input.result(op));
  const Sources sources(lowering, op, dim);
  std::vector<Part> parts;
  int64_t offset = 0;
  std::vector<HaloPlan> plans;
  std::vector<int64_t> widths;
  int64_t whole = 0;  // bytes per line
  std::vector<ValueId> seen;
  for (std::size_t index = 0; index < input.num_operands(op); ++index) {
    const ValueId operand = input.operand(op, index);
    const int64_t size = input.type(operand).dim(dim);
    if (size == 0) continue;
    Part part{lowering.local(operand), sources.cheapest(index, operand, offset), {}, offset};
    if (part.source.value == operand) {
      part.value = lowering.reshard_to(op, std::move(part.value), axes);
    } else {
      part.value = lowering.local(part.source.value);
    }
    part.want = sources.halo_of(part.source, index, offset, size);
    plans.push_back(lowering.plan(sources.tiling(part.source), part.want));
    widths.push_back(sources.width(part.source.value));
    if (std::ranges::find(seen, part.source.value) == seen.end()) {
      whole += sources.gather_cost(part.source.value);
      seen.push_back(part.source.value);
    }
    offset += size;
    parts.push_back(std::move(part));
  }
  if (whole < most_received(plans, widths, sharding_size(axes[dim]))) {
    for (Part& part : parts) part.want.strategy = HaloStrategy::Gather;
  }
  return parts;
}

/// Applies the elementwise ops to received source elements.
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
  if (global.num_elements() == 0) {
    lowering.finish(op, emit.undefined(lowering.local_type(global, axes)));
    return {};
  }
  const auto dim = static_cast<std::size_t>(ir::view<ir::ConcatenateOp>(input, op).dim);
  if (!is_sharded(axes[dim])) return concatenate_locally(lowering, op, dim);
  const int64_t tile = ceil_div(global.dim(dim), sharding_size(axes[dim]));
  const std::vector<int64_t> line = {tile};
  const std::vector<int64_t> shape = lowering.local_dims(global, axes);
  const ScalarIndex begin = emit.multiply(emit.coord(lowering.place(), axes[dim]), tile);
  const ValueId before = emit.broadcast(emit.scalar(begin), line, {});
  const ValueId position = emit.binary(OpKind::Add, emit.iota(tile), before);
  ValueId joined;
  for (const Part& part : parts_of(lowering, op, dim)) {
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

}  // namespace shardy::partitioning
