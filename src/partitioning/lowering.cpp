// Building blocks of the lowering: values, halo exchanges, changes of layout, notes.
//
//   sdy.mesh @mesh = <["x"=2]>, %a: tensor<8xf32> [{"x"}], %r: tensor<8xf32> [{}]
//   gather %a along {"x"}        ->   %0 = spmd.all_gather %a {"x"}, dim 0           : 4 -> 8
//   slice %r along {"x"}         ->   %0 = dynamic_slice %r, spmd.coord {"x"} * 4    : 8 -> 4
//   halo of %a: 5 elements       ->   %0 = spmd.permute (slice %a [3:4]), shift -1   : 1
//     from 4 p - 1 on shard p         %1 = concatenate %0, %a                        : 5
#include "partitioning/lowering.hpp"

#include <algorithm>
#include <utility>

#include "ir/op_facts.hpp"
#include "passes/common/ops.hpp"
#include "shardy/algebra/unresolved.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/support/detail/math.hpp"

namespace shardy::partitioning {

Lowering::Lowering(const ir::Module& input, const PartitionOptions& options,
                   const ForeignOps& foreign)
    : input_(&input),
      options_(&options),
      foreign_(&foreign),
      emit_(output_),
      locals_(input.num_values()),
      scopes_(input),
      plain_rules_(0, rules::OpSignature(input), rules::OpSignature(input)) {}

rules::RuleResult Lowering::rule_of(OpId op) const {
  const rules::OpView view(*input_, op);
  const bool is_plain = passes::has_plain_rule(view.kind()) &&
                        !input_->attributes(op).contains(ir::kShardingRuleAttr);
  if (!is_plain) return rules().lowering_rule_for(view);
  const auto known = plain_rules_.find(op);
  if (known != plain_rules_.end()) return known->second;
  return plain_rules_.emplace(op, rules().lowering_rule_for(view)).first->second;
}

void Lowering::start_function(PlaceRef place, ir::BlockId block) {
  place_ = std::move(place);
  emit_.set_block(block);
}

// ---- Values ----------------------------------------------------------------------------------

std::vector<PartitionedValue> Lowering::operands(OpId op) const {
  std::vector<PartitionedValue> values;
  for (const ValueId operand : input_->operands(op)) values.push_back(local(operand));
  return values;
}

void Lowering::bind(ValueId value, PartitionedValue local) {
  std::optional<PartitionedValue>& entry = locals_[value.index()];
  const ValueId old = entry ? entry->value : ValueId();
  entry = std::move(local);
  if (input_->has_value_names()) hand_name_on(value, old);
}

/// Returns the value whose name the per-device value gets. The result of an all-reduce of partial
/// results gets the name of the complete value.
ValueId Lowering::named_source(ValueId value) const {
  while (value.valid() && !input_->has_value_name(value)) {
    const OpId op = input_->defining_op(value);
    const bool combines = op.valid() && ir::completes_reduction(input_->kind(op));
    value = combines ? input_->operand(op, 0) : ValueId();
  }
  return value;
}

/// Names a value of the per-device program after the value of the input program. A partial value is
/// named `x_partial`.
void Lowering::hand_name_on(ValueId value, ValueId old) {
  const PartitionedValue& now = *locals_[value.index()];
  if (!now.value.valid() || now.value == old) return;
  const ValueId source = named_source(value);
  if (!source.valid()) return;
  const std::string name = input_->value_name(source);
  const std::string old_name = old.valid() ? output_.value_name(old) : std::string();
  if (old_name == name || old_name == name + "_partial") output_.set_value_name(old, {});
  if (!now.partial || now.partial->axes.empty()) {
    output_.copy_value_name(now.value, *input_, source);
  } else if (!output_.has_value_name(now.value)) {
    output_.set_value_name(now.value, name + "_partial");
  }
}

std::vector<AxisList> Lowering::axes_of(ValueId value) const {
  return axes_under(input_->type(value), ir::get_sharding(*input_, value));
}

std::vector<AxisList> Lowering::axes_under(const Type& type,
                                           const std::optional<TensorSharding>& sharding) {
  std::vector<AxisList> axes(type.is_tensor() ? static_cast<std::size_t>(type.rank()) : 0);
  if (!sharding) return axes;
  for (std::size_t dim = 0; dim < axes.size() && dim < sharding->dims().size(); ++dim) {
    axes[dim] = sharding->dims()[dim].axes;
  }
  return axes;
}

std::vector<int64_t> Lowering::local_dims(const Type& global,
                                          std::span<const AxisList> axes) const {
  std::vector<int64_t> dims(global.dims().begin(), global.dims().end());
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    if (!axes[dim].empty()) dims[dim] = ceil_div(dims[dim], sharding_size(axes[dim]));
  }
  return dims;
}

