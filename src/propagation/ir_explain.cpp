#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ir_explain_chains.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/propagation/detail/ir_written_program.hpp"
#include "shardy/propagation/ir_adapter.hpp"
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
  ConflictExplainer(const ExplainContext& context, const AxisMoveIndex& moves, NodeId node,
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
    if (came == nullptr) return "annotation: an annotation has the axis";
    if (decided_at(*came, conflict)) return why_at_once(conflict);
    if (came->sweep.user_priority < sweep_.user_priority) {
      return "priority: it was propagated at user priority " +
             std::to_string(came->sweep.user_priority);
    }
    if (came->sweep.level < sweep_.level) {
      return "op class: it was propagated at op-priority level " +
             std::to_string(came->sweep.level);
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
      all.push_back(axis + " is on dim ");
      all.back().append(std::to_string(dim)).append(of);
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
  const AxisMoveIndex& moves_;
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

namespace shardy::propagation {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;

namespace {

constexpr const char* kOriginAttr = "shardy.origin";

/// Returns the position of `item` in `all`. Requires: `all` contains `item`.
template <class Id>
std::size_t position(std::span<const Id> all, Id item) {
  return static_cast<std::size_t>(std::ranges::find(all, item) - all.begin());
}

}  // namespace

WrittenProgram::WrittenProgram(Module module, ValueNamer names)
    : module_(std::move(module)), names_(std::move(names)), functions_(module_.num_ops()) {
  for (const OpId function : module_.functions()) {
    functions_[function.index()] = function;
    if (module_.is_external(function)) continue;
    for (const OpId op : ir::pre_order(module_, module_.entry(function))) {
      functions_[op.index()] = function;
    }
  }
}

void mark_origins(Module& module) {
  for (const OpId op : ir::pre_order(module)) {
    module.attributes(op).set(kOriginAttr, ir::IntegerAttr{static_cast<int64_t>(op.index())});
  }
}

std::optional<OpId> WrittenProgram::origin(const Module& changed, OpId op) const {
  const auto* mark = changed.attribute<ir::IntegerAttr>(op, kOriginAttr);
  if (mark == nullptr) return std::nullopt;
  const OpId written(static_cast<uint32_t>(mark->value));
  return written.index() < module_.num_ops() ? std::optional(written) : std::nullopt;
}

std::optional<ValueId> WrittenProgram::origin(const Module& changed, ValueId value) const {
  const ir::ValueOwner owner = changed.owner(value);
  const OpId op = owner.is_result() ? owner.op : changed.parent_op(owner.block);
  const std::optional<OpId> written = op.valid() ? origin(changed, op) : std::nullopt;
  if (!written) return std::nullopt;
  if (!owner.is_result()) return argument(*written, changed, owner);
  if (owner.index >= module_.num_results(*written)) return std::nullopt;
  return module_.result(*written, owner.index);
}

std::optional<ValueId> WrittenProgram::argument(OpId written, const Module& changed,
                                                const ir::ValueOwner& owner) const {
  std::optional<ir::BlockId> block;
  if (module_.is(written, OpKind::FuncCall)) {
    const auto* callee = module_.attribute<ir::SymbolAttr>(written, ir::attr::kCallee);
    const auto function = callee != nullptr ? module_.find_symbol(callee->name) : std::nullopt;
    if (function) block = ir::entry_block(module_, *function);
  } else {
    const ir::RegionId region = changed.parent_region(owner.block);
    const auto at = position<ir::RegionId>(changed.regions(changed.parent_op(region)), region);
    const auto in_region = position<ir::BlockId>(changed.blocks(region), owner.block);
    const auto regions = module_.regions(written);
    if (at < regions.size() && in_region < module_.blocks(regions[at]).size()) {
      block = module_.blocks(regions[at])[in_region];
    }
  }
  if (!block || owner.index >= module_.args(*block).size()) return std::nullopt;
  return module_.args(*block)[owner.index];
}

std::string WrittenProgram::function_of(OpId written) const {
  const OpId function = function_around(written);
  return function.valid() ? std::string(module_.symbol_name(function)) : std::string();
}

}  // namespace shardy::propagation
