// Reporting of steps by the solver, which is compiled with and without an observer.
#pragma once

#include <shardy/propagation/detail/conflict.hpp>
#include <shardy/propagation/observer.hpp>
#include <shardy/propagation/problem.hpp>

namespace shardy::propagation::detail {

/// Sees nothing and costs nothing.
struct NoObserver {
  static constexpr bool kEnabled = false;
  /// Receiver of conflicts: none, without any code for it.
  using Conflicts = NoConflicts;

  void begin_sweep(const SweepInfo& /*sweep*/) {}
  void on_step(const StepEvent& /*step*/) {}
  void on_group_copy(SlotId /*from*/, SlotId /*member*/) {}
  void on_erase(NodeId /*node*/) {}
};

/// Hands everything on.
class AnyObserver {
 public:
  static constexpr bool kEnabled = true;
  using Conflicts = ConflictList;

  explicit AnyObserver(StepObserver& observer) : observer_(&observer) {}

  void begin_sweep(const SweepInfo& sweep) { observer_->begin_sweep(sweep); }
  void on_step(const StepEvent& step) { observer_->on_step(step); }
  void on_group_copy(SlotId from, SlotId member) { observer_->on_group_copy(from, member); }
  void on_erase(NodeId node) { observer_->on_erase(node); }

 private:
  StepObserver* observer_;
};

}  // namespace shardy::propagation::detail