Type Lowering::local_type(const Type& global, std::span<const AxisList> axes) const {
  return global.is_tensor() ? global.with_dims(local_dims(global, axes)) : global;
}

PartitionedValue Lowering::make(ValueId value, Type global, std::vector<AxisList> axes) const {
  PartitionedValue local{value, std::move(global), std::move(axes), {}, place_, std::nullopt};
  local.padding.resize(local.axes.size());
  return local;
}

void Lowering::finish(OpId op, ValueId value) {
  const ValueId result = input_->result(op);
  bind(result, make(value, input_->type(result), axes_of(result)));
}

Status Lowering::finish_empty(OpId op) {
  const ValueId result = input_->result(op);
  finish(op, emit().undefined(local_type(input_->type(result), axes_of(result))));
  return {};
}

// ---- Halo exchange ---------------------------------------------------------------------------

ScalarIndex Lowering::start_of(std::span<const AxisRef> axes, const QuasiAffine& start) {
  if (start.a == 0) return ScalarIndex::of(start(0));
  const ScalarIndex coord = emit_.coord(place(), axes);
  return emit_.floor_div(emit_.add(emit_.multiply(coord, start.a), ScalarIndex::of(start.b)),
                         start.c);
}

ValueId Lowering::moved(ValueId value, std::span<const AxisRef> axes, const HaloPiece& piece) {
  if (piece.hop == 0) return value;
  ir::PermuteMap map;
  map.kind = piece.only ? ir::PermuteMap::Kind::Affine : ir::PermuteMap::Kind::Shift;
  map.numbers = {piece.hop};
  if (piece.only) map.numbers = {1, piece.hop, 1, 0, sharding_size(axes), *piece.only};
  return emit_.permute(value, place(), axes, std::move(map));
}

ValueId Lowering::hull_buffer(ValueId value, std::span<const AxisRef> axes, const Halo& want,
                              const HaloPlan& plan, bool masks) {
  std::vector<ValueId> pieces;
  for (const HaloPiece& piece : plan.pieces) {
    const ValueId part = emit_.slice(value, want.dim, piece.begin, piece.end);
    // If `masks` is set, a shard sends its piece even if the piece is all padding, because
    // piece_mask overwrites padding with the fill.
    const HaloPiece sent{piece.hop, piece.begin, piece.end, masks ? std::nullopt : piece.only};
    const ValueId came = moved(part, axes, sent);
    pieces.push_back(masks ? piece_mask(came, axes, piece.hop, *want.fill) : came);
  }
  return emit_.pad(emit_.concatenate(std::move(pieces), want.dim), want.dim,
                   {plan.pad_low, plan.pad_high, 0}, want.fill.value_or(ValueId()));
}

ValueId Lowering::hull_window(ValueId value, std::span<const AxisRef> axes, const Tiling& tiling,
                              const Halo& want, const HaloPlan& plan) {
  const bool masks = masks_pieces(want, plan);
  if (masks) value = tile_mask(value, axes, tiling, want, plan);
  const ValueId buffer = hull_buffer(value, axes, want, plan, masks);
  if (plan.constant_offset) {
    return emit_.dynamic_slice(buffer, want.dim, ScalarIndex::of(plan.offset), want.length);
  }
  const ScalarIndex own = emit_.multiply(emit_.coord(place(), axes), tiling.tile);
  const ScalarIndex offset = emit_.add(emit_.subtract(start_of(axes, want.start), own),
                                       ScalarIndex::of(plan.pad_low - plan.low));
  return emit_.dynamic_slice(buffer, want.dim, offset, want.length);
}

