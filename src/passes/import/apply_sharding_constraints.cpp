// Closed sharding constraints become the shardings of their operands. Spec: passes 4.8.
//
//   %0 = add %a, %a                                     %0 = add %a, %a  [{"x"}, {}]
//   %1 = sdy.sharding_constraint %0 [{"x"}, {}]         %1 = sdy.sharding_constraint %0 [{"x"}, {}]
//   %2 = sdy.sharding_constraint %1 [{}, {"y"}]    ->   %2 = sdy.sharding_constraint %1 [{}, {"y"}]
//   %3 = negate %0                                      %3 = negate %2
//
// Users of %0 after a chain of constraints use the result of the last one.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "passes/common/ops.hpp"
#include "passes/import/import_passes.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/data_flow.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/propagation/ir_debug.hpp"

namespace shardy::passes {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::Use;
using ir::ValueId;

namespace {

class Applier {
 public:
  explicit Applier(Module& module) : module_(module) {}

  void visit(OpId op) {
    if (is_constraint(op)) visit_constraint(op);
    if (module_.is(op, OpKind::SdyManualComputation)) visit_manual_computation(op);
  }

  /// Returns the constraints whose operands got their shardings, in the order of the walk.
  const std::vector<OpId>& applied() const { return applied_; }

 private:
  bool is_constraint(OpId op) const {
    return op.valid() && module_.is(op, OpKind::SdyShardingConstraint);
  }
  bool constrains(OpId op) const {
    return is_constraint(op) || module_.is(op, OpKind::SdyManualComputation);
  }

  // ---- Chains -----------------------------------------------------------------------------------

  bool is_constrained_by_another(ValueId value, OpId constraint) const {
    const std::vector<Use> uses = module_.uses(value);
    return std::ranges::any_of(
        uses, [&](const Use& use) { return use.op != constraint && constrains(use.op); });
  }

  bool is_chain_head(OpId constraint) const {
    const ValueId input = module_.operand(constraint, 0);
    return !is_constraint(module_.defining_op(input)) && !ir::get_sharding(module_, input) &&
           !is_constrained_by_another(input, constraint);
  }

  OpId chain_tail(OpId head) const {
    OpId tail = head;
    while (module_.num_uses(module_.result(tail)) == 1) {
      const OpId user = module_.uses(module_.result(tail)).front().op;
      if (!is_constraint(user)) break;
      tail = user;
    }
    return tail;
  }

  /// Replaces uses of the operand after the chain by the result of the last constraint.
  void follow_chain(OpId head) {
    if (!is_chain_head(head)) return;
    const OpId tail = chain_tail(head);
    const ValueId result = module_.result(tail);
    if (tail == head || is_constrained_by_another(result, OpId())) return;
    for (const Use& use : module_.uses(module_.operand(head, 0))) {
      const bool is_behind = module_.parent_block(use.op) == module_.parent_block(tail) &&
                             module_.is_before(tail, use.op);
      if (use.op == head || !is_behind || module_.is(use.op, OpKind::FuncReturn)) continue;
      if (ir::is_sdy_collective(module_.kind(use.op)))
        continue;  // collectives have an operand sharding of their own
      module_.set_operand(use.op, use.operand, result);
    }
  }

  // ---- Applying ---------------------------------------------------------------------------------

  std::optional<TensorSharding> wanted_by(const Use& use) const {
    if (is_constraint(use.op)) return ir::get_sharding(module_, module_.result(use.op));
    if (!module_.is(use.op, OpKind::SdyManualComputation)) return std::nullopt;
    return ir::detail::get_in_list(module_.attributes(use.op), ir::attr::kInShardings, use.operand);
  }

  bool can_apply(ValueId value, const TensorSharding& sharding) const {
    if (!sharding.is_fully_closed() || !ir::shardable_value(module_, value) ||
        ir::get_sharding(module_, value) || is_side_of_collective(module_, value)) {
      return false;
    }
    const std::vector<Use> uses = module_.uses(value);
    return std::ranges::all_of(uses, [&](const Use& use) {
      const std::optional<TensorSharding> wanted = wanted_by(use);
      return !wanted || *wanted == sharding;
    });
  }

  bool is_on_edge(ValueId value) const {
    const OpId op = module_.defining_op(value);
    if (op.valid() && module_.is(op, OpKind::SdyDataFlowEdge)) return true;
    return ir::edge_op_of_target(module_, value).has_value();
  }

  void place_behind(ValueId value, OpId op) {
    module_.remove(op);
    const ir::ValueOwner owner = module_.owner(value);
    if (owner.is_result()) return module_.insert_after(owner.op, op);
    const OpId first = module_.first_op(owner.block);
    first.valid() ? module_.insert_before(first, op) : module_.append(owner.block, op);
  }

  OpId make_constraint(ValueId value, const TensorSharding& sharding, OpId near) {
    ir::OpSpec spec{.kind = OpKind::SdyShardingConstraint};
    spec.operands = {value};
    spec.result_types = {module_.type(value)};
    spec.attributes.set(ir::attr::kSharding, sharding);
    spec.location = module_.location(near);
    return module_.create(std::move(spec));
  }

  /// Constrains only this use of the edge's value, not the other targets of the edge.
  void constrain_on_edge(ValueId value, const TensorSharding& sharding, OpId anchor) {
    place_behind(value, anchor);
    const ValueId result = module_.result(anchor);
    module_.replace_all_uses(value, result);
    module_.set_operand(anchor, 0, value);
    if (sharding.unreduced_axes().empty()) return;
    // Constraints on targets do not propagate to the edge, so the edge gets the sharding here.
    const TensorSharding current = ir::get_or_create_sharding(module_, value, sharding.mesh_ref());
    ir::set_sharding(module_, value,
                     current.with_unreduced(sharding.unreduced_axes(), sharding.reduction_op()));
  }

  void visit_constraint(OpId constraint) {
    follow_chain(constraint);
    const ValueId input = module_.operand(constraint, 0);
    const auto sharding = ir::get_sharding(module_, module_.result(constraint));
    if (!sharding || !can_apply(input, *sharding)) return;
    if (is_on_edge(input)) return constrain_on_edge(input, *sharding, constraint);
    ir::set_sharding(module_, input, *sharding);
    applied_.push_back(constraint);
  }

  void visit_manual_computation(OpId op) {
    for (std::size_t index = 0; index < module_.num_operands(op); ++index) {
      const ValueId value = module_.operand(op, index);
      const auto sharding =
          ir::detail::get_in_list(module_.attributes(op), ir::attr::kInShardings, index);
      if (!sharding || !can_apply(value, *sharding)) continue;
      if (is_on_edge(value)) {
        constrain_on_edge(value, *sharding, make_constraint(value, *sharding, op));
      } else {
        ir::set_sharding(module_, value, *sharding);
      }
    }
  }

  Module& module_;
  std::vector<OpId> applied_;
};

}  // namespace

PassErrors apply_sharding_constraints(Module& module,
                                      const ApplyShardingConstraintsOptions& options) {
  Applier applier(module);
  for (const OpId op : ir::post_order(module)) applier.visit(op);
  if (options.debug_sharding_origins) propagation::write_sharding_origins(module);
  if (options.debug_propagation_edges) {
    propagation::write_backward_steps(module, applier.applied());
  }
  return {};
}

}  // namespace shardy::passes
