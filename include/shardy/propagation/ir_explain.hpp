// Explanations of the shardings of a module's values: chains of decisions, and conflicts.
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

/// Index for the absence of a decision.
inline constexpr std::size_t kNoDecision = static_cast<std::size_t>(-1);

/// One decision that added an axis to a value.
struct Decision {
  /// Source of a decision.
  enum class Kind : uint8_t {
    Step,
    Group,       // copied from another member of a sharding group
    Import,      // added by the passes before propagation
    Annotation,  // the user did
  };

  Kind kind = Kind::Annotation;  // the source of the decision
  int64_t step = -1;             // Step, Group: the number of the step; -1: before the first one
  std::string op = {};           // Step: `stablehlo.add`, `function result`
  Location location = {};        // of the op
  std::string factor = {};       // Step: `i`
  std::string axis = {};         // the moved axis: `"a"`
  std::string from = {};         // the value that had the axis; Import: its annotation
  std::string direction = {};    // Step: `forward`, `backward`, `sideways`
  int64_t user_priority = 0;     // of the sweep of the step
  int level = kLastLevel;        // of op priorities
  std::string strategy = {};     // `basic`, `aggressive`
  std::string to = {};           // Import: the value that got it
  /// The previous decision of the chain, among those of the explanation; kNoDecision at the start.
  std::size_t previous = kNoDecision;
};

/// A part of an axis, and the step after which a value had it; -1: from the start.
struct AxisArrival {
  int64_t step = -1;  // the step that added it
  AxisRef part = {};  // of the mesh of the sharding
};

/// One axis of one dim. Its chain begins with the last decision and goes back to the annotation;
/// chains that join share their common part.
struct ExplainedAxis {
  std::size_t dim = 0;                     // dim sharded along the axis
  std::string axis = {};                   // `"x"`, with its sub-axis
  std::size_t last = kNoDecision;          // last decision, among those of the explanation
  AxisRef ref = {};                        // `axis`, of the mesh of the sharding
  std::vector<AxisArrival> arrivals = {};  // parts that it has come in
  std::string axis_name = {};              // of the whole axis: `x`
};

/// A whole axis of the mesh along which a value is replicated, and the tensors that it could have
/// come from.
struct AbsentAxis {
  /// Reason for the missing axis.
  enum class Why : uint8_t {
    Written,     // the annotation has it among the replicated axes
    Lost,        // an op has it on the factor of a dim of the value, and did not propagate it: see
                 // conflicts
    Closed,      // the same, and that dim is closed
    NoRule,      // an op without a rule has it
    NoFactor,    // an op has it on a factor that no dim of the value has
    NoNeighbor,  // no op that makes or uses the value has it
  };
  Why why = Why::NoNeighbor;   // why the value does not have it
  std::string axis = {};       // `"x"`
  std::string axis_name = {};  // `x`
  std::string op = {};         // of Lost to NoFactor
  Location location = {};      // of the op
  std::string holder = {};     // the tensor of the op that has the axis
  std::size_t dim = 0;         // of the holder
  std::string factor = {};     // `k`; of NoRule empty
};

/// A value, with the origin of its sharding.
struct ExplainedValue {
  ir::ValueId value = {};     // in the program as written; invalid for results of functions
  std::size_t result = 0;     // of a result of a function: its index
  std::string name = {};      // `%arg0`, `%4#1`, `result 0`
  std::string type = {};      // `tensor<8x16xf32>`
  std::string op = {};        // that defines it; empty for arguments
  Location location = {};     // of that op
  std::string function = {};  // that it belongs to
  std::vector<std::string> calls = {};     // outermost first, where each call has its own shardings
  std::string user = {};                   // of a value that has several copies: who uses this one
  std::optional<std::string> before = {};  // its sharding, as written
  std::optional<std::string> after = {};   // its sharding, propagated
  std::optional<TensorSharding> sharding = {};  // `after`
  std::vector<ExplainedAxis> axes = {};         // of all dims, major to minor
  /// In mesh order, without axes of size 1 and axes that are manual around the value. Empty for
  /// scalars.
  std::vector<AbsentAxis> absent = {};
};

/// Returns the word of a reason in JSON and in Python, such as `no rule`.
std::string_view to_string(AbsentAxis::Why why);

/// Returns the sharding after the step of that number, or before the first one (-1). std::nullopt:
/// no sharding yet. Requires: a value of an explanation.
std::optional<TensorSharding> sharding_after(const ExplainedValue& value, int64_t step);

/// An axis that an op wanted to propagate and could not.
struct ExplainedConflict {
  std::string op = {};                       // `stablehlo.add`
  Location location = {};                    // of the op
  std::string function = {};                 // that contains the op
  std::vector<std::string> calls = {};       // as of a value
  std::string factor = {};                   // `i`
  std::string axis = {};                     // that was wanted
  std::string axis_name = {};                // of that whole axis
  std::optional<std::string> kept = {};      // the part of it that went on
  std::string reason = {};                   // `other factor`
  std::string tensor = {};                   // in whose way: a name of a value
  std::optional<std::string> target = {};    // who goes without; nullopt: all tensors of the op
  std::vector<std::string> candidates = {};  // `factor i "a" from %0, 256 elements`
  std::string winner = {};                   // `factor j of %1`; empty without a winner
  std::string why = {};                      // `size: 256 > 64`
  std::string needed = {};                   // the change that would let the axis pass
  int64_t user_priority = 0;                 // of the sweep
  int level = kLastLevel;                    // of op priorities
};

/// An op without a rule, the first of its name, and a remedy.
struct MissingRule {
  std::string op = {};      // `my.op`, `custom call target`
  Location location = {};   // of the op
  std::string einsum = {};  // empty: no rule can help
  std::string note = {};    // rules to add and when they are true, or why none can help
};

/// The origins of the shardings of a program.
struct Explanation {
  std::vector<ExplainedValue> values;        // in program order, function results last
  std::vector<Decision> decisions;           // of all chains, each once
  std::vector<ExplainedConflict> conflicts;  // in the order of their occurrence
  std::vector<MissingRule> missing_rules;    // in program order
};

namespace detail {
struct SlotOrigin;
}

/// An observer of propagate(module, ...) that explains the result in the end.
class Explainer : public LoggingObserver {
 public:
  /// `module` is the one that is propagated: a marked copy of the written program, which passes may
  /// have changed. Both live as long as propagation.
  Explainer(const ir::Module& module, const WrittenProgram& written);
  ~Explainer() override;

  void attach(const ModuleProblem& solved) override;
  void finish(const ModuleProblem& solved, ir::Module& module) override;

  /// Requires: propagation has ended.
  const Explanation& explanation() const { return explanation_; }

 private:
  const ir::Module& module_;
  const WrittenProgram& written_;
  std::vector<std::optional<TensorSharding>> before_;  // of each slot
  std::vector<detail::SlotOrigin> origins_;            // of each slot
  Explanation explanation_;
};

}  // namespace shardy::propagation
