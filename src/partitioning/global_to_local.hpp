// sdy-convert-global-to-local: Shardy's last pass, from global shapes and sdy collectives to the
// per-device program. Spec: partitioning 10.4.
#pragma once

#include "partitioning/local_program.hpp"
#include "shardy/passes/pass.hpp"

namespace shardy::partitioning {

/// Gives all values local types. Errors: programs that Shardy rejects or would compile to other
/// values; the module is then invalid.
passes::PassErrors convert_global_to_local(ir::Module& module, const GlobalToLocalOptions& options,
                                           const rules::Registry& rules = {});

}  // namespace shardy::partitioning
