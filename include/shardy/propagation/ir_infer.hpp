// One op by name: from the shardings of its operands to those of its results, without a module.
#pragma once

#include <shardy/ir/attribute.hpp>
#include <shardy/ir/type.hpp>
#include <shardy/propagation/infer.hpp>
#include <shardy/rules/registry.hpp>
#include <string>
#include <vector>

namespace shardy::propagation {

/// An op as its text names it, with its types and those attributes that its rule reads.
struct OpQuery {
  std::string name;                  // `stablehlo.dot_general`
  std::vector<ir::Type> operands;    // types of the operands
  std::vector<ir::Type> results;     // types of the results
  ir::AttributeMap attributes = {};  // those that its rule reads
  bool conservative = false;         // whole axes only
};

/// The rule of the op; nothing for an op without one. Errors: those of Registry::rule_for.
Result<std::optional<OpShardingRule>> rule_of(const OpQuery& op,
                                              const rules::Registry& registry = {});

/// Returns the shardings after propagation through the op; an op without a rule leaves them as
/// they are. `results`: as in infer(rule, ...).
///
/// Ops with regions (scatter, whose rule asks what its body does) are taken as if they had none.
/// Errors: those of rule_of, numbers and ranks of shardings that do not fit.
Result<Inferred> infer(const OpQuery& op, const TensorShardings& operands,
                       const TensorShardings& results = {}, const rules::Registry& registry = {});

}  // namespace shardy::propagation
