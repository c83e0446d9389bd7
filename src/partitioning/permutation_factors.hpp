// sdy-resolve-permutation-factors: ops whose elements change their device along sharded dims.
// Spec: partitioning 10.3.
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

/// Slices, pads and reverses exchange halos in manual computations, if the options say so and what
/// they need is near; the dims of all others, and groups of dims of reshapes that do not divide,
/// become whole by reshards around the op. Errors: replicas and partitions at once, broken rules.
passes::PassErrors resolve_permutation_factors(ir::Module& module,
                                               const PermutationOptions& options,
                                               const rules::Registry& rules = {});

}  // namespace shardy::partitioning
