// Finds values whose reshards are hideable.
//
//   %0 = convert %w      %w and %0 are early: weights are gathered before they are needed
//   %1 = dot %x, %0
//   %2 = subtract %w, %g subtract is late: a gradient %g is summed while others are computed
//   return %1, %2
#include "autoshard/hideable_values.hpp"

#include <algorithm>
#include <vector>

namespace shardy::autoshard {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;

namespace {

/// Checks for ops that only move or convert the elements of their first operand.
bool is_moved(const Module& module, OpId op) {
  switch (module.kind(op)) {
    case OpKind::Convert:
    case OpKind::Reshape:
    case OpKind::Transpose:
    case OpKind::Slice:
    case OpKind::DynamicSlice:
    case OpKind::OptimizationBarrier:
    case OpKind::SdyShardingConstraint:
    case OpKind::SdyReshard:
      return module.num_operands(op) > 0;
    default:
      return false;
  }
}

}  // namespace

HideableValues::HideableValues(const Module& module) {
  const ir::BlockId entry = module.entry(*module.main_function());
  for (const ValueId argument : module.args(entry)) early_.insert(argument);
  std::vector<OpId> ops;
  for (const OpId op : module.ops(entry)) {
    ops.push_back(op);
    if (!is_moved(module, op) || !is_early(module.operand(op, 0))) continue;
    for (const ValueId result : module.results(op)) early_.insert(result);
  }
  for (auto op = ops.rbegin(); op != ops.rend(); ++op) {
    const bool is_return = module.has_trait(*op, ir::kTerminator);
    const bool may_be_late =
        is_return || is_moved(module, *op) || module.has_trait(*op, ir::kElementwise);
    const auto results = module.results(*op);
    const bool is_late_only = std::ranges::all_of(results, [&](ValueId result) {
      const auto uses = module.uses(result);
      return std::ranges::all_of(uses, [&](const ir::Use& use) { return is_late(use.op); });
    });
    if (may_be_late && is_late_only) late_.insert(*op);
  }
}

}  // namespace shardy::autoshard
