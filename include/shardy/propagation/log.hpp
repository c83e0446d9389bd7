// A log of the decisions of propagation, step by step, and the steps through which a slot got the
// axes of its sharding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <shardy/algebra/mesh.hpp>
#include <shardy/algebra/propagation_edges.hpp>
#include <shardy/propagation/problem.hpp>
#include <shardy/support/detail/inline.hpp>
#include <span>
#include <string>
#include <vector>

namespace shardy::propagation {

/// An axis that a step added to a tensor. Tensor indices count operands, then results.
struct AxisMove {
  AxisRef axis;            // the added axis
  std::size_t factor = 0;  // index of the factor in the rule
  std::size_t source = 0;  // first tensor that had the axis before the step
  std::size_t target = 0;  // tensor that got the axis

  friend bool operator==(const AxisMove&, const AxisMove&) = default;
};

/// A step that changed a sharding.
struct LoggedStep {
  int64_t number = 0;                // number of the step among steps that changed a sharding
  NodeId node;                       // node of the step
  SweepInfo sweep;                   // sweep of the step
  std::vector<std::size_t> targets;  // tensors that got a new sharding
  std::vector<AxisMove> moves;       // axes added to each target
  std::vector<Conflict> conflicts;   // axes that were not added
};

/// Conflicts of the latest step of a node that changed nothing. A later step with changes does not
/// erase them.
struct NodeConflicts {
  NodeId node;                      // node of the step
  SweepInfo sweep;                  // sweep of the step
  std::vector<Conflict> conflicts;  // axes that were not added
};

/// A copy of a sharding from one member of a group to another.
struct GroupCopy {
  int64_t step = 0;  // number of the step that wrote the sharding of `from`
  SlotId from;       // member with the sharding
  SlotId member;     // member that got the sharding
};

/// Returns the axes that the step added to the tensor `target`. Requires: `event.before`
/// and `event.after` are projections for `event.layout`; `target` is a tensor of the layout. Spec:
/// propagation 16.
std::vector<AxisMove> new_axes(const StepEvent& event, std::size_t target);

/// An observer that records all decisions. `explain` and the debug attributes use the log.
class DecisionLog : public StepObserver {
 public:
  /// Makes a log whose first step has the number `first_step`.
  explicit DecisionLog(int64_t first_step = 0) : next_step_(first_step) {}

  /// Records the start of a sweep.
  void begin_sweep(const SweepInfo& sweep) override {
    sweep_ = sweep;
    sweeps_.push_back(sweep);
  }
  void on_step(const StepEvent& event) override;
  void on_group_copy(SlotId from, SlotId member) override {
    group_copies_.push_back({next_step_, from, member});
  }
  /// Records the erased node.
  void on_erase(NodeId node) override { erased_.push_back(node); }

  /// Returns the sweeps in the order in which they ran.
  std::span<const SweepInfo> sweeps() const { return sweeps_; }
  /// Returns the steps that changed a sharding, in order.
  std::span<const LoggedStep> steps() const { return steps_; }
  /// Returns the nodes that had a step with conflicts but without changes, in the order of their
  /// first such step.
  std::span<const NodeConflicts> node_conflicts() const { return node_conflicts_; }
  /// Returns the copies within groups, in order.
  std::span<const GroupCopy> group_copies() const { return group_copies_; }
  /// Returns the nodes of erased dead ops, in the order of erasure.
  std::span<const NodeId> erased() const { return erased_; }

 private:
  void note_conflicts(const StepEvent& event);

