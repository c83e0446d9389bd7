// A permute followed by an all-to-all over two devices becomes two permutes of half the elements.
#pragma once

#include <vector>

#include "shardy/ir/module.hpp"
#include "shardy/partitioning/collective_cost.hpp"
#include "shardy/passes/export_pipeline.hpp"

namespace shardy::partitioning {

/// Sends each block of an all-to-all over two devices directly to its destination if its operand is
/// a relabeling permute without other uses: b bytes instead of b + b/2. Keeps pairs that take less
/// time. Spec: resharding C.8.
std::vector<passes::CollectiveRewrite> join_permutes(ir::Module& program,
                                                     const CollectivePrices& prices);

}  // namespace shardy::partitioning
