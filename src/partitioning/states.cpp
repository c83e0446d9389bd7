// The states of values on devices, the conversions between states, and masks of padding.
#include <algorithm>
#include <utility>

#include "ir/op_facts.hpp"
#include "partitioning/emitter.hpp"
#include "partitioning/families.hpp"
#include "partitioning/lowering.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/sharding_access.hpp"

namespace shardy::partitioning {

// ---- States -------------------------------------------------------------------------------------

// States of values on devices and the conversions between them. Spec: partitioning 3.1.

const AxisList& PartitionedValue::partial_axes() const {
  static const AxisList none;
  return partial ? partial->axes : none;
}

bool Layout::place_is_free() const {
  const auto shards = [](const AxisList& list) { return sharding_size(list) > 1; };
  return !shards(unreduced) && std::ranges::none_of(axes, shards);
}

bool same_reducer(OpKind a, OpKind b, ir::ElementType element) {
  if (a == b) return true;
  if (!ir::is_boolean(element)) return false;
  const auto is_or = [](OpKind kind) {
    return kind == OpKind::Add || kind == OpKind::Or || kind == OpKind::Maximum;
  };
  const auto is_and = [](OpKind kind) {
    return kind == OpKind::Multiply || kind == OpKind::And || kind == OpKind::Minimum;
  };
  return (is_or(a) && is_or(b)) || (is_and(a) && is_and(b));
}

AxisList full_axes(const Mesh& mesh) {
  AxisList axes;
  for (int32_t axis = 0; axis < mesh.num_axes(); ++axis) {
    if (mesh.axis_size(axis) > 1) axes.push_back(mesh.full_axis(axis));
  }
  return axes;
}

bool Lowering::is_distributed(const PartitionedValue& value) const {
  return !bound_.empty() || is_sharded(value);
}

bool Lowering::is_sharded(const PartitionedValue& value) {
  const auto shards = [](const AxisList& axes) { return sharding_size(axes) > 1; };
  return std::ranges::any_of(value.axes, shards) || shards(value.partial_axes());
}

// ---- Layouts ---------------------------------------------------------------------------------

Layout Lowering::layout_under(const Type& type,
                              const std::optional<TensorSharding>& sharding) const {
  Layout layout{place_, axes_under(type, sharding), {}, OpKind::Add};
  if (!sharding || sharding->mesh().axes().empty()) return layout;
  layout.unreduced = sharding->unreduced_axes();
  layout.reducer = ir::reducer_of(sharding->reduction_op());
  if (body_place_) {
    layout.place = body_place_;
  } else if (!(place_->mesh == sharding->mesh())) {
    layout.place = std::make_shared<const DeviceOrder>(
        DeviceOrder{sharding->mesh(), sharding->mesh_name().value_or(place_->mesh_name)});
  }
  return layout;
}

Layout Lowering::layout_of(ValueId value) const {
  return layout_under(input_->type(value), ir::get_sharding(*input_, value));
}

PartitionedValue Lowering::make(ValueId value, Type global, Layout layout) const {
  PartitionedValue local = make(value, std::move(global), std::move(layout.axes));
  local.place = std::move(layout.place);
  if (sharding_size(layout.unreduced) > 1) {
    local.partial = PartialResult{std::move(layout.unreduced), layout.reducer, ValueId()};
  }
  return local;
}

PlaceRef Lowering::body_place_at(OpId op) const {
  const OpId manual = scopes_.outermost(op);
  return manual.valid() ? place_in_manual(manual) : nullptr;
}

PlaceRef Lowering::place_in_manual(OpId manual) const {
  if (PlaceRef around = body_place_at(manual)) return around;
  const auto mesh = ir::mesh_of_manual(*input_, manual);
  if (mesh)
    return std::make_shared<const DeviceOrder>(DeviceOrder{mesh->mesh, mesh->name.value_or("")});
  return place_;
}

// ---- Changes of state ------------------------------------------------------------------------

PartitionedValue Lowering::moved(PartitionedValue value, const PlaceRef& place) {
  const bool same = value.place->mesh == place->mesh;
  if (!same && is_distributed(value)) {
    ir::PermuteMap map;
    map.kind = ir::PermuteMap::Kind::Remesh;
    map.mesh = value.place->mesh;
    value.value = emit_.permute(value.value, *place, full_axes(place->mesh), std::move(map));
  }
  value.place = place;
  return value;
}

PartitionedValue Lowering::combined(PartitionedValue value, std::span<const AxisRef> axes) {
  const AxisList over = intersection(axes, value.partial_axes());
  if (sharding_size(over) == 1) return value;
  value.value = emit_.all_reduce(value.value, *value.place, over, value.partial->reducer);
  value.partial->axes = set_difference(value.partial->axes, over);
  std::ranges::fill(value.padding, std::nullopt);
  return with_init(std::move(value));
}

PartitionedValue Lowering::with_init(PartitionedValue value) {
  if (!value.partial || sharding_size(value.partial->axes) > 1) return value;
  const PartialResult done = *std::exchange(value.partial, std::nullopt);
  if (!done.init.valid()) return value;
  const std::vector<int64_t> dims(emit_.dims(value.value).begin(), emit_.dims(value.value).end());
  value.value = emit_.binary(done.reducer, emit_.broadcast(done.init, dims, {}), value.value);
  return value;
}

PartitionedValue Lowering::combined_first(OpId op, PartitionedValue value,
                                          std::span<const AxisRef> axes, std::string tensor) {
  const AxisList before = value.partial_axes();
  if (tensor.empty()) tensor = tensor_name(op, value.value);
  if (tensor.empty()) tensor = "a value";
  value = combined(std::move(value), axes);
  if (value.partial_axes() == before) return value;
  const AxisList ended = set_difference(before, value.partial_axes());
  const int64_t devices = sharding_size(ended);
  Replicated what{.kind = Replication::Combined,
                  .tensor = tensor,
                  .axes = ended,
                  .reason = "its partial values are not those of the result"};
  what.bytes_held = output_.type(value.value).num_bytes();
  what.bytes_moved = 2 * what.bytes_held * (devices - 1) / devices;
  note(op, what);
  return value;
}

PartitionedValue Lowering::as_summands(PartitionedValue value, const AxisList& axes,
                                       OpKind reducer) {
  if (sharding_size(axes) == 1) return value;
  const ir::Literal nothing = neutral_to(reducer, value.global.element());
  const PlaceRef here = std::exchange(place_, value.place);
  value.value = keep_on_first(*this, value.value, axes, nothing);
  place_ = here;
  AxisList all = value.partial_axes();
  append(all, axes);
  value.partial = PartialResult{sort_and_merge(std::move(all)), reducer, ValueId()};
  std::ranges::fill(value.padding, std::nullopt);
  return value;
}

PartitionedValue Lowering::reshard_to_layout(OpId op, PartitionedValue value,
                                             const Layout& layout) {
  if (!value.global.is_tensor()) return value;
  const ValueId named = value.value;
  if (!layout.place_is_free() || !bound_.empty()) value = moved(std::move(value), layout.place);
  const PlaceRef here = std::exchange(place_, value.place);
  const AxisList ended = set_difference(value.partial_axes(), layout.unreduced);
  std::string tensor;  // set for notes only: finding it is linear in the operands of the op
  if (!ended.empty() || !std::ranges::equal(value.axes, layout.axes)) {
    tensor = tensor_name(op, named);
    if (tensor.empty()) tensor = op == op_ ? "a result" : "a value";
  }
  if (!ended.empty()) value = combined_first(op, std::move(value), ended, tensor);
  value = reshard_to(op, std::move(value), layout.axes, tensor);
  const AxisList missing = set_difference(layout.unreduced, value.partial_axes());
  value = as_summands(std::move(value), missing, layout.reducer);
  place_ = here;
  return value;
}

// ---- Regions that use replicated values --------------------------------------------------------

namespace {

/// Appends the ops in the regions of `op`, except nested ones.
void append_inner_ops(const ir::Module& module, OpId op, std::vector<OpId>& ops) {
  for (const ir::RegionId region : module.regions(op)) {
    for (const ir::BlockId block : module.blocks(region)) {
      for (const OpId inner : module.ops(block)) ops.push_back(inner);
    }
  }
}

}  // namespace

std::vector<std::pair<ValueId, PartitionedValue>> Lowering::whole_captures(OpId op) {
  std::vector<OpId> pending;
  append_inner_ops(*input_, op, pending);
  std::vector<std::pair<ValueId, PartitionedValue>> held;
  while (!pending.empty()) {
    const OpId inner = pending.back();
    pending.pop_back();
    append_inner_ops(*input_, inner, pending);
    for (const ValueId value : input_->operands(inner)) {
      const std::optional<PartitionedValue>& bound =
          locals_[value.index()];  // std::nullopt for values defined inside the region
      if (!bound || !bound->value.valid() || !is_distributed(*bound)) continue;
      held.emplace_back(value, *bound);
      const Layout whole{place_, std::vector<AxisList>(bound->axes.size()), {}, OpKind::Add};
      bind(value, reshard_to_layout(op, *bound, whole));
    }
  }
  return held;
}

// ---- Masks --------------------------------------------------------------------------------------

// Masks replace the padding of uneven shards where it would affect a result. Spec: partitioning
// 5.1, 5.5 step 4.
//
//   sdy.mesh @mesh = <["x"=2]>, %a: tensor<5xf32> [{"x"}], shards of 3 with 1 element of padding
//   %0 = reduce add %a, dimensions = [0]
//   ->
//   %1 = select (spmd.coord {"x"} < 1), %a[2:3], -0.0
//   %2 = reduce add (concatenate %a[0:2], %1)
//   %0 = spmd.all_reduce add %2 {"x"}
//
// Only elements that may be padding are masked: the end of the shard if only the last shard has
// padding, and pieces for which no sending shard may exist.

namespace {

/// Checks whether only the last shard has padding, and at least one element.
bool pads_one_shard(const Tiling& tiling) { return tiling.padding() < tiling.tile; }

/// Returns true for a constant whose bits are all 0.
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

/// Selects `value` if the scalar predicate `holds` is true, else `fill`.
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
  // The mask of this dim may have overwritten, where both dims have padding, the padding of the
  // other dim.
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
    return piece;  // a permute delivers zeros to devices without a sender
  const ValueId own = emit_.scalar(emit_.coord(place(), axes));
  const int64_t first = -hop;  // shards below this index have no shard `hop` shards before them
  const int64_t last =
      // Shards above this index have no shard `hop` shards after them.
      sharding_size(axes) - 1 - hop;
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
