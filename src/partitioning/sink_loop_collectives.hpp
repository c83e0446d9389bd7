// Collectives of what a loop adds up run once, after the loop.
#pragma once

#include <string_view>
#include <vector>

#include "shardy/ir/module.hpp"
#include "shardy/passes/optimize_collectives.hpp"

namespace shardy::partitioning {

/// The name of the rule among those of `--optimize-collectives`.
inline constexpr std::string_view kSinkLoopCollectives = "sink-loop-collectives";

/// A loop that combines (sum, max, min, and, or) a carried value with what collectives give carries
/// the operands of the collectives combined instead; these run after it, and the initial value is
/// combined with what they give. Loops that are known to run less than twice stay. Returns one
/// entry per collective. Spec: resharding C.8.
std::vector<passes::CollectiveRewrite> sink_loop_collectives(ir::Module& program);

}  // namespace shardy::partitioning
