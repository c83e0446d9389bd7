// Two collectives in sequence become one, or two smaller ones.
#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "partitioning/emitter.hpp"
#include "partitioning/program_rewrites.hpp"
#include "passes/common/functions.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/collective_ops.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/partitioning/partition.hpp"
#include "shardy/passes/pipeline.hpp"

namespace shardy::partitioning {

// ---- A permute and an all-to-all ----------------------------------------------------------------

// A permute followed by an all-to-all over two devices becomes two permutes of half the size. Each
// block is sent directly to its destination. Spec: resharding C.8.
//
//   %1 = spmd.permute %0, relabel             %1 = spmd.permute (own block of %0), relabel
//   %2 = spmd.all_to_all %1 {"z"}        ->   %2 = spmd.permute (other block), relabel, z + 1
//     "z"=2                                   %3 = concatenate %1, %2, in the order of senders
//
// The all-to-all runs along the axis "z" of size 2. A device whose coordinate along "z" after the
// permute is g keeps block g and sends the other block. "z + 1": the receiver has the other
// coordinate along "z". The senders' coordinates order the blocks of %3. An all-to-all before the
// permute, and a slice between the two, are joined in the same way.

namespace {

/// A permute and an all-to-all, in either order.
struct PermutePair {
  OpId permute;
  OpId exchange;
  ValueId operand;     // operand of the first collective
  ValueId result;      // result of the second collective
  OpId slice = {};     // slice between the collectives; invalid: none
  AxisList axes = {};  // axes of the permute
  PermuteMap map = {};
  std::size_t at = 0;  // index of the all-to-all axis in the order of its side of the permute
  std::size_t split = 0;
  std::size_t concat = 0;
};

/// Returns the index of the axis in `order`, an order of the relabeling map; std::nullopt if sender
/// and receiver orders differ in their sizes.
std::optional<std::size_t> place_of(const PermuteMap& map, const AxisList& order,
                                    const AxisRef& axis) {
  const auto has_size = [](const AxisRef& a, const AxisRef& b) { return a.size == b.size; };
  const auto found = std::ranges::find(order, axis);
  const bool fits = map.kind == PermuteMap::Kind::Relabel && map.numbers.empty() &&
                    std::ranges::equal(map.source_order, map.receiver_order, has_size) &&
                    found != order.end();
  if (!fits) return std::nullopt;
  return static_cast<std::size_t>(found - order.begin());
}

/// Returns the op of kind `kind` that defines the operand of `op`; invalid if the operand has other
/// users.
OpId sole_source(const Module& module, OpId op, OpKind kind) {
  const ValueId between = module.operand(op, 0);
  const OpId source = module.defining_op(between);
  const bool is_alone = source.valid() && module.is(source, kind) &&
                        module.num_operands(source) == 1 && module.num_uses(between) == 1 &&
                        module.parent_block(source) == module.parent_block(op);
  return is_alone ? source : OpId();
}

/// Returns the permute and the all-to-all if `op` is the second of them.
std::optional<PermutePair> ops_of_pair(const Module& module, OpId op) {
  PermutePair pair;
  if (module.is(op, OpKind::SpmdAllToAll) && module.num_operands(op) == 1) {
    pair.permute = sole_source(module, op, OpKind::SpmdPermute);
    pair.exchange = op;
    if (pair.permute.valid()) pair.operand = module.operand(pair.permute, 0);
  } else if (module.is(op, OpKind::SpmdPermute) && module.num_operands(op) == 1) {
    pair.permute = op;
    pair.slice = sole_source(module, op, OpKind::Slice);
    const OpId second = pair.slice.valid() ? pair.slice : op;
    pair.exchange = sole_source(module, second, OpKind::SpmdAllToAll);
    if (pair.exchange.valid()) pair.operand = module.operand(pair.exchange, 0);
  }
  if (!pair.operand.valid()) return std::nullopt;
  pair.result = module.result(op);
  return pair;
}

std::optional<PermutePair> permute_pair_at(const Module& module, OpId op) {
  auto pair = ops_of_pair(module, op);
  if (!pair) return std::nullopt;
  const AxisList& axes = module.attribute<ir::AxesAttr>(pair->exchange, ir::attr::kAxes)->axes;
  if (axes.size() != 1 || axes.front().size != 2 ||
      !(*module.attribute<ir::SymbolAttr>(pair->permute, ir::attr::kMesh) ==
        *module.attribute<ir::SymbolAttr>(pair->exchange, ir::attr::kMesh))) {
    return std::nullopt;
  }
  pair->map = *ir::view<ir::SpmdPermuteOp>(module, pair->permute).map;
  const bool is_first = pair->exchange != op;
  const auto at = place_of(pair->map, is_first ? pair->map.source_order : pair->map.receiver_order,
                           axes.front());
  if (!at) return std::nullopt;
  const auto view = ir::view<ir::SpmdAllToAllOp>(module, pair->exchange);
  pair->axes = module.attribute<ir::AxesAttr>(pair->permute, ir::attr::kAxes)->axes;
  pair->at = *at;
  pair->split = static_cast<std::size_t>(view.split_dim);
  pair->concat = static_cast<std::size_t>(view.concat_dim);
  return pair;
}

/// Sends one of the two blocks along the split dim: the block whose number is the sender's
/// coordinate minus `offset`, modulo 2. The map adds `offset` to the receiver's coordinate.
ValueId sent_block(Emitter& emit, const PermutePair& pair, const DeviceOrder& place,
                   int64_t offset) {
  const ValueId value = pair.operand;
  const int64_t size = emit.dim(value, pair.split) / 2;
  const ScalarIndex own = emit.coord(place, std::span(&pair.map.source_order[pair.at], 1));
  const ScalarIndex block = emit.floor_mod(emit.subtract(own, ScalarIndex::of(offset)), 2);
  const ValueId part = emit.dynamic_slice(value, pair.split, emit.multiply(block, size), size);
  PermuteMap map = pair.map;
  if (offset != 0) {
    map.numbers.assign(map.receiver_order.size(), 0);
    map.numbers[pair.at] = offset;
  }
  return emit.permute(part, place, pair.axes, std::move(map));
}

std::optional<passes::CollectiveRewrite> join(Module& program, const CollectivePrices& prices,
                                              const PermutePair& pair) {
  const OpId op = program.defining_op(pair.result);
  const OpId before = program.prev(op);
  Emitter emit(program);
  emit.start_before(op);
  const DeviceOrder place{*prices.mesh_of(op),
                          program.attribute<ir::SymbolAttr>(op, ir::attr::kMesh)->name};
  const ValueId same = sent_block(emit, pair, place, 0);
  const ValueId other = sent_block(emit, pair, place, 1);
  const StepCost old_cost[] = {prices.cost(pair.permute), prices.cost(pair.exchange)};
  const StepCost new_cost[] = {prices.cost(program.defining_op(same)),
                               prices.cost(program.defining_op(other))};
  if (new_cost[0].seconds + new_cost[1].seconds > old_cost[0].seconds + old_cost[1].seconds) {
    while (program.prev(op) != before) program.erase(program.prev(op));
    return std::nullopt;
  }
  // Two selects and a concatenation order the blocks. A slice of three blocks in a row would take
  // half as much memory again.
  const ScalarIndex own = emit.coord(place, std::span(&pair.map.receiver_order[pair.at], 1));
  const ValueId is_first = emit.compare(emit.scalar(own), emit.scalar(ScalarIndex::of(0)), "EQ");
  const ValueId first = emit.select(is_first, same, other);
  const ValueId second = emit.select(is_first, other, same);
  ValueId made = emit.concatenate({first, second}, pair.concat);
  if (pair.slice.valid()) {
    made = emit.builder().create_value(OpKind::Slice, {made}, program.type(pair.result),
                                       ir::AttributeMap(program.attributes(pair.slice)));
  }
  passes::CollectiveRewrite rewrite{std::string(kJoinExchanges), std::string(program.name(op)),
                                    program.source_location(op)};
  rewrite.bytes_before = old_cost[0].bytes + old_cost[1].bytes;
  rewrite.bytes_after = new_cost[0].bytes + new_cost[1].bytes;
  rewrite.messages_before = old_cost[0].messages + old_cost[1].messages;
  rewrite.messages_after = new_cost[0].messages + new_cost[1].messages;
  program.replace_all_uses(pair.result, made);
  program.erase(op);
  if (pair.slice.valid()) program.erase(pair.slice);
  program.erase(op == pair.exchange ? pair.permute : pair.exchange);
  return rewrite;
}

// ---- A permute before a halo --------------------------------------------------------------------

// A permute moves below ops that each device runs alone and below halo exchanges, if it can then be
// joined with an all-to-all. These ops run on the senders, along the axes that the permute maps to
// theirs. Spec: resharding C.8.
//
//   %1 = spmd.permute %0, relabel "x" -> "y"        %1 = spmd.permute %0 {"x"}, shift 1
//   %2 = spmd.permute %1 {"y"}, shift 1        ->   %2 = spmd.permute %1, relabel "x" -> "y"
//   %3 = spmd.all_to_all %2 {"z"}                   %3 = spmd.all_to_all %2 {"z"}

/// Moves the permute whose result the operand of an all-to-all is computed from.
class PermuteSinker {
 public:
  PermuteSinker(Module& program, OpId exchange) : program_(program), exchange_(exchange) {}

