// A permute and an all-to-all of two blocks after it become two permutes of one block.
#pragma once

#include <vector>

#include "shardy/ir/module.hpp"
#include "shardy/partitioning/collective_cost.hpp"
#include "shardy/passes/optimize_collectives.hpp"

namespace shardy::partitioning {

/// Sends each block of an all-to-all over two devices straight to its end where the operand is a
/// relabeling permute that nothing else uses: b bytes instead of b + b/2. Pairs stay that take less
/// time. Spec: resharding C.8.
std::vector<passes::CollectiveRewrite> join_permutes(ir::Module& program,
                                                     const CollectivePrices& prices);

}  // namespace shardy::partitioning
