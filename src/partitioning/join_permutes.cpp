// A permute and an all-to-all over two devices become two permutes of half the size: each block is
// sent directly to its destination. Spec: resharding C.8.
//
//   %1 = spmd.permute %0, relabel             %1 = spmd.permute (own block of %0), relabel
//   %2 = spmd.all_to_all %1 {"z"}        ->   %2 = spmd.permute (other block), relabel, z + 1
//     "z"=2                                   %3 = concatenate %1, %2, in the order of senders
//
// A device with coordinate g along z after the permute keeps block g and sends the other one.
#include "partitioning/join_permutes.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "partitioning/emitter.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/collective_ops.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/partitioning/join_exchanges.hpp"

namespace shardy::partitioning {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::PermuteMap;
using ir::ValueId;

namespace {

struct PermutePair {
  OpId permute;
  OpId exchange;
  AxisList axes;  // of the permute
  PermuteMap map;
  std::size_t at = 0;  // index of the all-to-all axis in the receiver order
  std::size_t split = 0;
  std::size_t concat = 0;
};

/// Returns the index of the axis in the receiver order if sender and receiver orders have equal
/// sizes.
std::optional<std::size_t> place_of(const PermuteMap& map, const AxisRef& axis) {
  const auto has_size = [](const AxisRef& a, const AxisRef& b) { return a.size == b.size; };
  const auto found = std::ranges::find(map.receiver_order, axis);
  const bool fits = map.kind == PermuteMap::Kind::Relabel && map.numbers.empty() &&
                    std::ranges::equal(map.source_order, map.receiver_order, has_size) &&
                    found != map.receiver_order.end();
  if (!fits) return std::nullopt;
  return static_cast<std::size_t>(found - map.receiver_order.begin());
}

std::optional<PermutePair> permute_pair_at(const Module& module, OpId op) {
  if (!module.is(op, OpKind::SpmdAllToAll) || module.num_operands(op) != 1) return std::nullopt;
  const ValueId between = module.operand(op, 0);
  const OpId permute = module.defining_op(between);
  const bool is_alone = permute.valid() && module.is(permute, OpKind::SpmdPermute) &&
                        module.num_operands(permute) == 1 && module.num_uses(between) == 1 &&
                        module.parent_block(permute) == module.parent_block(op);
  const AxisList& axes = module.attribute<ir::AxesAttr>(op, ir::attr::kAxes)->axes;
  if (!is_alone || axes.size() != 1 || axes.front().size != 2 ||
      !(*module.attribute<ir::SymbolAttr>(permute, ir::attr::kMesh) ==
        *module.attribute<ir::SymbolAttr>(op, ir::attr::kMesh))) {
    return std::nullopt;
  }
  const PermuteMap& map = *ir::view<ir::SpmdPermuteOp>(module, permute).map;
  const auto at = place_of(map, axes.front());
  if (!at) return std::nullopt;
  const auto view = ir::view<ir::SpmdAllToAllOp>(module, op);
  return PermutePair{permute,
                     op,
                     module.attribute<ir::AxesAttr>(permute, ir::attr::kAxes)->axes,
                     map,
                     *at,
                     static_cast<std::size_t>(view.split_dim),
                     static_cast<std::size_t>(view.concat_dim)};
}

/// Returns the block for the receiver whose coordinate is `offset` less than that of its source.
ValueId sent_block(Emitter& emit, const PermutePair& pair, const DeviceOrder& place,
                   int64_t offset) {
  const ValueId value = emit.module().operand(pair.permute, 0);
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
  const OpId op = pair.exchange;
  const OpId before = program.prev(op);
  Emitter emit(program);
  ir::Builder builder = ir::Builder::before(program, op);
  builder.set_location(program.location(op));
  emit.set_builder(builder);
  const DeviceOrder place{*prices.mesh_of(op),
                          program.attribute<ir::SymbolAttr>(op, ir::attr::kMesh)->name};
  const ValueId same = sent_block(emit, pair, place, 0);
  const ValueId other = sent_block(emit, pair, place, 1);
  const StepCost old_cost[] = {prices.cost(pair.permute), prices.cost(op)};
  const StepCost new_cost[] = {prices.cost(program.defining_op(same)),
                               prices.cost(program.defining_op(other))};
  if (new_cost[0].seconds + new_cost[1].seconds > old_cost[0].seconds + old_cost[1].seconds) {
    while (program.prev(op) != before) program.erase(program.prev(op));
    return std::nullopt;
  }
  const int64_t size = emit.dim(same, pair.concat);
  const ValueId around = emit.concatenate({same, other, same}, pair.concat);
  const ScalarIndex own = emit.coord(place, std::span(&pair.map.receiver_order[pair.at], 1));
  const ValueId made = emit.dynamic_slice(around, pair.concat, emit.multiply(own, size), 2 * size);
  passes::CollectiveRewrite rewrite{std::string(kJoinExchanges), std::string(program.name(op)),
                                    program.location_text(op)};
  rewrite.bytes_before = old_cost[0].bytes + old_cost[1].bytes;
  rewrite.bytes_after = new_cost[0].bytes + new_cost[1].bytes;
  rewrite.messages_before = old_cost[0].messages + old_cost[1].messages;
  rewrite.messages_after = new_cost[0].messages + new_cost[1].messages;
  program.replace_all_uses(program.result(op), made);
  program.erase(op);
  program.erase(pair.permute);
  return rewrite;
}

}  // namespace

std::vector<passes::CollectiveRewrite> join_permutes(Module& program,
                                                     const CollectivePrices& prices) {
  std::vector<passes::CollectiveRewrite> rewrites;
  for (const OpId op : ir::post_order(program)) {
    if (program.is_erased(op)) continue;
    const auto pair = permute_pair_at(program, op);
    if (!pair) continue;
    if (auto rewrite = join(program, prices, *pair)) rewrites.push_back(*std::move(rewrite));
  }
  return rewrites;
}

}  // namespace shardy::partitioning
