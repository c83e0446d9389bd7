// Manual computations of sdy-resolve-permutation-factors: halo exchanges and reversed device
// orders.
#include "partitioning/reference/halo_exchange.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "partitioning/gather.hpp"
#include "partitioning/reference/pad_for_divisibility.hpp"
#include "passes/common/functions.hpp"
#include "passes/common/ops.hpp"
#include "shardy/algebra/shard_layout.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/support/detail/math.hpp"

namespace shardy::partitioning {

// ---- Computations -------------------------------------------------------------------------------

namespace {

Type local_type(const Type& type, const TensorSharding& sharding) {
  std::vector<int64_t> dims(type.dims().begin(), type.dims().end());
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    dims[dim] /= sharding_size(sharding.dim(dim).axes);
  }
  return type.with_dims(std::move(dims));
}

std::vector<std::string> axis_names(const TensorSharding& sharding) {
  const Mesh& mesh = sharding.mesh();
  std::vector<std::string> names;
  for (int32_t axis = 0; axis < mesh.num_axes(); ++axis) {
    bool is_used = false;
    for (std::size_t dim = 0; dim < sharding.rank(); ++dim) {
      is_used = is_used || overlaps(mesh.full_axis(axis), sharding.dim(dim).axes);
    }
    if (is_used) names.push_back(mesh.axis_name(axis));
  }
  return names;
}

}  // namespace

HaloComputation::HaloComputation(Module& module, OpId op, ValueId operand,
                                 const TensorSharding& sharding, std::vector<ValueId> scalars,
                                 ReferenceHaloOptions& options)
    : module_(module),
      op_(op),
      options_(options),
      sharding_(sharding),
      operands_(std::move(scalars)),
      region_(module.new_region()),
      emit_(module) {
  operands_.insert(operands_.begin(), operand);
  std::vector<Type> types;
  for (const ValueId value : operands_) types.push_back(module.type(value));
  types.front() = local_type(types.front(), sharding);
  body_ = module.new_block(region_, types);
  emit_.set_block(body_);
  emit_.set_location(module.location(op));
}

ValueId HaloComputation::shard(std::size_t dim) {
  if (!device_) device_ = device_number(emit_.builder(), options_.number);
  return coordinate_of(emit_.builder(), sharding_.mesh(), sharding_.dim(dim).axes, *device_);
}

ValueId HaloComputation::shifted(ValueId value, std::size_t dim, int64_t distance) {
  if (distance == 0) return value;
  const ir::PermuteMap shift{.kind = ir::PermuteMap::Kind::Shift, .numbers = {-distance}};
  ir::OpSpec spec{.kind = OpKind::CollectivePermute};
  spec.operands = {value};
  spec.result_types = {module_.type(value)};
  options_.channels.add_to(spec);
  spec.attributes.set(ir::attr::kSourceTargetPairs,
                      matrix(device_pairs(shift, sharding_.mesh(), sharding_.dim(dim).axes)));
  return module_.result(emit_.builder().create(std::move(spec)));
}

namespace {

/// Returns a sharding with only the axes of the dims.
TensorSharding dims_only(const TensorSharding& sharding) {
  std::vector<DimSharding> dims;
  for (const DimSharding& dim : sharding.dims()) {
    dims.push_back({.axes = dim.axes, .is_closed = true});
  }
  return TensorSharding::fully_closed(sharding.mesh(), sharding.mesh_name(), sharding.rank())
      .with_dims(std::move(dims));
}

}  // namespace

