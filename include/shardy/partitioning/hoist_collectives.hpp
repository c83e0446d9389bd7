// Hoists loop-invariant collectives out of loops.
#pragma once

#include <shardy/ir/module.hpp>
#include <shardy/passes/export_pipeline.hpp>
#include <string_view>
#include <vector>

namespace shardy::partitioning {

/// Name of the rule in `--optimize-collectives`.
inline constexpr std::string_view kHoistCollectives = "hoist-collectives";

/// Moves collectives with loop-invariant operands before the loop, with the pure ops that compute
/// these operands; carried values that the loop returns unchanged are invariant. Loops known to run
/// less than twice stay. Returns one entry per collective. Spec: resharding C.8.
std::vector<passes::CollectiveRewrite> hoist_collectives(ir::Module& program);

}  // namespace shardy::partitioning