/// Selects, on each device, the result of `part` for the residue class of the device: its
/// coordinate modulo `residues`.
ValueId Lowering::by_residue(std::span<const AxisRef> axes, int64_t residues,
                             const std::function<ValueId(int64_t)>& part) {
  ValueId piece = part(0);
  if (residues == 1) return piece;
  const std::vector<int64_t> shape(emit_.dims(piece).begin(), emit_.dims(piece).end());
  const ValueId own = emit_.scalar(emit_.floor_mod(emit_.coord(place(), axes), residues));
  for (int64_t residue = 1; residue < residues; ++residue) {
    const ValueId mine = emit_.compare(own, emit_.scalar(ScalarIndex::of(residue)), "EQ");
    piece = emit_.select(emit_.broadcast(mine, shape, {}), part(residue), piece);
  }
  return piece;
}

ValueId Lowering::compact_buffer(ValueId value, std::span<const AxisRef> axes, const Tiling& tiling,
                                 const Halo& want, const HaloPlan& plan) {
  std::vector<ValueId> pieces;
  for (int64_t tile = 0; tile < plan.tiles; ++tile) {
    pieces.push_back(by_residue(axes, plan.residues, [&](int64_t residue) {
      ir::PermuteMap map;
      map.kind = ir::PermuteMap::Kind::Affine;
      // The distance of receivers in one class. It equals the number of shards if each class has
      // one receiver.
      const int64_t apart = ceil_div(want.start.c * tiling.tile, want.start.a);
      map.numbers = {want.start.a, want.start.b, want.start.c * tiling.tile, tile, apart, residue};
      return emit_.permute(value, place(), axes, std::move(map));
    }));
  }
  const ValueId buffer = emit_.concatenate(std::move(pieces), want.dim);
  const ScalarIndex first_tile = start_of(axes, want.start.divided_by(tiling.tile));
  const ScalarIndex offset =
      emit_.subtract(start_of(axes, want.start), emit_.multiply(first_tile, tiling.tile));
  return emit_.dynamic_slice(buffer, want.dim, offset, want.length);
}

/// Sends the pieces of the compact plan. Within a residue class, a shard has the piece of at most
/// one receiver: the first receiver whose piece does not start in an earlier shard.
ValueId Lowering::compact_pieces(ValueId value, std::span<const AxisRef> axes, const Tiling& tiling,
                                 const Halo& want, const HaloPlan& plan) {
  const int64_t a = want.start.a;
  const ScalarIndex own = emit_.multiply(emit_.coord(place(), axes), tiling.tile);
  std::vector<ValueId> pieces;
  for (const HaloPiece& piece : plan.pieces) {
    const int64_t begin = want.start.b + piece.begin;
    const ScalarIndex first =
        emit_.clamp(start_of(axes, {tiling.tile, a - 1 - begin, a}), 0, tiling.shards - 1);
    pieces.push_back(by_residue(axes, plan.residues, [&](int64_t residue) {
      const ScalarIndex distance = emit_.subtract(ScalarIndex::of(residue), first);
      const ScalarIndex receiver = emit_.add(first, emit_.floor_mod(distance, plan.residues));
      const ScalarIndex start = emit_.add(emit_.multiply(receiver, a), ScalarIndex::of(begin));
      ir::PermuteMap map;
      map.kind = ir::PermuteMap::Kind::Affine;
      map.numbers = {a, begin, tiling.tile, 0, ceil_div(tiling.tile, a), residue};
      const ValueId part =
          emit_.dynamic_slice(value, want.dim, emit_.subtract(start, own), piece.end - piece.begin);
      return emit_.permute(part, place(), axes, std::move(map));
    }));
  }
  return emit_.concatenate(std::move(pieces), want.dim);
}

