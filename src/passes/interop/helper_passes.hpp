// Steps of older and newer pipelines of XLA beside the shardings themselves. Spec:
// interop 6.1, 7.1.
#pragma once

#include "shardy/ir/module.hpp"
#include "shardy/passes/pass.hpp"

namespace shardy::passes {

/// Each call of the body of a manual computation but the first gets a copy of it. Errors: all
/// copies are too many ops; a function calls itself.
PassErrors clone_manual_bodies(ir::Module& module);

/// Calls into Python without a result, or with an unused empty tuple, get a dummy result: an op
/// with a result can have a sharding.
PassErrors import_callbacks(ir::Module& module);

/// Calls into Python give one tuple of their results, as XLA expects.
PassErrors export_callbacks(ir::Module& module);

}  // namespace shardy::passes
