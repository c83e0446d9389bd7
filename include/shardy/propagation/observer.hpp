#pragma once

#include <cstdint>
#include <shardy/propagation/detail/conflict.hpp>
#include <shardy/propagation/detail/strategy.hpp>
#include <shardy/propagation/problem.hpp>
#include <shardy/propagation/projection.hpp>
#include <span>

namespace shardy::propagation {

/// The sweep that steps belong to.
struct SweepInfo {
  int64_t user_priority = 0;  // dims of this priority and of lower numbers take part
  int level = kLastLevel;     // of op priorities; kLastLevel also without them
  FactorStrategy strategy = FactorStrategy::Aggressive;  // how axes are chosen for a factor
};

/// One step as an observer sees it; the references live as long as the call.
struct StepEvent {
  NodeId node;                           // which node it is of
  const RuleLayout& layout;              // of the rule of the node
  const Projection& before;              // before the step
  const Projection& after;               // after it
  std::span<const std::size_t> targets;  // tensors that got a new sharding; none: no success
  std::span<const Conflict> conflicts;   // what did not go where it was wanted
};

/// Is told what a propagation does while it does it; what a derived class does not override is
/// not told to anybody. Threads: the one that propagates makes all calls.
class StepObserver {
 public:
  StepObserver() = default;
  StepObserver(const StepObserver&) = delete;
  StepObserver& operator=(const StepObserver&) = delete;
  virtual ~StepObserver() = default;

  /// A sweep over all nodes begins.
  virtual void begin_sweep(const SweepInfo& /*sweep*/) {}
  /// After each step that changed something or met a conflict.
  virtual void on_step(const StepEvent& /*step*/) {}
  /// `member` got the sharding of `from`, another member of its group.
  virtual void on_group_copy(SlotId /*from*/, SlotId /*member*/) {}
  /// The op of the node was dead, and is left out from then on.
  virtual void on_erase(NodeId /*node*/) {}
};

}  // namespace shardy::propagation