  int64_t next_step_;
  SweepInfo sweep_;
  std::vector<SweepInfo> sweeps_;
  std::vector<LoggedStep> steps_;
  std::vector<NodeConflicts> node_conflicts_;
  std::vector<std::optional<std::size_t>> conflicts_of_;  // index in node_conflicts_ for each node
  std::vector<GroupCopy> group_copies_;
  std::vector<NodeId> erased_;
};

/// Returns the axes that each node propagated, one element per node, possibly empty. Axes are
/// sorted by step, axis name, sub-axis and source; of equal moves, the first is kept. Spec:
/// propagation 16.2.
std::vector<PropagationEdges> propagation_edges(const Problem& problem, const DecisionLog& log);

/// A propagation step, or a copy within a group, that added a sub-axis to a slot.
struct SlotStep {
  int64_t step = 0;  // number in the log; a copy has the number of its step
  NodeId node;       // node of the step; invalid: a copy from another member of the group
  AxisRef axis;      // the sub-axis that was added
  SlotId source;     // slot that had the axis
  SlotId target;     // slot that got the axis
  SweepInfo sweep;   // sweep of the step
};

/// Returns the steps through which axes came to `slot`, and the steps through which these axes came
/// to their sources, back to the initial shardings. Steps are in the order of the log, without
/// duplicates. Requires: `log` is of a propagation of `problem`; `slot` is an id of the problem.
/// Cost: number of logged steps times number of returned steps.
std::vector<SlotStep> explain(const Problem& problem, const DecisionLog& log, SlotId slot);

/// Names of slots and nodes in explanation_text and conflicts_text.
struct ExplainNames {
  std::function<std::string(SlotId)> slot = {};  // default: `slot 3`, or `slot tag 7`
  std::function<std::string(NodeId)> node = {};  // default: `node 3`, or `node tag 7`
};

/// Returns one line per step of `explain`: `step 4: "data" from h to y through add, priority 1`.
/// Requires: as explain.
std::string explanation_text(const Problem& problem, const DecisionLog& log, SlotId slot,
                             const ExplainNames& names = {});

/// Returns one line per conflict of `log.node_conflicts()`: `at y: "data" is not propagated because
/// of w: other factor`. `w` is the tensor with the obstacle. Requires: `log` is of a propagation of
/// `problem`.
std::string conflicts_text(const Problem& problem, const DecisionLog& log,
                           const ExplainNames& names = {});

}  // namespace shardy::propagation

#ifdef SHARDY_BODIES
#include <algorithm>
#include <tuple>
#include <utility>

namespace shardy::propagation::detail {

/// Returns the first tensor that had all of `axes` on `factor` before the step.
SHARDY_INLINE std::optional<std::size_t> source_tensor(const StepEvent& event, std::size_t factor,
                                                       const AxisList& axes) {
  for (const uint32_t entry : event.layout.factor_entries(factor)) {
    const FactorSharding& sharding = event.before.entries[entry];
    if (!sharding.is_mapped) continue;
    if (axes != sharding.axes && !strict_prefix_of(axes, sharding.axes)) continue;
    return event.layout.entry_tensor(entry);
  }
  return std::nullopt;
}

/// Returns the axis refs of `now` that are not in `before`. If the last ref of `before` was
/// extended, the extended ref is included.
SHARDY_INLINE std::span<const AxisRef> added_axes(const AxisList& before, const AxisList& now) {
  const std::size_t last = before.empty() ? 0 : before.size() - 1;
  const bool is_extended = !before.empty() && before[last] != now[last];
  return AxisSpan(now).subspan(is_extended ? last : before.size());
}

/// Appends one move per axis of `axes`. Copies factor, source and target from `prototype`. If
/// `may_merge`, the first axis may extend the last axis of the previous factor.
SHARDY_INLINE void append_moves(const AxisMove& prototype, std::span<const AxisRef> axes,
                                bool may_merge, std::vector<AxisMove>& moves) {
  for (const AxisRef& axis : axes) {
    if (may_merge && can_merge(moves.back().axis, axis)) {
      moves.back().axis = merge(moves.back().axis, axis);
    } else {
      moves.push_back({axis, prototype.factor, prototype.source, prototype.target});
    }
    may_merge = false;
  }
}

}  // namespace shardy::propagation::detail

