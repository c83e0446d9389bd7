// The axes on which an op's tensors meet at the least cost. Spec: resharding C.7.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "passes/export/common_axes.hpp"
#include "shardy/passes/parts.hpp"
#include "shardy/resharding/best_plan.hpp"

namespace shardy::passes {

/// Returns the cost of these factor axes: reshards of operands, and reductions and
/// reshards of results.
StepCost meeting_cost(const Meeting& meeting, std::span<const AxisList> common,
                      ReshardPlanner& planner);

/// Checks whether all costs are known: each dim has one factor without traffic of its own,
/// tensors are on one mesh, and none is partial.
bool can_price(const Meeting& meeting);

/// Lists of axes, one per factor, that cost no more than `reference`, with at least as many shards
/// in all. Where many axes meet many factors, not all choices are tried. `reference` itself where
/// nothing is cheaper, and for rules with permutation factors or with dims of several factors,
/// unreduced tensors and tensors on different meshes.
std::vector<AxisList> best_common_axes(const Meeting& meeting, std::vector<AxisList> reference,
                                       ReshardPlanner& planner);

}  // namespace shardy::passes
