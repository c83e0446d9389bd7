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
  int64_t last_channel = 0;  // the channels behind it are free
};

/// The program of each device for a module of one function, which holds one op and has shardings at
/// arguments and results. Uneven dims are rounded up, with undefined elements at the
/// high end: the passes know the true sizes and mask the padding. Errors: those of the
/// passes.
passes::PassErrors lower_by_reference(ir::Module& alone, const ReferenceLowering& options,
                                      const rules::Registry& rules);

}  // namespace shardy::partitioning