ValueId HaloComputation::finish(ValueId value, const Type& type, const TensorSharding& sharding) {
  ir::OpSpec last{.kind = OpKind::SdyReturn};
  last.operands = {value};
  emit_.builder().create(std::move(last));
  ir::ShardingList in;
  in.shardings.push_back(dims_only(sharding_));
  for (std::size_t index = 1; index < operands_.size(); ++index) {
    in.shardings.push_back(
        TensorSharding::fully_closed(sharding_.mesh(), sharding_.mesh_name(), 0));
  }
  ir::OpSpec spec{.kind = OpKind::SdyManualComputation};
  spec.operands = operands_;
  spec.result_types = {type};
  spec.attributes.set(ir::attr::kOutShardings, ir::ShardingList{{dims_only(sharding)}});
  spec.attributes.set(ir::attr::kInShardings, std::move(in));
  spec.attributes.set(ir::attr::kManualAxes, ir::ManualAxesAttr{axis_names(sharding_)});
  spec.regions = {region_};
  ir::Builder builder = ir::Builder::before(module_, op_);
  builder.set_location(module_.location(op_));
  return module_.result(builder.create(std::move(spec)));
}

// ---- Halos --------------------------------------------------------------------------------------

// Slices and pads of sharded dims exchange whole shards with neighbours. Spec: partitioning 10.3.
//
//   sdy.mesh @mesh = <["x"=4]>
//   %0 = pad %a, low = [2], high = [2] : tensor<8xf32> [{"x"}] -> tensor<12xf32> [{"x"}]
//   ->
//   %0 = sdy.manual_computation(%a) manual_axes={"x"} (%b: tensor<2xf32>) {
//     %1 = collective_permute %b, [[0, 1], [1, 2], [2, 3]]
//     %2 = collective_permute %b, [[1, 0], [2, 1], [3, 2]]
//     %3 = concatenate %1, %b, %2                                   : tensor<6xf32>
//     %4 = dynamic_slice (pad %3, 3 on both sides), partition_id + 3 : tensor<3xf32>
//   }

namespace {

using Dims = std::vector<int64_t>;

/// The movement of a sharded dim: operand element i moves to the position low + i * spread.
struct Move {
  std::size_t dim = 0;
  int64_t shards = 1;
  int64_t size = 0;  // operand size of the dim
  int64_t in = 0;    // operand size of a shard
  int64_t out = 0;   // result size of a shard
  int64_t low = 0;
  int64_t spread = 1;
  int64_t left =
      0;  // largest distance, in shards, of data that comes from the left; `right`: from the right
  int64_t right = 0;
  bool communicates = false;
};

/// Sets `left`, `right` and `communicates` from the other members.
void measure(Move& move) {
  for (int64_t shard = 0; shard < move.shards; ++shard) {
    const int64_t start = (shard * move.out - move.low) / move.spread;
    const int64_t first = std::max<int64_t>(start, 0);
    const int64_t last = std::min(start + move.out - 1, move.size - 1);
    if (first > last) {
      move.communicates = true;
      continue;
    }
    const int64_t from = first / move.in;
    const int64_t to = last / move.in;
    move.left = std::max(move.left, shard - from);
    move.right = std::max(move.right, to - shard);
    move.communicates = move.communicates || from != shard || to != shard;
  }
}

/// The op in the form of a pad: low, high and interior padding of each dim.
struct Shift {
  Dims low, spread;
  bool has_strides = false;  // a sharded dim has strides
};

Shift shift_of(const Module& module, OpId op, const TensorSharding& sharding) {
  Shift shift;
  if (module.is(op, OpKind::Pad)) {
    const ir::PadOp pad = *ir::PadOp::of(module, op);
    shift.low.assign(pad.low.begin(), pad.low.end());
    for (const int64_t gap : pad.interior) shift.spread.push_back(gap + 1);
    return shift;
  }
  const ir::SliceOp slice = *ir::SliceOp::of(module, op);
  for (std::size_t dim = 0; dim < slice.starts.size(); ++dim) {
    shift.low.push_back(-slice.starts[dim]);
    shift.spread.push_back(1);
    const bool is_sharded = sharding_size(sharding.dim(dim).axes) > 1;
    shift.has_strides = shift.has_strides || (is_sharded && slice.strides[dim] != 1);
  }
  return shift;
}

std::vector<Move> moves_of(const Module& module, OpId op, const TensorSharding& sharding,
                           const Shift& shift) {
  const Type& in = module.type(module.operand(op, 0));
  const Type& out = module.type(module.result(op));
  std::vector<Move> moves;
  for (std::size_t dim = 0; dim < sharding.rank(); ++dim) {
    const int64_t shards = sharding_size(sharding.dim(dim).axes);
    if (shards == 1) continue;
    Move move{.dim = dim,
              .shards = shards,
              .size = in.dim(dim),
              .in = ceil_div(in.dim(dim), shards),
              .out = ceil_div(out.dim(dim), shards),
              .low = shift.low[dim],
              .spread = shift.spread[dim]};
    if (move.in > 0) measure(move);
    moves.push_back(move);
  }
  return moves;
}

bool is_too_far(const Move& move) {
  const bool is_long = move.left > 1 || move.right > 1;
  return move.in == 0 || (move.left + move.right + 1 >= move.shards && is_long);
}

/// Checks whether the padding value is +0. A permute delivers the same zeros where no neighbour
/// exists.
bool is_plain_zero(const Module& module, ValueId value) {
  const ir::Literal* literal = constant_of(module, value);
  const auto is_zero = [](std::byte byte) { return byte == std::byte{0}; };
  return literal != nullptr && std::ranges::all_of(literal->element_bytes(0), is_zero);
}

/// A builder of the manual computation's body.
class HaloBody {
 public:
  HaloBody(HaloComputation& body, bool masks, ValueId fill)
      : body_(body), masks_(masks), fill_(fill) {}