ValueId Lowering::gathered_buffer(ValueId value, std::span<const AxisRef> axes, const Halo& want,
                                  const HaloPlan& plan) {
  const ValueId whole = emit_.all_gather(value, place(), axes, want.dim);
  note_halo(want, axes, whole);
  const ValueId buffer =
      emit_.pad(whole, want.dim, {plan.pad_low, plan.pad_high, 0}, want.fill.value_or(ValueId()));
  const ScalarIndex offset = emit_.add(start_of(axes, want.start), ScalarIndex::of(plan.pad_low));
  return emit_.dynamic_slice(buffer, want.dim, offset, want.length);
}

HaloKinds Lowering::halo_kinds(std::optional<HaloStrategy> strategy) const {
  const HaloOptions& options = options_->halo;
  const HaloStrategy chosen = strategy.value_or(options.strategy);
  const bool by_cost = chosen == HaloStrategy::Cost;
  return {by_cost || chosen == HaloStrategy::Hull, by_cost || chosen == HaloStrategy::Compact,
          options.max_pieces};
}

HaloPlan Lowering::plan(const Tiling& tiling, const Halo& want) const {
  return plan_halo({tiling, want.start, want.length, want.receivers, want.wanted},
                   halo_kinds(want.strategy));
}

ValueId Lowering::exchange_halo(ValueId value, std::span<const AxisRef> axes, const Tiling& tiling,
                                const Halo& want) {
  const HaloPlan plan = this->plan(tiling, want);
  std::vector<int64_t> shape(emit_.dims(value).begin(), emit_.dims(value).end());
  shape[want.dim] = want.length;
  if (plan.kind == HaloPlan::Kind::Empty) {
    if (want.fill) return emit_.broadcast(*want.fill, shape, {});
    return emit_.undefined(output_.type(value).with_dims(shape));
  }
  ValueId window;
  switch (plan.kind) {
    case HaloPlan::Kind::Compact:
      window = plan.pieces.empty() ? compact_buffer(value, axes, tiling, want, plan)
                                   : compact_pieces(value, axes, tiling, want, plan);
      break;
    case HaloPlan::Kind::Gather:
      window = gathered_buffer(value, axes, want, plan);
      break;
    default:
      window = hull_window(value, axes, tiling, want, plan);
  }
  if (!want.fill || plan.in_range || masks_pieces(want, plan)) return window;
  return halo_mask(window, axes, tiling, want);
}

ValueId Lowering::exchange_flat_halo(ValueId value, const FlatHalo& flat) {
  const auto& [dim, size, from, to] = flat;
  const int64_t shards = sharding_size(from.axes);
  Halo want{dim, {to.volume, 0, 1}, to.volume, std::nullopt, shards};
  if (to.levels.size() == 1) {
    want.receivers = ceil_div(size, to.volume);
    return exchange_halo(value, from.axes, {size, shards, from.volume}, want);
  }
  const HaloPlan plan = plan_flat_halo(shards, from.volume, to, halo_kinds());
  ScalarIndex start = ScalarIndex::of(0);
  for (const FlatTiling::TiledDim& level : to.levels) {
    start = emit_.add(start, emit_.multiply(emit_.coord(place(), level.axes), level.step));
  }
  if (plan.kind == HaloPlan::Kind::Gather) {
    const ValueId whole = emit_.all_gather(value, place(), from.axes, dim);
    note_halo(want, from.axes, whole);
    const ValueId buffer = emit_.pad(whole, dim, {0, plan.pad_high, 0});
    return emit_.dynamic_slice(buffer, dim, start, to.volume);
  }
  const ValueId buffer = hull_buffer(value, from.axes, want, plan, false);
  if (plan.constant_offset) {
    return emit_.dynamic_slice(buffer, dim, ScalarIndex::of(plan.offset), to.volume);
  }
  const ScalarIndex own = emit_.multiply(emit_.coord(place(), from.axes), from.volume);
  const ScalarIndex offset =
      emit_.add(emit_.subtract(start, own), ScalarIndex::of(plan.pad_low - plan.low));
  return emit_.dynamic_slice(buffer, dim, offset, to.volume);
}

// ---- Changes of layout -----------------------------------------------------------------------

