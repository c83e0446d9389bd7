// Values made of constants and iota are computed where they are needed.
#pragma once

#include "shardy/ir/module.hpp"

namespace shardy::passes {

/// Computes small values made of constants and iota whole on each device, and slices them there,
/// where their elements would otherwise go to another device. For a module with explicit reshards.
/// Spec: partitioning 8.25.
void recompute_constants(ir::Module& module);

}  // namespace shardy::passes