  /// Returns the shard of the result along a dim.
  ValueId moved(ValueId value, const Move& move) {
    Emitter& emit = body_.emit();
    std::vector<ValueId> tiles;
    for (int64_t hops = move.left; hops > 0; --hops) {
      tiles.push_back(body_.shifted(value, move.dim, hops));
    }
    tiles.push_back(value);
    for (int64_t hops = 1; hops <= move.right; ++hops) {
      tiles.push_back(body_.shifted(value, move.dim, -hops));
    }
    const int64_t edge = move.out * move.spread;
    ValueId buffer = emit.concatenate(std::move(tiles), move.dim);
    buffer = emit.pad(buffer, move.dim, {edge, edge, move.spread - 1}, fill_);
    const int64_t step = move.out - move.in * move.spread;
    const ScalarIndex shard = step == 0 && !masks_
                                  ? ScalarIndex::of(0)
                                  : ScalarIndex{std::nullopt, body_.shard(move.dim)};
    const int64_t first = edge + move.left * move.in * move.spread - move.low;
    const ScalarIndex begin = emit.add(emit.multiply(shard, step), ScalarIndex::of(first));
    ValueId made = emit.dynamic_slice(buffer, move.dim, at_least_zero(begin), move.out);
    return masks_ ? masked(made, move, shard) : made;
  }

 private:
  ScalarIndex at_least_zero(const ScalarIndex& index) {
    if (index.constant) return ScalarIndex::of(std::max<int64_t>(*index.constant, 0));
    Emitter& emit = body_.emit();
    const ValueId zero = emit.scalar(ScalarIndex::of(0));
    return {std::nullopt, emit.binary(OpKind::Maximum, zero, index.value)};
  }

  /// Replaces the zeros received where no neighbour exists by `fill`.
  ValueId masked(ValueId value, const Move& move, const ScalarIndex& shard) {
    Emitter& emit = body_.emit();
    const Dims dims(emit.dims(value).begin(), emit.dims(value).end());
    const int64_t end = (move.size - 1) * move.spread + 1;
    const ValueId begin =
        emit.scalar(emit.add(emit.multiply(shard, move.out), ScalarIndex::of(-move.low)));
    const std::vector<int64_t> along = {static_cast<int64_t>(move.dim)};
    const ValueId before = emit.broadcast(begin, dims, {});
    const ValueId place =
        emit.binary(OpKind::Add, emit.broadcast(emit.iota(move.out), dims, along), before);
    const auto number = [&](int64_t at) {
      return emit.broadcast(emit.scalar(ScalarIndex::of(at)), dims, {});
    };
    const ValueId before_end = emit.compare(place, number(end), "LT");
    const ValueId inside = emit.both(emit.compare(place, number(0), "GE"), before_end);
    return emit.select(inside, value, emit.broadcast(fill_, dims, {}));
  }

