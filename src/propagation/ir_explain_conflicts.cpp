// The conflicts in explanations: the competing factors, the winner, and the reason why it won.
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ir_explain_chains.hpp"
#include "shardy/algebra/text.hpp"

namespace shardy::propagation::detail {

using ir::OpId;

namespace {

bool is_along(const AxisRef& axis, const AxisList& axes) {
  return std::ranges::any_of(axes, [&](const AxisRef& each) { return overlaps(each, axis); });
}

/// Removes the axes that cannot be in a sharding with the axes of `wanted`.
void make_room(AxisList& axes, const AxisList& wanted) {
  std::erase_if(axes, [&](const AxisRef& each) {
    return std::ranges::any_of(wanted, [&](const AxisRef& other) {
      return overlaps(each, other) || !can_coexist(each, other);
    });
  });
}

bool is_prefix(const AxisList& axes, const AxisList& of) {
  return axes == of || strict_prefix_of(axes, of);
}

// The sharding with which a tensor has an axis on a factor: the axis leaves other dims.
//
//   %w [{"x"}, {}], "x" wanted along the factor of dim 1   ->   %w=[{}, {"x"}];
//                                                         now "x" is on dim 0, dim 1 is closed

/// A sharding that one tensor of an op needs.
struct NeededSharding {
  std::size_t tensor = 0;            // index of the tensor
  std::string sharding;              // as an annotation
  std::vector<std::string> reasons;  // differences from the current sharding
};

/// Explains the conflicts of one step.
class ConflictExplainer {
 public:
  ConflictExplainer(const ExplainContext& context, const Moves& moves, NodeId node,
                    const SweepInfo& sweep, int64_t step)
      : context_(context),
        moves_(moves),
        node_(node),
        sweep_(sweep),
        step_(step),
        layout_(context.problem().rule(context.problem().node(node).rule)),
        example_(first_sharding()),
        mesh_(example_ ? example_->mesh() : Mesh()) {}

  ExplainedConflict explain(const Conflict& logged) {
    const Conflict conflict = with_first_reason(logged);
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
    for (std::size_t at = layout_.num_operands(); at < layout_.num_tensors(); ++at) {
      out.results.push_back(tensor(at));
    }
    return out;
  }

