// Rewrites that reduce the traffic of collectives, one function per rule. Spec: resharding C.8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "passes/export/mesh_planners.hpp"
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

/// The cost of collectives per device. Members are in the order of comparison.
struct Price {
  double seconds = 0;
  int64_t bytes = 0;
  int64_t messages = 0;

  Price& operator+=(const Price& other);
};

/// Checks whether `a` is less than `b` in a member and greater in none.
bool is_cheaper(const Price& a, const Price& b);

/// The program to be rewritten, with plans and costs for its meshes.
struct RewriteContext {
  ir::Module& module;
  MeshPlanners& planners;
  LimitChecker* limits = nullptr;  // checked between ops; null: none

  Price price(const ir::Type& type, const TensorSharding& from, std::span<const ReshardStep> steps);
  Price price(const ir::Type& type, const PlacedStep& placed) {
    return price(type, placed.from, std::span(&placed.step, 1));
  }
};

/// The costs of the collectives that a rewrite removed and added.
struct Gain {
  Price before;
  Price after;
};

/// A rule: rewrites the ops around `op` if that costs less; otherwise changes nothing.
using CollectiveRule = std::optional<Gain> (*)(RewriteContext&, ir::OpId op);

/// Replaces the shortest run of collectives up to `op`, each the only user of the one before, for
/// which a plan from the operand of the first one is cheaper. All-reduce + all-slice becomes a
/// reduce-scatter; all-gather + all-slice becomes an all-to-all or nothing.
std::optional<Gain> join_collectives(RewriteContext& context, ir::OpId op);

/// Hoists an all-slice above ops that move no elements between devices, up to the collectives that
/// produce the sliced value, and joins the slice with these collectives.
std::optional<Gain> hoist_slices(RewriteContext& context, ir::OpId op);

/// Sinks an all-gather, all-to-all or permute below its elementwise users if one collective then
/// replaces two, or if the moved elements become narrower.
std::optional<Gain> sink_collectives(RewriteContext& context, ir::OpId op);

/// Sinks a reduction below users that are linear in its result, if their results are smaller or are
/// needed sharded along its axes.
std::optional<Gain> sink_reductions(RewriteContext& context, ir::OpId op);

/// Moves elements in their narrow type, before a conversion to a wider type.
std::optional<Gain> convert_later(RewriteContext& context, ir::OpId op);

/// Adds two partial values before their all-reduces, which leaves one all-reduce. Also applies to
/// maximum, minimum and other reductions.
std::optional<Gain> reassociate_reductions(RewriteContext& context, ir::OpId op);

/// Starts the collectives of a value towards one sharding at the result of its collectives towards
/// another sharding. Reduces a partial value once for all of its shardings.
std::optional<Gain> reuse_reshard_prefix(RewriteContext& context, ir::OpId op);

// ---- Shared by rules --------------------------------------------------------------------------

/// Returns the only user of the value if that user is in the block of the defining op; else
/// invalid.
ir::OpId only_reader(const ir::Module& module, ir::ValueId value);

/// Returns the sharding of a value; replicated on the mesh of `like` if it has none.
TensorSharding sharding_or_whole(const ir::Module& module, ir::ValueId value,
                                 const TensorSharding& like);

/// Checks whether the shards of `type` under `to` are nested in the shards under `from`, so that a
/// slice sends nothing. Spec: resharding B.7.
bool blocks_nest(const ir::Type& type, const TensorSharding& from, const TensorSharding& to);

/// Returns true for a pure op with one result on static tensors that computes each element from the
/// elements at the same index.
bool is_plain_elementwise(const ir::Module& module, ir::OpId op);

// ---- Replacement of a collective by a plan to another sharding ----------------------------------

/// Checks whether the step moves elements without reducing them.
bool only_moves(StepKind kind);

struct Replan {
  ir::OpId collective;
  TensorSharding from;
  std::vector<ReshardStep> steps;
  bool declares_partial = false;  // the operand must be declared unreduced, as in `from`
  Gain gain;                      // compared with the replaced collective
};

/// Plans the cheapest steps from the operand of the collective to the sharding `to`.
std::optional<Replan> plan_instead(RewriteContext& context, ir::OpId collective,
                                   const TensorSharding& to);

/// Inserts the steps before the collective and returns their result. Keeps the collective.
ir::ValueId apply(ir::Module& module, const Replan& replan);

}  // namespace shardy::passes
