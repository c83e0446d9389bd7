#include "shardy/propagation/ir_explain.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "shardy/algebra/text.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/rules/einsum.hpp"

namespace shardy::propagation {

namespace {

using ir::Module;
using ir::OpId;
using ir::ValueId;

/// What happened, as the explanations look it up.
struct Story {
  const ModuleProblem& solved;
  const Module& module;
  const DecisionLog& log;
  const std::vector<std::optional<TensorSharding>>& before;  // of each slot
  std::size_t num_named = 0;
  const ValueNames& names;

  const Problem& problem() const { return solved.problem; }
  SlotId storage(SlotId slot) const { return problem().slot(slot).storage; }
  SlotId storage(NodeId node, std::size_t tensor) const {
    return storage(problem().tensors(node)[tensor].slot);
  }

  std::string name_of(ValueId value) const {
    if (value.index() < num_named) return names(value);
    const OpId op = module.defining_op(value);
    if (!op.valid() || module.num_operands(op) != 1) return "inserted value";
    const ValueId input = module.operand(op, 0);
    if (input.index() >= num_named) return "inserted value";
    // An edge stands for its input; a constraint was made to take a sharding group apart.
    const bool is_edge = module.is(op, ir::OpKind::SdyDataFlowEdge);
    return (is_edge ? "" : "constraint of ") + names(input);
  }
  std::string name_of(SlotId slot) const {
    if (solved.values[slot.index()].valid()) return name_of(solved.values[slot.index()]);
    const auto* const result = function_result(slot);
    return result != nullptr ? "result " + std::to_string(result->index) : "value";
  }
  const ModuleProblem::FunctionResult* function_result(SlotId slot) const {
    const auto found =
        std::ranges::find(solved.function_results, slot, &ModuleProblem::FunctionResult::slot);
    return found != solved.function_results.end() ? &*found : nullptr;
  }

  std::string op_name(NodeId node) const {
    const OpId op = solved.ops[node.index()];
    if (!op.valid()) return "function result";
    const rules::OpView view(module, op);
    const std::string_view target = rules::call_target(view);
    return target.empty() ? std::string(view.name()) : "custom call '" + std::string(target) + "'";
  }
  std::string location(NodeId node) const {
    const OpId op = solved.ops[node.index()];
    return op.valid() ? module.location_text(op) : std::string();
  }
  std::string function_of(OpId op) const {
    const OpId function = ir::enclosing_function(module, op);
    return function.valid() ? std::string(module.symbol_name(function)) : std::string();
  }
};

std::string strategy_text(FactorStrategy strategy) {
  return strategy == FactorStrategy::Basic ? "basic" : "aggressive";
}

bool touches(const AxisRef& a, const AxisRef& b) {
  return a == b || contains(a, b) || contains(b, a);
}

// ---- Chains -------------------------------------------------------------------------------------

/// Who moved axes to each slot, and which groups copied to it, in the order of the steps.
class Moves {
 public:
  explicit Moves(const Story& story) : story_(story), by_slot_(story.problem().num_slots()) {
    for (std::size_t step = 0; step < story.log.steps().size(); ++step) {
      const LoggedStep& logged = story.log.steps()[step];
      for (std::size_t move = 0; move < logged.moves.size(); ++move) {
        const SlotId to = story.storage(logged.node, logged.moves[move].target);
        if (to.valid()) by_slot_[to.index()].push_back({&logged, &logged.moves[move]});
      }
    }
    for (const GroupCopy& copy : story.log.group_copies()) {
      copies_[copy.member].push_back(&copy);
    }
  }

  std::vector<Decision> chain(SlotId slot, AxisRef axis, const Mesh& mesh) const {
    std::vector<Decision> chain;
    int64_t limit = INT64_MAX;  // steps before this one count
    while (true) {
      const Arrival* arrival = last_arrival(slot, axis, limit);
      const GroupCopy* copy = last_copy(slot, limit);
      if (copy != nullptr && (arrival == nullptr || arrival->step->number < copy->step)) {
        chain.push_back({.kind = Decision::Kind::Group,
                         .step = copy->step,
                         .axis = to_string(mesh, axis),
                         .from = story_.name_of(copy->from)});
        slot = copy->from;
        limit = copy->step + 1;
        // The writer of that step may be the member itself: never look at the copy again.
        const Arrival* source = last_arrival(slot, axis, limit);
        if (source == nullptr) break;
        arrival = source;
      }
      if (arrival == nullptr) break;
      chain.push_back(decision(*arrival, mesh));
      limit = arrival->step->number;
      axis = arrival->move->axis;
      slot = story_.storage(arrival->step->node, arrival->move->source);
    }
    chain.push_back({.kind = Decision::Kind::Annotation,
                     .axis = to_string(mesh, axis),
                     .from = story_.name_of(slot)});
    return chain;
  }

