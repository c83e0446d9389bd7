// Branches that some devices of a collective take and others do not.
#pragma once

#include "shardy/ir/module.hpp"
#include "shardy/support/result.hpp"

namespace shardy::partitioning {

/// Limit of devices for which predicates are computed; `run` finds divergence on more.
inline constexpr int64_t kMostComparedDevices = 4096;

/// Returns an error E_DIVERGENT for each branch with a collective that some devices of a group
/// reach and others do not. Reads branches whose predicate is computed from the id of the device
/// and constants; others are compared when the program runs. Requires: a verified per-device
/// program. Cost: linear in the program; with such a branch, times the devices. Spec:
/// partitioning 4.6.
Diagnostics divergent_collectives(const ir::Module& program);

}  // namespace shardy::partitioning