/// Returns the operand of the all-gather along `axes` of which the device keeps its own block, in
/// the shape of the block; an invalid value if `value` is another value. Looks through a reshape
/// of a gathered vector.
ValueId Lowering::gathered_block(ValueId value, std::size_t dim, std::span<const AxisRef> axes,
                                 int64_t size) {
  std::vector<int64_t> shape(emit_.dims(value).begin(), emit_.dims(value).end());
  if (shape[dim] != size * sharding_size(axes)) return {};
  shape[dim] = size;
  OpId op = output_.defining_op(value);
  const bool is_reshaped = op.valid() && output_.is(op, OpKind::Reshape);
  if (is_reshaped) op = output_.defining_op(output_.operand(op, 0));
  if (!op.valid() || !output_.is(op, OpKind::SpmdAllGather)) return {};
  const int64_t gathered = output_.attribute<ir::IntegerAttr>(op, ir::attr::kDim)->value;
  const bool fits =
      std::ranges::equal(output_.attribute<ir::AxesAttr>(op, ir::attr::kAxes)->axes, axes) &&
      output_.attribute<ir::SymbolAttr>(op, ir::attr::kMesh)->name == place().mesh_name &&
      gathered == static_cast<int64_t>(dim) &&
      (!is_reshaped || (dim == 0 && output_.type(output_.result(op)).rank() == 1));
  return fits ? emit_.reshape(output_.operand(op, 0), std::move(shape)) : ValueId();
}

ValueId Lowering::block(ValueId value, std::size_t dim, std::span<const AxisRef> axes,
                        int64_t size) {
  if (const ValueId own = gathered_block(value, dim, axes, size); own.valid()) return own;
  return emit_.dynamic_slice(value, dim, emit_.multiply(emit_.coord(place(), axes), size), size);
}

std::optional<Lowering::FlatHalo> Lowering::nesting(const PartitionedValue& value, std::size_t dim,
                                                    std::span<const AxisRef> minor) const {
  const AxisList kept = set_difference(value.axes[dim], minor);
  const int64_t shards = sharding_size(kept);
  const int64_t parts = sharding_size(minor);
  if (plan_nesting(value.dim(dim), shards, parts, halo_kinds()).kind != Nesting::Kind::Halo) {
    return std::nullopt;
  }
  FlatHalo exchange{.dim = dim, .size = value.dim(dim), .from = {}, .to = {}};
  exchange.from.axes = value.axes[dim];
  exchange.from.volume = value.tiling(dim).tile;
  exchange.to = two_level_tiling(value.dim(dim), shards, parts);
  exchange.to.axes = value.axes[dim];
  exchange.to.levels[0].axes = kept;
  exchange.to.levels[1].axes.assign(minor.begin(), minor.end());
  return exchange;
}

bool Lowering::gathers_whole_dim(const PartitionedValue& value, std::size_t dim,
                                 std::span<const AxisRef> minor) const {
  const int64_t shards = sharding_size(set_difference(value.axes[dim], minor));
  const Nesting nested = plan_nesting(value.dim(dim), shards, sharding_size(minor), halo_kinds());
  return nested.kind == Nesting::Kind::Whole;
}

std::optional<Lowering::Halo> Lowering::widening(const PartitionedValue& value, std::size_t dim,
                                                 int64_t parts) const {
  const Tiling old = value.tiling(dim);
  const Nesting wider = plan_widening(old.size, old.shards, parts, halo_kinds());
  if (wider.kind != Nesting::Kind::Halo) return std::nullopt;
  const HaloRequest& want = wider.request;
  return Halo{dim, want.start, want.length, std::nullopt, want.receivers};
}

ValueId Lowering::retiled(ValueId value, std::size_t dim, int64_t size,
                          std::span<const AxisRef> axes, std::span<const AxisRef> kept,
                          int64_t tile) {
  ValueId whole = emit_.all_gather(value, place(), axes, dim);
  whole = emit_.slice(whole, dim, 0, size);
  whole = emit_.pad(whole, dim, {0, sharding_size(kept) * tile - size, 0});
  return block(whole, dim, kept, tile);
}

