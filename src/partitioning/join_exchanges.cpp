// Two collectives in sequence become one, or two smaller ones.
#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
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

// A permute followed by an all-to-all over n devices becomes n permutes of a part each. Each block
// is sent directly to its destination. Spec: resharding C.8.
//
//   %1 = spmd.permute %0, relabel             %1 = spmd.permute (block g of %0), relabel
//   %2 = spmd.all_to_all %1 {"z"}        ->   %2 = spmd.permute (block g + 1), relabel, z + 1
//     "z"=2                                   %3 = concatenate %1, %2, in the order of senders
//
// A device whose coordinate along "z" after the permute is g keeps block g and sends the others.
// "z + 1": the receiver's coordinate along "z" is larger by 1, modulo n. The senders' coordinates
// order the blocks of %3. An all-to-all before the permute, and a slice between the two, are joined
// in the same way.
//
// Two all-to-alls of which one returns axes of the other are such a pair, too:
//
//   %1 = spmd.all_to_all %0 {"x"}, split 1, concat 0         relabel {"y", "x"} to {"x", "y"},
//   %2 = spmd.all_to_all %1 {"y", "x"}, split 0, concat 1    and an all-to-all over {"y"}

namespace {

/// More blocks are not sent one by one.
constexpr int64_t kMaxBlocks = 4;

/// A permute and an all-to-all over one axis, in either order, or two all-to-alls with their
/// effect.
struct PermutePair {
  OpId first = {};
  OpId second = {};
  ValueId operand = {};            // operand of the first collective
  ValueId result = {};             // result of the second collective
  std::vector<OpId> between = {};  // ops between the collectives
  OpId slice = {};                 // of these, a slice that applies to the result; invalid: none
  bool permutes_last = false;      // the all-to-all comes before the permute
  AxisList axes = {};              // axes of the permute
  PermuteMap map = {};
  std::size_t at = 0;  // index of the all-to-all axis in the order of its side of the permute
  std::size_t split = 0;
  std::size_t concat = 0;

