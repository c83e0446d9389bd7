// Why values of a module have the shardings they have: chains of decisions, and conflicts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "shardy/ir/module.hpp"
#include "shardy/propagation/ir_problem.hpp"
#include "shardy/propagation/log.hpp"

namespace shardy::propagation {

/// How an axis came to a value, one decision.
struct Decision {
  enum class Kind : uint8_t { Step, Group, Annotation };

  Kind kind = Kind::Annotation;
  int64_t step = -1;           // Step, Group: the number of the step
  std::string op = {};         // Step: `stablehlo.add`, `function result`
  std::string location = {};   // of the op
  std::string factor = {};     // Step: `i`
  std::string axis = {};       // what moved: `"a"`
  std::string from = {};       // the value that had the axis
  std::string direction = {};  // Step: `forward`, `backward`, `sideways`
  int64_t user_priority = 0;
  int level = kLastLevel;     // of op priorities
  std::string strategy = {};  // `basic`, `aggressive`
};

/// One axis of one dim; `chain` goes from the last decision back to the annotation.
struct ExplainedAxis {
  std::size_t dim = 0;
  std::string axis = {};
  std::vector<Decision> chain = {};
};

struct ExplainedValue {
  ir::ValueId value = {};  // invalid for results of functions
  std::string name = {};
  std::string type = {};
  std::string op = {};        // that defines it; empty for arguments
  std::string location = {};  // of that op
  std::string function = {};
  std::optional<std::string> before = {};  // its sharding, as written
  std::optional<std::string> after = {};
  std::vector<ExplainedAxis> axes = {};
};

/// An axis that an op wanted to hand on and could not.
struct ExplainedConflict {
  std::string op = {};
  std::string location = {};
  std::string function = {};
  std::string factor = {};                   // `i`
  std::string axis = {};                     // that was wanted
  std::optional<std::string> kept = {};      // the part of it that went on
  std::string reason = {};                   // `other factor`
  std::string tensor = {};                   // in whose way: a name of a value
  std::optional<std::string> target = {};    // who goes without; nullopt: all tensors of the op
  std::vector<std::string> candidates = {};  // `factor i "a" from %0, 256 elements`
  std::string winner = {};                   // `factor j of %1`; empty where nobody won
  std::string why = {};                      // `size: 256 > 64`
  std::string needed = {};                   // what the loser would have needed
  int64_t user_priority = 0;
  int level = kLastLevel;
};

/// An op without a rule, the first of its name, and an einsum that would help.
struct MissingRule {
  std::string op = {};  // `my.op`, `custom call target`
  std::string location = {};
  std::string einsum = {};
};

struct Explanation {
  std::vector<ExplainedValue> values;  // in program order, function results last
  std::vector<ExplainedConflict> conflicts;
  std::vector<MissingRule> missing_rules;
};

/// Names a value of the module as it was before propagation.
using ValueNames = std::function<std::string(ir::ValueId)>;

/// An observer of propagate(module, ...) that explains in the end what happened.
class Explainer {
 public:
  static constexpr bool kEnabled = true;
  using Conflicts = ConflictList;

  /// `module` is read until propagation begins.
  Explainer(const ir::Module& module, ValueNames names)
      : num_values_(module.num_values()), names_(std::move(names)) {}

  void attach(const ModuleProblem& solved);
  void begin_sweep(const SweepInfo& sweep) { log_.begin_sweep(sweep); }
  void on_step(const StepEvent& event) { log_.on_step(event); }
  void on_group_copy(SlotId from, SlotId member) { log_.on_group_copy(from, member); }
  void on_erase(NodeId node) { log_.on_erase(node); }
  void finish(const ModuleProblem& solved, const ir::Module& module);

  /// Requires: propagation has ended.
  const Explanation& explanation() const { return explanation_; }

 private:
  std::size_t num_values_;
  ValueNames names_;
  std::vector<std::optional<TensorSharding>> before_;  // of each slot
  DecisionLog log_;
  Explanation explanation_;
};

}  // namespace shardy::propagation
