// Programs without tuples: what XLA makes of HLO passes arguments, results and loops as tuples.
#pragma once

#include <shardy/ir/module.hpp>
#include <shardy/passes/pass.hpp>

namespace shardy::passes {

/// Tuples become the values that they hold, as several arguments, results and operands: of
/// functions, calls, custom calls, loops, branches and barriers. `mhlo.sharding` of a tuple is
/// shared out among them. Errors: a tuple anywhere else, with its place; the module is half changed
/// then. Spec: interop 6.8.
PassErrors tuples_to_values(ir::Module& module);

/// Returns whether an argument or a result of anything is a tuple.
bool has_tuples(const ir::Module& module);

}  // namespace shardy::passes
