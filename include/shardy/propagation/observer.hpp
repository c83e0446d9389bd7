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
  int64_t user_priority = 0;
  int level = kLastLevel;  // of op priorities; kLastLevel also without them
  FactorStrategy strategy = FactorStrategy::Aggressive;
};

/// One step as an observer sees it; the references live as long as the call.
struct StepEvent {
  NodeId node;
  const RuleLayout& layout;
  const Projection& before;
  const Projection& after;
  std::span<const std::size_t> targets;  // tensors that got a new sharding; none: no success
  std::span<const Conflict> conflicts;   // what did not go where it was wanted
};

/// Is told what a propagation does while it does it; what a derived class does not override is
/// not told to anybody.
class StepObserver {
 public:
  StepObserver() = default;
  StepObserver(const StepObserver&) = delete;
  StepObserver& operator=(const StepObserver&) = delete;
  virtual ~StepObserver() = default;

  virtual void begin_sweep(const SweepInfo& /*sweep*/) {}
  /// After each step that changed something or met a conflict.
  virtual void on_step(const StepEvent& /*step*/) {}
  /// `member` got the sharding of `from`, another member of its group.
  virtual void on_group_copy(SlotId /*from*/, SlotId /*member*/) {}
  virtual void on_erase(NodeId /*node*/) {}
};

}  // namespace shardy::propagation