  HaloComputation& body_;
  bool masks_;
  ValueId fill_;
};

/// Pads all dims with `fill`, a scalar. Returns `value` unchanged without padding.
ValueId pad_all(Emitter& emit, ValueId value, const ir::PadOp& pad, ValueId fill) {
  std::vector<int64_t> dims(emit.dims(value).begin(), emit.dims(value).end());
  bool is_padded = false;
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    is_padded = is_padded || pad.low[dim] != 0 || pad.high[dim] != 0 || pad.interior[dim] != 0;
    const int64_t gaps = std::max<int64_t>(dims[dim] - 1, 0) * pad.interior[dim];
    dims[dim] += pad.low[dim] + pad.high[dim] + gaps;
  }
  if (!is_padded) return value;
  const Type type = emit.module().type(value).with_dims(std::move(dims));
  return emit.builder().create_value(OpKind::Pad, {value, fill}, type, pad.attributes());
}

/// Slices all dims. Returns `value` unchanged if the slice contains all elements.
ValueId slice_all(Emitter& emit, ValueId value, const ir::SliceOp& slice) {
  std::vector<int64_t> dims;
  for (std::size_t dim = 0; dim < slice.starts.size(); ++dim) {
    dims.push_back(ceil_div(slice.limits[dim] - slice.starts[dim], slice.strides[dim]));
  }
  if (std::ranges::equal(dims, emit.dims(value))) return value;
  const Type type = emit.module().type(value).with_dims(std::move(dims));
  return emit.builder().create_value(OpKind::Slice, {value}, type, slice.attributes());
}

/// Applies the op along the unsharded dims.
ValueId along_whole_dims(Emitter& emit, const Module& module, OpId op, ValueId value,
                         const TensorSharding& sharding, ValueId fill) {
  const auto is_whole = [&](std::size_t dim) { return sharding_size(sharding.dim(dim).axes) == 1; };
  const std::size_t rank = sharding.rank();
  if (module.is(op, OpKind::Pad)) {
    const ir::PadOp pad = *ir::PadOp::of(module, op);
    Dims low(rank, 0);
    Dims high(rank, 0);
    Dims gaps(rank, 0);
    for (std::size_t dim = 0; dim < rank; ++dim) {
      if (!is_whole(dim)) continue;
      low[dim] = pad.low[dim];
      high[dim] = pad.high[dim];
      gaps[dim] = pad.interior[dim];
    }
    return pad_all(emit, value, ir::PadOp{low, high, gaps}, fill);
  }
  const ir::SliceOp slice = *ir::SliceOp::of(module, op);
  Dims starts(rank, 0);
  Dims limits(emit.dims(value).begin(), emit.dims(value).end());
  Dims strides(rank, 1);
  for (std::size_t dim = 0; dim < rank; ++dim) {
    if (!is_whole(dim)) continue;
    starts[dim] = slice.starts[dim];
    limits[dim] = slice.limits[dim];
    strides[dim] = slice.strides[dim];
  }
  return slice_all(emit, value, ir::SliceOp{starts, limits, strides});
}

}  // namespace

