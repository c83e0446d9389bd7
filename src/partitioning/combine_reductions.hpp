// Combination of small all-reduces.
#pragma once

#include <cstdint>
#include <vector>

#include "shardy/ir/module.hpp"
#include "shardy/passes/optimize_collectives.hpp"

namespace shardy::partitioning {

/// Combines all-reduces of one block and one group, none of which is used before the last one,
/// while they have at most `max_bytes` in total. Bytes stay equal, messages get fewer. Users may be
/// sunk even if nothing is rewritten. Spec: resharding C.8.
std::vector<passes::CollectiveRewrite> combine_reductions(ir::Module& program, int64_t max_bytes);

}  // namespace shardy::partitioning
