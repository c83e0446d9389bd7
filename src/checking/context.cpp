#include "shardy/checking/context.hpp"

#include <utility>

#include "shardy/partitioning/passes.hpp"

namespace shardy::checking {

namespace {

Status expect_new(bool is_known, const std::string& name) {
  return is_known ? Status(fail("was added before: " + name)) : Status();
}

Status expect_rule(const ForeignOp& op) {
  if (op.rule || !op.lowering_rule) return {};
  return fail("has a lowering rule and no rule: " + op.name);
}

/// Registers lowering and kernel of the op with their layers.
Status add_parts(ForeignOp op, partitioning::ForeignLowerings::ByName& lowerings,
                 simulation::ForeignKernels::ByName& kernels) {
  SHARDY_TRY_STATUS(expect_new(lowerings.contains(op.name) || kernels.contains(op.name), op.name));
  if (op.lower) lowerings.emplace(op.name, std::move(op.lower));
  if (op.kernel) kernels.emplace(std::move(op.name), std::move(op.kernel));
  return {};
}

}  // namespace

Status Context::add_op(ForeignOp op) {
  if (ir::find_op(op.name) != ir::OpKind::Unknown)
    return fail(op.name + " is no foreign op: the library knows it");
  SHARDY_TRY_STATUS(expect_rule(op));
  if (op.rule) {
    SHARDY_TRY_STATUS(ops.rules.add(op.name, op.rule, op.lowering_rule));
  }
  return add_parts(std::move(op), ops.lowerings.ops, runs.kernels.ops);
}

Status Context::add_custom_call(ForeignOp op) {
  SHARDY_TRY_STATUS(expect_rule(op));
  if (op.rule) {
    SHARDY_TRY_STATUS(ops.rules.add_custom_call(op.name, op.rule, op.lowering_rule));
  }
  return add_parts(std::move(op), ops.lowerings.custom_calls, runs.kernels.custom_calls);
}

Status Context::add_composite(ForeignOp op) {
  SHARDY_TRY_STATUS(expect_rule(op));
  if (op.lower || op.kernel) return fail("is lowered and run as its decomposition: " + op.name);
  if (!op.rule) return {};
  return ops.rules.add_composite(std::move(op.name), std::move(op.rule),
                                 std::move(op.lowering_rule));
}

Result<passes::PassRegistry> Context::all_passes() const {
  passes::PassRegistry registry = partitioning::all_passes(ops.lowerings);
  for (const passes::Pass& pass : passes.passes()) {
    SHARDY_TRY_STATUS(registry.add(pass));
  }
  return registry;
}

}  // namespace shardy::checking
