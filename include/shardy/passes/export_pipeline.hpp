// Export passes, which turn propagated shardings into explicit collectives while shapes stay
// global, and callbacks that replace decisions of passes.
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

/// A tensor of an op. For an operand, the sharding is the one before the op; for a result, the
/// sharding is the required one after the op.
struct QueryTensor {
  TensorSharding sharding;     // sharding with all dims closed
  std::vector<int64_t> shape;  // global shape
  int64_t element_bytes = 1;   // bytes of one element
};

/// An op that needs reshards, because its tensors have different axes for some factor of its rule.
struct CommonAxesQuery {
  OpShardingRule rule;               // sharding rule of the op
  std::vector<QueryTensor> tensors;  // operands, then results, all on one mesh
  std::size_t num_operands = 0;      // number of operands, which are the first tensors
  BoundAxes bound;                   // axes that no factor may use
};

/// Callbacks that replace decisions of passes. If a callback is empty, the pass decides by its
/// options. Extensions are a value; nothing is registered globally. Threads: as
/// propagation::PropagationExtensions.
struct Extensions {
  /// Callbacks of all passes that propagate.
  propagation::PropagationExtensions propagation = {};
  /// Plans each distinct reshard. Errors of the callback become errors of the pass. A plan is also
  /// an error if a step is not allowed by resharding B, or if the plan ends at another sharding.
  /// The pass sdy-optimize-collectives may rewrite the planned collectives. Spec: resharding B.
  PlanMaker plan_reshard = nullptr;
  /// Chooses the common axes of an op's tensors, one list per factor. `reference` is the choice
  /// that the options of the pass imply. The axes must be axes of the mesh that are not bound and
  /// do not overlap. A factor may have the axes of `reference`, or axes whose product divides the
  /// factor size; factors that need replication must have none. The callback is not called for ops
  /// with permutation factors or dims of several factors, for partial tensors, and for reductions
  /// other than sums. Spec: resharding A.5, C.7.
  std::function<std::vector<AxisList>(const CommonAxesQuery& query,
                                      std::span<const AxisList> reference)>
      common_axes = nullptr;
};

// ---- Rewrites that reduce the traffic of collectives --------------------------------------------

/// A rewrite, with the costs per device of the removed and the added collectives, by the cost
/// model.
struct CollectiveRewrite {
  std::string rule;             // name of the rule: "hoist-slices"
  std::string op;               // op to which the rule was applied: "sdy.all_slice"
  Location location;            // location of that op; empty if unknown
  int64_t bytes_before = 0;     // bytes that a device sends, before the rewrite
  int64_t bytes_after = 0;      // bytes that a device sends, after the rewrite
  int64_t messages_before = 0;  // messages in sequence, before the rewrite
  int64_t messages_after = 0;   // messages in sequence, after the rewrite
  bool operator==(const CollectiveRewrite&) const = default;
};

/// Returns a remark about the rewrite, at its location.
Diagnostic diagnostic_of(const CollectiveRewrite& rewrite);
/// Returns one remark per rewrite.
Diagnostics diagnostics_of(std::span<const CollectiveRewrite> rewrites);

/// Options of optimize_collectives.
struct OptimizeCollectivesOptions {
  std::vector<std::string> rules = {};  // names of the rules to apply; empty: all
  CostModel model = {};                 // costs that override those of meshes
  LimitChecker* limits = nullptr;       // checked between ops; null: none
  KnownPlans* plans = nullptr;          // results of earlier searches, or null
};

/// Returns the names of all rules, in the order in which they are applied. Spec: resharding C.8.
std::span<const std::string_view> collective_rules();

/// Rewrites collectives if this reduces time, bytes or messages and increases none of them. Results
/// of the program are equal except for the order of float additions. Returns the rewrites in the
/// order in which they were applied. Errors: unknown rules; invalid axis costs of a mesh.
///
/// Cost: linear in the program. Chains of ops are followed for at most 16 or 64 steps.
DiagnosedResult<std::vector<CollectiveRewrite>> optimize_collectives(
    ir::Module& module, const OptimizeCollectivesOptions& options = {});

// ---- From reshards to collectives ---------------------------------------------------------------

/// Rule name of the rewrites with which InsertExplicitReshardsOptions::chosen is called.
inline constexpr std::string_view kBestCommonAxes = "best-common-axes";

/// Options of insert_explicit_reshards.
struct InsertExplicitReshardsOptions {
  bool enable_full_version = false;  // false: insert only reshards for unreduced axes and dots
  /// Use the sharding rules of partitioning instead of those of propagation, and treat branches of
  /// `stablehlo.if` as data flow. Spec: partitioning 1.2 (I4).
  bool lowering_rules = false;
  /// Best: choose common axes of an op's tensors with the cheapest reshards. Spec: resharding C.7.
  PlanKind common_axes = PlanKind::Reference;
  BestPlanOptions best = {};               // costs and limits for Best
  const Extensions* extensions = nullptr;  // replacements by the caller, or null
  LimitChecker* limits = nullptr;          // checked between ops and plans; null: none
  KnownPlans* plans = nullptr;             // results of earlier searches, or null
  /// Called for each op for which Best and Reference differ, with the costs of both.
  std::function<void(const CollectiveRewrite&)> chosen = {};
};

/// Inserts reshards so that the operands and results of each op fit its sharding rule, and
/// all-reduces after ops that contract a sharded dim. Spec: resharding A.
Diagnostics insert_explicit_reshards(ir::Module& module,
                                     const InsertExplicitReshardsOptions& options = {},
                                     const rules::Registry& rules = {});

/// Options of reshard_to_collectives.
struct ReshardToCollectivesOptions {
  bool keep_redundant_reshards = false;  // keep reshards that move no data
  /// Best: use the cheapest plan, by the axis costs of the mesh or of `best`.
  PlanKind resharding = PlanKind::Reference;
  BestPlanOptions best = {};               // costs and limits for Best
  const Extensions* extensions = nullptr;  // replacements by the caller, or null
  LimitChecker* limits = nullptr;          // checked between ops and plans; null: none
  KnownPlans* plans = nullptr;             // results of earlier searches, or null
};

/// Replaces every reshard by a sequence of collectives. Reshards from or to a single device and
/// between meshes with different axes are kept. Spec: resharding B.
Diagnostics reshard_to_collectives(ir::Module& module,
                                   const ReshardToCollectivesOptions& options = {});

/// Returns the last passes of export_pipeline, which prepare a propagated module for partitioning.
/// Spec: partitioning 1.1.
std::vector<PassCall> lowering_pipeline(const ReshardChoice& choice = {});

}  // namespace shardy::passes
