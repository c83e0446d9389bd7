// Visiting all ops of a module without recursion.
#pragma once

#include <utility>
#include <vector>

#include "shardy/ir/module.hpp"

namespace shardy::ir {

/// Ops under `block` in pre-order: an op before the ops of its regions; regions, blocks, ops in
/// order. The regions of an op for which `enters` is false are left out.
template <class Enters>
std::vector<OpId> pre_order(const Module& module, BlockId block, const Enters& enters) {
  std::vector<OpId> order;
  std::vector<OpId> pending;
  const auto push_block = [&](BlockId inner) {
    for (OpId op = module.last_op(inner); op.valid(); op = module.prev(op)) pending.push_back(op);
  };
  push_block(block);
  while (!pending.empty()) {
    const OpId op = pending.back();
    pending.pop_back();
    order.push_back(op);
    if (!enters(op)) continue;
    const auto regions = module.regions(op);
    for (auto region = regions.rbegin(); region != regions.rend(); ++region) {
      const auto blocks = module.blocks(*region);
      for (auto inner = blocks.rbegin(); inner != blocks.rend(); ++inner) push_block(*inner);
    }
  }
  return order;
}

inline std::vector<OpId> pre_order(const Module& module, BlockId block) {
  return pre_order(module, block, [](OpId) { return true; });
}

inline std::vector<OpId> pre_order(const Module& module) {
  return pre_order(module, module.body());
}

/// Ops under `block` in post-order: the ops of the regions, in order, before their op.
inline std::vector<OpId> post_order(const Module& module, BlockId block) {
  std::vector<OpId> order;
  std::vector<std::pair<OpId, bool>> pending;
  const auto push_block = [&](BlockId inner) {
    for (OpId op = module.last_op(inner); op.valid(); op = module.prev(op)) {
      pending.emplace_back(op, false);
    }
  };
  push_block(block);
  while (!pending.empty()) {
    const auto [op, done] = pending.back();
    pending.pop_back();
    if (done) {
      order.push_back(op);
      continue;
    }
    pending.emplace_back(op, true);
    const auto regions = module.regions(op);
    for (auto region = regions.rbegin(); region != regions.rend(); ++region) {
      const auto blocks = module.blocks(*region);
      for (auto inner = blocks.rbegin(); inner != blocks.rend(); ++inner) push_block(*inner);
    }
  }
  return order;
}

inline std::vector<OpId> post_order(const Module& module) {
  return post_order(module, module.body());
}

/// The function an op stands in; invalid at top level.
inline OpId enclosing_function(const Module& module, OpId op) {
  while (op.valid() && !module.is(op, OpKind::Func)) op = module.parent_op(op);
  return op;
}

}  // namespace shardy::ir
