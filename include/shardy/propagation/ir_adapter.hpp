// Propagation over a module: builds a Problem, solves it, and stores the shardings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <shardy/ir/attribute.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/ir/type.hpp>
#include <shardy/propagation/extensions.hpp>
#include <shardy/propagation/log.hpp>
#include <shardy/propagation/propagate.hpp>
#include <shardy/rules/registry.hpp>
#include <shardy/support/result.hpp>
#include <string>
#include <vector>

namespace shardy::ir {
class Module;
}
namespace shardy::rules {
class Registry;
}

namespace shardy::propagation {

struct PropagationExtensions;

/// Options of the propagation of a module. Spec: propagation 15.
struct PropagationOptions {
  Algorithm algorithm = Algorithm::UserPriority;  // the loops of propagation 1 that run
  Strategy strategy = Strategy::Aggressive;       // basic sweeps, aggressive sweeps, or both
  bool run_op_priority = true;  // whether ops propagate in the order of their priorities
  /// Conservative propagation: conservative rules, and no sub-axes.
  bool conservative = false;
  /// Also propagates through ops whose rule otherwise serves only their lowering. Spec:
  /// partitioning 8.0.
  bool lowering_rules = false;
  /// Stores the rule of each op as an attribute of the op.
  bool keep_sharding_rules = false;
  bool check_convergence = false;  // also propagates a second time and compares the results
  /// Writes the origins of the axes of each value. Spec: propagation 16.1.
  bool debug_sharding_origins = false;
  /// Writes the axes that each op propagated, with step and source. Spec: propagation 16.2.
  bool debug_propagation_edges = false;
  /// Sharding rules; null: the built-in rules.
  const rules::Registry* registry = nullptr;
  /// Called after each user priority except the last. The module still has its dead ops.
  std::function<void(int64_t priority, const ir::Module& module)> after_user_priority = nullptr;
  /// Replacements for rules of propagation; null: the defaults. Must outlive the call.
  const PropagationExtensions* extensions = nullptr;
  /// Cancellation, deadline and memory; checked between steps.
  PropagationLimits limits = {};
};

/// Result of the propagation of a module.
struct PropagationReport {
  /// Warnings with locations and fixes: groups with conflicting members, then ops without a rule.
  Diagnostics diagnostics;
  std::size_t num_group_warnings = 0;  // number of groups with conflicting members
  std::size_t num_erased = 0;          // number of erased dead ops, including ops in their regions
  int64_t num_steps = 0;               // number of steps
  int64_t num_updates = 0;             // number of steps that changed a sharding
  std::optional<bool> has_converged = std::nullopt;  // set if Options::check_convergence
};

}  // namespace shardy::propagation

namespace shardy::ir {
class Module;
}

namespace shardy::propagation {

struct ModuleProblem;

/// An observer of the propagation of a module.
class ModuleObserver : public StepObserver {
 public:
  /// Called before the first step, with the problem of the module.
  virtual void attach(const ModuleProblem& /*solved*/) {}
  /// Called after propagation, when the module has its final shardings.
  virtual void finish(const ModuleProblem& /*solved*/, ir::Module& /*module*/) {}
};

/// An observer that records all decisions in a DecisionLog.
class LoggingObserver : public ModuleObserver {
 public:
  /// Makes an observer whose first step has the number `first_step`.
  explicit LoggingObserver(int64_t first_step = 0) : log_(first_step) {}

  /// Records the event in the log.
  void begin_sweep(const SweepInfo& sweep) override { log_.begin_sweep(sweep); }
  void on_step(const StepEvent& event) override { log_.on_step(event); }
  void on_group_copy(SlotId from, SlotId member) override { log_.on_group_copy(from, member); }
  /// Records the event in the log.
  void on_erase(NodeId node) override { log_.on_erase(node); }

 protected:
  /// Returns the recorded decisions.
  const DecisionLog& log() const { return log_; }

 private:
  DecisionLog log_;
};

class ModuleObserver;

/// Propagates the shardings of the module, erases dead ops, and inserts constraints between
/// sharding groups and members with conflicting shardings.
///
/// Requires the output of the import passes: without edge ops, axes do not propagate through
/// data-flow ops, nor across calls. Errors: dynamic and tuple results, several functions and no
/// main, a value in two groups, rules and shardings that do not fit their values. Cost: linear in
/// the module. Spec: propagation 10.1.
Result<PropagationReport> propagate(ir::Module& module, const PropagationOptions& options = {});
/// Propagates and reports all steps to `observer`. Ignores the options `debug_*`.
Result<PropagationReport> propagate(ir::Module& module, const PropagationOptions& options,
                                    ModuleObserver& observer);

/// An op for which rule_of and infer find a rule: its name, its types and the attributes that the
/// rule depends on.
struct OpQuery {
  std::string name;                  // `stablehlo.dot_general`
  std::vector<ir::Type> operands;    // types of the operands
  std::vector<ir::Type> results;     // types of the results
  ir::AttributeMap attributes = {};  // attributes that the rule depends on
  bool conservative = false;         // true for a conservative rule
};

/// Returns the sharding rule of the op; std::nullopt if the op has none. Errors: those of
/// Registry::rule_for.
Result<std::optional<OpShardingRule>> rule_of(const OpQuery& op,
                                              const rules::Registry& registry = {});

/// Returns the shardings after propagation through the op. An op without a rule leaves the
/// shardings unchanged. `results` has the initial shardings of the results, or is empty.
///
/// Regions are ignored, so ops whose rule depends on a region, such as scatter, may differ. Errors:
/// those of rule_of; numbers or ranks of shardings that do not fit the op.
Result<Inferred> infer(const OpQuery& op, const TensorShardings& operands,
                       const TensorShardings& results = {}, const rules::Registry& registry = {});

}  // namespace shardy::propagation
