// Dead code elimination. Spec: passes 6.
//
//   %0 = negate %a
//   %1 = abs %0            ->    return %a
//   return %a
#include <algorithm>
#include <vector>

#include "passes/export/canonicalize.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/propagation/ir_op.hpp"

namespace shardy::passes {

using ir::Module;
using ir::OpId;
using ir::ValueId;

bool erase_dead_ops(Module& module) {
  const std::vector<OpId> order = ir::pre_order(module);
  const std::vector<bool> removable = propagation::detail::removable_ops(module, order);
  bool changed = false;
  // Reverse order: ops used only by dead ops are dead when they are reached.
  for (auto op = order.rbegin(); op != order.rend(); ++op) {
    if (!removable[op->index()]) continue;
    const bool is_used = std::ranges::any_of(
        module.results(*op), [&](ValueId result) { return module.num_uses(result) != 0; });
    if (is_used) continue;
    module.erase(*op);
    changed = true;
  }
  return changed;
}

}  // namespace shardy::passes