  /// Finds the permute and the ops below which it moves. Returns whether it can.
  bool find() {
    const ValueId operand = program_.operand(exchange_, 0);
    return collect(operand) && permute_.valid() && program_.defining_op(operand) != permute_ &&
           std::ranges::all_of(ops_, [&](OpId op) { return can_move(op); }) &&
           is_used_here(permute_);
  }
  OpId permute() const { return permute_; }

  /// Adds the ops on the senders, and the permute of their result. Returns the permute.
  ValueId add(Emitter& emit, const DeviceOrder& place) {
    passes::ValueMap map;
    map.emplace(program_.result(permute_), program_.operand(permute_, 0));
    for (const OpId op : ops_) {
      const OpId copy = passes::clone_op(program_, op, map);
      program_.insert_before(exchange_, copy);
      if (const auto axes = axes_of(op)) {
        program_.attributes(copy).set(ir::attr::kAxes,
                                      ir::AxesAttr{place.mesh, *senders_axes(*axes)});
      }
    }
    const ValueId made = passes::mapped(map, program_.operand(exchange_, 0));
    const AxisList axes = *axes_of(permute_);
    return emit.permute(made, place, axes, *ir::view<ir::SpmdPermuteOp>(program_, permute_).map);
  }

  /// Erases the ops below which the permute has moved, and the old permute.
  void erase_old() {
    ops_.insert(ops_.begin(), permute_);
    for (auto op = ops_.rbegin(); op != ops_.rend(); ++op) {
      if (program_.num_uses(program_.result(*op)) == 0) program_.erase(*op);
    }
  }

