// `shardy opt`: passes over a program, with MLIR's flags.
#pragma once

#include <span>
#include <string>

#include "shardy/checking/compile.hpp"

namespace shardy::tools {

/// Runs the command with the arguments after its name; returns the exit status. The context has
/// the embedder's rules, lowerings and passes.
int opt_command(std::span<const std::string> arguments, checking::Context context = {});

}  // namespace shardy::tools
