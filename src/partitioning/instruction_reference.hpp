// One op partitioned by Shardy's own passes. Spec: passes 5.19, partitioning 10.
#pragma once

#include <cstdint>

#include "shardy/ir/module.hpp"
#include "shardy/passes/pass.hpp"
#include "shardy/rules/registry.hpp"

namespace shardy::partitioning {

struct ReferenceLowering {
  bool enable_halo_exchange = true;
  int64_t replica_count = 1;
  int64_t partition_count = 1;
  int64_t last_channel = 0;  // later channels are free
};

/// Lowers a module with one function and one op, sharded by its arguments and results, to a
/// per-device program. Uneven dims are rounded up with undefined elements at the high end; the
/// passes know the true sizes and mask the padding. Errors: those of the passes.
passes::PassErrors lower_by_reference(ir::Module& alone, const ReferenceLowering& options,
                                      const rules::Registry& rules);

}  // namespace shardy::partitioning
