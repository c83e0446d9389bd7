// Rewrites that reduce the traffic of collectives, one function per rule. Spec: resharding C.8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "passes/export/collective_steps.hpp"
#include "passes/export/mesh_planners.hpp"
#include "shardy/ir/module.hpp"

namespace shardy::passes {

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
