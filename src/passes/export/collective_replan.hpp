// Replacement of a collective's plan by one to another sharding.
#pragma once

#include <optional>
#include <vector>

#include "passes/export/collective_rules.hpp"

namespace shardy::passes {

/// Elements go elsewhere, and that is all.
bool only_moves(StepKind kind);

struct Replan {
  ir::OpId collective;
  TensorSharding from;
  std::vector<ReshardStep> steps;
  bool says = false;  // the operand has to say that it is partial along `from`
  Gain gain;          // against the collective alone
};

/// The cheapest steps from where the collective begins to `to`, instead of to where it ends.
std::optional<Replan> plan_instead(RewriteContext& context, ir::OpId collective,
                                   const TensorSharding& to);

/// Makes the steps in front of the collective, which stays.
ir::ValueId apply(ir::Module& module, const Replan& replan);

}  // namespace shardy::passes