namespace shardy::propagation {

SHARDY_INLINE std::vector<AxisMove> new_axes(const StepEvent& event, std::size_t target) {
  SHARDY_EXPECTS(event.before.holds(event.layout) && event.after.holds(event.layout));
  std::vector<AxisMove> moves;
  for (std::size_t dim = 0; dim < event.layout.rank(target); ++dim) {
    const std::size_t first_of_dim = moves.size();
    const EntryRange factors = event.layout.dim_entries(target, dim);
    for (std::size_t entry = factors.begin; entry < factors.end; ++entry) {
      const AxisList& before = event.before.entries[entry].axes;
      const AxisList& now = event.after.entries[entry].axes;
      if (before == now) continue;
      const std::size_t factor = event.layout.entry_factor(entry);
      const std::optional<std::size_t> source = detail::source_tensor(event, factor, now);
      if (!source) continue;
      const bool may_merge = moves.size() > first_of_dim;
      detail::append_moves({{}, factor, *source, target}, detail::added_axes(before, now),
                           may_merge, moves);
    }
  }
  return moves;
}

SHARDY_INLINE void DecisionLog::note_conflicts(const StepEvent& event) {
  constexpr std::size_t kMostNodes = std::size_t{1} << 28U;
  const std::size_t node = event.node.index();
  SHARDY_EXPECTS(node < kMostNodes);
  if (conflicts_of_.size() <= node) conflicts_of_.resize(node + 1);
  if (!conflicts_of_[node]) {
    conflicts_of_[node] = node_conflicts_.size();
    node_conflicts_.push_back({event.node, sweep_, {}});
  }
  NodeConflicts& of_node = node_conflicts_[*conflicts_of_[node]];
  of_node.sweep = sweep_;
  of_node.conflicts.assign(event.conflicts.begin(), event.conflicts.end());
}

SHARDY_INLINE void DecisionLog::on_step(const StepEvent& event) {
  if (event.targets.empty()) return note_conflicts(event);
  LoggedStep step{.number = next_step_++,
                  .node = event.node,
                  .sweep = sweep_,
                  .targets = {event.targets.begin(), event.targets.end()},
                  .moves = {},
                  .conflicts = {event.conflicts.begin(), event.conflicts.end()}};
  for (const std::size_t target : event.targets) {
    const std::vector<AxisMove> moves = new_axes(event, target);
    step.moves.insert(step.moves.end(), moves.begin(), moves.end());
  }
  steps_.push_back(std::move(step));
}

}  // namespace shardy::propagation

namespace shardy::propagation::detail {

/// A move with its sort keys among the moves of a node.
struct RankedMove {
  int64_t step = 0;
  int32_t name_rank = 0;
  AxisMove move;

  auto identity() const { return std::tuple(name_rank, move.axis, move.source, move.target); }
  auto order() const { return std::tuple(step, identity()); }
};

SHARDY_INLINE EdgeValueRef edge_value(const Node& node, std::size_t tensor) {
  const bool is_operand = tensor < node.num_operands;
  return {is_operand ? EdgeValueRef::Kind::Operand : EdgeValueRef::Kind::Result,
          static_cast<int64_t>(is_operand ? tensor : tensor - node.num_operands)};
}

/// Groups sorted moves of a node by step, axis and source.
SHARDY_INLINE PropagationEdges edges_of(const Node& node, const Mesh& mesh,
                                        std::span<const RankedMove> moves) {
  PropagationEdges edges;
  for (const RankedMove& ranked : moves) {
    if (edges.steps.empty() || edges.steps.back().step != ranked.step) {
      edges.steps.push_back({ranked.step, {}});
    }
    std::vector<AxisEdge>& of_step = edges.steps.back().edges;
    UnresolvedAxisRef axis = spell(mesh, ranked.move.axis);
    const EdgeValueRef source = edge_value(node, ranked.move.source);
    if (of_step.empty() || of_step.back().axis != axis || of_step.back().source != source) {
      of_step.push_back({std::move(axis), source, {}});
    }
    of_step.back().targets.push_back(edge_value(node, ranked.move.target));
  }
  return edges;
}

}  // namespace shardy::propagation::detail

