// Reshards at loops: sums after the loop, and slices of values that are resharded before the loop.
//
// Sinks all-reduces below loops that only accumulate their results. Spec: partitioning 9.2.
//
//   %0 = while(%acc = %init) {                %i = sdy.replicated_to_unreduced {"x"} %init
//     %1 = sdy.all_reduce {"x"} %p            %0 = while(%acc = %i) {
//     %2 = add %acc, %1                  ->     %2 = add %acc, %p    unreduced={"x"}
//     return %2                                 return %2
//   }                                         }
//                                             %3 = sdy.all_reduce {"x"} %0
//
// In nested loops, the all-reduce follows the outermost loop.
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "passes/common/ops.hpp"
#include "passes/export/explicit_reshards.hpp"
#include "passes/export/export_passes.hpp"
#include "shardy/algebra/detail/equivalence.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/data_flow.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/rules/detail/indexed_lowering.hpp"
#include "shardy/support/detail/math.hpp"

namespace shardy::passes {

namespace {

/// One addition to a carried value `%v` that has no other use. Either `add %v, all_reduce(%p)`, or
/// an inner loop that accumulates to `%v` and is followed by the all-reduce:
/// `all_reduce(while(unreduced %v))`.
struct SumLink {
  OpId reduction;
  ir::Use summand = {};  // the addition's use of the all-reduce; invalid for an inner loop
  ir::Use begun = {};    // the inner loop's use of its initial, partial value
};

/// A carried value and the links that add to it in sequence.
struct LoopSum {
  OpId loop;
  uint32_t index = 0;
  std::vector<SumLink> links;
};

bool is_used_once(const Module& module, ValueId value) { return module.num_uses(value) == 1; }

const AxisList& summed_axes(const Module& module, OpId reduction) {
  return module.attribute<ir::AxesAttr>(reduction, ir::attr::kReductionAxes)->axes;
}

/// Returns true for the result of a loop that was rewritten to carry partial values.
bool is_sum_of_loop(const Module& module, OpId loop, ValueId value, const AxisList& axes) {
  const auto held = ir::get_sharding(module, value);
  return module.is(loop, OpKind::While) && held && held->unreduced_axes() == axes;
}

/// Returns true for an all-reduce sum whose operand is the partial result of one op.
bool is_plain_sum(const Module& module, OpId op) {
  if (!op.valid() || !module.is(op, OpKind::SdyAllReduce)) return false;
  if (module.attributes(op).contains(ir::attr::kReductionOp)) return false;
  const ValueId summand = module.operand(op, 0);
  const OpId source = module.defining_op(summand);
  if (!source.valid() || !is_used_once(module, summand) ||
      !is_used_once(module, module.result(op))) {
    return false;
  }
  if (is_sum_of_loop(module, source, summand, summed_axes(module, op))) return true;
  return !module.has_trait(source, ir::kCollective) && !module.has_trait(source, ir::kDataFlow) &&
         module.num_results(source) == 1;
}

/// Checks whether the carried value, the returned value and the sum have equal shardings without
/// unreduced axes.
bool is_held_alike(const Module& module, const LoopSum& sum, OpId reduction) {
  const auto held = ir::get_sharding(module, module.result(sum.loop, sum.index));
  const auto added = ir::get_sharding(module, module.result(reduction));
  const auto begun = ir::get_sharding(module, module.operand(sum.loop, sum.index));
  if (!added || !added->unreduced_axes().empty()) return false;
  const TensorSharding whole = added->fully_closed_like();
  const auto is_same = [&](const std::optional<TensorSharding>& sharding) {
    const TensorSharding& other = sharding ? *sharding : whole;
    return other.unreduced_axes().empty() && other.mesh() == added->mesh() &&
           is_equivalent(other, *added);
  };
  return is_same(held) && is_same(begun);
}

std::optional<SumLink> addition_of(const Module& module, const ir::Use& use) {
  if (!module.is(use.op, OpKind::Add)) return std::nullopt;
  SumLink link;
  link.summand = {use.op, 1 - use.operand};
  link.reduction = module.defining_op(module.operand(use.op, link.summand.operand));
  return link;
}

std::optional<SumLink> inner_loop_of(const Module& module, const ir::Use& use) {
  if (!module.is(use.op, OpKind::SdyReplicatedToUnreduced)) return std::nullopt;
  const ValueId summand = module.result(use.op);
  if (!is_used_once(module, summand)) return std::nullopt;
  SumLink link;
  link.begun = module.uses(summand).front();
  if (!module.is(link.begun.op, OpKind::While)) return std::nullopt;
  const ValueId result = module.result(link.begun.op, link.begun.operand);
  if (!is_used_once(module, result)) return std::nullopt;
  link.reduction = module.uses(result).front().op;
  return link;
}

/// Returns the link that uses `value`; std::nullopt if the use is not a link.
std::optional<SumLink> next_link(const Module& module, ir::BlockId body, ValueId value) {
  if (!is_used_once(module, value)) return std::nullopt;
  const ir::Use use = module.uses(value).front();
  if (module.parent_block(use.op) != body) return std::nullopt;
  std::optional<SumLink> link = addition_of(module, use);
  if (!link) link = inner_loop_of(module, use);
  const bool fits =
      link && is_plain_sum(module, link->reduction) && module.parent_block(link->reduction) == body;
  return fits ? link : std::nullopt;
}

ValueId result_of(const Module& module, const SumLink& link) {
  return module.result(link.summand.op.valid() ? link.summand.op : link.reduction);
}

std::optional<LoopSum> find_sum(const Module& module, OpId loop, uint32_t index) {
  const auto condition = ir::entry_block(module, loop, 0);
  const auto body = ir::entry_block(module, loop, 1);
  const auto last = body ? ir::return_op(module, *body) : std::nullopt;
  if (!condition || !last || index >= module.num_operands(*last)) return std::nullopt;
  const ir::Type& type = module.type(module.args(*body)[index]);
  if (!type.is_tensor() || type.element() == ir::ElementType::I1) return std::nullopt;
  if (module.num_uses(module.args(*condition)[index]) != 0) return std::nullopt;
  LoopSum sum{loop, index, {}};
  ValueId carried = module.args(*body)[index];
  while (carried != module.operand(*last, index)) {
    const std::optional<SumLink> link = next_link(module, *body, carried);
    if (!link || !is_held_alike(module, sum, link->reduction)) return std::nullopt;
    const OpId first = sum.links.empty() ? link->reduction : sum.links.front().reduction;
    if (summed_axes(module, first) != summed_axes(module, link->reduction)) return std::nullopt;
    sum.links.push_back(*link);
    carried = result_of(module, *link);
  }
  if (sum.links.empty() || !is_used_once(module, carried)) return std::nullopt;
  return sum;
}

/// Makes the initial value partial: one device of each group keeps it, the others get zeros.
void begin_with_summands(Module& module, const LoopSum& sum, const AxisList& axes,
                         const TensorSharding& whole, const TensorSharding& partial) {
  const ValueId begun = module.operand(sum.loop, sum.index);
  if (!ir::get_sharding(module, begun)) ir::set_sharding(module, begun, whole);
  ir::OpSpec spec = unary_op(module, OpKind::SdyReplicatedToUnreduced, begun);
  spec.attributes.set(ir::attr::kAxes, ir::AxesAttr{whole.mesh(), axes});
  spec.attributes.set(ir::attr::kOutSharding, partial);
  insert_before_use(module, {sum.loop, sum.index}, std::move(spec));
}

/// Makes the addition use the partial value instead of the reduced value.
void add_summands(Module& module, const SumLink& link, const TensorSharding& partial) {
  const ValueId summand = module.operand(link.reduction, 0);
  if (link.summand.op.valid()) {
    ir::set_sharding(module, summand, partial);
    module.set_operand(link.summand.op, link.summand.operand, summand);
    ir::set_sharding(module, module.result(link.summand.op), partial);
  } else {
    const OpId split = module.defining_op(module.operand(link.begun.op, link.begun.operand));
    module.set_operand(link.begun.op, link.begun.operand, module.operand(split, 0));
    module.erase(split);
    module.replace_all_uses(module.result(link.reduction), summand);
  }
  module.erase(link.reduction);
}

void sink(Module& module, const LoopSum& sum) {
  const OpId first = sum.links.front().reduction;
  const AxisList axes = summed_axes(module, first);
  const TensorSharding whole = *ir::get_sharding(module, module.result(first));
  const TensorSharding partial = whole.with_replicated({}).with_unreduced(axes);
  begin_with_summands(module, sum, axes, whole.with_replicated({}), partial);
  for (const SumLink& link : sum.links) add_summands(module, link, partial);
  const ValueId result = module.result(sum.loop, sum.index);
  ir::set_sharding(module, result, partial);
  insert_after(module, sum.loop, result,
               all_reduce_op(module, result, axes, whole, ReductionOp::Sum));
}

}  // namespace

void sink_loop_sums(Module& module) {
  for (const OpId op : ir::post_order(module)) {
    if (!module.is(op, OpKind::While)) continue;
    for (uint32_t index = 0; index < module.num_results(op); ++index) {
      if (const auto sum = find_sum(module, op, index)) sink(module, *sum);
    }
  }
}

}  // namespace shardy::passes

// ---- Slices -------------------------------------------------------------------------------------

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