 private:
  static constexpr std::size_t kMaxOps = 32;

  /// Collects the ops that compute the value from the result of the permute and from positions.
  bool collect(ValueId value) {
    const OpId op = program_.defining_op(value);
    if (!op.valid()) return false;
    if (op == permute_ || std::ranges::find(ops_, op) != ops_.end()) return true;
    if (is_relabeling(op)) return !std::exchange(permute_, op).valid();
    if (is_equal_everywhere(op)) return true;
    if (ops_.size() == kMaxOps || !runs_on_senders(op)) return false;
    for (const ValueId operand : program_.operands(op)) {
      if (!collect(operand)) return false;
    }
    ops_.push_back(op);
    return true;
  }

  bool is_equal_everywhere(OpId op) const {
    return program_.is(op, OpKind::Constant) || program_.is(op, OpKind::Iota) ||
           program_.is(op, OpKind::SpmdUndef);
  }

  /// Checks whether senders can run the op, and only collected ops and the all-to-all use its
  /// result. Positions and numbers may have other users.
  bool can_move(OpId op) const {
    const auto axes = axes_of(op);
    return is_used_here(op) && (!axes || senders_axes(*axes));
  }

  bool is_relabeling(OpId op) const {
    if (!program_.is(op, OpKind::SpmdPermute)) return false;
    const PermuteMap& map = *ir::view<ir::SpmdPermuteOp>(program_, op).map;
    return map.kind == PermuteMap::Kind::Relabel && map.numbers.empty();
  }

