// Checks that only ops that reduce unreduced axes drop them. Changes nothing. Spec: passes 5.13.
//
//   %0 = dot %a, %b   unreduced={"x"}
//   %1 = sdy.reshard %0 [{}, {}]        valid: the reshard reduces
//   %2 = negate %0    [{}, {}]          error: 'stablehlo.negate' op dropped unreduced axis 'x'
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ir/op_facts.hpp"
#include "passes/common/ir_names.hpp"
#include "passes/common/ops.hpp"
#include "passes/export/export_passes.hpp"
#include "shardy/algebra/detail/equivalence.hpp"
#include "shardy/ir/detail/edge_shardings.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::passes {

namespace {

using OptionalSharding = std::optional<TensorSharding>;
using Shardings = std::vector<OptionalSharding>;

bool is_blessed(const Module& module, ValueId value) {
  const OpId op = module.defining_op(ir::bypass_barriers(module, value));
  return op.valid() &&
         (module.is(op, OpKind::SdyReshard) || module.is(op, OpKind::SdyShardingConstraint));
}

OptionalSharding sharding_of(const Module& module, ValueId value) {
  return ir::get_sharding_bypassing_barriers(module, value);
}

Shardings operands_unless_blessed(const Module& module, OpId op) {
  Shardings shardings;
  for (const ValueId operand : module.operands(op)) {
    shardings.push_back(is_blessed(module, operand) ? std::nullopt : sharding_of(module, operand));
  }
  return shardings;
}

Shardings results(const Module& module, OpId op) {
  Shardings shardings;
  for (const ValueId result : module.results(op)) {
    shardings.push_back(sharding_of(module, result));
  }
  return shardings;
}

/// Returns the reduction of the op's region; std::nullopt if the region combines results by
/// different ops, or by an op that is not a reduction.
std::optional<ReductionOp> body_reduction(const Module& module, OpId op) {
  const auto body = ir::entry_block(module, op);
  const auto last = body ? ir::return_op(module, *body) : std::nullopt;
  std::optional<OpKind> kind;
  for (const ValueId value : last ? module.operands(*last) : std::vector<ValueId>()) {
    const OpId combiner = module.defining_op(value);
    if (!combiner.valid() || (kind && module.kind(combiner) != *kind)) return std::nullopt;
    kind = module.kind(combiner);
  }
  return kind ? ir::reduction_of(*kind) : std::nullopt;
}

// ---- Equal sets of unreduced axes ---------------------------------------------------------------

/// Returns the axis names of the refs that only one side has, as `'a, b'`; empty if none exists.
/// Compares refs literally.
std::string mismatch(const OptionalSharding& a, const OptionalSharding& b) {
  std::set<std::string> names;
  const auto add_missing = [&](const OptionalSharding& from, const OptionalSharding& in) {
    if (!from) return;
    for (const AxisRef& ref : from->unreduced_axes()) {
      const bool found =
          in && std::ranges::find(in->unreduced_axes(), ref) != in->unreduced_axes().end();
      if (!found) names.insert(std::string(from->mesh().axis_name(ref.axis)));
    }
  };
  add_missing(a, b);
  add_missing(b, a);
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? text : "'" + text + "'";
}

Status expect_same(const OptionalSharding& a, const OptionalSharding& b, const std::string& where) {
  const std::string axes = mismatch(a, b);
  if (axes.empty()) return {};
  return fail("has unreduced axes mismatch for " + axes + " at " + where);
}

Status check_call(const Module& module, OpId op) {
  const std::optional<OpId> callee = ir::callee_of(module, op);
  if (!callee) return {};
  for (std::size_t index = 0; index < module.num_operands(op); ++index) {
    const ValueId operand = module.operand(op, index);
    if (is_blessed(module, operand)) continue;
    SHARDY_TRY_STATUS(expect_same(sharding_of(module, operand),
                                  ir::arg_sharding(module, *callee, index),
                                  "call argument " + std::to_string(index) + "."));
  }
  for (std::size_t index = 0; index < module.num_results(op); ++index) {
    SHARDY_TRY_STATUS(expect_same(ir::result_sharding(module, *callee, index),
                                  sharding_of(module, module.result(op, index)),
                                  "call result " + std::to_string(index) + "."));
  }
  return {};
}

/// Returns the sharding that the parent op expects for operand `index` of its terminator, as seen
/// from the region.
OptionalSharding expected_of_return(const Module& module, OpId op, uint32_t index) {
  const OpId parent = module.parent_op(op);
  if (!parent.valid()) return std::nullopt;
  if (module.is(parent, OpKind::Func)) return ir::result_sharding(module, parent, index);
  if (module.is(parent, OpKind::If) && index < module.num_results(parent)) {
    return ir::get_sharding(module, module.result(parent, index));
  }
  // Only regions whose terminator returns the op's results have such an edge; reducers and loop
  // conditions have none.
  const auto owner = ir::edge_owner_of_source(module, {op, index});
  const OptionalSharding outer = owner ? ir::get_sharding(module, *owner) : std::nullopt;
  if (!outer) return std::nullopt;
  return ir::transform_target_sharding(module, *owner, *outer,
                                       ir::EdgeTransform::BeforePropagation);
}

Status check_return(const Module& module, OpId op) {
  for (uint32_t index = 0; index < module.num_operands(op); ++index) {
    const ValueId operand = module.operand(op, index);
    const OptionalSharding expected = expected_of_return(module, op, index);
    if (!expected || is_blessed(module, operand)) continue;
    SHARDY_TRY_STATUS(expect_same(sharding_of(module, operand), expected,
                                  "return value " + std::to_string(index) +
                                      " without a blessed operation (e.g., sdy.reshard). This is "
                                      "an invalid transition from unreduced to reduced."));
  }
  return {};
}

// ---- Transitions --------------------------------------------------------------------------------

Status check_reshard(const Module& module, OpId op) {
  const Shardings in = {sharding_of(module, module.operand(op, 0))};
  if (!in.front()) return {};
  return verify_unreduced_transition(
      in, results(module, op),
      {.introduce = ReductionOp::Sum, .remove = in.front()->reduction_op()});
}

Status check_reduce(const Module& module, OpId op) {
  Shardings in = operands_unless_blessed(module, op);
  in.resize(module.num_results(op));  // the initial values follow
  return verify_unreduced_transition(in, results(module, op),
                                     {.introduce = body_reduction(module, op)});
}

/// Checks whether sdy-insert-explicit-reshards inserted the op after an op without a sharding. The
/// inserted op reduces the partial result and is its only user. Spec: resharding A.7.
bool completes_op(const Module& module, OpId op) {
  const ValueId operand = module.operand(op, 0);
  const OpId producer = module.defining_op(operand);
  return producer.valid() && ir::dialect_of(module.kind(producer)) != ir::Dialect::Sdy &&
         module.num_uses(operand) == 1;
}

Status check_sdy_reduction(const Module& module, OpId op) {
  const Shardings in = {sharding_of(module, module.operand(op, 0))};
  if (!in.front() && !completes_op(module, op)) return fail("operand must be sharded.");
  return verify_unreduced_transition(in, results(module, op),
                                     {.remove = ir::collective_reduction(module, op)});
}

Status check_stablehlo_reduction(const Module& module, OpId op) {
  Shardings in;
  for (const ValueId operand : module.operands(op)) in.push_back(sharding_of(module, operand));
  const Shardings out = results(module, op);
  const auto present = [](const OptionalSharding& sharding) { return sharding.has_value(); };
  if (std::ranges::none_of(in, present) && std::ranges::none_of(out, present)) return {};
  return verify_unreduced_transition(in, out, {.remove = body_reduction(module, op)});
}

Status check_other(const Module& module, OpId op) {
  // A fast check, because most ops have no unreduced tensors.
  if (!has_unreduced_tensor(module, op, true)) return {};
  return verify_unreduced_transition(operands_unless_blessed(module, op), results(module, op),
                                     {.introduce = ReductionOp::Sum});
}

Status check(const Module& module, OpId op) {
  if (module.has_trait(op, ir::kReturnLike)) return check_return(module, op);
  if (module.has_trait(op, ir::kTerminator)) return {};
  switch (module.kind(op)) {
    case OpKind::SdyReshard:
    case OpKind::SdyShardingConstraint:
      return check_reshard(module, op);
    case OpKind::Reduce:
      return check_reduce(module, op);
    case OpKind::SdyAllReduce:
    case OpKind::SdyReduceScatter:
      return check_sdy_reduction(module, op);
    case OpKind::AllReduce:
    case OpKind::ReduceScatter:
      return check_stablehlo_reduction(module, op);
    case OpKind::FuncCall:
      return check_call(module, op);
    // A barrier returns its operand. The other ops introduce unreduced axes, which their verifiers
    // check.
    case OpKind::SdyPropagationBarrier:
    case OpKind::SdyReplicatedToUnreduced:
    case OpKind::SdyShardedToUnreduced:
      return {};
    default:
      return check_other(module, op);
  }
}

}  // namespace

Diagnostics verify_unreduced_axes(Module& module) {
  Diagnostics errors;
  for (const OpId function : module.functions()) {
    if (module.is_external(function)) continue;
    for (const OpId op : ir::post_order(module, module.entry(function))) {
      Status status = check(module, op);
      if (status) continue;
      Error error =
          with_prefix("'" + std::string(module.name(op)) + "' op ", std::move(status).error());
      error.location = module.source_location(op);
      errors.push_back(std::move(error));
      break;
    }
  }
  return errors;
}

}  // namespace shardy::passes
