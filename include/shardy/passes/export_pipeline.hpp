// Export passes: from propagated shardings to explicit collectives; shapes stay global.
#pragma once

#include <functional>
#include <shardy/passes/extensions.hpp>
#include <shardy/passes/optimize_collectives.hpp>
#include <shardy/passes/pass.hpp>
#include <shardy/passes/pipelines.hpp>
#include <shardy/resharding/best_plan.hpp>
#include <shardy/rules/registry.hpp>
#include <string_view>
#include <vector>

namespace shardy::passes {

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
  /// Receives each op for which Best differs from Reference, with both costs.
  std::function<void(const CollectiveRewrite&)> chosen = {};
};

/// Makes operands and results of each op agree with its sharding rule by inserting reshards, and
/// all-reduces after ops that contract a sharded dim. Spec: resharding A.
PassErrors insert_explicit_reshards(ir::Module& module,
                                    const InsertExplicitReshardsOptions& options = {},
                                    const rules::Registry& rules = {});

/// Options of reshard_to_collectives.
struct ReshardToCollectivesOptions {
  bool keep_redundant_reshards = false;  // keep reshards that move no data
  /// Best: the cheapest sequence, by the axis costs of the mesh or of `best`.
  PlanKind resharding = PlanKind::Reference;
  BestPlanOptions best = {};               // costs and limits for Best
  const Extensions* extensions = nullptr;  // the caller's replacements; null: none
};

/// Replaces every reshard by a sequence of collectives, except reshards from or to a single device
/// and those between meshes with different axes. Spec: resharding B.
PassErrors reshard_to_collectives(ir::Module& module,
                                  const ReshardToCollectivesOptions& options = {});

/// Returns the passes that lower a propagated module for partitioning: the last ones of
/// export_pipeline. Spec: partitioning 1.1.
std::vector<PassCall> lowering_pipeline(const ReshardChoice& choice = {});

}  // namespace shardy::passes
