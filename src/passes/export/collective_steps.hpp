// Collectives of a program: conversion to and from steps of a plan, and their required operand
// shardings.
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

/// Inserts the steps from `value` before `before`, with the cause of `before`.
ir::ValueId emit_steps(ir::Module& module, ir::OpId before, ir::ValueId value,
                       std::span<const ReshardStep> steps);

/// A collective of the program and the sharding of its operand.
struct PlacedStep {
  TensorSharding from;  // partial along all axes that the step reduces, even if not declared
  ReshardStep step;
};

/// Returns std::nullopt for other ops, and if the shardings around the op do not determine the
/// step.
std::optional<PlacedStep> step_of(const ir::Module& module, ir::OpId op);

/// Checks whether the value may be declared partial along `from`, as steps before the reduction
/// require: it is declared so, or its op has one use and does not depend on its own sharding.
bool can_be_partial(const ir::Module& module, ir::ValueId value, const TensorSharding& from);

struct PartialPlan {
  std::vector<ReshardStep> steps;
  bool declares_partial =
      false;  // the value must be declared partial: steps other than reductions use it
};

/// Adapts the steps of a plan to start at `value`, which is partial along `from`, declared or not.
/// Returns std::nullopt if it must be declared partial and other users prevent that.
std::optional<PartialPlan> plan_from_partial(const ir::Module& module, ir::ValueId value,
                                             const TensorSharding& from,
                                             std::vector<ReshardStep> steps);

// ---- Requirements of collectives on their operands. Spec: dialect 4, 7.2 ------------------------

/// Checks whether all users of the op's result, which has a sharding, accept the sharding `has`
/// instead. Requires: both have the same axes, except where collectives allow open dims.
bool users_accept(const ir::Module& module, ir::OpId op, const std::optional<TensorSharding>& has);

/// Returns the mesh other than `mesh` on which a collective uses the value, or a region argument
/// sharded like it, as a sharding without axes. Ignores replicated_to_unreduced, which follows its
/// operand, and collective_permute, which has its own target.
std::optional<TensorSharding> read_elsewhere(const ir::Module& module, ir::ValueId value,
                                             const Mesh& mesh);

}  // namespace shardy::passes
