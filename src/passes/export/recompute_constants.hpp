// Recomputation of values made of constants and iota.
#pragma once

#include "shardy/ir/module.hpp"

namespace shardy::passes {

/// Computes small values made of constants and iota replicated on each device and slices them,
/// where their elements would otherwise be sent. Requires: explicit reshards. Spec: partitioning
/// 8.25.
void recompute_constants(ir::Module& module);

}  // namespace shardy::passes
