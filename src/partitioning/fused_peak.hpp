// Peak memory of a per-device program that a compiler with fusion runs. Spec: resharding C.8.
#pragma once

#include <cstdint>

#include "shardy/ir/module.hpp"

namespace shardy::partitioning {

/// ProgramCost::peak_bytes without elementwise intermediates: a value that is elementwise, a
/// broadcast, an iota or a splat, and that only elementwise ops of its block use, takes no memory;
/// its operands live until these ops. Requires and cost: as program_cost.
int64_t fused_peak_bytes(const ir::Module& program);

}  // namespace shardy::partitioning
