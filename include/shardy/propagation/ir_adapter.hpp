// Propagation over a module: builds a Problem, solves it, and stores the shardings. Explanations of
// these shardings: the decisions that added axes, and conflicts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/ir/attribute.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/ir/type.hpp>
#include <shardy/propagation/detail/ir_written_program.hpp>
#include <shardy/propagation/log.hpp>
#include <shardy/propagation/problem.hpp>
#include <shardy/propagation/propagate.hpp>
#include <shardy/rules/registry.hpp>
#include <shardy/support/result.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace shardy::propagation {

// ---- Propagation --------------------------------------------------------------------------------

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

/// The problem of a module; see propagation/detail/ir_problem.hpp.
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

// ---- Explanations -------------------------------------------------------------------------------

/// Index that means "no decision".
inline constexpr std::size_t kNoDecision = static_cast<std::size_t>(-1);

/// One decision that added an axis to a value.
struct Decision {
  /// Kind of a decision.
  enum class Kind : uint8_t {
    Step,
    Group,       // copied from another member of a sharding group
    Import,      // added by a pass before propagation
    Annotation,  // written by the user
  };

  Kind kind = Kind::Annotation;  // kind of the decision
  int64_t step = -1;             // Step, Group: number of the step; -1: before the first step
  std::string op = {};      // Step: name of the op, such as `stablehlo.add` or `function result`
  Location location = {};   // location of the op
  std::string factor = {};  // Step: name of the factor, such as `i`
  std::string axis = {};    // the added axis, such as `"a"`
  std::string from = {};    // value that had the axis; Import: the constraint or callee that had it
  std::string direction = {};  // Step: `forward`, `backward` or `sideways`
  int64_t user_priority = 0;   // user priority of the sweep
  int level = kLastLevel;      // level of op priorities
  std::string strategy = {};   // strategy of the sweep: `basic` or `aggressive`
  std::string to = {};         // Import: value that got the axis
  /// Index of the previous decision of the chain in Explanation::decisions; kNoDecision for the
  /// first decision.
  std::size_t previous = kNoDecision;
};

/// A sub-axis, and the step that added it to a value.
struct AxisArrival {
  int64_t step = -1;  // number of the step; -1: the value had the part before propagation
  AxisRef part = {};  // axis ref on the mesh of the sharding
};

/// One axis of one dim of a value. The chain of decisions starts at `last` and leads back to the
/// annotation. Chains of different values may share decisions.
struct ExplainedAxis {
  std::size_t dim = 0;                     // dim that is sharded along the axis
  std::string axis = {};                   // the axis, with its sub-axis: `"x"`
  std::size_t last = kNoDecision;          // index of the last decision in Explanation::decisions
  AxisRef ref = {};                        // the axis as a ref on the mesh of the sharding
  std::vector<AxisArrival> arrivals = {};  // sub-axes of the axis, in the order of their steps
  std::string axis_name = {};              // name of the full axis: `x`
};

/// A full axis of the mesh along which a value is replicated, with the reason.
struct AbsentAxis {
  /// Reason why the value does not have the axis.
  enum class Reason : uint8_t {
    Written,  // the annotation lists the axis as replicated
    /// An op has the axis on a factor of a dim of the value, but a conflict prevented propagation.
    Lost,
    Closed,      // an op has the axis on a factor of a dim of the value, but the dim is closed
    NoRule,      // an op without a sharding rule has the axis
    NoFactor,    // an op has the axis on a factor that no dim of the value has
    NoNeighbor,  // no op that defines or uses the value has the axis
  };
  Reason why = Reason::NoNeighbor;  // reason for the missing axis
  std::string axis = {};            // the axis: `"x"`
  std::string axis_name = {};       // name of the axis: `x`
  std::string op = {};              // name of the op; empty for Written and NoNeighbor
  Location location = {};           // location of the op
  std::string holder = {};          // tensor of the op that has the axis
  std::size_t dim = 0;              // dim of `holder` with the axis
  std::string factor = {};          // factor with the axis: `k`; empty for NoRule
};

