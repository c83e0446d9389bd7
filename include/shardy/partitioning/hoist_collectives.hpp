// Collectives that give the same in every step of a loop run once, before the loop.
#pragma once

#include <shardy/ir/module.hpp>
#include <shardy/passes/optimize_collectives.hpp>
#include <string_view>
#include <vector>

namespace shardy::partitioning {

/// The name of the rule among those of `--optimize-collectives`.
inline constexpr std::string_view kHoistCollectives = "hoist-collectives";

/// Moves collectives whose operands a loop does not change before the loop, with the pure ops that
/// compute these operands; what a loop carries unchanged counts as unchanged. Loops that are known
/// to run less than twice stay. Returns one entry per collective. Spec: resharding C.8.
std::vector<passes::CollectiveRewrite> hoist_collectives(ir::Module& program);

}  // namespace shardy::partitioning