 private:
  struct Arrival {
    const LoggedStep* step;
    const AxisMove* move;
  };

  const Arrival* last_arrival(SlotId slot, const AxisRef& axis, int64_t limit) const {
    const std::vector<Arrival>& all = by_slot_[slot.index()];
    for (auto at = all.rbegin(); at != all.rend(); ++at) {
      if (at->step->number < limit && touches(at->move->axis, axis)) return &*at;
    }
    return nullptr;
  }

  const GroupCopy* last_copy(SlotId slot, int64_t limit) const {
    const auto found = copies_.find(slot);
    if (found == copies_.end()) return nullptr;
    for (auto at = found->second.rbegin(); at != found->second.rend(); ++at) {
      if ((*at)->step < limit) return *at;
    }
    return nullptr;
  }

  Decision decision(const Arrival& arrival, const Mesh& mesh) const {
    const LoggedStep& step = *arrival.step;
    const std::size_t num_operands = story_.problem().node(step.node).num_operands;
    const bool from_operand = arrival.move->source < num_operands;
    const bool to_operand = arrival.move->target < num_operands;
    Decision made{.kind = Decision::Kind::Step,
                  .step = step.number,
                  .op = story_.op_name(step.node),
                  .location = story_.location(step.node)};
    made.factor = factor_symbol(static_cast<int64_t>(arrival.move->factor));
    made.axis = to_string(mesh, arrival.move->axis);
    made.from = story_.name_of(story_.problem().tensors(step.node)[arrival.move->source].slot);
    made.direction =
        from_operand == to_operand ? "sideways" : (from_operand ? "forward" : "backward");
    made.user_priority = step.sweep.user_priority;
    made.level = step.sweep.level;
    made.strategy = strategy_text(step.sweep.strategy);
    return made;
  }

  const Story& story_;
  std::vector<std::vector<Arrival>> by_slot_;
  std::map<SlotId, std::vector<const GroupCopy*>> copies_;
};

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
  const SlotId stored = story.storage(slot);
  if (stored.valid()) value.before = text_of(story.before[stored.index()]);
  value.after = text_of(story.problem().sharding(slot));
  value.axes = explain_axes(story, moves, slot);
  return value;
}

void explain_values(const Story& story, const Moves& moves, Explanation& explanation) {
  for (uint32_t index = 0; index < story.solved.values.size(); ++index) {
    const ValueId id = story.solved.values[index];
    if (!id.valid() || id.index() >= story.num_named) continue;
    const ir::ValueOwner owner = story.module.owner(id);
    const OpId op = owner.is_result() ? owner.op : story.module.parent_op(owner.block);
    if (!op.valid() || story.module.is_erased(op)) continue;
    ExplainedValue value = explain_slot(story, moves, SlotId(index));
    value.value = id;
    value.type = ir::to_string(story.module.type(id));
    value.function = story.function_of(op);
    if (owner.is_result()) {
      value.op = story.module.name(op);
      value.location = story.module.location_text(op);
    }
    explanation.values.push_back(std::move(value));
  }
  for (const ModuleProblem::FunctionResult& result : story.solved.function_results) {
    ExplainedValue value = explain_slot(story, moves, result.slot);
    value.type = ir::to_string(story.module.function(result.function).result_types[result.index]);
    value.function = std::string(story.module.symbol_name(result.function));
    explanation.values.push_back(std::move(value));
  }
}

// ---- Conflicts ----------------------------------------------------------------------------------

/// The conflicts of one step.
class ConflictExplainer {
 public:
  ConflictExplainer(const Story& story, NodeId node, const SweepInfo& sweep, int64_t step)
      : story_(story),
        node_(node),
        sweep_(sweep),
        step_(step),
        layout_(story.problem().rule(story.problem().node(node).rule)),
        mesh_(common_mesh()) {}

