// A check for branches that only some devices of a collective's group take.
#pragma once

#include "shardy/ir/module.hpp"
#include "shardy/support/result.hpp"

namespace shardy::partitioning {

/// The largest number of devices for which predicates are computed. For more devices, `run` reports
/// the divergence.
inline constexpr int64_t kMostComparedDevices = 4096;

/// Returns an error E_DIVERGENT for each branch with a collective that only some devices of a group
/// reach. Covers branches whose predicate depends only on the device id and on constants; the run
/// checks the other branches. Requires: a verified per-device program. Cost: linear in the program;
/// times
/// the number of devices if such a branch exists. Spec: partitioning 4.6.
Diagnostics divergent_collectives(const ir::Module& program);

}  // namespace shardy::partitioning
