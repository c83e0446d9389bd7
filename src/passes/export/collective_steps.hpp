// Conversion between collectives of a program and steps of a plan, and the operand shardings that
// collectives require.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "shardy/algebra/mesh.hpp"
#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/resharding/step.hpp"

namespace shardy::passes {

// ---- Steps --------------------------------------------------------------------------------------

/// Inserts the steps from `value` before the op `before` and gives them the cause of `before`.
ir::ValueId emit_steps(ir::Module& module, ir::OpId before, ir::ValueId value,
                       std::span<const ReshardStep> steps);

/// A step of a collective in the program, and the sharding of its operand.
struct PlacedStep {
  // Partial along all axes that the step reduces, even if the program does not declare them.
  TensorSharding from;
  ReshardStep step;
};

/// Returns the step of a collective. std::nullopt for other ops, and if the shardings around the op
/// do not determine the step.
std::optional<PlacedStep> step_of(const ir::Module& module, ir::OpId op);

/// Checks whether the value may be declared partial along `from`, which steps before the reduction
/// require. True if the value is declared so, or if its op has one use and does not depend on its
/// own sharding.
bool can_be_partial(const ir::Module& module, ir::ValueId value, const TensorSharding& from);

struct PartialPlan {
  std::vector<ReshardStep> steps;
  bool declares_partial =
      false;  // steps other than reductions use the value, so it must be declared partial
};

/// Adapts the steps of a plan to start at `value`, which is partial along `from`, declared or not.
/// Returns std::nullopt if the value must be declared partial but has other users that prevent
/// this.
std::optional<PartialPlan> plan_from_partial(const ir::Module& module, ir::ValueId value,
                                             const TensorSharding& from,
                                             std::vector<ReshardStep> steps);

// ---- Requirements of collectives on their operands. Spec: dialect 4, 7.2 ------------------------

/// Checks whether all users of the op's result accept the sharding `has` instead of its own.
/// Requires: both shardings have the same axes, except where collectives allow open dims.
bool users_accept(const ir::Module& module, ir::OpId op, const std::optional<TensorSharding>& has);

/// Returns the mesh other than `mesh` on which a collective uses the value, or a region argument
/// with its sharding. The result is a sharding without axes. Ignores replicated_to_unreduced, which
/// has the mesh of its operand, and collective_permute, which has its own target.
std::optional<TensorSharding> read_elsewhere(const ir::Module& module, ir::ValueId value,
                                             const Mesh& mesh);

}  // namespace shardy::passes
