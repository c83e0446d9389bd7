// The two stages of compile, for callers that compile several variants of one program, and its
// notes on donated buffers and on memory that custom calls name.
//
//   module --propagate_program--> all values sharded --lower_program--> per-device program
#pragma once

#include <cstddef>
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

/// Checks whether a device has the argument and the result of main with equal types and shardings.
/// Requires: main has both.
bool can_take_buffer(const ir::Module& program, std::size_t argument, std::size_t result);

/// Returns a note for each argument of the per-device program that donates its buffer
/// (`tf.aliasing_output`) to a result with another type or sharding. Spec: interop 2.5.
Diagnostics donation_notes(const ir::Module& program);

/// Returns one note, N_PLACEMENT, per custom call of the per-device program that names the memory
/// of its result. Spec: interop 3.4.
Diagnostics placement_notes(const ir::Module& program);

}  // namespace shardy::checking
