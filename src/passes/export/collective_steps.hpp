// Collectives of a program as steps of a plan, and back.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/resharding/step.hpp"

namespace shardy::passes {

/// Makes the steps from `value` on; they are there for what the op `before` was there for.
ir::ValueId emit_steps(ir::Module& module, ir::OpId before, ir::ValueId value,
                       std::span<const ReshardStep> steps);

/// A collective of the program, and how the devices hold its operand.
struct PlacedStep {
  TensorSharding from;  // partial along all axes that the step reduces, whatever the operand says
  ReshardStep step;
};

/// std::nullopt for other ops, and if the shardings around it do not determine the step.
std::optional<PlacedStep> step_of(const ir::Module& module, ir::OpId op);

/// Checks whether the value may be declared partial along `from`, as steps before the
/// reduction require: it is declared so, or is the result of an op with one use whose behaviour
/// does not depend on its sharding.
bool can_be_partial(const ir::Module& module, ir::ValueId value, const TensorSharding& from);

struct PartialPlan {
  std::vector<ReshardStep> steps;
  bool says = false;  // the value has to say that it is partial, as others than reductions read it
};

/// Steps of a plan that starts where `value` is partial along `from`, whether it says so or not.
/// Nothing: it would have to say so and cannot, as others read it.
std::optional<PartialPlan> plan_from_partial(const ir::Module& module, ir::ValueId value,
                                             const TensorSharding& from,
                                             std::vector<ReshardStep> steps);

}  // namespace shardy::passes
