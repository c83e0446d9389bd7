#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/propagation/liveness.hpp>
#include <shardy/propagation/observer.hpp>
#include <shardy/propagation/op_priority.hpp>
#include <shardy/propagation/problem.hpp>
#include <shardy/propagation/step.hpp>
#include <span>
#include <utility>
#include <vector>

namespace shardy::propagation {

/// A stack of nodes without duplicates: a node that is on it keeps its place. Spec:
/// propagation 9.2.
class Worklist {
 public:
  explicit Worklist(std::size_t num_nodes) : is_on_(num_nodes, 0) {}

  void push(NodeId node) {
    if (std::exchange(is_on_[node.index()], uint8_t{1}) != 0) return;
    stack_.push_back(node);
  }
  std::optional<NodeId> pop() {
    if (stack_.empty()) return std::nullopt;
    const NodeId node = stack_.back();
    stack_.pop_back();
    is_on_[node.index()] = 0;
    return node;
  }

 private:
  std::vector<NodeId> stack_;
  std::vector<uint8_t> is_on_;  // one per node
};

/// Runs sweeps over one problem: function results, the worklist to its fixed point, function
/// results. Spec: propagation 9.
template <class Observer>
class Sweeper {
 public:
  Sweeper(const Problem& problem, SlotShardings& shardings, Observer& observer)
      : problem_(problem),
        observer_(observer),
        runner_(problem, shardings),
        liveness_(problem),
        worklist_(problem.num_nodes()) {}

  void run(const SweepInfo& sweep);

  const Liveness& liveness() const { return liveness_; }
  /// Steps that were taken and that stored something, over all sweeps.
  int64_t num_steps() const { return num_steps_; }
  int64_t num_updates() const { return num_updates_; }

 private:
  bool set_directions(NodeId node, int level);
  bool step(NodeId node, const SweepInfo& sweep);
  void run_function_results(const SweepInfo& sweep);
  void visit(NodeId node, const SweepInfo& sweep);
  void wake(NodeId node) {
    if (!liveness_.is_erased(node)) worklist_.push(node);
  }

  const Problem& problem_;
  Observer& observer_;
  StepRunner<Observer> runner_;
  Liveness liveness_;
  Worklist worklist_;
  std::vector<Direction> directions_;  // of the factors of one node
  int64_t num_steps_ = 0;
  int64_t num_updates_ = 0;
};

// -------------------------------------------------------------------------------------------------

/// The directions of all factors of a node at `level`; false: no factor goes anywhere.
template <class Observer>
bool Sweeper<Observer>::set_directions(NodeId node, int level) {
  const Node& of = problem_.node(node);
  const RuleLayout& layout = problem_.rule(of.rule);
  directions_.assign(layout.num_factors(), Direction::None);
  const bool waits = level == 0 && waits_for_single_use(of.priority);
  if (waits && liveness_.has_multi_use_operand(node)) return false;
  Direction any = Direction::None;
  for (std::size_t factor = 0; factor < layout.num_factors(); ++factor) {
    if (layout.is_blocked(factor)) continue;
    directions_[factor] =
        of.direction & direction_at(of.priority, level, layout.factor_kind(factor));
    any = any | directions_[factor];
  }
  return any != Direction::None;
}

template <class Observer>
bool Sweeper<Observer>::step(NodeId node, const SweepInfo& sweep) {
  if (!set_directions(node, sweep.level)) return false;
  ++num_steps_;
  const bool updated = runner_.run(node, sweep.strategy, directions_, observer_);
  num_updates_ += updated ? 1 : 0;
  return updated;
}

template <class Observer>
void Sweeper<Observer>::run_function_results(const SweepInfo& sweep) {
  for (const NodeId node : problem_.function_results()) step(node, sweep);
}

/// Steps a node and wakes who sees what it wrote: the slot written last first, for a slot the nodes
/// of its list in order. A step does not wake itself. Spec: propagation 9.3.
template <class Observer>
void Sweeper<Observer>::visit(NodeId node, const SweepInfo& sweep) {
  if (!problem_.node(node).rule.valid() || !step(node, sweep)) return;
  for (const SlotId slot : runner_.written()) {
    const auto nodes = problem_.wakes(problem_.slot(slot).storage);
    for (std::size_t index = nodes.size(); index-- > 0;) {
      if (nodes[index] != node) wake(nodes[index]);
    }
  }
}

template <class Observer>
void Sweeper<Observer>::run(const SweepInfo& sweep) {
  if constexpr (Observer::kEnabled) observer_.begin_sweep(sweep);
  run_function_results(sweep);
  for (auto index = static_cast<uint32_t>(problem_.num_nodes()); index-- > 0;) {
    if (!problem_.node(NodeId(index)).is_function_result) wake(NodeId(index));
  }
  while (const std::optional<NodeId> node = worklist_.pop()) {
    if (liveness_.is_erased(*node)) continue;
    if (liveness_.is_dead(*node)) {
      if constexpr (Observer::kEnabled) observer_.on_erase(*node);
      liveness_.erase(*node, [this](NodeId definer) { wake(definer); });
    } else {
      visit(*node, sweep);
    }
  }
  run_function_results(sweep);
}

}  // namespace shardy::propagation