/// A value with the origin of its sharding.
struct ExplainedValue {
  ir::ValueId value = {};     // the value in the original program; invalid for function results
  std::size_t result = 0;     // index of a function result
  std::string name = {};      // `%arg0`, `%4#1`, `result 0`
  std::string type = {};      // `tensor<8x16xf32>`
  std::string op = {};        // op that defines the value; empty for arguments
  Location location = {};     // location of that op
  std::string function = {};  // function that contains the value
  /// Calls around the value, outermost first, if each call has its own shardings.
  std::vector<std::string> calls = {};
  std::string user = {};                   // user of this copy, if the value has several copies
  std::optional<std::string> before = {};  // the sharding in the original program
  std::optional<std::string> after = {};   // the sharding after propagation
  std::optional<TensorSharding> sharding = {};  // `after` as a value
  std::vector<ExplainedAxis> axes = {};         // axes of all dims, major to minor
  /// Missing axes in mesh order, without axes of size 1 and axes that are manual at the value.
  /// Empty for scalars.
  std::vector<AbsentAxis> absent = {};
};

/// Returns the word of a reason in JSON and in Python, such as `no rule`.
std::string_view to_string(AbsentAxis::Reason why);

/// Returns the sharding of the value after step `step`; for -1, the sharding before the first step.
/// std::nullopt if the value has no sharding at that step. Requires: a value of an explanation.
std::optional<TensorSharding> sharding_after(const ExplainedValue& value, int64_t step);

/// An axis that an op could not propagate.
struct ExplainedConflict {
  std::string op = {};                   // name of the op, such as `stablehlo.add`
  Location location = {};                // location of the op
  std::string function = {};             // function that contains the op
  std::vector<std::string> calls = {};   // calls around the op, as in ExplainedValue::calls
  std::string factor = {};               // name of the factor: `i`
  std::string axis = {};                 // the axis that was not propagated
  std::string axis_name = {};            // name of the full axis
  std::optional<std::string> kept = {};  // the sub-axis that was propagated
  std::string reason = {};               // reason, such as `other factor`
  std::string tensor = {};               // name of the value with the obstacle
  /// Value that did not get the axis; std::nullopt: all values of the op.
  std::optional<std::string> target = {};
  /// Competing factors: `factor i "a" from %0, 256 elements`.
  std::vector<std::string> candidates = {};
  std::string winner = {};  // factor that got the axis: `factor j of %1`; empty if none did
  std::string why = {};     // reason why `winner` got the axis: `size: 256 > 64`
  std::string needed = {};  // annotations that let the axis propagate, and why: see docs/explain.md
  int64_t user_priority = 0;  // user priority of the sweep
  int level = kLastLevel;     // level of op priorities
  /// Names of the results of the op. A report about one of these values has this conflict.
  std::vector<std::string> results = {};
};

/// A name of ops without a sharding rule: its first op in the program, and a fix.
struct MissingRule {
  std::string op = {};      // op name, `my.op`, or custom call target
  Location location = {};   // location of the op
  std::string einsum = {};  // rule to add, as an einsum; empty if no rule can help
  std::string note = {};    // conditions under which the rule is correct, or why no rule can help
};

/// The origins of all shardings of a program.
struct Explanation {
  std::vector<ExplainedValue> values;        // values in program order, then function results
  std::vector<Decision> decisions;           // decisions of all values, without duplicates
  std::vector<ExplainedConflict> conflicts;  // conflicts in the order in which they occurred
  std::vector<MissingRule> missing_rules;    // ops without a rule, in program order
};

namespace detail {
struct SlotOrigin;
}

/// An observer of propagate(module, ...) that computes an Explanation after propagation.
class Explainer : public LoggingObserver {
 public:
  /// Makes an observer. `module` is the module to be propagated: a marked copy of the original
  /// program `written`, possibly changed by passes. `module` and `written` must outlive
  /// propagation.
  Explainer(const ir::Module& module, const WrittenProgram& written);
  ~Explainer() override;

  void attach(const ModuleProblem& solved) override;
  void finish(const ModuleProblem& solved, ir::Module& module) override;

  /// Returns the explanation. Requires: propagation has ended.
  const Explanation& explanation() const { return explanation_; }

 private:
  const ir::Module& module_;
  const WrittenProgram& written_;
  std::vector<std::optional<TensorSharding>> before_;  // sharding of each slot before propagation
  std::vector<detail::SlotOrigin> origins_;            // origin of each slot
  Explanation explanation_;
};

}  // namespace shardy::propagation
