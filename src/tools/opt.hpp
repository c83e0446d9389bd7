// `shardy opt`: passes over a program, with MLIR's flags.
#pragma once

#include <span>
#include <string>

namespace shardy::tools {

/// Runs the command with the arguments behind its name; returns the exit status.
int opt_command(std::span<const std::string> arguments);

}  // namespace shardy::tools
