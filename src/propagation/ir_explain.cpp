#include "shardy/propagation/ir_explain.hpp"

#include <map>
#include <set>
#include <utility>

#include "ir_explain_chains.hpp"
#include "ir_explain_story.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/rules/einsum.hpp"

namespace shardy::propagation {

namespace {

using detail::Moves;
using detail::SlotOrigin;
using detail::Story;
using ir::OpId;
using ir::ValueId;

std::vector<ExplainedAxis> explain_axes(const Story& story, const Moves& moves, SlotId slot) {
  std::vector<ExplainedAxis> axes;
  const std::optional<TensorSharding>& sharding = story.problem().sharding(slot);
  const SlotId stored = story.storage(slot);
  if (!sharding || !stored.valid()) return axes;
  for (std::size_t dim = 0; dim < sharding->dims().size(); ++dim) {
    for (const AxisRef& axis : sharding->dims()[dim].axes) {
      axes.push_back(
          {dim, to_string(sharding->mesh(), axis), moves.chain(stored, axis, sharding->mesh())});
    }
  }
  return axes;
}

std::optional<std::string> text_of(const std::optional<TensorSharding>& sharding) {
  return sharding ? std::optional(to_string(*sharding)) : std::nullopt;
}

ExplainedValue explain_slot(const Story& story, const Moves& moves, SlotId slot) {
  ExplainedValue value;
  value.name = story.name_of(slot);
  value.before = text_of(story.written_sharding(slot));
  value.after = text_of(story.problem().sharding(slot));
  value.axes = explain_axes(story, moves, slot);
  return value;
}

/// The op that uses a copy of a value, which tells it from the other copies.
std::string first_user(const Story& story, ValueId value) {
  for (const ir::Use& use : story.module.uses(value)) {
    return detail::op_text(story.module, use.op) + " at " + story.module.location_text(use.op);
  }
  return {};
}

/// A value in the place where the user wrote it; `op` defines it, or has it in its regions.
ExplainedValue explain_value(const Story& story, const Moves& moves, SlotId slot, OpId op) {
  const ValueId id = story.solved.values[slot.index()];
  const ir::Module& written = story.written.module();
  ExplainedValue value = explain_slot(story, moves, slot);
  value.value = *story.origins[slot.index()].written;
  value.type = ir::to_string(story.module.type(id));
  const ir::ValueOwner owner = written.owner(value.value);
  const OpId written_op = owner.is_result() ? owner.op : written.parent_op(owner.block);
  value.function = story.written.function_of(written_op);
  if (owner.is_result()) {
    value.op = written.name(written_op);
    value.location = written.location_text(written_op);
  }
  // The arguments of a named computation are inside of it.
  const ir::ValueOwner now = story.module.owner(id);
  const OpId inside = now.is_result() ? op : story.module.first_op(now.block);
  value.calls = story.calls_around(inside.valid() ? inside : op);
  return value;
}

void explain_values(const Story& story, const Moves& moves, Explanation& explanation) {
  std::map<ValueId, int> copies;
  for (const SlotOrigin& origin : story.origins) {
    if (origin.kind == SlotOrigin::Kind::Value) ++copies[*origin.written];
  }
  for (uint32_t index = 0; index < story.solved.values.size(); ++index) {
    const ValueId id = story.solved.values[index];
    if (!id.valid() || story.origins[index].kind != SlotOrigin::Kind::Value) continue;
    const ir::ValueOwner owner = story.module.owner(id);
    const OpId op = owner.is_result() ? owner.op : story.module.parent_op(owner.block);
    if (!op.valid() || story.module.is_erased(op)) continue;
    ExplainedValue value = explain_value(story, moves, SlotId(index), op);
    if (copies[value.value] > 1 && value.calls.empty()) value.user = first_user(story, id);
    explanation.values.push_back(std::move(value));
  }
  for (const ModuleProblem::FunctionResult& result : story.solved.function_results) {
    ExplainedValue value = explain_slot(story, moves, result.slot);
    value.type = ir::to_string(story.module.function(result.function).result_types[result.index]);
    value.function = std::string(story.module.symbol_name(result.function));
    explanation.values.push_back(std::move(value));
  }
}

void explain_missing_rules(const Story& story, Explanation& explanation) {
  std::set<std::string> seen;
  for (const OpId op : story.solved.unknown_ops) {
    if (story.module.is_erased(op)) continue;
    const std::string name = detail::op_text(story.module, op);
    if (!seen.insert(name).second) continue;
    explanation.missing_rules.push_back({name, story.module.location_text(op),
                                         rules::suggested_einsum(rules::OpView(story.module, op))});
  }
}

}  // namespace

Explainer::Explainer(const ir::Module& module, const WrittenProgram& written)
    : module_(module), written_(written) {}
Explainer::~Explainer() = default;

void Explainer::attach(const ModuleProblem& solved) {
  for (uint32_t slot = 0; slot < solved.problem.num_slots(); ++slot) {
    before_.push_back(solved.problem.sharding(SlotId(slot)));
  }
  origins_ = detail::slot_origins(solved, module_, written_);
}

void Explainer::finish(const ModuleProblem& solved, const ir::Module& module) {
  const Story story{.solved = solved,
                    .module = module,
                    .log = log_,
                    .before = before_,
                    .origins = origins_,
                    .written = written_};
  explain_values(story, Moves(story), explanation_);
  detail::explain_conflicts(story, explanation_);
  explain_missing_rules(story, explanation_);
}

}  // namespace shardy::propagation
