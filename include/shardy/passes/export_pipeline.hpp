// The export passes: from propagated shardings to explicit collectives, shapes still global.
#pragma once

#include <functional>
#include <shardy/passes/optimize_collectives.hpp>
#include <shardy/passes/parts.hpp>
#include <shardy/passes/pass.hpp>
#include <shardy/passes/pipelines.hpp>
#include <shardy/resharding/best_plan.hpp>
#include <shardy/rules/registry.hpp>
#include <string_view>
#include <vector>

namespace shardy::passes {

/// Rule of the rewrites that InsertExplicitReshardsOptions::chosen receives.
inline constexpr std::string_view kBestCommonAxes = "best-common-axes";

/// Options of insert_explicit_reshards.
struct InsertExplicitReshardsOptions {
  bool enable_full_version = false;  // else only unreduced axes, and dots by halves
  /// Rules by which partitioning lowers ops, rather than those of propagation; branches of
  /// `stablehlo.if` count as data flow. Spec: partitioning 1.2 (I4).
  bool lowering_rules = false;
  /// Best: tensors of an op meet where their reshards cost least. Spec: resharding C.7.
  PlanKind common_axes = PlanKind::Reference;
  BestPlanOptions best = {};         // of the plans under which Best compares
  const PassParts* parts = nullptr;  // of the caller's own; null: none
  /// Receives each op for which Best does not choose the axes of Reference, with the costs of both.
  std::function<void(const CollectiveRewrite&)> chosen = {};
};

/// Makes operands and results of every op agree with its rule by inserting reshards, and
/// all-reduces after ops that contract a sharded dim. Spec: resharding A.
PassErrors insert_explicit_reshards(ir::Module& module,
                                    const InsertExplicitReshardsOptions& options = {},
                                    const rules::Registry& rules = {});

/// Options of reshard_to_collectives.
struct ReshardToCollectivesOptions {
  bool keep_redundant_reshards = false;  // those that move nothing
  /// Best: the cheapest sequence under the costs that the mesh says its axes have, or `best` says.
  PlanKind resharding = PlanKind::Reference;
  BestPlanOptions best = {};         // costs and limits of Best
  const PassParts* parts = nullptr;  // of the caller's own; null: none
};

/// Every reshard becomes a sequence of collectives, but those from or to a single device and those
/// between meshes with other axes. Spec: resharding B.
PassErrors reshard_to_collectives(ir::Module& module,
                                  const ReshardToCollectivesOptions& options = {});

/// The passes that lower a module which is propagated, and no more, for partitioning: the last ones
/// of export_pipeline. Spec: partitioning 1.1.
std::vector<PassCall> lowering_pipeline(const ReshardChoice& choice = {});

}  // namespace shardy::passes
