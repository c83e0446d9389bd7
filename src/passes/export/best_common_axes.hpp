// Common axes of least cost for the tensors of an op. Spec: resharding C.7.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "passes/export/common_axes.hpp"
#include "shardy/passes/export_pipeline.hpp"
#include "shardy/resharding/best_plan.hpp"

namespace shardy::passes {

/// Returns the cost of these axes per factor: reshards of operands, reductions and reshards of
/// results.
StepCost common_axes_cost(const CommonAxesQuery& query, std::span<const AxisList> common,
                          ReshardPlanner& planner);

/// Checks whether all costs can be computed: each dim has one factor without traffic of its own,
/// all tensors are on one mesh, and none is partial.
bool can_price(const CommonAxesQuery& query);

/// Returns one list of axes per factor with a cost of at most that of `reference` and at least as
/// many shards in total. Searches locally if there are many axes and factors. Returns `reference`
/// if no choice is cheaper, and for rules with permutation factors or dims of several factors,
/// unreduced tensors and tensors on different meshes.
std::vector<AxisList> best_common_axes(const CommonAxesQuery& query,
                                       std::vector<AxisList> reference, ReshardPlanner& planner);

}  // namespace shardy::passes
