// The two stages of compile, for callers that compile several variants of one program.
//
//   module --propagate_program--> all values sharded --lower_program--> per-device program
#pragma once

#include <string>
#include <vector>

#include "shardy/checking/compile.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/support/result.hpp"

namespace shardy::checking {

/// A program in which all values have shardings. The shardings that the user wrote are marked.
struct PropagatedProgram {
  ir::Module module;
  std::vector<std::string> axes;  // axes of the source program's meshes; empty without axis costs
  Diagnostics diagnostics;        // diagnostics of propagation
};

/// Verifies and propagates a program. Errors: those of compile up to the end of propagation.
DiagnosedResult<PropagatedProgram> propagate_program(const ir::Module& module,
                                                     const CompileOptions& options,
                                                     const Context& context);

/// Lowers and partitions a propagated program. The result depends only on the arguments. Errors:
/// those of later stages of compile. Requires: options and context are equal to those of
/// propagate_program. `plans` has results of searches of other variants, or is null.
DiagnosedResult<CompiledProgram> lower_program(PropagatedProgram program,
                                               const CompileOptions& options,
                                               const Context& context,
                                               passes::KnownPlans* plans = nullptr);

}  // namespace shardy::checking
