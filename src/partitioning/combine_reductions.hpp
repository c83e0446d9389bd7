// Small sums over devices that wait for nothing in between become one op.
#pragma once

#include <cstdint>
#include <vector>

#include "shardy/ir/module.hpp"
#include "shardy/passes/optimize_collectives.hpp"

namespace shardy::partitioning {

/// All-reduces of one block and one group of devices, none of which has to be read before the last,
/// become one as long as they have no more than `max_bytes` in all. It sends what they did, once
/// instead of one after the other. Ops that read them may move down, even where nothing is
/// rewritten. Spec: resharding C.8.
std::vector<passes::CollectiveRewrite> combine_reductions(ir::Module& program, int64_t max_bytes);

}  // namespace shardy::partitioning
