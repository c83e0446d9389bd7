// The two stages of compile, for callers that compile variants of one program.
//
//   module --propagate_program--> all values sharded --lower_program--> per-device program
#pragma once

#include <string>
#include <vector>

#include "shardy/checking/compile.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/support/result.hpp"

namespace shardy::checking {

/// A program whose values have their shardings. Those that the user wrote are marked.
struct PropagatedProgram {
  ir::Module module;
  std::vector<std::string> axes;  // of the meshes of the source program; empty without axis costs
  Diagnostics diagnostics;        // of the stage
};

/// Verifies and propagates a program. Errors: those of compile until all values have shardings.
DiagnosedResult<PropagatedProgram> propagate_program(const ir::Module& module,
                                                     const CompileOptions& options,
                                                     const Context& context);

/// Lowers and partitions a propagated program; the result depends on nothing else. Errors: those of
/// compile in later stages. Requires: the options and the context of propagate_program.
DiagnosedResult<CompiledProgram> lower_program(PropagatedProgram program,
                                               const CompileOptions& options,
                                               const Context& context);

}  // namespace shardy::checking