namespace shardy::propagation {

SHARDY_INLINE std::vector<PropagationEdges> propagation_edges(const Problem& problem,
                                                              const DecisionLog& log) {
  std::vector<std::vector<const LoggedStep*>> steps(problem.num_nodes());
  for (const LoggedStep& step : log.steps()) steps[step.node.index()].push_back(&step);

  std::vector<PropagationEdges> edges(problem.num_nodes());
  std::vector<detail::RankedMove> moves;
  for (uint32_t index = 0; index < problem.num_nodes(); ++index) {
    if (steps[index].empty()) continue;
    // All steps of a node use one mesh: the mesh of any tensor to which the node propagated an
    // axis.
    const auto tensors = problem.tensors(NodeId(index));
    const Mesh& mesh =
        problem.sharding(tensors[steps[index].front()->targets.front()].slot)->mesh();
    moves.clear();
    for (const LoggedStep* step : steps[index]) {
      for (const AxisMove& move : step->moves) {
        moves.push_back({step->number, mesh.name_rank(move.axis.axis), move});
      }
    }
    std::ranges::stable_sort(moves, {}, &detail::RankedMove::identity);
    const auto same = [](const detail::RankedMove& a, const detail::RankedMove& b) {
      return a.identity() == b.identity();
    };
    moves.erase(std::unique(moves.begin(), moves.end(), same), moves.end());
    std::ranges::sort(moves, {}, &detail::RankedMove::order);
    edges[index] = detail::edges_of(problem.node(NodeId(index)), mesh, moves);
  }
  return edges;
}

}  // namespace shardy::propagation

namespace shardy::propagation::detail {

/// A tracer that follows axes back through a log.
class SlotTracer {
 public:
  SlotTracer(const Problem& problem, const DecisionLog& log) : problem_(problem), log_(log) {}

  /// Returns the steps before step `end` by which `axis` came to the slot; any axis if `axis` is
  /// null.
  std::vector<SlotStep> arrivals(SlotId slot, const AxisRef* axis, int64_t end) const;
  bool is_same_storage(SlotId a, SlotId b) const {
    return problem_.slot(a).storage == problem_.slot(b).storage;
  }

 private:
  void add_moves(const LoggedStep& step, SlotId slot, const AxisRef* axis,
                 std::vector<SlotStep>& found) const;
  void add_copies(SlotId slot, const AxisRef* axis, int64_t end,
                  std::vector<SlotStep>& found) const;

  const Problem& problem_;
  const DecisionLog& log_;
};

SHARDY_INLINE void SlotTracer::add_moves(const LoggedStep& step, SlotId slot, const AxisRef* axis,
                                         std::vector<SlotStep>& found) const {
  const std::span<const TensorUse> tensors = problem_.tensors(step.node);
  for (const AxisMove& move : step.moves) {
    const SlotId target = tensors[move.target].slot;
    if (!is_same_storage(target, slot)) continue;
    if (axis != nullptr && !overlaps(move.axis, *axis)) continue;
    found.push_back(
        {step.number, step.node, move.axis, tensors[move.source].slot, target, step.sweep});
  }
}

/// Adds the group copies to `slot`. A copy passes on the axes that its source got in the copied
/// step.
SHARDY_INLINE void SlotTracer::add_copies(SlotId slot, const AxisRef* axis, int64_t end,
                                          std::vector<SlotStep>& found) const {
  for (const GroupCopy& copy : log_.group_copies()) {
    if (copy.step >= end || !is_same_storage(copy.member, slot)) continue;
    for (const LoggedStep& step : log_.steps()) {
      if (step.number != copy.step) continue;
      std::vector<SlotStep> moves;
      add_moves(step, copy.from, axis, moves);
      for (const SlotStep& move : moves) {
        found.push_back({copy.step, {}, move.axis, copy.from, copy.member, step.sweep});
      }
    }
  }
}

SHARDY_INLINE std::vector<SlotStep> SlotTracer::arrivals(SlotId slot, const AxisRef* axis,
                                                         int64_t end) const {
  std::vector<SlotStep> found;
  for (const LoggedStep& step : log_.steps()) {
    if (step.number >= end) break;
    add_moves(step, slot, axis, found);
  }
  add_copies(slot, axis, end, found);
  return found;
}

inline auto identity_of(const SlotStep& step) {
  return std::tuple(step.step, !step.node.valid(), step.target, step.axis, step.source);
}

/// Returns the name of a slot or node from a callback of ExplainNames, by default its tag or
/// number.
template <class Callback, class Id>
std::string name_of(const Problem& problem, const Callback& callback, Id id, const char* kind) {
  if (callback) return callback(id);
  const uint64_t tag = problem.tag(id);
  return std::string(kind) +
         (tag == 0 ? " " + std::to_string(id.value) : " tag " + std::to_string(tag));
}

SHARDY_INLINE std::string conflict_text(const Problem& problem, NodeId node,
                                        const Conflict& conflict, const ExplainNames& names) {
  const std::span<const TensorUse> tensors = problem.tensors(node);
  const auto sharded = std::ranges::find_if(
      tensors, [&](const TensorUse& use) { return problem.sharding(use.slot).has_value(); });
  SHARDY_EXPECTS(sharded != tensors.end() && conflict.tensor < tensors.size());
  const Mesh& mesh = problem.sharding(sharded->slot)->mesh();
  return "at " + name_of(problem, names.node, node, "node") + ": " +
         to_string(mesh, conflict.wanted) +
         (conflict.kept ? " is propagated as " + to_string(mesh, *conflict.kept)
                        : " is not propagated") +
         " because of " + name_of(problem, names.slot, tensors[conflict.tensor].slot, "slot") +
         ": " + std::string(to_string(conflict.reason)) + "\n";
}

}  // namespace shardy::propagation::detail

