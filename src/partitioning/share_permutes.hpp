// Permutes that send overlapping parts of one value over the same pairs of devices are one.
#pragma once

#include <string_view>
#include <vector>

#include "shardy/ir/module.hpp"
#include "shardy/passes/optimize_collectives.hpp"

namespace shardy::partitioning {

/// The name of the rule among those of `--optimize-collectives`.
inline constexpr std::string_view kSharePermutes = "share-permutes";

/// Permutes alike of slices of one value become one permute of all that they send, wherever that is
/// no more than before; its result is sliced. Returns one entry per permute that others join.
/// Spec: resharding C.8.
std::vector<passes::CollectiveRewrite> share_permutes(ir::Module& program);

}  // namespace shardy::partitioning