bool exchange_halos(Module& module, OpId op, ReferenceHaloOptions& options) {
  const ValueId operand = module.operand(op, 0);
  const ValueId result = module.result(op);
  const auto sharding = ir::get_sharding(module, operand);
  const auto out = ir::get_sharding(module, result);
  if (!sharding || !out || !sharding->unreduced_axes().empty()) return false;
  const Shift shift = shift_of(module, op, *sharding);
  std::vector<Move> moves = moves_of(module, op, *sharding, shift);
  if (shift.has_strides || std::ranges::any_of(moves, is_too_far)) return false;
  const bool pads = module.is(op, OpKind::Pad);
  // Slices and uneven dims also need equal shard sizes.
  const bool stays = std::ranges::none_of(moves, [&](const Move& move) {
    const bool is_same = move.low == 0 && move.spread == 1 && move.in == move.out;
    return move.communicates || ((!pads || move.size % move.shards != 0) && !is_same);
  });
  if (stays) return true;
  Emitter emit(module);
  emit.start_before(op);
  const Type type = module.type(operand);
  const ValueId fill = pads ? module.operand(op, 1)
                            : emit.constant(ir::splat_literal(Type::tensor({}, type.element()), 0));
  const ValueId filled = pad_to(emit, operand, padded_type(type, *sharding), sharding, fill);
  HaloComputation body(module, op, filled, *sharding, {fill}, options);
  HaloBody exchange(body, pads && !is_plain_zero(module, fill), body.scalar(0));
  ValueId value = body.own();
  for (const Move& move : moves) value = exchange.moved(value, move);
  value = along_whole_dims(body.emit(), module, op, value, *sharding, body.scalar(0));
  const Type wanted = module.type(result);
  const ValueId made = body.finish(value, padded_type(wanted, *sharding));
  module.replace_all_uses(result, slice_to(emit, made, wanted, out));
  module.erase(op);
  return true;
}

namespace {

/// Returns the moves for uneven splits of dims. The operand is resharded so that its shards end at
/// row boundaries.
std::vector<Move> moves_of_splits(const Type& type, const TensorSharding& in,
                                  std::span<const SplitDim> splits) {
  std::vector<Move> moves;
  for (const SplitDim& split : splits) {
    const int64_t shards = sharding_size(in.dim(split.dim).axes);
    Move move{.dim = split.dim,
              .shards = shards,
              .size = type.dim(split.dim),
              .in = ceil_div(type.dim(split.dim), shards),
              .out = ceil_div(split.first, shards) * split.rest};
    measure(move);
    moves.push_back(move);
  }
  return moves;
}

}  // namespace

bool split_by_halos(Module& module, OpId op, const TensorSharding& in, const TensorSharding& out,
                    std::span<const SplitDim> splits, ReferenceHaloOptions& options) {
  const ValueId operand = module.operand(op, 0);
  const ValueId result = module.result(op);
  const Type type = module.type(operand);
  const Type wanted = module.type(result);
  const std::vector<Move> moves = moves_of_splits(type, in, splits);
  const bool is_near = std::ranges::all_of(
      moves, [](const Move& move) { return move.left <= 1 && move.right <= 1; });
  if (!is_near) return false;
  Emitter emit(module);
  emit.start_before(op);
  const ValueId fill = emit.constant(ir::splat_literal(Type::tensor({}, type.element()), 0));
  const ValueId filled = pad_to(emit, operand, padded_type(type, in), in, fill);
  HaloComputation body(module, op, filled, in, {fill}, options);
  HaloBody exchange(body, false, body.scalar(0));
  ValueId value = body.own();
  for (const Move& move : moves) value = exchange.moved(value, move);
  const Type padded = padded_type(wanted, out);
  value = body.emit().reshape(value, copy(local_type(padded, out).dims()));
  const ValueId made = body.finish(value, padded, out);
  module.replace_all_uses(result, slice_to(emit, made, wanted, out));
  module.erase(op);
  return true;
}

// ---- Mirrored devices ---------------------------------------------------------------------------

// reverse of sharded dims: each device reverses its elements, and the result has the reversed
// device order. Spec: partitioning 10.3, reverse.
//
//   sdy.mesh @mesh = <["x"=4]>
//   %0 = reverse %a, dims = [0]        sdy.mesh @mesh_reversed = <["x"=4], device_ids=[3, 2, 1, 0]>
//     : 8 <@mesh, [{"x"}]>       ->    %1 = reverse %a, dims = [0] <@mesh_reversed, [{"x"}]>
//                                      %0 = sdy.reshard %1 <@mesh, [{"x"}]>