  ExplainedConflict explain(const Conflict& conflict) const {
    ExplainedConflict out;
    const OpId op = story_.solved.ops[node_.index()];
    out.op = story_.op_name(node_);
    out.location = story_.location(node_);
    out.function = op.valid() ? story_.function_of(op) : std::string();
    out.factor = symbol(conflict.factor);
    out.axis = axis_text(conflict.wanted);
    if (conflict.kept) out.kept = axis_text(*conflict.kept);
    out.reason = to_string(conflict.reason);
    out.tensor = tensor(conflict.tensor);
    if (conflict.target) out.target = tensor(*conflict.target);
    out.user_priority = sweep_.user_priority;
    out.level = sweep_.level;
    out.candidates.push_back(candidate(conflict.factor, conflict.wanted));
    if (conflict.other_factor) {
      out.candidates.push_back(candidate(*conflict.other_factor, conflict.wanted));
      out.winner = "factor " + symbol(*conflict.other_factor) + " in " + tensor(conflict.tensor);
      out.why = why(conflict);
    }
    out.needed = needed(conflict);
    return out;
  }

 private:
  Mesh common_mesh() const {
    for (const TensorUse& use : story_.problem().tensors(node_)) {
      const std::optional<TensorSharding>& sharding = story_.problem().sharding(use.slot);
      if (sharding && sharding->mesh().num_axes() > 0) return sharding->mesh();
    }
    return {};
  }

  static std::string symbol(std::size_t factor) {
    return factor_symbol(static_cast<int64_t>(factor));
  }
  std::string axis_text(const AxisRef& axis) const { return to_string(mesh_, axis); }
  std::string tensor(std::size_t index) const {
    return story_.name_of(story_.problem().tensors(node_)[index].slot);
  }

  /// The first tensor that has the axis on that factor now. Spec: propagation 6.2.
  std::optional<std::size_t> holder(std::size_t factor, const AxisRef& axis) const {
    for (const uint32_t entry : layout_.factor_entries(factor)) {
      const std::size_t at = layout_.entry_tensor(entry);
      const auto& sharding = story_.problem().sharding(story_.problem().tensors(node_)[at].slot);
      if (!sharding) continue;
      const std::optional<std::size_t> dim = dim_of(at, factor);
      if (!dim || *dim >= sharding->dims().size()) continue;
      const AxisList& axes = sharding->dims()[*dim].axes;
      if (std::ranges::any_of(axes, [&](const AxisRef& each) { return touches(each, axis); })) {
        return at;
      }
    }
    return std::nullopt;
  }

  std::optional<std::size_t> dim_of(std::size_t tensor, std::size_t factor) const {
    for (std::size_t dim = 0; dim < layout_.rank(tensor); ++dim) {
      const EntryRange entries = layout_.dim_entries(tensor, dim);
      for (std::size_t entry = entries.begin; entry < entries.end; ++entry) {
        if (layout_.entry_factor(entry) == factor) return dim;
      }
    }
    return std::nullopt;
  }

  int64_t size_of(std::size_t tensor) const {
    int64_t size = 1;
    const EntryRange entries = layout_.tensor_entries(tensor);
    for (std::size_t entry = entries.begin; entry < entries.end; ++entry) {
      size =
          checked_mul(size, layout_.factor_size(layout_.entry_factor(entry))).value_or(INT64_MAX);
    }
    return size;
  }

  std::string candidate(std::size_t factor, const AxisRef& axis) const {
    std::string text = "factor " + symbol(factor) + " " + axis_text(axis);
    const std::optional<std::size_t> from = holder(factor, axis);
    if (!from) return text;
    return text + " from " + tensor(*from) + " (" + std::to_string(size_of(*from)) + " elements)";
  }

  /// The step that brought the axis to the tensor where it is in the way, if any did.
  const LoggedStep* arrival(const Conflict& conflict) const {
    const SlotId slot = story_.storage(node_, conflict.tensor);
    const LoggedStep* first = nullptr;
    for (const LoggedStep& step : story_.log.steps()) {
      if (step.number > step_) break;
      for (const AxisMove& move : step.moves) {
        const bool is_it =
            story_.storage(step.node, move.target) == slot && touches(move.axis, conflict.wanted);
        if (is_it && first == nullptr) first = &step;
      }
    }
    return first;
  }

