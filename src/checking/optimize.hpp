// Per-device programs of a program as it is and with cheaper collectives; the better one is taken.
#pragma once

#include <vector>

#include "shardy/checking/compile.hpp"

namespace shardy::checking {

struct Optimized {
  ir::Module collectives;
  partitioning::PartitionResult result;
  std::vector<passes::CollectiveRewrite> rewrites;
};

/// Partitions the program, whose reshards are collectives, with the rewrites that were asked for:
/// if it then sends more or holds more at one time, with those rules that do not make it so.
/// Spec: resharding C.8.
tl::expected<Optimized, Diagnostics> partition_optimized(const ir::Module& collectives,
                                                         const CompileOptions& options,
                                                         const Context& context);

}  // namespace shardy::checking