 private:
  /// Returns the first sharding of a tensor of the op on a mesh with axes.
  std::optional<TensorSharding> first_sharding() const {
    for (const TensorUse& use : context_.problem().tensors(node_)) {
      const std::optional<TensorSharding>& sharding = context_.problem().sharding(use.slot);
      if (sharding && sharding->mesh().num_axes() > 0) return sharding;
    }
    return std::nullopt;
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

  const std::optional<TensorSharding>& sharding_of(std::size_t tensor) const {
    return context_.problem().sharding(context_.problem().tensors(node_)[tensor].slot);
  }

  /// Returns the factor shardings of all tensors after propagation. They are computed once, because
  /// an op may have as many conflicts as tensors.
  Projection& projection() {
    if (projection_) return *projection_;
    projection_.emplace().reset(layout_);
    for (std::size_t tensor = 0; tensor < layout_.num_tensors(); ++tensor) {
      const auto& sharding = sharding_of(tensor);
      const bool has_dims = sharding && sharding->rank() == layout_.rank(tensor);
      has_dims ? project(layout_, tensor, *sharding, *projection_)
               : project_absent(layout_, tensor, false, *projection_);
    }
    return *projection_;
  }

  std::optional<std::size_t> entry_of(std::size_t tensor, std::size_t factor) const {
    const auto entries = layout_.factor_entries(factor);
    const auto found = std::ranges::lower_bound(
        entries, tensor, {}, [&](uint32_t entry) { return layout_.entry_tensor(entry); });
    const bool is_found = found != entries.end() && layout_.entry_tensor(*found) == tensor;
    return is_found ? std::optional<std::size_t>(*found) : std::nullopt;
  }

  /// Returns the conflict with another reason if the dim is closed, but another factor of the
  /// tensor has the axis: to open the dim would not be enough.
  Conflict with_first_reason(Conflict conflict) {
    if (conflict.reason != ConflictReason::Closed) return conflict;
    const EntryRange entries = layout_.tensor_entries(conflict.tensor);
    for (std::size_t entry = entries.begin; entry < entries.end; ++entry) {
      const std::size_t factor = layout_.entry_factor(entry);
      const FactorSharding& other = projection().entries[entry];
      if (factor == conflict.factor) continue;
      if (!is_along(conflict.wanted, other.axes) && !is_along(conflict.wanted, other.overflow)) {
        continue;
      }
      conflict.reason = ConflictReason::OtherFactor;
      conflict.other_factor = factor;
      break;
    }
    return conflict;
  }

  /// Returns the axes of the factor up to the wanted axis, from the first tensor that has it.
  AxisList wanted_axes(const Conflict& conflict) {
    AxisList axes;
    const auto from = holder(conflict.factor, conflict.wanted);
    const auto entry = entry_of(from.value_or(conflict.tensor), conflict.factor);
    if (entry) axes = projection().entries[*entry].axes;
    const auto end = std::ranges::find_if(
        axes, [&](const AxisRef& each) { return touches(each, conflict.wanted); });
    axes.erase(end, axes.end());
    axes.push_back(conflict.wanted);
    return axes;
  }

  /// Returns the tensors that need another sharding before the axis propagates.
  std::vector<std::size_t> tensors_in_the_way(const Conflict& conflict, const AxisList& wanted) {
    if (conflict.reason == ConflictReason::ResultAccepts) {
      return {conflict.tensor, conflict.target.value_or(conflict.tensor)};
    }
    if (conflict.target) return {*conflict.target};
    const bool disagrees = conflict.reason == ConflictReason::TensorsDisagree;
    std::vector<std::size_t> found;
    for (std::size_t tensor = 0; tensor < layout_.num_tensors(); ++tensor) {
      const auto entry = entry_of(tensor, conflict.factor);
      if (!sharding_of(tensor)) continue;
      const AxisList axes = entry ? projection().entries[*entry].axes : AxisList();
      const bool is_in_the_way =
          disagrees ? entry && !is_prefix(axes, wanted) && !is_prefix(wanted, axes)
                    : tensor == conflict.tensor || (entry && !is_prefix(wanted, axes));
      if (is_in_the_way) found.push_back(tensor);
    }
    if (found.empty()) found.push_back(conflict.tensor);
    return found;
  }

  /// Returns the sharding with which the tensor has the axes on the factor, or on no other factor
  /// if the tensor does not have the factor. std::nullopt: no sharding has them there.
  std::optional<TensorSharding> sharding_with(const TensorSharding& now, std::size_t tensor,
                                              std::size_t factor, const AxisList& wanted) {
    const auto target = entry_of(tensor, factor);
    std::vector<DimSharding> dims = dims_with(tensor, target, wanted);
    AxisList replicated = now.replicated_axes();
    AxisList unreduced = now.unreduced_axes();
    make_room(replicated, wanted);
    make_room(unreduced, wanted);
    const ReductionOp reduction = unreduced.empty() ? ReductionOp::Sum : now.reduction_op();
    const auto made = TensorSharding::make(now.mesh(), now.mesh_name(), std::move(dims),
                                           std::move(replicated), std::move(unreduced), reduction);
    if (!made) return std::nullopt;
    return has_axes(*made, tensor, target, wanted) ? std::optional(*made) : std::nullopt;
  }

  /// Calls `use` with a projection in which it may change the tensor, and undoes the change.
  template <class Use>
  auto with_projection_of(std::size_t tensor, Use use) {
    Projection& all = projection();
    const EntryRange range = layout_.tensor_entries(tensor);
    const auto begin = all.entries.begin() + static_cast<std::ptrdiff_t>(range.begin);
    const auto end = all.entries.begin() + static_cast<std::ptrdiff_t>(range.end);
    const std::vector<FactorSharding> kept(begin, end);
    const TensorAxes axes = all.tensors[tensor];
    auto result = use(all);
    std::ranges::copy(kept, begin);
    all.tensors[tensor] = axes;
    return result;
  }

  /// Returns the dims of the tensor with the axes on the factor of `target` only.
  std::vector<DimSharding> dims_with(std::size_t tensor, std::optional<std::size_t> target,
                                     const AxisList& wanted) {
    return with_projection_of(tensor, [&](Projection& changed) {
      const EntryRange entries = layout_.tensor_entries(tensor);
      for (std::size_t entry = entries.begin; entry < entries.end; ++entry) {
        FactorSharding& each = changed.entries[entry];
        if (entry == target) {
          each.axes = wanted;
          each.overflow.clear();
        } else {
          make_room(each.axes, wanted);
          make_room(each.overflow, wanted);
        }
      }
      return back_project(layout_, tensor, changed);
    });
  }

  /// Checks whether the sharding gives the axes to the factor of `target`.
  bool has_axes(const TensorSharding& sharding, std::size_t tensor,
                std::optional<std::size_t> target, const AxisList& wanted) {
    return !target || with_projection_of(tensor, [&](Projection& changed) {
      const EntryRange entries = layout_.tensor_entries(tensor);
      std::fill(changed.entries.begin() + static_cast<std::ptrdiff_t>(entries.begin),
                changed.entries.begin() + static_cast<std::ptrdiff_t>(entries.end),
                FactorSharding());
      project(layout_, tensor, sharding, changed);
      return changed.entries[*target].axes == wanted;
    });
  }

  /// Returns the sharding in the shortest form that annotations take.
  std::string annotation_text(const TensorSharding& sharding) const {
    std::string text = to_string(sharding);
    const std::size_t dims = text.find('[');
    const bool is_only_mesh = context_.written.module().meshes().size() == 1;
    if (!is_only_mesh || !sharding.mesh_name() || dims == std::string::npos) return text;
    text = text.substr(dims, text.size() - dims - 1);
    const bool has_only_dims = text.ends_with(']');
    return has_only_dims ? text : to_string(sharding);
  }

  std::vector<std::string> differences(const TensorSharding& now, std::size_t tensor,
                                       const Conflict& conflict, const AxisList& wanted) const {
    std::vector<std::string> all;
    const std::string axis = axis_text(conflict.wanted);
    const std::string of = " of " + this->tensor(tensor);
    const auto target = dim_of(tensor, conflict.factor);
    for (std::size_t dim = 0; dim < now.rank(); ++dim) {
      if (dim == target || !is_along(conflict.wanted, now.dim(dim).axes)) continue;
      all.push_back(axis + " is on dim " + std::to_string(dim) + of);
    }
    if (is_along(conflict.wanted, now.replicated_axes())) {
      all.push_back(axis + " is among the replicated axes" + of);
    }
    if (is_along(conflict.wanted, now.unreduced_axes())) {
      all.push_back(axis + " is among the unreduced axes" + of);
    }
    if (!target) return all;
    const std::string dim = "dim " + std::to_string(*target) + of;
    const AxisList& axes = now.dim(*target).axes;
    if (now.is_closed(*target)) all.push_back(dim + " is closed");
    if (!axes.empty() && !is_prefix(axes, wanted)) {
      all.push_back(dim + " is along " + axis_text(axes.front()));
    }
    return all;
  }

  /// Returns the name with which an annotation can name the tensor; empty for a value that is not
  /// in the source program.
  std::string annotated_name(std::size_t tensor) const {
    const SlotId slot = context_.problem().tensors(node_)[tensor].slot;
    if (const auto* result = context_.function_result(slot)) {
      const auto function = context_.written.origin(context_.module, result->function);
      if (!function) return {};
      const bool is_main = context_.written.module().main_function() == *function;
      const std::string name = context_.name_of(slot);
      return is_main ? name : "@" + context_.written.function_of(*function) + ":" + name;
    }
    // An annotation of a value on a data-flow edge is a constraint for the users of the value,
    // which leaves the edge itself to propagation.
    const OpId op = context_.solved.ops[node_.index()];
    const auto is_op = [&](ir::OpKind kind) { return op.valid() && context_.module.is(op, kind); };
    const bool stays_on_edge = is_op(ir::OpKind::SdyShardingConstraint) ||
                               is_op(ir::OpKind::SdyDataFlowEdge) ||
                               is_op(ir::OpKind::SdyFuncDataFlowEdge);
    const SlotOrigin::Kind kind = context_.origins[slot.index()].kind;
    const bool is_written =
        kind == SlotOrigin::Kind::Value || (kind == SlotOrigin::Kind::Edge && !stays_on_edge);
    return is_written ? context_.full_name_of(slot) : std::string();
  }

  std::optional<NeededSharding> needed_of(std::size_t tensor, const Conflict& conflict,
                                          const AxisList& wanted) {
    if (!example_) return std::nullopt;
    const TensorSharding now = sharding_of(tensor).value_or(
        TensorSharding::fully_open(mesh_, example_->mesh_name(), layout_.rank(tensor)));
    const auto sharding = sharding_with(now, tensor, conflict.factor, wanted);
    if (!sharding) return std::nullopt;
    const std::string name = annotated_name(tensor);
    // A constraint with open dims would not keep the other axes from the value.
    const SlotId slot = context_.problem().tensors(node_)[tensor].slot;
    const bool is_annotated = context_.written_sharding(slot).has_value();
    const std::string text = annotation_text(is_annotated ? *sharding : sharding->closed_like());
    return NeededSharding{
        tensor,
        name.empty() ? "the sharding " + text + " of " + this->tensor(tensor) : name + "=" + text,
        differences(now, tensor, conflict, wanted)};
  }

  /// Returns the annotations that would let the axis propagate, with the reasons why each is
  /// needed: `%w=[{}, {"x"}]; now "x" is on dim 0 of %w, dim 1 of %w is closed`.
  std::string needed(const Conflict& conflict) {
    if (conflict.reason == ConflictReason::SubAxis) return "propagation must not be conservative";
    const AxisList wanted = wanted_axes(conflict);
    std::string text;
    std::string reasons;
    for (const std::size_t tensor : tensors_in_the_way(conflict, wanted)) {
      const auto change = needed_of(tensor, conflict, wanted);
      if (!change) return no_sharding(conflict, tensor);
      text += (text.empty() ? "" : " and ") + change->sharding;
      for (const std::string& reason : change->reasons) {
        reasons += (reasons.empty() ? "; now " : ", ") + reason;
      }
    }
    return text + reasons;
  }

  std::string no_sharding(const Conflict& conflict, std::size_t tensor) const {
    const auto dim = dim_of(tensor, conflict.factor);
    return "another size of factor " + symbol(conflict.factor) + ", now " +
           std::to_string(layout_.factor_size(conflict.factor)) + ", or of the other factors of " +
           this->tensor(tensor) + (dim ? " dim " + std::to_string(*dim) : "") +
           ": no sharding has " + axis_text(conflict.wanted) + " there";
  }

  const ExplainContext& context_;
  const Moves& moves_;
  NodeId node_;
  const SweepInfo& sweep_;
  int64_t step_;
  const FlatRule& layout_;
  std::optional<TensorSharding> example_;  // its mesh is the mesh of the step
  Mesh mesh_;
  std::optional<Projection> projection_;  // after propagation
  std::map<std::pair<std::size_t, AxisRef>, std::optional<std::size_t>> holders_;
  /// Results of decided_at, keyed by step, factor, other factor and axis.
  std::map<std::tuple<int64_t, std::size_t, std::size_t, AxisRef>, bool> decided_;
};

}  // namespace

// Explains the conflicts of the last step of each node, whether or not that step changed a
// sharding.
void explain_conflicts(const ExplainContext& context, const Moves& moves,
                       Explanation& explanation) {
  struct Last {
    const SweepInfo* sweep = nullptr;
    int64_t step = -1;
    const std::vector<Conflict>* conflicts = nullptr;
  };
  std::map<NodeId, Last> last;
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
