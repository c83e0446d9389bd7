// Watching the propagation of a module.
#pragma once

#include <shardy/propagation/log.hpp>
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

/// Keeps every decision, to be looked at in the end.
class LoggingObserver : public ModuleObserver {
 public:
  explicit LoggingObserver(int64_t first_step = 0) : log_(first_step) {}

  void begin_sweep(const SweepInfo& sweep) override { log_.begin_sweep(sweep); }
  void on_step(const StepEvent& event) override { log_.on_step(event); }
  void on_group_copy(SlotId from, SlotId member) override { log_.on_group_copy(from, member); }
  void on_erase(NodeId node) override { log_.on_erase(node); }

 protected:
  const DecisionLog& log() const { return log_; }

 private:
  DecisionLog log_;
};

}  // namespace shardy::propagation
