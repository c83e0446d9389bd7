#include "ir_explain_story.hpp"

#include <algorithm>

#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/rules/custom_call.hpp"

namespace shardy::propagation::detail {

using ir::Module;
using ir::OpId;
using ir::ValueId;

namespace {

SlotOrigin origin_of(const Module& module, const WrittenProgram& written, ValueId value) {
  if (const auto origin = written.origin(module, value)) return {SlotOrigin::Kind::Value, origin};
  const OpId op = module.defining_op(value);
  if (!op.valid() || module.num_operands(op) != 1) return {};
  const bool is_edge =
      module.is(op, ir::OpKind::SdyDataFlowEdge) || module.is(op, ir::OpKind::SdyFuncDataFlowEdge);
  const bool is_constraint = module.is(op, ir::OpKind::SdyShardingConstraint);
  const auto input = written.origin(module, module.operand(op, 0));
  if (!input || (!is_edge && !is_constraint)) return {};
  return {is_edge ? SlotOrigin::Kind::Edge : SlotOrigin::Kind::Constraint, input};
}

}  // namespace

std::vector<SlotOrigin> slot_origins(const ModuleProblem& solved, const Module& module,
                                     const WrittenProgram& written) {
  std::vector<SlotOrigin> origins;
  for (const ValueId value : solved.values) {
    origins.push_back(value.valid() ? origin_of(module, written, value) : SlotOrigin());
  }
  return origins;
}

std::string Story::name_of(SlotId slot) const {
  if (const auto* result = function_result(slot)) return "result " + std::to_string(result->index);
  const SlotOrigin& origin = origins[slot.index()];
  if (!origin.written) return "inserted value";
  const bool is_constraint = origin.kind == SlotOrigin::Kind::Constraint;
  return (is_constraint ? "constraint of " : "") + written.name(*origin.written);
}

std::string Story::full_name_of(SlotId slot) const {
  const std::optional<ValueId> value = origins[slot.index()].written;
  if (!value) return name_of(slot);
  const ir::ValueOwner owner = written.module().owner(*value);
  const OpId op = owner.is_result() ? owner.op : written.module().parent_op(owner.block);
  const std::optional<OpId> main = written.module().main_function();
  if (main && ir::enclosing_function(written.module(), op) == *main) return name_of(slot);
  return "@" + written.function_of(op) + ":" + name_of(slot);
}

const ModuleProblem::FunctionResult* Story::function_result(SlotId slot) const {
  const auto found =
      std::ranges::find(solved.function_results, slot, &ModuleProblem::FunctionResult::slot);
  return found != solved.function_results.end() ? &*found : nullptr;
}

std::string op_text(const Module& module, OpId op) {
  const rules::OpView view(module, op);
  const std::string_view target = rules::call_target(view);
  return target.empty() ? std::string(view.name()) : "custom call '" + std::string(target) + "'";
}

std::string Story::op_name(NodeId node) const {
  const OpId op = solved.ops[node.index()];
  return op.valid() ? op_text(module, op) : "function result";
}

std::string Story::location(NodeId node) const {
  const OpId op = solved.ops[node.index()];
  return op.valid() ? module.location_text(op) : std::string();
}

std::string Story::function_of(OpId op) const {
  if (const auto origin = written.origin(module, op)) return written.function_of(*origin);
  const OpId function = ir::enclosing_function(module, op);
  return function.valid() ? std::string(module.symbol_name(function)) : std::string();
}

std::vector<std::string> Story::calls_around(OpId op) const {
  std::vector<std::string> calls;
  for (const OpId call : written.calls_around(module, op)) {
    const bool has_name = written.module().num_results(call) > 0;
    calls.push_back(has_name ? written.name(written.module().result(call))
                             : "the call " + written.module().location_text(call));
  }
  return calls;
}

std::optional<TensorSharding> Story::written_sharding(SlotId slot) const {
  if (const auto* result = function_result(slot)) {
    const std::optional<OpId> function = written.origin(module, result->function);
    return function ? ir::result_sharding(written.module(), *function, result->index)
                    : std::nullopt;
  }
  const std::optional<ValueId> value = origins[slot.index()].written;
  return value ? ir::get_sharding(written.module(), *value) : std::nullopt;
}

bool has_axis(const std::optional<TensorSharding>& sharding, const Mesh& mesh,
              const AxisRef& axis) {
  if (!sharding) return false;
  const std::optional<int32_t> index = sharding->mesh().find_axis(mesh.axis_name(axis.axis));
  if (!index) return false;
  const AxisRef wanted{*index, axis.pre, axis.size};
  return std::ranges::any_of(sharding->dims(), [&](const DimSharding& dim) {
    return std::ranges::any_of(dim.axes,
                               [&](const AxisRef& each) { return touches(each, wanted); });
  });
}

}  // namespace shardy::propagation::detail