namespace shardy::propagation {

SHARDY_INLINE std::vector<SlotStep> explain(const Problem& problem, const DecisionLog& log,
                                            SlotId slot) {
  SHARDY_EXPECTS(slot.valid() && slot.index() < problem.num_slots());
  const detail::SlotTracer tracer(problem, log);
  const int64_t end = log.steps().empty() ? 0 : log.steps().back().number + 1;
  std::vector<SlotStep> steps = tracer.arrivals(slot, nullptr, end);
  for (std::size_t next = 0; next < steps.size(); ++next) {
    const SlotStep step = steps[next];
    // A copy has the number of the step in which its source got the axis, so this step is included.
    const int64_t before = step.node.valid() ? step.step : step.step + 1;
    for (const SlotStep& earlier : tracer.arrivals(step.source, &step.axis, before)) {
      const auto is_known = [&](const SlotStep& known) {
        return detail::identity_of(known) == detail::identity_of(earlier);
      };
      if (std::ranges::none_of(steps, is_known)) steps.push_back(earlier);
    }
  }
  std::ranges::sort(steps, [](const SlotStep& a, const SlotStep& b) {
    return detail::identity_of(a) < detail::identity_of(b);
  });
  return steps;
}

SHARDY_INLINE std::string explanation_text(const Problem& problem, const DecisionLog& log,
                                           SlotId slot, const ExplainNames& names) {
  const auto name = [&](const auto& callback, auto id, const char* kind) {
    return detail::name_of(problem, callback, id, kind);
  };
  std::string text;
  for (const SlotStep& step : explain(problem, log, slot)) {
    const Mesh& mesh = problem.sharding(step.target)->mesh();
    text += "step " + std::to_string(step.step) + ": " + to_string(mesh, step.axis) + " from " +
            name(names.slot, step.source, "slot") + " to " + name(names.slot, step.target, "slot");
    text +=
        step.node.valid() ? " through " + name(names.node, step.node, "node") : ", of its group";
    text += ", priority " + std::to_string(step.sweep.user_priority) + "\n";
  }
  return text;
}

SHARDY_INLINE std::string conflicts_text(const Problem& problem, const DecisionLog& log,
                                         const ExplainNames& names) {
  std::string text;
  for (const NodeConflicts& of : log.node_conflicts()) {
    for (const Conflict& conflict : of.conflicts) {
      text += detail::conflict_text(problem, of.node, conflict, names);
    }
  }
  return text;
}

}  // namespace shardy::propagation
#endif  // SHARDY_BODIES
