// Steps of XLA's pipelines other than shardings. Spec: interop 6.1, 7.1.
#pragma once

#include "shardy/ir/module.hpp"
#include "shardy/passes/pass.hpp"

namespace shardy::passes {

/// Gives each call of a manual computation's body, except the first, a copy of it. Errors: too many
/// copied ops; recursion.
PassErrors clone_manual_bodies(ir::Module& module);

/// Adds a dummy result, which can have a sharding, to Python callbacks without results or with an
/// unused empty tuple.
PassErrors import_callbacks(ir::Module& module);

/// Makes Python callbacks return one tuple of their results, as XLA expects.
PassErrors export_callbacks(ir::Module& module);

}  // namespace shardy::passes
