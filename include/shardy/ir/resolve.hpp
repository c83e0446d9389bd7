// Giving spelled shardings and axes the meaning that the meshes of the module lend them.
#pragma once

#include <shardy/ir/module.hpp>
#include <shardy/support/result.hpp>
#include <vector>

namespace shardy::ir {

/// Replaces spelled shardings and axes by resolved ones wherever the dialect gives them a meaning:
/// `sdy.sharding` of ops, arguments and results, the attributes of the sdy and spmd ops. Elsewhere
/// they stay as written. A sharding with an error stays unresolved.
///
/// Errors, in program order, all of an op: algebra 9.1 to 9.3 but for step 9, with the prefixes of
/// dialect 1 and 3 after the op's name; `location` is that of the op.
std::vector<Error> resolve(Module& module);

}  // namespace shardy::ir
