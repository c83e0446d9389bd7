// The conflicts in explanations: the competing factors, the winner, and the reason why it won.
#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

#include "ir_explain_chains.hpp"

namespace shardy::propagation::detail {

using ir::OpId;

namespace {

/// Explains the conflicts of one step.
class ConflictExplainer {
 public:
  ConflictExplainer(const ExplainContext& context, const AxisMoveIndex& moves, NodeId node,
                    const SweepInfo& sweep, int64_t step)
      : context_(context),
        moves_(moves),
        node_(node),
        sweep_(sweep),
        step_(step),
        layout_(context.problem().rule(context.problem().node(node).rule)),
        mesh_(common_mesh()) {}

  ExplainedConflict explain(const Conflict& conflict) {
    ExplainedConflict out;
    const OpId op = context_.solved.ops[node_.index()];
    out.op = context_.op_name(node_);
    out.location = context_.location(node_);
    if (op.valid()) {
      out.function = context_.function_of(op);
      out.calls = context_.calls_around(op);
    }
    out.factor = symbol(conflict.factor);
    out.axis = axis_text(conflict.wanted);
    out.axis_name = mesh_.axis_name(conflict.wanted.axis);
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
    for (const TensorUse& use : context_.problem().tensors(node_)) {
      const std::optional<TensorSharding>& sharding = context_.problem().sharding(use.slot);
      if (sharding && sharding->mesh().num_axes() > 0) return sharding->mesh();
    }
    return {};
  }

  static std::string symbol(std::size_t factor) {
    return factor_symbol(static_cast<int64_t>(factor));
  }
  std::string axis_text(const AxisRef& axis) const { return to_string(mesh_, axis); }
  std::string tensor(std::size_t index) const {
    return context_.name_of(context_.problem().tensors(node_)[index].slot);
  }

  /// Returns the first tensor that has the axis on the factor. Spec: propagation 6.2. The results
  /// are cached, because an op may have as many conflicts as tensors.
  std::optional<std::size_t> holder(std::size_t factor, const AxisRef& axis) {
    const auto [known, is_new] = holders_.try_emplace({factor, axis});
    if (is_new) known->second = find_holder(factor, axis);
    return known->second;
  }

  std::optional<std::size_t> find_holder(std::size_t factor, const AxisRef& axis) const {
    for (const uint32_t entry : layout_.factor_entries(factor)) {
      const std::size_t at = layout_.entry_tensor(entry);
      const auto& sharding =
          context_.problem().sharding(context_.problem().tensors(node_)[at].slot);
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

  std::string candidate(std::size_t factor, const AxisRef& axis) {
    std::string text = "factor " + symbol(factor) + " " + axis_text(axis);
    const std::optional<std::size_t> from = holder(factor, axis);
    if (!from) return text;
    return text + " from " + tensor(*from) + " (" + std::to_string(size_of(*from)) + " elements)";
  }

  std::string why(const Conflict& conflict) {
    const SlotId slot = context_.storage(node_, conflict.tensor);
    const LoggedStep* came = moves_.first_arrival(slot, conflict.wanted, step_);
    if (came == nullptr) return "annotation: the axis was there from the beginning";
    if (decided_at(*came, conflict)) return why_at_once(conflict);
    if (came->sweep.user_priority < sweep_.user_priority) {
      return "priority: it came at user priority " + std::to_string(came->sweep.user_priority);
    }
    if (came->sweep.level < sweep_.level) {
      return "op class: it came at op-priority level " + std::to_string(came->sweep.level);
    }
    if (came->number < step_ || came->node != node_) {
      return "order: it came in step " + std::to_string(came->number);
    }
    return why_at_once(conflict);
  }

  /// Returns whether the step that added the axis chose between the two factors of the conflict.
  bool decided_at(const LoggedStep& step, const Conflict& conflict) {
    if (step.node != node_) return false;
    const auto [known, is_new] = decided_.try_emplace(
        {step.number, conflict.factor, *conflict.other_factor, conflict.wanted});
    if (!is_new) return known->second;
    known->second = std::ranges::any_of(step.conflicts, [&](const Conflict& each) {
      return each.factor == conflict.factor && each.other_factor == conflict.other_factor &&
             touches(each.wanted, conflict.wanted);
    });
    return known->second;
  }

  /// Returns the reason why a step preferred one of two factors that competed in it. Spec:
  /// propagation 6.3.
  std::string why_at_once(const Conflict& conflict) {
    const auto winner = holder(*conflict.other_factor, conflict.wanted);
    const auto loser = holder(conflict.factor, conflict.wanted);
    if (winner && loser && size_of(*winner) != size_of(*loser)) {
      return "size: " + tensor(*winner) + " has " + std::to_string(size_of(*winner)) +
             " elements, " + tensor(*loser) + " has " + std::to_string(size_of(*loser));
    }
    if (context_.problem().node(node_).is_elementwise) {
      return "order: it has more shards, its source is an earlier tensor, or it is an earlier "
             "factor";
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

  const ExplainContext& context_;
  const AxisMoveIndex& moves_;
  NodeId node_;
  const SweepInfo& sweep_;
  int64_t step_;
  const FlatRule& layout_;
  Mesh mesh_;
  std::map<std::pair<std::size_t, AxisRef>, std::optional<std::size_t>> holders_;
  /// Results of decided_at, keyed by step, factor, other factor and axis.
  std::map<std::tuple<int64_t, std::size_t, std::size_t, AxisRef>, bool> decided_;
};

}  // namespace

// Explains the conflicts of the last step of each node, whether or not that step changed a
// sharding.
void explain_conflicts(const ExplainContext& context, const AxisMoveIndex& moves,
                       Explanation& explanation) {
  struct LastStep {
    const SweepInfo* sweep = nullptr;
    int64_t step = -1;
    const std::vector<Conflict>* conflicts = nullptr;
  };
  std::map<NodeId, LastStep> last;
  for (const LoggedStep& step : context.log.steps()) {
    last[step.node] = {&step.sweep, step.number, &step.conflicts};
  }
  for (const NodeConflicts& node : context.log.node_conflicts()) {
    last[node.node] = {&node.sweep, INT64_MAX, &node.conflicts};
  }
  for (const auto& [node, found] : last) {
    const OpId op = context.solved.ops[node.index()];
    if (op.valid() && context.module.is_erased(op)) continue;
    ConflictExplainer explainer(context, moves, node, *found.sweep, found.step);
    for (const Conflict& conflict : *found.conflicts) {
      explanation.conflicts.push_back(explainer.explain(conflict));
    }
  }
}

}  // namespace shardy::propagation::detail
