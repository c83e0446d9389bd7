#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/algebra/propagation_edges.hpp>
#include <shardy/propagation/observer.hpp>
#include <span>
#include <vector>

namespace shardy::propagation {

/// An axis that a step gave to a tensor. Tensors are counted operands first, then results.
struct AxisMove {
  AxisRef axis;            // what moved
  std::size_t factor = 0;  // along which factor of the rule
  std::size_t source = 0;  // the first tensor that had the axes before the step
  std::size_t target = 0;  // the tensor that got it

  friend bool operator==(const AxisMove&, const AxisMove&) = default;
};

/// A step that changed something.
struct LoggedStep {
  int64_t number = 0;                // counts successful steps
  NodeId node;                       // which node it was of
  SweepInfo sweep;                   // the sweep that it was in
  std::vector<std::size_t> targets;  // tensors that got a new sharding
  std::vector<AxisMove> moves;       // what each target got
  std::vector<Conflict> conflicts;   // what did not go where it was wanted
};

/// Conflicts of the last step of a node that changed nothing.
struct Standstill {
  NodeId node;                      // which node it is
  SweepInfo sweep;                  // the sweep of its last step
  std::vector<Conflict> conflicts;  // what did not go where it was wanted
};

/// A member of a group that took over a sharding.
struct GroupCopy {
  int64_t step = 0;  // number of the step that wrote `from`
  SlotId from;       // that has got it
  SlotId member;     // that takes it over
};

/// The axes that `event` gave to `target`. Requires: projections of the layout, one of its tensors.
/// Spec: propagation 16.
std::vector<AxisMove> new_axes(const StepEvent& event, std::size_t target);

/// An observer that keeps every decision; `explain` and the debug attributes are read off it.
class DecisionLog : public StepObserver {
 public:
  /// Numbers steps from `first_step` on.
  explicit DecisionLog(int64_t first_step = 0) : next_step_(first_step) {}

  /// Keeps the sweep.
  void begin_sweep(const SweepInfo& sweep) override {
    sweep_ = sweep;
    sweeps_.push_back(sweep);
  }
  void on_step(const StepEvent& event) override;
  void on_group_copy(SlotId from, SlotId member) override {
    group_copies_.push_back({next_step_, from, member});
  }
  /// Keeps the node.
  void on_erase(NodeId node) override { erased_.push_back(node); }

  /// In order.
  std::span<const SweepInfo> sweeps() const { return sweeps_; }
  /// Successful steps, in order.
  std::span<const LoggedStep> steps() const { return steps_; }
  /// Nodes that ended in a conflict, in the order in which they first did.
  std::span<const Standstill> standstills() const { return standstills_; }
  /// In order.
  std::span<const GroupCopy> group_copies() const { return group_copies_; }
  /// Nodes of dead ops, in the order of their erasure.
  std::span<const NodeId> erased() const { return erased_; }

 private:
  void note_standstill(const StepEvent& event);

  int64_t next_step_;
  SweepInfo sweep_;
  std::vector<SweepInfo> sweeps_;
  std::vector<LoggedStep> steps_;
  std::vector<Standstill> standstills_;
  std::vector<std::optional<std::size_t>> standstill_of_;  // by node
  std::vector<GroupCopy> group_copies_;
  std::vector<NodeId> erased_;
};

/// The axes that came to each node, by step, axis name and part, source; of equal moves the first.
/// One element per node, empty if none came. Spec: propagation 16.2.
std::vector<PropagationEdges> propagation_edges(const Problem& problem, const DecisionLog& log);

}  // namespace shardy::propagation

#ifdef SHARDY_HEADER_ONLY
#include <shardy/propagation/detail/log_inl.hpp>
#endif
