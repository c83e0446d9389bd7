#pragma once

#include <cstdint>
#include <optional>
#include <shardy/propagation/conflict.hpp>
#include <shardy/propagation/problem.hpp>
#include <shardy/propagation/projection.hpp>
#include <shardy/propagation/strategy.hpp>
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

/// Sees nothing and costs nothing. Another observer has the same members, with kEnabled true.
struct NoObserver {
  static constexpr bool kEnabled = false;
  /// Who strategies tell of conflicts: nobody, the code for it is not even compiled. Observers
  /// that are enabled say ConflictList.
  using Conflicts = NoConflicts;

  void begin_sweep(const SweepInfo& /*sweep*/) {}
  /// After each step that changed something or met a conflict.
  void on_step(const StepEvent& /*step*/) {}
  /// `member` got the sharding of `from`, another member of its group.
  void on_group_copy(SlotId /*from*/, SlotId /*member*/) {}
  void on_erase(NodeId /*node*/) {}
};

}  // namespace shardy::propagation
