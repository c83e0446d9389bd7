// A value that a loop slices along a sharded dim is sharded along another dim before the loop: each
// device then has its part of every slice. Spec: resharding A.10.5.
//
//   %k [{"x"}, {}]                                  %1 = reshard %k               [{}, {"x"}]
//   while %i {                                      while %i {
//     %0 = dynamic_slice %k, %i, 0  [{}, {}]   ->     %2 = dynamic_slice %1, %i, 0  [{}, {"x"}]
//   }                                                 %0 = reshard %2               [{}, {}]
//                                                   }
//
// A slice of w bytes that one of P devices has is combined from all, 2w(P-1)/P bytes; its parts are
// gathered, w(P-1)/P bytes.
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "passes/export/explicit_reshards.hpp"
#include "shardy/ir/detail/data_flow.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/rules/detail/indexed_lowering.hpp"
#include "shardy/support/detail/math.hpp"

namespace shardy::passes::explicit_reshards {

namespace {

/// Returns the value before the loop that `value` is in each step; std::nullopt if it changes.
std::optional<ValueId> value_before(const Module& module, OpId loop, ir::BlockId body,
                                    ValueId value) {
  const ir::ValueOwner owner = module.owner(value);
  if (owner.is_result()) {
    const OpId op = module.defining_op(value);
    for (OpId outer = op; outer.valid(); outer = module.parent_op(outer)) {
      if (outer == loop) return std::nullopt;
    }
    return value;
  }
  if (owner.block != body) return value;
  const auto last = ir::return_op(module, body);
  const bool is_kept = last && module.operand(*last, owner.index) == value;
  return is_kept ? std::optional(module.operand(loop, owner.index)) : std::nullopt;
}

/// A slice along one sharded dim, and an unsharded dim that takes its axes.
struct MovedAxes {
  std::size_t from = 0;
  std::size_t to = 0;
};

std::optional<MovedAxes> moved_axes(const Module& module, OpId slice, const TensorSharding& have,
                                    const TensorSharding& wanted) {
  const Type& whole = module.type(module.operand(slice, 0));
  const Type& part = module.type(module.result(slice));
  std::optional<std::size_t> from;
  for (std::size_t dim = 0; dim < whole.dims().size(); ++dim) {
    if (whole.dim(dim) == part.dim(dim) || have.dim(dim).sharded_size() == 1) continue;
    const bool is_fixed = rules::constant_start(module, module.operand(slice, 1 + dim)).has_value();
    if (from || is_fixed) return std::nullopt;
    from = dim;
  }
  if (!from) return std::nullopt;
  const int64_t shards = have.dim(*from).sharded_size();
  for (std::size_t dim = 0; dim < whole.dims().size(); ++dim) {
    const bool is_free = whole.dim(dim) == part.dim(dim) && have.dim(dim).axes.empty() &&
                         wanted.dim(dim).axes.empty() && whole.dim(dim) % shards == 0;
    if (is_free) return MovedAxes{*from, dim};
  }
  return std::nullopt;
}

/// Checks whether the slices of all steps have more elements than the shard that is moved once.
bool reads_more_than_shard(const Module& module, OpId loop, OpId slice, const TensorSharding& have,
                           std::size_t dim) {
  const auto steps = ir::trip_count(module, loop);
  if (!steps) return false;
  const int64_t tile =
      module.type(module.operand(slice, 0)).dim(dim) / have.dim(dim).sharded_size();
  const auto read = checked_mul(*steps, module.type(module.result(slice)).dim(dim));
  return !read || *read > tile;
}

bool is_plain(const TensorSharding& sharding) {
  return !sharding.mesh().is_maximal() && sharding.unreduced_axes().empty();
}

/// Moves the axes of the sliced dim, if that sends less.
void move_axes(Module& module, OpId loop, ir::BlockId body, OpId slice) {
  const ValueId result = module.result(slice);
  if (!module.type(result).is_static_tensor()) return;
  const auto source = value_before(module, loop, body, module.operand(slice, 0));
  if (!source || !module.type(*source).is_static_tensor()) return;
  const auto have = ir::get_sharding(module, *source);
  if (!have || !is_plain(*have)) return;
  const TensorSharding wanted =
      ir::get_sharding(module, result)
          .value_or(TensorSharding::closed(have->mesh_ref(), AxisLists(have->rank())));
  if (!is_plain(wanted) || wanted.mesh() != have->mesh()) return;
  const auto moved = moved_axes(module, slice, *have, wanted);
  if (!moved || !reads_more_than_shard(module, loop, slice, *have, moved->from)) return;
  AxisLists before = shardy::dim_axes(*have);
  AxisLists inside = shardy::dim_axes(wanted);
  if (overlaps(before[moved->from], flatten(inside))) return;
  inside[moved->to] = before[moved->from];
  std::swap(before[moved->to], before[moved->from]);
  const OpId reshard =
      module.create(reshard_op(module, *source, TensorSharding::closed(have->mesh_ref(), before)));
  module.insert_before(loop, reshard);
  module.set_operand(slice, 0, module.result(reshard));
  ir::set_sharding(module, result, TensorSharding::closed(have->mesh_ref(), inside));
  const OpId whole = insert_after(module, slice, result, reshard_op(module, result, wanted));
  if (module.attributes(slice).contains(kWrittenAttr)) return;
  set_cause(module, whole,
            {std::string(module.name(slice)), "result 0", "each device has a part of the slice"});
}

}  // namespace

void shard_slices_of_loops(Module& module, OpId function) {
  std::vector<OpId> loops;
  for (const OpId op : ir::post_order(module, module.entry(function))) {
    if (module.is(op, OpKind::While)) loops.push_back(op);
  }
  for (const OpId loop : loops) {
    const auto body = ir::entry_block(module, loop, 1);
    if (!body) continue;
    std::vector<OpId> slices;
    for (const OpId op : module.ops(*body)) {
      if (module.is(op, OpKind::DynamicSlice)) slices.push_back(op);
    }
    for (const OpId slice : slices) move_axes(module, loop, *body, slice);
  }
}

}  // namespace shardy::passes::explicit_reshards
