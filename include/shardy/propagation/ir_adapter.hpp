// Propagation of the shardings of a module: makes a Problem, solves it, and stores the result.
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

/// Spec: propagation 15.
struct PropagationOptions {
  Algorithm algorithm = Algorithm::UserPriority;  // which levels of the hierarchy run
  Strategy strategy = Strategy::Aggressive;       // basic steps, aggressive ones, or both in turn
  bool run_op_priority = true;  // propagates through ops in the order of their priorities
  /// Uses conservative rules, and no sub-axes.
  bool conservative = false;
  /// Also propagates through ops that have a rule for lowering only. Spec: partitioning 8.0.
  bool lowering_rules = false;
  /// Attaches the rules used to the ops.
  bool keep_sharding_rules = false;
  bool check_convergence = false;  // also runs twice and compares
  /// Adds to each value the origins of its axes. Spec: propagation 16.1.
  bool debug_sharding_origins = false;
  /// Adds to each op the axes that it received, with step and source. Spec: propagation 16.2.
  bool debug_propagation_edges = false;
  /// Source of the sharding rules; null: the built-in ones.
  const rules::Registry* registry = nullptr;
  /// Called after each user priority but the last one. Dead ops are still in the module.
  std::function<void(int64_t priority, const ir::Module& module)> after_user_priority = nullptr;
  /// Replaced choices; null: those of the library. It must outlive the call.
  const PropagationExtensions* extensions = nullptr;
  /// Cancellation, deadline and memory; checked between steps.
  PropagationLimits limits = {};
};

/// Outcome of the propagation of a module.
struct PropagationReport {
  /// Obstacles of propagation with locations and remedies: conflicting groups, then ops without a
  /// rule.
  Diagnostics diagnostics;
  std::size_t num_group_warnings = 0;                // groups whose members disagree
  std::size_t num_erased = 0;                        // dead ops, those in their regions included
  int64_t num_steps = 0;                             // number of steps
  int64_t num_updates = 0;                           // number of steps that changed a sharding
  std::optional<bool> has_converged = std::nullopt;  // with check_convergence only
};

}  // namespace shardy::propagation

namespace shardy::ir {
class Module;
}

namespace shardy::propagation {

struct ModuleProblem;

/// Receives the events of the propagation of a module.
class ModuleObserver : public StepObserver {
 public:
  /// Called first, with the problem that is solved for the module.
  virtual void attach(const ModuleProblem& /*solved*/) {}
  /// Called last, when the module has its shardings.
  virtual void finish(const ModuleProblem& /*solved*/, ir::Module& /*module*/) {}
};

/// Records every decision.
class LoggingObserver : public ModuleObserver {
 public:
  /// Numbers steps from `first_step` on.
  explicit LoggingObserver(int64_t first_step = 0) : log_(first_step) {}

  /// Records the sweep.
  void begin_sweep(const SweepInfo& sweep) override { log_.begin_sweep(sweep); }
  void on_step(const StepEvent& event) override { log_.on_step(event); }
  void on_group_copy(SlotId from, SlotId member) override { log_.on_group_copy(from, member); }
  /// Records the node.
  void on_erase(NodeId node) override { log_.on_erase(node); }

 protected:
  /// Returns the recorded decisions.
  const DecisionLog& log() const { return log_; }

 private:
  DecisionLog log_;
};

class ModuleObserver;

/// Extends the shardings of the module along its ops, erases dead ops, and inserts constraints
/// between sharding groups and conflicting members.
///
/// Requires the output of the import passes: data-flow ops without edges do not propagate, calls
/// are boundaries. Errors: dynamic and tuple results, several functions and no main, a value in two
/// groups, rules and shardings that do not fit their values. Cost: linear in the module. Spec:
/// propagation 10.1.
Result<PropagationReport> propagate(ir::Module& module, const PropagationOptions& options = {});
/// Propagates and reports to an observer; options of debugging attributes are then ignored.
Result<PropagationReport> propagate(ir::Module& module, const PropagationOptions& options,
                                    ModuleObserver& observer);

/// An op by name, with its types and the attributes that its rule reads.
struct OpQuery {
  std::string name;                  // `stablehlo.dot_general`
  std::vector<ir::Type> operands;    // types of the operands
  std::vector<ir::Type> results;     // types of the results
  ir::AttributeMap attributes = {};  // those that its rule reads
  bool conservative = false;         // whole axes only
};

/// The rule of the op; std::nullopt for an op without one. Errors: those of Registry::rule_for.
Result<std::optional<OpShardingRule>> rule_of(const OpQuery& op,
                                              const rules::Registry& registry = {});

/// Returns the shardings after propagation through the op; an op without a rule does not change
/// them. `results`: as in infer(rule, ...).
///
/// The regions of an op are ignored (scatter has a rule that depends on its body). Errors: those of
/// rule_of, numbers and ranks of shardings that do not fit.
Result<Inferred> infer(const OpQuery& op, const TensorShardings& operands,
                       const TensorShardings& results = {}, const rules::Registry& registry = {});

}  // namespace shardy::propagation