  /// Returns the axis order of the devices that run the all-to-all.
  const AxisList& order() const { return permutes_last ? map.source_order : map.receiver_order; }
  int64_t num_blocks() const { return order()[at].size; }
  bool has_equal_orders() const {
    const auto has_size = [](const AxisRef& a, const AxisRef& b) { return a.size == b.size; };
    return std::ranges::equal(map.source_order, map.receiver_order, has_size);
  }
};

bool is_plain_relabel(const PermuteMap& map) {
  return map.kind == PermuteMap::Kind::Relabel && map.numbers.empty();
}

/// Returns the index of the axis in `order`, an order of the relabeling map; std::nullopt if sender
/// and receiver orders differ in their sizes.
std::optional<std::size_t> place_of(const PermuteMap& map, const AxisList& order,
                                    const AxisRef& axis) {
  const auto has_size = [](const AxisRef& a, const AxisRef& b) { return a.size == b.size; };
  const auto found = std::ranges::find(order, axis);
  const bool fits = is_plain_relabel(map) && found != order.end() &&
                    std::ranges::equal(map.source_order, map.receiver_order, has_size);
  if (!fits) return std::nullopt;
  return static_cast<std::size_t>(found - order.begin());
}

/// Returns the op of kind `kind` that defines the operand of `op`; invalid if the operand has other
/// users.
OpId sole_source(const Module& module, OpId op, OpKind kind) {
  const ValueId between = module.operand(op, 0);
  const OpId source = module.defining_op(between);
  const bool is_alone = source.valid() && module.is(source, kind) &&
                        (module.num_operands(source) == 1 || kind == OpKind::Pad) &&
                        module.num_uses(between) == 1 &&
                        module.parent_block(source) == module.parent_block(op);
  return is_alone ? source : OpId();
}

bool have_equal_mesh(const Module& module, OpId a, OpId b) {
  return *module.attribute<ir::SymbolAttr>(a, ir::attr::kMesh) ==
         *module.attribute<ir::SymbolAttr>(b, ir::attr::kMesh);
}

const AxisList& axes_of_groups(const Module& module, OpId op) {
  return module.attribute<ir::AxesAttr>(op, ir::attr::kAxes)->axes;
}

/// Returns the permute and the all-to-all if `op` is the second of them.
std::optional<PermutePair> permute_and_exchange(const Module& module, OpId op) {
  PermutePair pair{.second = op, .result = module.result(op)};
  if (module.is(op, OpKind::SpmdAllToAll)) {
    pair.first = sole_source(module, op, OpKind::SpmdPermute);
  } else {
    pair.permutes_last = true;
    pair.slice = sole_source(module, op, OpKind::Slice);
    if (pair.slice.valid()) pair.between = {pair.slice};
    pair.first = sole_source(module, pair.slice.valid() ? pair.slice : op, OpKind::SpmdAllToAll);
  }
  if (!pair.first.valid() || !have_equal_mesh(module, pair.first, op)) return std::nullopt;
  pair.operand = module.operand(pair.first, 0);
  const OpId permute = pair.permutes_last ? op : pair.first;
  const OpId exchange = pair.permutes_last ? pair.first : op;
  const AxisList& axes = axes_of_groups(module, exchange);
  pair.map = *ir::view<ir::SpmdPermuteOp>(module, permute).map;
  const auto at = std::ranges::find(pair.order(), axes.front());
  if (axes.size() != 1 || !is_plain_relabel(pair.map) || at == pair.order().end()) {
    return std::nullopt;
  }
  const auto view = ir::view<ir::SpmdAllToAllOp>(module, exchange);
  pair.axes = axes_of_groups(module, permute);
  pair.at = static_cast<std::size_t>(at - pair.order().begin());
  pair.split = static_cast<std::size_t>(view.split_dim);
  pair.concat = static_cast<std::size_t>(view.concat_dim);
  return pair;
}

/// Returns the pad and the slice that compute the operand of `op`, if the pad undoes the slice up
/// to undefined elements; else an empty list.
std::vector<OpId> undone_slice(const Module& module, OpId op) {
  const OpId pad = sole_source(module, op, OpKind::Pad);
  if (!pad.valid()) return {};
  const OpId slice = sole_source(module, pad, OpKind::Slice);
  const OpId fill = module.defining_op(module.operand(pad, 1));
  if (!slice.valid() || !fill.valid() || !module.is(fill, OpKind::SpmdUndef)) return {};
  const auto is_zero = [](int64_t number) { return number == 0; };
  const auto edges = ir::view<ir::PadOp>(module, pad);
  const auto bounds = ir::view<ir::SliceOp>(module, slice);
  const bool is_undone =
      std::ranges::all_of(edges.low, is_zero) && std::ranges::all_of(edges.interior, is_zero) &&
      std::ranges::all_of(bounds.starts, is_zero) &&
      std::ranges::all_of(bounds.strides, [](int64_t each) { return each == 1; }) &&
      module.type(module.result(pad)) == module.type(module.operand(slice, 0));
  return is_undone ? std::vector<OpId>{pad, slice} : std::vector<OpId>();
}

/// Returns two all-to-alls between the same dims, in opposite directions, if `op` is the second of
/// them and the axes of one are the minor axes of the other, which has one more axis.
std::optional<PermutePair> exchange_and_return(const Module& module, OpId op) {
  PermutePair pair{.second = op, .result = module.result(op)};
  pair.between = undone_slice(module, op);
  pair.first =
      sole_source(module, pair.between.empty() ? op : pair.between.back(), OpKind::SpmdAllToAll);
  if (!pair.first.valid() || !have_equal_mesh(module, pair.first, op)) return std::nullopt;
  const auto there = ir::view<ir::SpmdAllToAllOp>(module, pair.first);
  const auto back = ir::view<ir::SpmdAllToAllOp>(module, op);
  if (there.split_dim != back.concat_dim || there.concat_dim != back.split_dim) {
    return std::nullopt;
  }
  const AxisList& first = axes_of_groups(module, pair.first);
  const AxisList& second = axes_of_groups(module, op);
  pair.permutes_last = first.size() < second.size();
  const AxisList& more = pair.permutes_last ? second : first;
  const AxisList& fewer = pair.permutes_last ? first : second;
  if (more.size() != fewer.size() + 1 ||
      !std::ranges::equal(std::span(more).subspan(1), std::span(fewer))) {
    return std::nullopt;
  }
  AxisList turned = fewer;
  turned.push_back(more.front());
  pair.map = {.kind = PermuteMap::Kind::Relabel,
              .source_order = pair.permutes_last ? turned : more,
              .receiver_order = pair.permutes_last ? more : turned};
  pair.operand = module.operand(pair.first, 0);
  pair.axes = sort_and_merge(more);
  pair.at = fewer.size();
  pair.split = static_cast<std::size_t>(pair.permutes_last ? back.split_dim : there.split_dim);
  pair.concat = static_cast<std::size_t>(pair.permutes_last ? back.concat_dim : there.concat_dim);
  return pair;
}

std::optional<PermutePair> permute_pair_at(const Module& module, OpId op) {
  const bool is_exchange = module.is(op, OpKind::SpmdAllToAll);
  if ((!is_exchange && !module.is(op, OpKind::SpmdPermute)) || module.num_operands(op) != 1) {
    return std::nullopt;
  }
  auto pair = permute_and_exchange(module, op);
  if (!pair && is_exchange) pair = exchange_and_return(module, op);
  if (!pair || pair->num_blocks() > kMaxBlocks) return std::nullopt;
  return pair;
}

/// Returns the coordinate along `order[at]` of a device whose rank along `own_order` is its rank
/// along `order`.
ScalarIndex relabeled_coord(Emitter& emit, const DeviceOrder& place, const PermutePair& pair,
                            const AxisList& own_order) {
  if (pair.has_equal_orders()) return emit.coord(place, std::span(&own_order[pair.at], 1));
  const int64_t stride = sharding_size(std::span(pair.order()).subspan(pair.at + 1));
  return emit.floor_mod(emit.floor_div(emit.coord(place, own_order), stride), pair.num_blocks());
}

/// Sends the block along the split dim whose number is `own` plus `offset`, modulo the number of
/// blocks. `own`: the sender's coordinate along the axis of the all-to-all.
ValueId sent_block(Emitter& emit, const PermutePair& pair, const DeviceOrder& place,
                   const ScalarIndex& own, int64_t offset) {
  const int64_t count = pair.num_blocks();
  const int64_t size = emit.dim(pair.operand, pair.split) / count;
  const ScalarIndex block = emit.floor_mod(emit.add(own, ScalarIndex::of(offset)), count);
  const ValueId part =
      emit.dynamic_slice(pair.operand, pair.split, emit.multiply(block, size), size);
  PermuteMap map = pair.map;
  if (offset != 0) {
    // The numbers lead from receivers to sources.
    const bool moves_sources = pair.permutes_last && !pair.has_equal_orders();
    const std::size_t receivers = map.receiver_order.size();
    map.numbers.assign(receivers + (moves_sources ? map.source_order.size() : 0), 0);
    map.numbers[(moves_sources ? receivers : 0) + pair.at] = count - offset;
  }
  return emit.permute(part, place, pair.axes, std::move(map));
}

/// Concatenates received blocks in the order of their senders. `blocks[k]` is from the sender whose
/// coordinate is `own` minus k. A slice of twice the blocks would take more memory than selects.
ValueId in_order_of_senders(Emitter& emit, const PermutePair& pair, const ScalarIndex& own,
                            const std::vector<ValueId>& blocks) {
  const std::size_t count = blocks.size();
  std::vector<ValueId> is_own;  // all but the last coordinate
  for (std::size_t at = 0; at + 1 < count; ++at) {
    is_own.push_back(emit.compare(emit.scalar(own),
                                  emit.scalar(ScalarIndex::of(static_cast<int64_t>(at))), "EQ"));
  }
  std::vector<ValueId> ordered;
  for (std::size_t sender = 0; sender < count; ++sender) {
    ValueId block = blocks[count - 1 - sender];
    for (std::size_t at = count - 1; at-- > 0;) {
      block = emit.select(is_own[at], blocks[(at + count - sender) % count], block);
    }
    ordered.push_back(block);
  }
  return emit.concatenate(std::move(ordered), pair.concat);
}

/// Returns the cost of collectives that run one after the other.
StepCost cost_in_sequence(const CollectivePrices& prices, std::span<const OpId> ops) {
  StepCost all;
  for (const OpId op : ops) {
    const StepCost one = prices.cost(op);
    all.bytes += one.bytes;
    all.messages += one.messages;
    all.seconds += one.seconds;
  }
  return all;
}

std::optional<passes::CollectiveRewrite> join(Module& program, const CollectivePrices& prices,
                                              PermutePair pair) {
  const OpId op = pair.second;
  const OpId before = program.prev(op);
  Emitter emit(program);
  emit.start_before(op);
  const DeviceOrder place{*prices.mesh_of(op),
                          program.attribute<ir::SymbolAttr>(op, ir::attr::kMesh)->name};
  pair.map.mesh = place.mesh;
  const AxisList& senders = pair.map.source_order;
  const ScalarIndex sender = pair.permutes_last ? emit.coord(place, std::span(&senders[pair.at], 1))
                                                : relabeled_coord(emit, place, pair, senders);
  std::vector<ValueId> blocks;
  std::vector<OpId> permutes;
  for (int64_t offset = 0; offset < pair.num_blocks(); ++offset) {
    blocks.push_back(sent_block(emit, pair, place, sender, offset));
    permutes.push_back(program.defining_op(blocks.back()));
  }
  const StepCost old_cost = cost_in_sequence(prices, std::array{pair.first, op});
  const StepCost new_cost = cost_in_sequence(prices, permutes);
  if (new_cost.seconds > old_cost.seconds) {
    while (program.prev(op) != before) program.erase(program.prev(op));
    return std::nullopt;
  }
  const AxisList& receivers = pair.map.receiver_order;
  const ScalarIndex own = pair.permutes_last ? relabeled_coord(emit, place, pair, receivers)
                                             : emit.coord(place, std::span(&receivers[pair.at], 1));
  ValueId made = in_order_of_senders(emit, pair, own, blocks);
  if (pair.slice.valid()) {
    made = emit.builder().create_value(OpKind::Slice, {made}, program.type(pair.result),
                                       ir::AttributeMap(program.attributes(pair.slice)));
  }
  passes::CollectiveRewrite rewrite{std::string(kJoinExchanges), std::string(program.name(op)),
                                    program.source_location(op)};
  rewrite.bytes_before = old_cost.bytes;
  rewrite.bytes_after = new_cost.bytes;
  rewrite.messages_before = old_cost.messages;
  rewrite.messages_after = new_cost.messages;
  program.replace_all_uses(pair.result, made);
  program.erase(op);
  for (const OpId each : pair.between) program.erase(each);
  program.erase(pair.first);
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
  static constexpr std::size_t kMaxDepth = 256;

  /// Collects the ops that compute the value from the result of the permute and from positions.
  bool collect(ValueId value, std::size_t depth = 0) {
    const OpId op = program_.defining_op(value);
    if (!op.valid()) return false;
    if (op == permute_ || std::ranges::find(ops_, op) != ops_.end()) return true;
    if (is_relabeling(op)) return !std::exchange(permute_, op).valid();
    if (is_equal_everywhere(op)) return true;
    if (ops_.size() == kMaxOps || depth == kMaxDepth || !runs_on_senders(op)) return false;
    for (const ValueId operand : program_.operands(op)) {
      if (!collect(operand, depth + 1)) return false;
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
    return program_.is(op, OpKind::SpmdPermute) &&
           is_plain_relabel(*ir::view<ir::SpmdPermuteOp>(program_, op).map);
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

/// Replaces a relabeling permute and an all-to-all over n devices, in either order, if only the
/// second collective uses the result of the first. The device sends b bytes instead of
/// b + b(n-1)/n, where b is the size of the operand. A pair stays if the replacement takes more
/// time. Spec: resharding C.8.
std::vector<passes::CollectiveRewrite> join_permutes(Module& program,
                                                     const CollectivePrices& prices) {
  std::vector<passes::CollectiveRewrite> rewrites;
  // Without permutes, none is looked for above each all-to-all.
  const bool has_permutes = std::ranges::any_of(
      ir::pre_order(program), [&](OpId op) { return program.is(op, OpKind::SpmdPermute); });
  for (const OpId op : ir::post_order(program)) {
    if (program.is_erased(op)) continue;
    std::optional<passes::CollectiveRewrite> rewrite;
    if (const auto pair = permute_pair_at(program, op)) {
      rewrite = join(program, prices, *pair);
    } else if (has_permutes) {
      rewrite = sink_and_join(program, prices, op);
    }
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
  const auto bounds = ir::view<ir::SliceOp>(module, slice);
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
