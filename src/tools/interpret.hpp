// Running a program as it is written, without shardings.
#pragma once

#include "shardy/ir/module.hpp"
#include "tools/commands.hpp"
#include "tools/reporter.hpp"

namespace shardy::tools {

/// True for a program that says how it is sharded: it has meshes or shardings, and a main function
/// that no other program runs.
bool is_sharded(const ir::Module& module);

/// Runs `@main`, or, where there is none, every function without arguments, in order. Returns the
/// exit status. Spec: stablehlo 31.1, 32, 33.
int interpret(Reporter& reporter, const ir::Module& module, const CommandOptions& options);

}  // namespace shardy::tools