ValueId Lowering::widened(const PartitionedValue& value, std::size_t dim, int64_t parts) {
  const Tiling old = value.tiling(dim);
  const int64_t length = parts * ceil_div(old.size, old.shards * parts);
  if (tiles_nest(old.size, old.shards, parts)) {
    return emit_.pad(value.value, dim, {0, length - old.tile, 0});
  }
  if (const auto want = widening(value, dim, parts)) {
    return exchange_halo(value.value, value.axes[dim], old, *want);
  }
  return retiled(value.value, dim, old.size, value.axes[dim], value.axes[dim], length);
}

PartitionedValue Lowering::gather(PartitionedValue value, std::size_t dim,
                                  std::span<const AxisRef> gathered) {
  if (gathered.empty()) return value;
  AxisList kept = set_difference(value.axes[dim], gathered);
  const int64_t size = value.dim(dim);
  const int64_t tile = ceil_div(size, sharding_size(kept));
  if (gathers_whole_dim(value, dim, gathered)) {
    value.value = retiled(value.value, dim, size, value.axes[dim], kept, tile);
    value.padding[dim].reset();
  } else {
    if (const auto exchange = nesting(value, dim, gathered)) {
      value.value = exchange_flat_halo(value.value, *exchange);
      value.padding[dim].reset();
    }
    value.value = emit_.all_gather(value.value, place(), gathered, dim);
    if (emit_.dim(value.value, dim) > tile) value.value = emit_.slice(value.value, dim, 0, tile);
  }
  value.axes[dim] = std::move(kept);
  if (value.tiling(dim).padding() == 0) value.padding[dim].reset();
  return value;
}

PartitionedValue Lowering::slice(PartitionedValue value, std::size_t dim,
                                 std::span<const AxisRef> sliced) {
  if (sliced.empty()) return value;
  value.place = place_;  // a replicated value is valid for any device order
  const int64_t parts = sharding_size(sliced);
  const ValueId wide = widened(value, dim, parts);
  for (const AxisRef& axis : sliced) append_or_merge(value.axes[dim], axis);
  value.value = block(wide, dim, sliced, ceil_div(value.dim(dim), sharding_size(value.axes[dim])));
  value.padding[dim].reset();
  return value;
}

PartitionedValue Lowering::reshard_to(OpId op, PartitionedValue value,
                                      std::span<const AxisList> axes, std::string tensor) {
  if (std::ranges::equal(value.axes, axes)) return value;  // without a note
  std::vector<AxisList> sliced(axes.size());
  if (tensor.empty()) tensor = tensor_name(op, value.value);
  const bool is_result = tensor.empty();
  if (is_result) tensor = result_name(op, value);
  Replicated what{.tensor = std::move(tensor), .reason = "the op is not sharded along this dim"};
  what.first_op = output_.num_ops();
  for (std::size_t dim = axes.size(); dim-- > 0;) {
    if (value.axes[dim] == axes[dim]) continue;
    const AxisList common = greatest_common_prefix(value.axes[dim], axes[dim]);
    const AxisList gathered = set_difference(value.axes[dim], common);
    sliced[dim] = set_difference(axes[dim], common);
    if (gathered.empty()) continue;
    value = gather(std::move(value), dim, gathered);
    if (sharding_size(gathered) > 1) what.add(dim, gathered);
  }
  if (!what.dims.empty()) {
    what.bytes_held = output_.type(value.value).num_bytes();
    note(op, what);
  }
  if (is_result) note_computed(op, value, sliced);
  for (std::size_t dim = 0; dim < axes.size(); ++dim) {
    value = slice(std::move(value), dim, sliced[dim]);
  }
  return value;
}

// ---- Ops -------------------------------------------------------------------------------------

ir::AttributeMap local_attributes(const ir::AttributeMap& attributes) {
  ir::AttributeMap kept;
  for (const ir::NamedAttribute& entry : attributes) {
    if (!entry.name.view().starts_with("sdy.")) kept.set(entry.name, entry.value);
  }
  return kept;
}

OpId Lowering::clone(OpId op, std::vector<ValueId> operands, std::vector<Type> types) {
  std::vector<ir::RegionId> regions;
  const std::vector<std::pair<ValueId, PartitionedValue>> held = whole_captures(op);
  for (const ir::RegionId region : input_->regions(op)) {
    regions.push_back(output_.new_region());
    copy_region(region, regions.back());
  }
  for (const auto& [value, local] : held) bind(value, local);
  return clone(op, std::move(operands), std::move(types), std::move(regions));
}

