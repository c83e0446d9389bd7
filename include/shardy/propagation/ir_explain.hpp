// Explanations of the shardings of a module's values: the decisions that added axes, and conflicts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/propagation/detail/ir_problem.hpp>
#include <shardy/propagation/detail/ir_written_program.hpp>
#include <shardy/propagation/ir_adapter.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace shardy::propagation {

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
