// sdy-resolve-permutation-factors: ops that move elements along sharded dims. Spec: partitioning
// 10.3.
#pragma once

#include <cstdint>

#include "shardy/ir/module.hpp"
#include "shardy/passes/pass.hpp"
#include "shardy/rules/registry.hpp"

namespace shardy::partitioning {

struct PermutationOptions {
  bool enable_halo_exchange = true;
  int64_t replica_count = 1;
  int64_t partition_count = 1;
};

/// Replaces slices, pads and reverses by manual computations with halo exchanges, if enabled and
/// possible with neighbours. Replicates the dims of all others, and groups of reshaped dims that do
/// not divide, by reshards around the op. Errors: replicas and partitions both above 1, invalid
/// rules.
passes::PassErrors resolve_permutation_factors(ir::Module& module,
                                               const PermutationOptions& options,
                                               const rules::Registry& rules = {});

}  // namespace shardy::partitioning