OpId Lowering::clone(OpId op, std::vector<ValueId> operands, std::vector<Type> types,
                     std::vector<ir::RegionId> regions) {
  ir::OpSpec spec{.kind = input_->kind(op)};
  spec.name = spec.kind == OpKind::Unknown ? std::string(input_->name(op)) : std::string();
  spec.operands = std::move(operands);
  spec.result_types = std::move(types);
  spec.attributes = local_attributes(input_->attributes(op));
  spec.regions = std::move(regions);
  return emit_.builder().create(std::move(spec));
}

/// Copies blocks and ops unchanged. Values defined outside the region are mapped to local values.
void Lowering::copy_region(ir::RegionId from, ir::RegionId to) {
  RegionCopy copy{{}, {{from, to}}};
  copy_pending(copy);
}

void Lowering::copy_pending(RegionCopy& copy) {
  while (!copy.pending.empty()) {
    const auto [source, target] = copy.pending.back();
    copy.pending.pop_back();
    for (const ir::BlockId block : input_->blocks(source)) {
      const ir::BlockId made = output_.new_block(target);
      for (const ValueId arg : input_->args(block)) {
        copy.values[arg] = output_.add_argument(made, input_->type(arg));
        output_.copy_value_name(copy.values[arg], *input_, arg);
      }
      for (const OpId inner : input_->ops(block)) copy_op(inner, made, copy);
    }
  }
}

std::vector<ValueId> Lowering::inlined(OpId op, std::size_t region, ir::BlockId block,
                                       std::span<const ValueId> args) {
  const std::vector<std::pair<ValueId, PartitionedValue>> held = whole_captures(op);
  const ir::BlockId source = input_->blocks(input_->regions(op)[region]).front();
  RegionCopy copy;
  for (std::size_t index = 0; index < args.size(); ++index) {
    copy.values[input_->args(source)[index]] = args[index];
  }
  std::vector<ValueId> returned;
  for (const OpId inner : input_->ops(source)) {
    if (!input_->has_trait(inner, ir::kTerminator)) {
      copy_op(inner, block, copy);
      continue;
    }
    for (const ValueId value : input_->operands(inner)) returned.push_back(copied(value, copy));
  }
  copy_pending(copy);
  for (const auto& [value, local] : held) bind(value, local);
  return returned;
}

ValueId Lowering::copied(ValueId value, const RegionCopy& copy) const {
  const auto found = copy.values.find(value);
  return found != copy.values.end() ? found->second : local(value).value;
}

/// Copies the op to the end of `block`; its regions are copied later.
void Lowering::copy_op(OpId op, ir::BlockId block, RegionCopy& copy) {
  ir::OpSpec spec{.kind = input_->kind(op), .name = std::string(input_->name(op))};
  for (const ValueId operand : input_->operands(op)) {
    spec.operands.push_back(copied(operand, copy));
  }
  for (const ValueId result : input_->results(op)) {
    spec.result_types.push_back(input_->type(result));
  }
  spec.attributes = local_attributes(input_->attributes(op));
  for (const ir::RegionId region : input_->regions(op)) {
    spec.regions.push_back(output_.new_region());
    copy.pending.emplace_back(region, spec.regions.back());
  }
  const OpId made = output_.create(std::move(spec));
  output_.append(block, made);
  for (std::size_t index = 0; index < input_->num_results(op); ++index) {
    copy.values[input_->result(op, index)] = output_.result(made, index);
    output_.copy_value_name(output_.result(made, index), *input_, input_->result(op, index));
  }
}

tl::unexpected<Error> Lowering::error(OpId op, std::string_view code,
                                      const std::string& message) const {
  return tl::unexpected(Error{.message = std::string(input_->name(op)) + ": " + message,
                              .location = input_->source_location(op),
                              .code = code});
}

// ---- Notes --------------------------------------------------------------------------------------

// Notes on ops that replicate more data than their shardings require. Spec: partitioning 5.10.

