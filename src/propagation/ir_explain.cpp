#include "shardy/propagation/ir_explain.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "ir_explain_chains.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/rules/built_in.hpp"
#include "shardy/rules/registry.hpp"

namespace shardy::propagation {

namespace {

using detail::AxisMoveIndex;
using detail::ExplainContext;
using detail::SlotOrigin;
using ir::OpId;
using ir::ValueId;

std::optional<std::string> text_of(const std::optional<TensorSharding>& sharding) {
  return sharding ? std::optional(to_string(*sharding)) : std::nullopt;
}

/// Explains values, with the chain of decisions of each axis.
class ValueExplainer {
 public:
  ValueExplainer(const ExplainContext& context, AxisMoveIndex& moves, Explanation& explanation)
      : context_(context), moves_(moves), missing_axes_(context), explanation_(explanation) {}

  void explain_values();

 private:
  std::vector<ExplainedAxis> explain_axes(SlotId slot);
  ExplainedValue explain_slot(SlotId slot);
  ExplainedValue explain_value(SlotId slot, OpId op);
  std::string first_user(ValueId value) const;

  const ExplainContext& context_;
  AxisMoveIndex& moves_;
  detail::MissingAxes missing_axes_;
  Explanation& explanation_;
};

std::vector<ExplainedAxis> ValueExplainer::explain_axes(SlotId slot) {
  std::vector<ExplainedAxis> axes;
  const std::optional<TensorSharding>& sharding = context_.problem().sharding(slot);
  const SlotId stored = context_.storage(slot);
  if (!sharding || !stored.valid()) return axes;
  const Mesh& mesh = sharding->mesh();
  for (std::size_t dim = 0; dim < sharding->dims().size(); ++dim) {
    for (const AxisRef& axis : sharding->dims()[dim].axes) {
      axes.push_back({dim, to_string(mesh, axis),
                      moves_.chain(stored, axis, mesh, explanation_.decisions), axis,
                      moves_.arrivals_of_axis(stored, axis), mesh.axis_name(axis.axis)});
    }
  }
  return axes;
}

ExplainedValue ValueExplainer::explain_slot(SlotId slot) {
  ExplainedValue value;
  value.name = context_.name_of(slot);
  value.before = text_of(context_.written_sharding(slot));
  value.sharding = context_.problem().sharding(slot);
  value.after = text_of(value.sharding);
  value.axes = explain_axes(slot);
  return value;
}

/// Returns the first op that uses a copy of a value. The explanation names the copy by that op.
std::string ValueExplainer::first_user(ValueId value) const {
  const std::vector<ir::Use> uses = context_.module.uses(value);
  if (uses.empty()) return {};
  const OpId user = uses.front().op;
  return detail::op_text(context_.module, user) + " at " + context_.module.location_text(user);
}

/// Explains a value at its place in the source program. `op` defines the value, or has it as an
/// argument of its regions.
ExplainedValue ValueExplainer::explain_value(SlotId slot, OpId op) {
  const ValueId id = context_.solved.values[slot.index()];
  const ir::Module& written = context_.written.module();
  ExplainedValue value = explain_slot(slot);
  value.value = *context_.origins[slot.index()].written;
  value.type = ir::to_string(context_.module.type(id));
  const ir::ValueOwner owner = written.owner(value.value);
  const OpId written_op = owner.is_result() ? owner.op : written.parent_op(owner.block);
  value.function = context_.written.function_of(written_op);
  if (owner.is_result()) {
    value.op = written.name(written_op);
    value.location = written.source_location(written_op);
  }
  // The arguments of a named computation belong to its body.
  const ir::ValueOwner now = context_.module.owner(id);
  const OpId inside = now.is_result() ? op : context_.module.first_op(now.block);
  value.calls = context_.calls_around(inside.valid() ? inside : op);
  value.absent = missing_axes_.of(slot, now.is_result() ? context_.module.parent_op(now.op) : op);
  return value;
}

void ValueExplainer::explain_values() {
  std::map<ValueId, int> copies;
  for (const SlotOrigin& origin : context_.origins) {
    if (origin.kind == SlotOrigin::Kind::Value) ++copies[*origin.written];
  }
  for (uint32_t index = 0; index < context_.solved.values.size(); ++index) {
    const ValueId id = context_.solved.values[index];
    if (!id.valid() || context_.origins[index].kind != SlotOrigin::Kind::Value) continue;
    const ir::ValueOwner owner = context_.module.owner(id);
    const OpId op = owner.is_result() ? owner.op : context_.module.parent_op(owner.block);
    if (!op.valid() || context_.module.is_erased(op)) continue;
    ExplainedValue value = explain_value(SlotId(index), op);
    if (copies[value.value] > 1 && value.calls.empty()) value.user = first_user(id);
    explanation_.values.push_back(std::move(value));
  }
  for (const ModuleProblem::FunctionResult& result : context_.solved.function_results) {
    ExplainedValue value = explain_slot(result.slot);
    value.type =
        ir::to_string(context_.module.function(result.function).result_types[result.index]);
    value.function = std::string(context_.module.symbol_name(result.function));
    value.result = result.index;
    value.absent = missing_axes_.of(result.slot, result.function);
    explanation_.values.push_back(std::move(value));
  }
}

void explain_missing_rules(const ExplainContext& context, Explanation& explanation) {
  std::set<std::string> seen;
  for (const OpId op : context.solved.unknown_ops) {
    if (context.module.is_erased(op)) continue;
    const std::string name = detail::op_text(context.module, op);
    if (!seen.insert(name).second) continue;
    const rules::OpView view(context.module, op);
    const bool is_marker = rules::is_manual_marker(rules::call_target(view));
    explanation.missing_rules.push_back({name, context.module.source_location(op),
                                         is_marker ? "" : rules::suggested_einsum(view),
                                         rules::missing_rule_note(view)});
  }
}

}  // namespace

std::string_view to_string(AbsentAxis::Reason why) {
  switch (why) {
    case AbsentAxis::Reason::Written:
      return "written";
    case AbsentAxis::Reason::Lost:
      return "lost";
    case AbsentAxis::Reason::Closed:
      return "closed";
    case AbsentAxis::Reason::NoRule:
      return "no rule";
    case AbsentAxis::Reason::NoFactor:
      return "no factor";
    case AbsentAxis::Reason::NoNeighbor:
      break;
  }
  return "nobody";
}

// Axes are only added at the end of a dim, so an earlier sharding is a prefix of the current
// sharding.
std::optional<TensorSharding> sharding_after(const ExplainedValue& value, int64_t step) {
  if (!value.sharding) return std::nullopt;
  std::vector<AxisList> dims(value.sharding->rank());
  for (const ExplainedAxis& axis : value.axes) {
    SHARDY_EXPECTS(axis.dim < dims.size());
    int64_t end = axis.ref.pre;
    bool is_there = axis.arrivals.empty();  // the value had an axis without arrivals from the start
    for (const AxisArrival& arrival : axis.arrivals) {
      if (arrival.step > step) continue;
      is_there = true;
      end = std::max(end, std::min(arrival.part.next(), axis.ref.next()));
    }
    if (axis.arrivals.empty()) end = axis.ref.next();
    if (is_there) dims[axis.dim].push_back({axis.ref.axis, axis.ref.pre, end / axis.ref.pre});
  }
  const bool is_empty =
      std::ranges::all_of(dims, [](const AxisList& axes) { return axes.empty(); });
  if (is_empty && !value.before && !value.axes.empty()) return std::nullopt;
  return value.sharding->with_dim_axes(std::move(dims));
}

Explainer::Explainer(const ir::Module& module, const WrittenProgram& written)
    : module_(module), written_(written) {}
Explainer::~Explainer() = default;

void Explainer::attach(const ModuleProblem& solved) {
  for (uint32_t slot = 0; slot < solved.problem.num_slots(); ++slot) {
    before_.push_back(solved.problem.sharding(SlotId(slot)));
  }
  origins_ = detail::slot_origins(solved, module_, written_);
}

void Explainer::finish(const ModuleProblem& solved, ir::Module& module) {
  SHARDY_EXPECTS(before_.size() == solved.problem.num_slots());
  detail::CallPaths calls(module, written_);
  const ExplainContext context{.solved = solved,
                               .module = module,
                               .log = log(),
                               .before = before_,
                               .origins = origins_,
                               .written = written_,
                               .calls = calls};
  AxisMoveIndex moves(context);
  ValueExplainer(context, moves, explanation_).explain_values();
  detail::explain_conflicts(context, moves, explanation_);
  explain_missing_rules(context, explanation_);
}

}  // namespace shardy::propagation