  std::string why(const Conflict& conflict) const {
    const LoggedStep* came = arrival(conflict);
    if (came == nullptr) return "annotation: the axis was there from the beginning";
    if (came->sweep.user_priority < sweep_.user_priority) {
      return "priority: it came at user priority " + std::to_string(came->sweep.user_priority);
    }
    if (came->sweep.level < sweep_.level) {
      return "op class: it came at op-priority level " + std::to_string(came->sweep.level);
    }
    if (came->number < step_ || came->node != node_) {
      return "order: it came in step " + std::to_string(came->number);
    }
    const auto winner = holder(*conflict.other_factor, conflict.wanted);
    const auto loser = holder(conflict.factor, conflict.wanted);
    if (winner && loser && size_of(*winner) != size_of(*loser)) {
      return "size: " + tensor(*winner) + " has " + std::to_string(size_of(*winner)) +
             " elements, " + tensor(*loser) + " has " + std::to_string(size_of(*loser));
    }
    return "order: its source is an earlier tensor, or it is an earlier factor";
  }

  std::string needed(const Conflict& conflict) const {
    const std::string axis = axis_text(conflict.wanted);
    const std::string where = tensor(conflict.tensor);
    const std::string factor = "factor " + symbol(conflict.factor);
    const auto dim = dim_of(conflict.tensor, conflict.factor);
    const std::string place = where + (dim ? " dim " + std::to_string(*dim) : "");
    switch (conflict.reason) {
      case ConflictReason::TensorsDisagree:
        return place + " must be sharded along " + axis + ", or not at all";
      case ConflictReason::OtherFactor:
        return axis + " must not be used on another dim of " + where;
      case ConflictReason::Replicated:
        return axis + " must not be among the replicated axes of " + where;
      case ConflictReason::Unreduced:
        return axis + " must not be among the unreduced axes of " + where;
      case ConflictReason::Closed:
        return place + " must be open: {..., ?}";
      case ConflictReason::Overflow:
        return "earlier axes of " + place + " must divide its factors";
      case ConflictReason::DoesNotDivide:
        return "the size of " + factor + ", " +
               std::to_string(layout_.factor_size(conflict.factor)) + ", must have room for " +
               axis;
      case ConflictReason::SubAxis:
        return "propagation must not be conservative";
      case ConflictReason::ResultAccepts:
        return where + " must take " + axis + ", too";
    }
    return {};
  }

  const Story& story_;
  NodeId node_;
  const SweepInfo& sweep_;
  int64_t step_;
  const RuleLayout& layout_;
  Mesh mesh_;
};

/// Of every node the conflicts that it ended with: those of its last step, if that changed
/// something, else those of its standstill.
void explain_conflicts(const Story& story, Explanation& explanation) {
  struct Last {
    const SweepInfo* sweep = nullptr;
    int64_t step = -1;
    const std::vector<Conflict>* conflicts = nullptr;
  };
  std::map<NodeId, Last> last;
  for (const LoggedStep& step : story.log.steps()) {
    last[step.node] = {&step.sweep, step.number, &step.conflicts};
  }
  for (const Standstill& standstill : story.log.standstills()) {
    last[standstill.node] = {&standstill.sweep, INT64_MAX, &standstill.conflicts};
  }
  for (const auto& [node, found] : last) {
    const OpId op = story.solved.ops[node.index()];
    if (op.valid() && story.module.is_erased(op)) continue;
    const ConflictExplainer explainer(story, node, *found.sweep, found.step);
    for (const Conflict& conflict : *found.conflicts) {
      explanation.conflicts.push_back(explainer.explain(conflict));
    }
  }
}

// ---- Ops without a rule -------------------------------------------------------------------------

void explain_missing_rules(const Story& story, Explanation& explanation) {
  std::set<std::string> seen;
  for (const OpId op : story.solved.unknown_ops) {
    if (story.module.is_erased(op)) continue;
    const rules::OpView view(story.module, op);
    const std::string_view target = rules::call_target(view);
    const std::string name =
        target.empty() ? std::string(view.name()) : "custom call '" + std::string(target) + "'";
    if (!seen.insert(name).second) continue;
    explanation.missing_rules.push_back(
        {name, story.module.location_text(op), rules::suggested_einsum(view)});
  }
}

}  // namespace

void Explainer::attach(const ModuleProblem& solved) {
  for (uint32_t slot = 0; slot < solved.problem.num_slots(); ++slot) {
    before_.push_back(solved.problem.sharding(SlotId(slot)));
  }
}

void Explainer::finish(const ModuleProblem& solved, const ir::Module& module) {
  const Story story{.solved = solved,
                    .module = module,
                    .log = log_,
                    .before = before_,
                    .num_named = num_values_,
                    .names = names_};
  explain_values(story, Moves(story), explanation_);
  explain_conflicts(story, explanation_);
  explain_missing_rules(story, explanation_);
}

}  // namespace shardy::propagation