void Lowering::note(OpId op, const Replicated& what, const std::string& name) {
  notes_.push_back({.kind = what.kind,
                    .op = name.empty() ? std::string(input_->name(op)) : name,
                    .location = input_->source_location(op),
                    .tensor = what.tensor,
                    .dims = {what.dims.begin(), what.dims.end()},
                    .axes = to_string(place_->mesh, sort_and_merge(what.axes)),
                    .reason = what.reason,
                    .bytes_moved = what.bytes_moved,
                    .bytes_held = what.bytes_held});
  ops_of_notes_.push_back({what.first_op, output_.num_ops()});
}

std::vector<ReplicationNote> Lowering::take_notes() {
  for (std::size_t number = 0; number < notes_.size(); ++number) {
    ReplicationNote& note = notes_[number];
    const OpSpan ops = ops_of_notes_[number];
    for (std::size_t index = ops.first; note.kind == Replication::Gathered && index < ops.last;
         ++index) {
      const OpId op(static_cast<uint32_t>(index));
      if (output_.is_erased(op) || !output_.is(op, OpKind::SpmdAllGather)) continue;
      note.bytes_moved += output_.type(output_.result(op)).num_bytes() -
                          output_.type(output_.operand(op, 0)).num_bytes();
    }
  }
  std::erase_if(notes_, [](const ReplicationNote& note) {
    return note.kind == Replication::Gathered && note.bytes_moved <= 0;
  });
  notes_.shrink_to_fit();
  return std::move(notes_);
}

std::string Lowering::tensor_name(OpId op, ValueId value) const {
  const std::vector<ValueId> operands = input_->operands(op);
  for (std::size_t index = 0; index < operands.size(); ++index) {
    const std::optional<PartitionedValue>& bound = locals_[operands[index].index()];
    if (bound && bound->value == value) return "operand " + std::to_string(index);
  }
  return {};
}

namespace {

bool holds_its_data(OpKind kind) { return kind == OpKind::Constant || kind == OpKind::SdyConstant; }

bool makes_random_bits(OpKind kind) {
  return kind == OpKind::RngBitGenerator || kind == OpKind::Rng;
}

}  // namespace

/// Adds a note for results of the current op if devices compute more elements than they keep.
void Lowering::note_computed(OpId op, const PartitionedValue& made,
                             std::span<const AxisList> sharded) {
  const OpKind kind = input_->kind(op);
  if (op != op_ || holds_its_data(kind)) return;
  Replicated what{.kind = Replication::Computed,
                  .reason = "the op does not shard its result along this dim"};
  if (makes_random_bits(kind)) {
    what.kind = Replication::RandomBits;
    what.reason = "bits depend on their index in the global tensor";
  }
  for (std::size_t dim = 0; dim < sharded.size(); ++dim) {
    if (sharding_size(sharded[dim]) > 1) what.add(dim, sharded[dim]);
  }
  if (what.dims.empty()) return;
  what.tensor = result_name(op, made);
  what.bytes_held = output_.type(made.value).num_bytes();
  note(op, what);
}

/// Returns the name, such as "result 1", of the first unbound result with the type of `made`.
std::string Lowering::result_name(OpId op, const PartitionedValue& made) const {
  const std::vector<ValueId> results = input_->results(op);
  for (std::size_t index = 0; index < results.size(); ++index) {
    const bool is_bound = locals_[results[index].index()].has_value();
    if (!is_bound && input_->type(results[index]) == made.global) {
      return "result " + std::to_string(index);
    }
  }
  return "a result";
}

/// Adds the note on a halo exchange that gathers the full dim. Must follow the emission of the
/// all-gather directly.
void Lowering::note_halo(const Halo& want, std::span<const AxisRef> axes, ValueId whole) {
  Replicated what{.reason = "halos would not send fewer bytes"};
  what.tensor = "operand " + std::to_string(want.operand);
  what.add(want.dim, axes);
  what.first_op = output_.defining_op(whole).index();
  what.bytes_held = output_.type(whole).num_bytes();
  note(op_, what);
}

}  // namespace shardy::partitioning
