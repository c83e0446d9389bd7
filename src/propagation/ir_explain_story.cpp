#include "ir_explain_story.hpp"

#include <algorithm>
#include <utility>

#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/rules/built_in.hpp"

namespace shardy::propagation::detail {

using ir::Module;
using ir::OpId;
using ir::OpKind;
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

std::optional<ValueId> Story::returned_value(SlotId result) const {
  const auto* of_function = function_result(result);
  const auto function =
      of_function != nullptr ? written.origin(module, of_function->function) : std::nullopt;
  const auto body = function ? ir::entry_block(written.module(), *function) : std::nullopt;
  const auto last = body ? ir::return_op(written.module(), *body) : std::nullopt;
  if (!last || of_function->index >= written.module().num_operands(*last)) return std::nullopt;
  return written.module().operand(*last, of_function->index);
}

// ---- Calls --------------------------------------------------------------------------------------

namespace {

constexpr std::size_t kCallsAtEnds = 4;

}  // namespace

void CallPaths::add_call(Path& path, OpId call) const {
  const bool has_name = written_.module().num_results(call) > 0;
  std::string name = has_name ? written_.name(written_.module().result(call))
                              : "the call " + written_.module().location_text(call);
  ++path.depth;
  if (path.first.size() < kCallsAtEnds) return path.first.push_back(std::move(name));
  if (path.last.size() == kCallsAtEnds) path.last.erase(path.last.begin());
  path.last.push_back(std::move(name));
}

/// The calls around what is in the regions of an op.
const CallPaths::Path& CallPaths::inside(OpId op) {
  std::vector<OpId> unknown;
  for (; op.valid() && !inside_.contains(op); op = module_.parent_op(op)) unknown.push_back(op);
  Path path = op.valid() ? inside_.at(op) : Path();
  for (auto at = unknown.rbegin(); at != unknown.rend(); ++at) {
    const std::optional<OpId> written = written_.origin(module_, *at);
    if (written && written_.module().is(*written, OpKind::FuncCall)) add_call(path, *written);
    inside_[*at] = path;
  }
  return inside_[unknown.empty() ? op : unknown.front()];
}

std::vector<std::string> CallPaths::around(OpId op) {
  const OpId parent = module_.parent_op(op);
  if (!parent.valid()) return {};
  const Path& path = inside(parent);
  std::vector<std::string> calls = path.first;
  const std::size_t told = path.first.size() + path.last.size();
  if (told < path.depth) calls.push_back("... " + std::to_string(path.depth - told) + " more ...");
  calls.insert(calls.end(), path.last.begin(), path.last.end());
  return calls;
}

// ---- Names --------------------------------------------------------------------------------------

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
  if (main && written.function_around(op) == *main) return name_of(slot);
  return "@" + written.function_of(op) + ":" + name_of(slot);
}

const ModuleProblem::FunctionResult* Story::function_result(SlotId slot) const {
  // Their slots were made one after the other.
  const auto found = std::ranges::lower_bound(solved.function_results, slot.value, {},
                                              [](const auto& result) { return result.slot.value; });
  const bool is_found = found != solved.function_results.end() && found->slot == slot;
  return is_found ? &*found : nullptr;
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
