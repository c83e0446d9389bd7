// Replacement of a collective's plan by one to another sharding.
#pragma once

#include <optional>
#include <vector>

#include "passes/export/collective_rules.hpp"

namespace shardy::passes {

/// Checks whether the step moves elements without reducing them.
bool only_moves(StepKind kind);

struct Replan {
  ir::OpId collective;
  TensorSharding from;
  std::vector<ReshardStep> steps;
  bool says = false;  // the operand has to be declared unreduced, as in `from`
  Gain gain;          // compared with the collective alone
};

/// Plans the cheapest steps from the operand of the collective to `to`, instead of to its result.
std::optional<Replan> plan_instead(RewriteContext& context, ir::OpId collective,
                                   const TensorSharding& to);

/// Inserts the steps before the collective, which stays.
ir::ValueId apply(ir::Module& module, const Replan& replan);

}  // namespace shardy::passes