  /// Checks whether the op is a position, a halo exchange, or an op that each device runs alone.
  bool runs_on_senders(OpId op) const {
    if (program_.parent_block(op) != program_.parent_block(exchange_) ||
        program_.num_results(op) != 1 || !program_.regions(op).empty()) {
      return false;
    }
    if (program_.is(op, OpKind::SpmdPermute)) {
      return ir::view<ir::SpmdPermuteOp>(program_, op).map->kind == PermuteMap::Kind::Shift;
    }
    return program_.is(op, OpKind::SpmdCoord) ||
           (program_.has_trait(op, ir::kPure) && !program_.has_trait(op, ir::kCollective) &&
            !program_.has_trait(op, ir::kPlace));
  }

  std::optional<AxisList> axes_of(OpId op) const {
    const auto* axes = program_.attribute<ir::AxesAttr>(op, ir::attr::kAxes);
    return axes != nullptr ? std::optional(axes->axes) : std::nullopt;
  }

  /// Returns the axes along which a sender has the coordinates that its receiver has along `axes`.
  std::optional<AxisList> senders_axes(const AxisList& axes) const {
    const PermuteMap& map = *ir::view<ir::SpmdPermuteOp>(program_, permute_).map;
    AxisList mapped;
    for (const AxisRef& axis : axes) {
      const auto at = place_of(map, map.receiver_order, axis);
      if (!at) return std::nullopt;
      append_or_merge(mapped, map.source_order[*at]);
    }
    return mapped;
  }

  bool is_used_here(OpId op) const {
    const ValueId result = program_.result(op);
    if (program_.type(result).rank() == 0) return true;
    return std::ranges::all_of(program_.uses(result), [&](const ir::Use& use) {
      return use.op == exchange_ || std::ranges::find(ops_, use.op) != ops_.end();
    });
  }

  Module& program_;
  OpId exchange_;
  OpId permute_;
  std::vector<OpId> ops_;  // in the order of the program
};

/// Moves a permute below a halo exchange and joins it with the all-to-all `op`, unless this takes
/// more time.
std::optional<passes::CollectiveRewrite> sink_and_join(Module& program,
                                                       const CollectivePrices& prices, OpId op) {
  PermuteSinker sinker(program, op);
  if (!program.is(op, OpKind::SpmdAllToAll) || program.num_operands(op) != 1 || !sinker.find()) {
    return std::nullopt;
  }
  const OpId before = program.prev(op);
  const ValueId operand = program.operand(op, 0);
  const DeviceOrder place{*prices.mesh_of(op),
                          program.attribute<ir::SymbolAttr>(op, ir::attr::kMesh)->name};
  Emitter emit(program);
  emit.start_before(op);
  const ValueId sunk = sinker.add(emit, place);
  program.set_operand(op, 0, sunk);
  const StepCost old_cost = prices.cost(sinker.permute());
  const StepCost sunk_cost = prices.cost(program.defining_op(sunk));
  const auto pair = permute_pair_at(program, op);
  std::optional<passes::CollectiveRewrite> rewrite;
  if (pair && sunk_cost.seconds < old_cost.seconds + prices.cost(op).seconds) {
    rewrite = join(program, prices, *pair);
  }
  if (rewrite) {
    rewrite->bytes_before += old_cost.bytes - sunk_cost.bytes;
    sinker.erase_old();
    return rewrite;
  }
  program.set_operand(op, 0, operand);
  while (program.prev(op) != before) program.erase(program.prev(op));
  return std::nullopt;
}

/// Replaces a relabeling permute and an all-to-all over two devices, in either order, if only the
/// second collective uses the result of the first. The device sends b bytes instead of b + b/2,
/// where b is the size of the operand. A pair stays if the replacement takes more time. Spec:
/// resharding C.8.
std::vector<passes::CollectiveRewrite> join_permutes(Module& program,
                                                     const CollectivePrices& prices) {
  std::vector<passes::CollectiveRewrite> rewrites;
  for (const OpId op : ir::post_order(program)) {
    if (program.is_erased(op)) continue;
    const auto pair = permute_pair_at(program, op);
    auto rewrite = pair ? join(program, prices, *pair) : sink_and_join(program, prices, op);
    if (rewrite) rewrites.push_back(*std::move(rewrite));
  }
  return rewrites;
}

}  // namespace

// ---- Two all-to-alls ----------------------------------------------------------------------------

// Two all-to-alls in sequence become one over the axes of both, between a transpose that moves
// blocks to a leading dim and one that moves them back. Spec: resharding C.8.
//
//   sdy.mesh @mesh = <["x"=2, "y"=2]>
//   %1 = spmd.all_to_all %0 {"x"}, split 1, concat 2      : 4x8x4 -> 4x4x8
//   %2 = spmd.all_to_all %1 {"y"}, split 1, concat 0      : 4x4x8 -> 8x2x8
//   ->
//   %1 = reshape, transpose %0: blocks to the front       : 4x8x4 -> 4x4x2x4
//   %2 = spmd.all_to_all %1 {"x", "y"}, split 0, concat 0 : 384 bytes sent instead of 512
//   %3 = transpose, reshape %2: blocks to their dims      : 4x4x2x4 -> 8x2x8
//
// The first all-to-all concatenates blocks along its `concat` dim in the order of their senders.
// The rewrite does not apply if the second all-to-all splits the same dim. A slice between the two,
// which removes padding of a dim that the second one neither splits nor concatenates, moves after
// the joint one.

namespace {

using Dims = std::vector<int64_t>;

struct JoinableExchange {
  OpId op;
  AxisList axes;
  std::size_t split = 0;
  std::size_t concat = 0;

