// Export passes: from propagated shardings to explicit collectives; shapes stay global.
// With the decisions in them that a caller can replace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <shardy/algebra/op_sharding_rule.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/passes/pass.hpp>
#include <shardy/passes/pipeline.hpp>
#include <shardy/propagation/extensions.hpp>
#include <shardy/resharding/best_plan.hpp>
#include <shardy/resharding/cost.hpp>
#include <shardy/rules/registry.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardy::passes {

// ---- Replacements of decisions in propagation, reshards and plans -------------------------------

/// A tensor of an op: its sharding before the op, or its required sharding after it.
struct QueryTensor {
  TensorSharding sharding;     // all dims closed
  std::vector<int64_t> shape;  // global dims
  int64_t element_bytes = 1;   // size of an element
};

/// An op whose tensors have different axes for some factor of its rule and have to be resharded.
struct CommonAxesQuery {
  OpShardingRule rule;               // of the op
  std::vector<QueryTensor> tensors;  // operands, then results; all on one mesh
  std::size_t num_operands = 0;      // operands are the first tensors
  BoundAxes bound;                   // axes that no factor may use
};

/// Callbacks that replace decisions of the passes; empty: the passes decide by their options. A
/// value: nothing is registered process-wide. Threads: as propagation::PropagationExtensions.
struct Extensions {
  /// Callbacks of all passes that propagate.
  propagation::PropagationExtensions propagation = {};
  /// Plans each distinct reshard. Its errors become errors of the pass, as do plans with steps that
  /// resharding B does not allow or that end at another sharding. Like any plan, the result is
  /// rewritten by sdy-optimize-collectives. Spec: resharding B.
  PlanMaker plan_reshard = nullptr;
  /// Chooses the common axes of an op's tensors, one list per factor; `reference` is the choice by
  /// the options of the pass. Must return axes of the mesh that are not bound and do not overlap;
  /// per factor the reference's axes, or axes whose product divides the factor size, and none for
  /// factors that need replication. Not called for ops with permutation factors or dims of several
  /// factors, for partial tensors, and for reductions other than sums. Spec: resharding A.5, C.7.
  std::function<std::vector<AxisList>(const CommonAxesQuery& query,
                                      std::span<const AxisList> reference)>
      common_axes = nullptr;
};

// ---- Rewrites that reduce the traffic of collectives --------------------------------------------

/// One rewrite, with the cost per device of the collectives that it removed and of those that it
/// added, under the cost model.
struct CollectiveRewrite {
  std::string rule;             // "hoist-slices"
  std::string op;               // op at which it was applied: "sdy.all_slice"
  Location location;            // of that op; empty if unknown
  int64_t bytes_before = 0;     // sent by a device before the rewrite
  int64_t bytes_after = 0;      // sent by a device after it
  int64_t messages_before = 0;  // in sequence, before the rewrite
  int64_t messages_after = 0;   // in sequence, after the rewrite
  bool operator==(const CollectiveRewrite&) const = default;
};

/// Returns a remark at the location of the rewrite.
Diagnostic diagnostic_of(const CollectiveRewrite& rewrite);
/// Returns one remark per rewrite.
Diagnostics diagnostics_of(std::span<const CollectiveRewrite> rewrites);

/// Options of optimize_collectives.
struct OptimizeCollectivesOptions {
  std::vector<std::string> rules = {};  // names of rules; empty: all
  CostModel model = {};                 // overrides the axis costs of meshes
  LimitChecker* limits = nullptr;       // checked between ops; null: none
};

/// Returns the names of all rules, in the order in which they are applied. Spec: resharding C.8.
std::span<const std::string_view> collective_rules();

/// Rewrites collectives if that reduces time, bytes or messages and increases none of them. Results
/// stay equal up to the order of float additions. Returns the rewrites in the order in which they
/// were applied. Errors: unknown rules, invalid axis costs of a mesh.
///
/// Cost: linear in the program; chains of ops are followed for at most 16 or 64 steps.
DiagnosedResult<std::vector<CollectiveRewrite>> optimize_collectives(
    ir::Module& module, const OptimizeCollectivesOptions& options = {});

// ---- From reshards to collectives ---------------------------------------------------------------

/// Rule name of the rewrites that InsertExplicitReshardsOptions::chosen receives.
inline constexpr std::string_view kBestCommonAxes = "best-common-axes";

/// Options of insert_explicit_reshards.
struct InsertExplicitReshardsOptions {
  bool enable_full_version = false;  // false: only unreduced axes and dots
  /// Use the rules by which partitioning lowers ops instead of those of propagation; branches of
  /// `stablehlo.if` count as data flow. Spec: partitioning 1.2 (I4).
  bool lowering_rules = false;
  /// Best: choose the common axes of an op with the cheapest reshards. Spec: resharding C.7.
  PlanKind common_axes = PlanKind::Reference;
  BestPlanOptions best = {};               // costs and limits for Best
  const Extensions* extensions = nullptr;  // the caller's replacements; null: none
  LimitChecker* limits = nullptr;          // checked between ops and plans; null: none
  /// Receives each op for which Best differs from Reference, with both costs.
  std::function<void(const CollectiveRewrite&)> chosen = {};
};

/// Makes operands and results of each op agree with its sharding rule by inserting reshards, and
/// all-reduces after ops that contract a sharded dim. Spec: resharding A.
Diagnostics insert_explicit_reshards(ir::Module& module,
                                     const InsertExplicitReshardsOptions& options = {},
                                     const rules::Registry& rules = {});

/// Options of reshard_to_collectives.
struct ReshardToCollectivesOptions {
  bool keep_redundant_reshards = false;  // keep reshards that move no data
  /// Best: the cheapest sequence, by the axis costs of the mesh or of `best`.
  PlanKind resharding = PlanKind::Reference;
  BestPlanOptions best = {};               // costs and limits for Best
  const Extensions* extensions = nullptr;  // the caller's replacements; null: none
  LimitChecker* limits = nullptr;          // checked between ops and plans; null: none
};

/// Replaces every reshard by a sequence of collectives, except reshards from or to a single device
/// and those between meshes with different axes. Spec: resharding B.
Diagnostics reshard_to_collectives(ir::Module& module,
                                   const ReshardToCollectivesOptions& options = {});

/// Returns the passes that lower a propagated module for partitioning: the last ones of
/// export_pipeline. Spec: partitioning 1.1.
std::vector<PassCall> lowering_pipeline(const ReshardChoice& choice = {});

}  // namespace shardy::passes