Mesh mirrored(const Mesh& mesh, const AxisList& axes) {
  std::vector<int64_t> ids;
  for (int64_t position = 0; position < mesh.num_devices(); ++position) {
    int64_t other = position;
    for (const AxisRef& axis : axes) {
      int64_t weight = mesh.axis_size(axis.axis) / axis.next();
      for (int32_t minor = axis.axis + 1; minor < mesh.num_axes(); ++minor) {
        weight *= mesh.axis_size(minor);
      }
      other += (axis.size - 1 - 2 * coordinate(mesh, position, axis)) * weight;
    }
    ids.push_back(mesh.device_at(other));
  }
  std::vector<MeshAxis> same(mesh.axes().begin(), mesh.axes().end());
  const auto made = Mesh::make(std::move(same), std::move(ids));
  SHARDY_ASSERT(made.has_value());
  return *made;
}

namespace {

/// Returns a reference to the mesh by the name of its mesh op. Returns an inlined mesh if `base`
/// has no name.
MeshRef reference_to(Module& module, const Mesh& mesh, const std::optional<std::string>& base) {
  if (!base) return {mesh, std::nullopt};
  OpId last;
  for (const OpId op : module.meshes()) {
    last = op;
    const Mesh* known = module.attribute<Mesh>(op, ir::attr::kMesh);
    if (known != nullptr && *known == mesh) return {mesh, std::string(module.symbol_name(op))};
  }
  std::string name = passes::SymbolTable(module).unique_name(*base + "_reversed");
  const OpId made = module.add_mesh(name, mesh);
  if (last.valid()) {
    module.remove(made);
    module.insert_after(last, made);
  }
  return {mesh, std::move(name)};
}

/// Moves the elements of a dim to the high end of its shards. The elements shifted in at the low
/// end are undefined.
ValueId moved_to_end(HaloComputation& body, ValueId value, std::size_t dim, int64_t distance) {
  Emitter& emit = body.emit();
  const int64_t tile = emit.dim(value, dim);
  const int64_t hops = distance / tile;
  const int64_t rest = distance % tile;
  const ValueId near = body.shifted(value, dim, hops);
  if (rest == 0) return near;
  const ValueId far = body.shifted(value, dim, hops + 1);
  return emit.concatenate(
      {emit.slice(far, dim, tile - rest, tile), emit.slice(near, dim, 0, tile - rest)}, dim);
}

}  // namespace

bool reverse_devices(Module& module, OpId op, ReferenceHaloOptions& options) {
  const ValueId operand = module.operand(op, 0);
  const ValueId result = module.result(op);
  const auto sharding = ir::get_sharding(module, operand);
  const auto out = ir::get_sharding(module, result);
  if (!sharding || !out || !sharding->unreduced_axes().empty()) return false;
  const auto reversed = ir::view<ir::ReverseOp>(module, op).dims;
  const Type type = module.type(operand);
  const Type even = padded_type(type, *sharding);
  AxisList axes;
  std::vector<std::size_t> uneven;
  std::vector<int64_t> wide(type.dims().begin(), type.dims().end());
  for (const int64_t number : reversed) {
    const auto dim = static_cast<std::size_t>(number);
    const AxisList& own = sharding->dim(dim).axes;
    if (sharding_size(own) == 1) continue;
    append(axes, own);
    if (even.dim(dim) != type.dim(dim)) uneven.push_back(dim);
  }
  if (axes.empty()) return true;
  Emitter emit(module);
  emit.start_before(op);
  ValueId value = operand;
  if (!uneven.empty()) {
    const ValueId filled = pad_to(emit, operand, even, sharding);
    HaloComputation body(module, op, filled, *sharding, {}, options);
    ValueId own = body.own();
    for (const std::size_t dim : uneven) {
      own = moved_to_end(body, own, dim, even.dim(dim) - type.dim(dim));
    }
    value = body.finish(own, even);
  }
  const TensorSharding there = sharding->with_mesh(
      reference_to(module, mirrored(sharding->mesh(), axes), sharding->mesh_name()));
  const ValueId turned = emit.reverse(value, {reversed.begin(), reversed.end()});
  ir::set_sharding(module, turned, there);
  const ValueId back =
      module.result(emit.builder().create(passes::reshard_op(module, turned, *out)));
  module.replace_all_uses(result, slice_to(emit, back, type, out));
  module.erase(op);
  return true;
}

}  // namespace shardy::partitioning
