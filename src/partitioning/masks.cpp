// Masks replace the padding of uneven shards where it would reach a result.
// Spec: partitioning 5.1, 5.5 step 4.
//
//   sdy.mesh @mesh = <["x"=2]>, %a: tensor<5xf32> [{"x"}], shards of 3 with 1 element of padding
//   %0 = reduce add %a, dimensions = [0]
//   ->
//   %1 = select (spmd.coord {"x"} < 1), %a[2:3], -0.0
//   %2 = reduce add (concatenate %a[0:2], %1)
//   %0 = spmd.all_reduce add %2 {"x"}
//
// Only parts that may contain padding are masked: the end of a shard if only the last one has
// padding, and pieces that a neighbour may not have.
#include <algorithm>
#include <utility>

#include "partitioning/lowering.hpp"
#include "shardy/ir/attribute_names.hpp"

namespace shardy::partitioning {

using ir::OpKind;
using ir::ValueId;

namespace {

/// Checks whether only the last shard has padding, and contains an element.
bool pads_one_shard(const Tiling& tiling) { return tiling.padding() < tiling.tile; }

/// Checks for a constant with all bits 0.
bool is_zero(const ir::Module& module, ValueId value) {
  const ir::OpId op = module.defining_op(value);
  if (!op.valid()) return false;
  const auto* const literal = module.attribute<ir::Literal>(op, ir::attr::kValue);
  return module.is(op, OpKind::Constant) && literal != nullptr && literal->is_splat() &&
         std::ranges::all_of(literal->stored(), [](std::byte byte) { return byte == std::byte{}; });
}

}  // namespace

// ---- Padding of tiles --------------------------------------------------------------------------

ValueId Lowering::valid_elements(const PartitionedValue& value, std::span<const std::size_t> dims) {
  const std::vector<int64_t> shape(emit_.dims(value.value).begin(), emit_.dims(value.value).end());
  ValueId valid;
  for (const std::size_t dim : dims) {
    const Tiling tiling = value.tiling(dim);
    if (tiling.padding() == 0) continue;
    const ScalarIndex begin = emit_.multiply(emit_.coord(place(), value.axes[dim]), tiling.tile);
    const ValueId left = emit_.scalar(emit_.subtract(ScalarIndex::of(tiling.size), begin));
    const ValueId limit = emit_.broadcast(left, std::vector<int64_t>{tiling.tile}, {});
    const ValueId inside = emit_.compare(emit_.iota(tiling.tile), limit, "LT");
    const std::vector<int64_t> mapped = {static_cast<int64_t>(dim)};
    valid = emit_.both(valid, emit_.broadcast(inside, shape, mapped));
  }
  return valid;
}

/// Selects `value` if the scalar predicate is true, else `fill`.
ValueId Lowering::where(ValueId holds, ValueId value, ValueId fill) {
  const std::vector<int64_t> shape(emit_.dims(value).begin(), emit_.dims(value).end());
  return emit_.select(holds, value, emit_.broadcast(fill, shape, {}));
}

ValueId Lowering::masked_end(ValueId value, std::size_t dim, std::span<const AxisRef> axes,
                             const Tiling& tiling, ValueId fill) {
  const int64_t filled = tiling.tile - tiling.padding();
  const ValueId kept = emit_.slice(value, dim, 0, filled);
  const ValueId end = emit_.slice(value, dim, filled, tiling.tile);
  const ValueId own = emit_.scalar(emit_.coord(place(), axes));
  const ValueId last = emit_.scalar(ScalarIndex::of(tiling.shards - 1));
  return emit_.concatenate({kept, where(emit_.compare(own, last, "LT"), end, fill)}, dim);
}

ValueId Lowering::filled(const PartitionedValue& value, std::span<const std::size_t> dims,
                         ValueId fill) {
  PartitionedValue made = value;
  std::vector<std::size_t> of_many;  // dims along which several shards have padding
  for (const std::size_t dim : dims) {
    const Tiling tiling = value.tiling(dim);
    if (tiling.padding() == 0) continue;
    if (pads_one_shard(tiling)) {
      made.value = masked_end(made.value, dim, value.axes[dim], tiling, fill);
    } else {
      of_many.push_back(dim);
    }
  }
  const ValueId valid = valid_elements(made, of_many);
  if (!valid.valid()) return made.value;
  const std::vector<int64_t> shape(emit_.dims(made.value).begin(), emit_.dims(made.value).end());
  return emit_.select(valid, made.value, emit_.broadcast(fill, shape, {}));
}

PartitionedValue Lowering::mask(PartitionedValue value, std::span<const std::size_t> dims,
                                const ir::Literal& fill) {
  std::vector<std::size_t> unknown;
  for (const std::size_t dim : dims) {
    if (value.tiling(dim).padding() == 0 || value.padding[dim] == fill) continue;
    unknown.push_back(dim);
  }
  if (unknown.empty()) return value;
  value.value = filled(value, unknown, emit_.splat({}, fill));
  for (const std::size_t dim : unknown) value.padding[dim] = fill;
  // Padding of another dim may have been overwritten where both dims have padding.
  for (auto& held : value.padding) {
    if (held != fill) held.reset();
  }
  return value;
}

// ---- Windows that extend beyond the dim --------------------------------------------------------

bool Lowering::masks_pieces(const Halo& want, const HaloPlan& plan) {
  const bool is_hull = plan.kind == HaloPlan::Kind::Local || plan.kind == HaloPlan::Kind::Hull;
  return is_hull && want.fill && !plan.in_range && plan.all_read;
}

ValueId Lowering::tile_mask(ValueId value, std::span<const AxisRef> axes, const Tiling& tiling,
                            const Halo& want, const HaloPlan& plan) {
  const int64_t padding = tiling.padding();
  const bool reads_padding = std::ranges::any_of(
      plan.pieces, [&](const HaloPiece& piece) { return piece.end > tiling.tile - padding; });
  if (padding == 0 || !reads_padding) return value;
  if (pads_one_shard(tiling)) return masked_end(value, want.dim, axes, tiling, *want.fill);
  const Halo own = {want.dim,  {tiling.tile, 0, 1}, tiling.tile,
                    want.fill, tiling.shards,       want.operand};
  return halo_mask(value, axes, tiling, own);
}

ValueId Lowering::piece_mask(ValueId piece, std::span<const AxisRef> axes, int64_t hop,
                             ValueId fill) {
  if (hop == 0 || is_zero(output_, fill))
    return piece;  // a permute delivers zeros where no shard sends
  const ValueId own = emit_.scalar(emit_.coord(place(), axes));
  const int64_t first = -hop;  // shards below have no shard `hop` before them
  const int64_t last =
      sharding_size(axes) - 1 - hop;  // shards above have no shard `hop` after them
  const ValueId bound = emit_.scalar(ScalarIndex::of(hop < 0 ? first : last));
  return where(emit_.compare(own, bound, hop < 0 ? "GE" : "LE"), piece, fill);
}

ValueId Lowering::halo_mask(ValueId value, std::span<const AxisRef> axes, const Tiling& tiling,
                            const Halo& want) {
  const std::vector<int64_t> shape(emit_.dims(value).begin(), emit_.dims(value).end());
  const std::vector<int64_t> length = {want.length};
  const ValueId begin = emit_.scalar(start_of(axes, want.start));
  const ValueId before = emit_.broadcast(begin, length, {});
  const ValueId position = emit_.binary(OpKind::Add, emit_.iota(want.length), before);
  const auto bound = [&](int64_t number) {
    return emit_.broadcast(emit_.scalar(ScalarIndex::of(number)), length, {});
  };
  ValueId inside = emit_.compare(position, bound(0), "GE");
  inside = emit_.both(inside, emit_.compare(position, bound(tiling.size), "LT"));
  if (want.receivers < tiling.shards) {
    const ValueId own = emit_.scalar(emit_.coord(place(), axes));
    const ValueId receives =
        emit_.compare(own, emit_.scalar(ScalarIndex::of(want.receivers)), "LT");
    inside = emit_.both(inside, emit_.broadcast(receives, length, {}));
  }
  const std::vector<int64_t> mapped = {static_cast<int64_t>(want.dim)};
  const ValueId fill = emit_.broadcast(*want.fill, shape, {});
  return emit_.select(emit_.broadcast(inside, shape, mapped), value, fill);
}

}  // namespace shardy::partitioning
