// Watching the propagation of a module.
#pragma once

#include <shardy/propagation/log.hpp>
#include <shardy/propagation/observer.hpp>

namespace shardy::ir {
class Module;
}

namespace shardy::propagation {

struct ModuleProblem;

/// Is told what happens while a module is propagated.
class ModuleObserver : public StepObserver {
 public:
  /// First: the problem that is solved for the module.
  virtual void attach(const ModuleProblem& /*solved*/) {}
  /// Last: the module has its shardings.
  virtual void finish(const ModuleProblem& /*solved*/, ir::Module& /*module*/) {}
};

/// Keeps every decision, to be looked at in the end.
class LoggingObserver : public ModuleObserver {
 public:
  /// Numbers steps from `first_step` on.
  explicit LoggingObserver(int64_t first_step = 0) : log_(first_step) {}

  /// Keeps the sweep.
  void begin_sweep(const SweepInfo& sweep) override { log_.begin_sweep(sweep); }
  void on_step(const StepEvent& event) override { log_.on_step(event); }
  void on_group_copy(SlotId from, SlotId member) override { log_.on_group_copy(from, member); }
  /// Keeps the node.
  void on_erase(NodeId node) override { log_.on_erase(node); }

 protected:
  /// Returns the recorded decisions.
  const DecisionLog& log() const { return log_; }

 private:
  DecisionLog log_;
};

}  // namespace shardy::propagation