  int64_t devices() const { return sharding_size(axes); }
};

std::optional<JoinableExchange> exchange_of(const Module& module, OpId op) {
  if (!op.valid() || !module.is(op, OpKind::SpmdAllToAll) || module.num_operands(op) != 1) {
    return std::nullopt;
  }
  const auto view = ir::view<ir::SpmdAllToAllOp>(module, op);
  return JoinableExchange{op, module.attribute<ir::AxesAttr>(op, ir::attr::kAxes)->axes,
                          static_cast<std::size_t>(view.split_dim),
                          static_cast<std::size_t>(view.concat_dim)};
}

struct Pair {
  JoinableExchange first;
  JoinableExchange second;
  OpId slice = {};  // slice between the two; invalid: none
};

/// Checks whether the slice shortens neither the split nor the concatenated dim of the exchange.
bool keeps_dims_of(const Module& module, OpId slice, const JoinableExchange& exchange) {
  const ir::Type& whole = module.type(module.operand(slice, 0));
  const ir::Type& part = module.type(module.result(slice));
  return whole.dim(exchange.split) == part.dim(exchange.split) &&
         whole.dim(exchange.concat) == part.dim(exchange.concat);
}

/// Returns `op` and the all-to-all that computes its operand, directly or through a slice;
/// std::nullopt if that one has other users.
std::optional<Pair> pair_at(const Module& module, OpId op) {
  auto second = exchange_of(module, op);
  if (!second) return std::nullopt;
  const OpId slice = sole_source(module, op, OpKind::Slice);
  if (slice.valid() && !keeps_dims_of(module, slice, *second)) return std::nullopt;
  auto first =
      exchange_of(module, sole_source(module, slice.valid() ? slice : op, OpKind::SpmdAllToAll));
  if (!first || overlaps(first->axes, second->axes) || second->split == first->concat ||
      !(*module.attribute<ir::SymbolAttr>(first->op, ir::attr::kMesh) ==
        *module.attribute<ir::SymbolAttr>(op, ir::attr::kMesh))) {
    return std::nullopt;
  }
  return Pair{*std::move(first), *std::move(second), slice};
}

/// Splits `dim` into `count` blocks, which become a new dim after the first `front` dims.
ValueId blocks_to_front(Emitter& emit, ValueId value, std::size_t dim, int64_t count,
                        std::size_t front) {
  Dims split(emit.dims(value).begin(), emit.dims(value).end());
  split[dim] /= count;
  split.insert(split.begin() + static_cast<std::ptrdiff_t>(dim), count);
  Dims order(split.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  std::rotate(order.begin() + static_cast<std::ptrdiff_t>(front),
              order.begin() + static_cast<std::ptrdiff_t>(dim),
              order.begin() + static_cast<std::ptrdiff_t>(dim) + 1);
  return emit.transpose(emit.reshape(value, std::move(split)), std::move(order));
}

/// Removes the first dim: its elements become the major part of dim `dim` of the other dims.
ValueId blocks_along(Emitter& emit, ValueId value, std::size_t dim) {
  Dims joined(emit.dims(value).begin() + 1, emit.dims(value).end());
  joined[dim] *= emit.dim(value, 0);
  Dims order(joined.size() + 1);
  std::iota(order.begin(), order.end(), int64_t{0});
  std::rotate(order.begin(), order.begin() + 1,
              order.begin() + static_cast<std::ptrdiff_t>(dim) + 1);
  return emit.reshape(emit.transpose(value, std::move(order)), std::move(joined));
}

/// The joint all-to-all and the ops that restore the layout after it.
struct JoinedExchange {
  OpId exchange;
  ValueId value;
};

JoinedExchange emit_joint(Emitter& emit, ValueId value, const Pair& pair,
                          const DeviceOrder& place) {
  const JoinableExchange& first = pair.first;
  const JoinableExchange& second = pair.second;
  AxisList axes = first.axes;
  for (const AxisRef& axis : second.axes) append_or_merge(axes, axis);
  value = blocks_to_front(emit, value, first.split, first.devices(), 0);
  // If both split the same dim, the second split divides the blocks of the first.
  value = blocks_to_front(emit, value, second.split + 1, second.devices(), 1);
  const Dims blocks(emit.dims(value).begin(), emit.dims(value).end());
  Dims merged(blocks.begin() + 1, blocks.end());
  merged[0] *= blocks[0];
  value = emit.all_to_all(emit.reshape(value, std::move(merged)), place, axes, 0, 0);
  const OpId exchange = emit.module().defining_op(value);
  value = blocks_along(emit, emit.reshape(value, blocks), first.concat + 1);
  return {exchange, blocks_along(emit, value, second.concat)};
}

/// Returns the slice of the joint result that corresponds to the slice between the exchanges.
ValueId sliced(Emitter& emit, ValueId value, OpId slice) {
  const Module& module = emit.module();
  const ir::SliceOp bounds = ir::view<ir::SliceOp>(module, slice);
  const ir::Type whole = module.type(module.operand(slice, 0));  // a new op may move its type
  const ir::Type part = module.type(module.result(slice));
  for (std::size_t dim = 0; dim < whole.dims().size(); ++dim) {
    if (part.dim(dim) == whole.dim(dim)) continue;
    value = emit.slice(value, dim, bounds.starts[dim], bounds.limits[dim], bounds.strides[dim]);
  }
  return value;
}

/// Replaces both all-to-alls by the joint one, unless the joint one takes more time.
std::optional<passes::CollectiveRewrite> join(Module& program, const CollectivePrices& prices,
                                              const Pair& pair) {
  const OpId op = pair.second.op;
  const OpId before = program.prev(op);
  Emitter emit(program);
  emit.start_before(op);
  const DeviceOrder place{*prices.mesh_of(op),
                          program.attribute<ir::SymbolAttr>(op, ir::attr::kMesh)->name};
  const JoinedExchange joint = emit_joint(emit, program.operand(pair.first.op, 0), pair, place);
  const ValueId made = pair.slice.valid() ? sliced(emit, joint.value, pair.slice) : joint.value;
  const StepCost first = prices.cost(pair.first.op);
  const StepCost second = prices.cost(op);
  const StepCost both = prices.cost(joint.exchange);
  if (both.seconds > first.seconds + second.seconds) {
    while (program.prev(op) != before) program.erase(program.prev(op));
    return std::nullopt;
  }
  passes::CollectiveRewrite rewrite{std::string(kJoinExchanges), std::string(program.name(op)),
                                    program.source_location(op)};
  rewrite.bytes_before = first.bytes + second.bytes;
  rewrite.bytes_after = both.bytes;
  rewrite.messages_before = first.messages + second.messages;
  rewrite.messages_after = both.messages;
  program.replace_all_uses(program.result(op), made);
  program.erase(op);
  if (pair.slice.valid()) program.erase(pair.slice);
  program.erase(pair.first.op);
  return rewrite;
}

}  // namespace

std::vector<passes::CollectiveRewrite> join_exchanges(Module& program, const CostModel& model) {
  const CollectivePrices prices(program, model);
  std::vector<passes::CollectiveRewrite> rewrites = join_permutes(program, prices);
  for (const OpId op : ir::post_order(program)) {
    if (program.is_erased(op)) continue;
    const auto pair = pair_at(program, op);
    if (!pair) continue;
    if (auto rewrite = join(program, prices, *pair)) rewrites.push_back(*std::move(rewrite));
  }
  return rewrites;
}

}  // namespace shardy::partitioning
