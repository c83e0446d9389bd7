// Peak memory of a per-device program in a fusing compiler. Spec: resharding C.8.
#pragma once

#include <cstdint>

#include "shardy/ir/module.hpp"

namespace shardy::partitioning {

/// Returns ProgramCost::peak_bytes without elementwise intermediates: elementwise values,
/// broadcasts, iotas and splats that only elementwise ops of their block use take no memory; their
/// operands live until these ops. Requires and cost: as program_cost.
int64_t fused_peak_bytes(const ir::Module& program);

}  // namespace shardy::partitioning
