// Removal of tuples, which HLO uses for arguments, results and loops.
#pragma once

#include <shardy/ir/module.hpp>
#include <shardy/passes/pass.hpp>

namespace shardy::passes {

/// Replaces tuples by their elements, as several arguments, results and operands of functions,
/// calls, custom calls, loops, branches and barriers. The `mhlo.sharding` of a tuple is split into
/// its leaves. Errors: a tuple anywhere else, with its location; the module is then partly changed.
/// Spec: interop 6.8.
Diagnostics tuples_to_values(ir::Module& module);

/// Checks whether any argument or result is a tuple.
bool has_tuples(const ir::Module& module);

/// Replaces tuples of custom calls that carry shardings by several operands and results.
void flatten_tuples(ir::Module& module);

}  // namespace shardy::passes
