// Removal of the tuples that HLO uses for arguments, results and loops.
#pragma once

#include <shardy/ir/module.hpp>
#include <shardy/passes/pass.hpp>

namespace shardy::passes {

/// Replaces tuples of functions, calls, custom calls, loops, branches and barriers by several
/// arguments, results and operands. Splits the `mhlo.sharding` of a tuple into its leaves. Error: a
/// tuple anywhere else; the module is then partly changed. Spec: interop 6.8.
Diagnostics tuples_to_values(ir::Module& module);

/// Checks whether any argument or result is a tuple.
bool has_tuples(const ir::Module& module);

/// Replaces tuples of custom calls that have shardings by several operands and results.
void flatten_tuples(ir::Module& module);

}  // namespace shardy::passes
