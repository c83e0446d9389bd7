#include "partitioning/instruction_obstacles.hpp"

#include <algorithm>

#include "ir/op_facts.hpp"
#include "partitioning/control_flow.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::partitioning {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;

namespace {

bool is_defined_inside(const Module& module, OpId op, ValueId value) {
  const ir::ValueOwner owner = module.owner(value);
  OpId outer = owner.is_result() ? module.parent_op(owner.op)
                                 : module.parent_op(module.parent_region(owner.block));
  while (outer.valid() && outer != op) outer = module.parent_op(outer);
  return outer == op;
}

bool captures_values(const Module& module, OpId op) {
  const auto comes_from_outside = [&](ValueId operand) {
    return !is_defined_inside(module, op, operand);
  };
  for (const ir::RegionId region : module.regions(op)) {
    for (const ir::BlockId block : module.blocks(region)) {
      for (const OpId inner : ir::pre_order(module, block)) {
        if (std::ranges::any_of(module.operands(inner), comes_from_outside)) return true;
      }
    }
  }
  return false;
}

/// Checks whether a collective reduces partial results of the op. After a manual computation of its
/// own the results would be complete, whether declared unreduced or not.
bool gives_partial_results_to_collective(const Module& module, OpId op) {
  return std::ranges::any_of(module.results(op), [&](ValueId result) {
    const auto sharding = ir::get_sharding(module, result);
    const bool is_unreduced = sharding && !sharding->unreduced_axes().empty();
    return std::ranges::any_of(module.uses(result), [&](const ir::Use& use) {
      const OpKind kind = module.kind(use.op);
      return ir::completes_reduction(kind) || (is_unreduced && ir::is_sdy_collective(kind));
    });
  });
}

/// Checks for shardings in regions that are copied unchanged, such as reducers.
bool copies_sharded_regions(const Module& module, OpId op) {
  if (ControlFlow::owns_walked_regions(module.kind(op))) return false;
  for (const ir::RegionId region : module.regions(op)) {
    for (const ir::BlockId block : module.blocks(region)) {
      const bool is_sharded = std::ranges::any_of(ir::pre_order(module, block), [&](OpId inner) {
        return module.has_trait(inner, ir::kSdyAnnotation) ||
               ir::is_sdy_collective(module.kind(inner));
      });
      if (is_sharded) return true;
    }
  }
  return false;
}

}  // namespace

std::string obstacle(const Module& module, OpId op) {
  if (module.is(op, OpKind::FuncCall)) return "it calls a function";
  if (gives_partial_results_to_collective(module, op)) {
    return "a collective combines its partial results";
  }
  if (copies_sharded_regions(module, op)) return "its regions contain shardings";
  if (captures_values(module, op)) return "its regions use values defined outside";
  const auto is_dynamic = [&](ValueId value) {
    return module.type(value).is_tensor() && !module.type(value).is_static_tensor();
  };
  const bool has_dynamic = std::ranges::any_of(module.operands(op), is_dynamic) ||
                           std::ranges::any_of(module.results(op), is_dynamic);
  return has_dynamic ? "it has dynamic shapes" : "";
}

}  // namespace shardy::partitioning
