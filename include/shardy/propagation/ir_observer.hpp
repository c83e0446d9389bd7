// Watching the propagation of a module.
#pragma once

#include <shardy/propagation/observer.hpp>

namespace shardy::ir {
class Module;
}

namespace shardy::propagation {

struct ModuleProblem;

/// Is told what happens while a module is propagated; see NoObserver for the calls in between.
class ModuleObserver {
 public:
  static constexpr bool kEnabled = true;
  using Conflicts = ConflictList;

  ModuleObserver() = default;
  ModuleObserver(const ModuleObserver&) = delete;
  ModuleObserver& operator=(const ModuleObserver&) = delete;
  virtual ~ModuleObserver() = default;

  /// First: the problem that is solved for the module.
  virtual void attach(const ModuleProblem& /*solved*/) {}
  virtual void begin_sweep(const SweepInfo& /*sweep*/) {}
  virtual void on_step(const StepEvent& /*step*/) {}
  virtual void on_group_copy(SlotId /*from*/, SlotId /*member*/) {}
  virtual void on_erase(NodeId /*node*/) {}
  /// Last: the module has its shardings.
  virtual void finish(const ModuleProblem& /*solved*/, ir::Module& /*module*/) {}
};

}  // namespace shardy::propagation
