// Elementwise ops, and the fallback that computes an op whole on every device.
#include <algorithm>
#include <set>
#include <utility>

#include "partitioning/families.hpp"
#include "shardy/ir/sharding_access.hpp"

namespace shardy::partitioning {

using ir::OpId;
using ir::OpKind;
using ir::ValueId;

namespace {

OpKind reducer_of(ReductionOp reduction) {
  if (reduction == ReductionOp::Max) return OpKind::Maximum;
  return reduction == ReductionOp::Min ? OpKind::Minimum : OpKind::Add;
}

/// Who combines what the devices have of a result: axes that its sharding declares as unreduced,
/// and those of its only user if that completes a reduction (I5).
std::optional<PartialResult> expected_partial(const ir::Module& input, ValueId result) {
  PartialResult partial;
  const auto sharding = ir::get_sharding(input, result);
  if (sharding && !sharding->unreduced_axes().empty()) {
    partial.axes = sharding->unreduced_axes();
    partial.reducer = reducer_of(sharding->reduction_op());
  }
  AxisList completed;
  const std::vector<ir::Use> uses = input.uses(result);
  if (uses.size() == 1 && input.is(uses[0].op, OpKind::SdyAllReduce)) {
    completed = input.attribute<ir::AxesAttr>(uses[0].op, "reduction_axes")->axes;
  } else if (uses.size() == 1 && input.is(uses[0].op, OpKind::SdyReduceScatter)) {
    for (const AxisList& list :
         input.attribute<ir::AxesListsAttr>(uses[0].op, "reduce_scatter_axes")->lists) {
      completed.insert(completed.end(), list.begin(), list.end());
    }
  }
  completed = set_difference(completed, partial.axes);
  partial.axes.insert(partial.axes.end(), completed.begin(), completed.end());
  if (sharding_size(partial.axes) == 1) return std::nullopt;
  return partial;
}

/// Values of the block around `op` that its regions use and that are distributed, each once.
std::set<ValueId> captured_shards(const Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  const ir::BlockId around = input.parent_block(op);
  std::set<ValueId> captured;
  std::vector<OpId> pending = {op};
  while (!pending.empty()) {
    const OpId next = pending.back();
    pending.pop_back();
    for (const ValueId value : input.operands(next)) {
      const ir::ValueOwner owner = input.owner(value);
      const ir::BlockId home = owner.is_result() ? input.parent_block(owner.op) : owner.block;
      if (next == op || home != around) continue;
      const auto axes = lowering.axes_of(value);
      const bool whole =
          std::ranges::all_of(axes, [](const AxisList& list) { return list.empty(); });
      if (!whole) captured.insert(value);
    }
    for (const ir::RegionId region : input.regions(next)) {
      for (const ir::BlockId block : input.blocks(region)) {
        for (const OpId inner : input.ops(block)) pending.push_back(inner);
      }
    }
  }
  return captured;
}

/// A copy of the op whose regions see whole values.
OpId clone_whole(Lowering& lowering, OpId op, std::vector<ValueId> operands,
                 std::vector<ir::Type> types) {
  std::vector<std::pair<ValueId, LocalValue>> shards;
  for (const ValueId value : captured_shards(lowering, op)) {
    LocalValue shard = lowering.local(value);
    shards.emplace_back(value, shard);
    const std::vector<AxisList> whole(shard.axes.size());
    lowering.bind(value, lowering.conform(op, std::move(shard), whole));
  }
  const OpId local = lowering.clone(op, std::move(operands), std::move(types));
  for (auto& [value, shard] : shards) lowering.bind(value, std::move(shard));
  return local;
}

/// A value that all devices have, as one to which each device of a group contributes.
LocalValue as_partial(Lowering& lowering, LocalValue value, PartialResult partial) {
  const ir::Literal nothing = reducer_identity(partial.reducer, value.global.element());
  value.value = keep_on_first(lowering, value.value, partial.axes, nothing);
  value.partial = std::move(partial);
  return value;
}

}  // namespace

/// All factors are local; scalar operands of clamp and select stay whole. Spec: partitioning 8.
Status lower_elementwise(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  const ValueId result = input.result(op);
  const std::vector<AxisList> axes = lowering.axes_of(result);
  std::vector<ValueId> operands;
  for (LocalValue& operand : lowering.operands(op)) {
    const bool scalar = operand.global.rank() == 0;
    operands.push_back(scalar ? operand.value
                              : lowering.conform(op, std::move(operand), axes).value);
  }
  const ir::Type type = lowering.local_type(input.type(result), axes);
  const OpId local = lowering.clone(op, std::move(operands), {type});
  lowering.finish(op, lowering.output().result(local));
  return {};
}

/// REPLICATE_AND_SLICE. A reduction that the program completes with a collective is complete
/// already: one device of each group contributes it. Spec: partitioning 5.9.
Status lower_replicated(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  std::vector<ValueId> operands;
  for (LocalValue& operand : lowering.operands(op)) {
    const std::vector<AxisList> whole(operand.axes.size());
    operands.push_back(lowering.conform(op, std::move(operand), whole).value);
  }
  std::vector<ir::Type> types;
  for (const ValueId result : input.results(op)) types.push_back(input.type(result));
  const OpId local = clone_whole(lowering, op, std::move(operands), std::move(types));
  for (std::size_t index = 0; index < input.num_results(op); ++index) {
    const ValueId result = input.result(op, index);
    const std::vector<AxisList> axes = lowering.axes_of(result);
    LocalValue whole = lowering.make(lowering.output().result(local, index), input.type(result),
                                     std::vector<AxisList>(axes.size()));
    LocalValue made = lowering.conform(op, std::move(whole), axes);
    std::optional<PartialResult> partial = expected_partial(input, result);
    if (partial) made = as_partial(lowering, std::move(made), *std::move(partial));
    lowering.bind(result, std::move(made));
  }
  return {};
}

}  // namespace shardy::partitioning
