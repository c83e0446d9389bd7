// sdy-convert-global-to-local: Shardy's last step, from global shapes and sdy collectives to the
// program of each device. Spec: partitioning 10.4.
#pragma once

#include "partitioning/local_program.hpp"
#include "shardy/passes/pass.hpp"

namespace shardy::partitioning {

/// All values get local types. Errors: what Shardy stops at, and what would give other values than
/// the program; the module is then of no use.
passes::PassErrors convert_global_to_local(ir::Module& module, const GlobalToLocalOptions& options,
                                           const rules::Registry& rules = {});

}  // namespace shardy::partitioning
