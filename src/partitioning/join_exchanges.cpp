// Two all-to-alls in sequence become one over the axes of both. Spec: resharding C.8.
//
//   sdy.mesh @mesh = <["x"=2, "y"=2]>
//   %1 = spmd.all_to_all %0 {"x"}, split 1, concat 2      : 4x8x4 -> 4x4x8
//   %2 = spmd.all_to_all %1 {"y"}, split 1, concat 0      : 4x4x8 -> 8x2x8
//   ->
//   %1 = reshape, transpose %0: blocks to the front       : 4x8x4 -> 4x4x2x4
//   %2 = spmd.all_to_all %1 {"x", "y"}, split 0, concat 0 : 384 bytes sent instead of 512
//   %3 = transpose, reshape %2: blocks to their dims      : 4x4x2x4 -> 8x2x8
//
// The first orders the blocks of its senders along `concat`; the second must not split that dim
// between them.
#include "shardy/partitioning/join_exchanges.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "partitioning/emitter.hpp"
#include "partitioning/join_permutes.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/collective_ops.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/partitioning/collective_cost.hpp"

namespace shardy::partitioning {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;

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
};

/// Returns the all-to-all whose only user is `op`, and `op`; std::nullopt if there is none.
std::optional<Pair> pair_at(const Module& module, OpId op) {
  auto second = exchange_of(module, op);
  if (!second) return std::nullopt;
  const ValueId between = module.operand(op, 0);
  auto first = exchange_of(module, module.defining_op(between));
  const bool is_alone = first && module.num_uses(between) == 1 &&
                        module.parent_block(first->op) == module.parent_block(op);
  if (!is_alone || overlaps(first->axes, second->axes) || second->split == first->concat ||
      !(*module.attribute<ir::SymbolAttr>(first->op, ir::attr::kMesh) ==
        *module.attribute<ir::SymbolAttr>(op, ir::attr::kMesh))) {
    return std::nullopt;
  }
  return Pair{*std::move(first), *std::move(second)};
}

/// Moves the `count` blocks along `dim` to a new dim after the first `front` dims.
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

/// Removes the first dim by moving its blocks to `dim` of the others.
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
struct Joint {
  OpId exchange;
  ValueId value;
};

Joint emit_joint(Emitter& emit, ValueId value, const Pair& pair, const DeviceOrder& place) {
  const auto& [first, second] = pair;
  AxisList axes = first.axes;
  for (const AxisRef& axis : second.axes) append_or_merge(axes, axis);
  value = blocks_to_front(emit, value, first.split, first.devices(), 0);
  // Nested blocks if both split the same dim.
  value = blocks_to_front(emit, value, second.split + 1, second.devices(), 1);
  const Dims blocks(emit.dims(value).begin(), emit.dims(value).end());
  Dims merged(blocks.begin() + 1, blocks.end());
  merged[0] *= blocks[0];
  value = emit.all_to_all(emit.reshape(value, std::move(merged)), place, axes, 0, 0);
  const OpId exchange = emit.module().defining_op(value);
  value = blocks_along(emit, emit.reshape(value, blocks), first.concat + 1);
  return {exchange, blocks_along(emit, value, second.concat)};
}

/// Emits the joint all-to-all instead of both, unless it takes more time on the mesh.
std::optional<passes::CollectiveRewrite> join(Module& program, const CollectivePrices& prices,
                                              const Pair& pair) {
  const OpId op = pair.second.op;
  const OpId before = program.prev(op);
  Emitter emit(program);
  ir::Builder builder = ir::Builder::before(program, op);
  builder.set_location(program.location(op));
  emit.set_builder(builder);
  const DeviceOrder place{*prices.mesh_of(op),
                          program.attribute<ir::SymbolAttr>(op, ir::attr::kMesh)->name};
  const Joint joint = emit_joint(emit, program.operand(pair.first.op, 0), pair, place);
  const StepCost first = prices.cost(pair.first.op);
  const StepCost second = prices.cost(op);
  const StepCost both = prices.cost(joint.exchange);
  if (both.seconds > first.seconds + second.seconds) {
    while (program.prev(op) != before) program.erase(program.prev(op));
    return std::nullopt;
  }
  passes::CollectiveRewrite rewrite{std::string(kJoinExchanges), std::string(program.name(op)),
                                    program.location_text(op)};
  rewrite.bytes_before = first.bytes + second.bytes;
  rewrite.bytes_after = both.bytes;
  rewrite.messages_before = first.messages + second.messages;
  rewrite.messages_after = both.messages;
  program.replace_all_uses(program.result(op), joint.value);
  program.erase(op);
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
