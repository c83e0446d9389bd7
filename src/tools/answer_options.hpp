// Options of commands that answer questions about a program.
#pragma once

#include "tools/commands.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): of a library
class App;
}

namespace shardy::tools {

void add_explain_options(CLI::App& command, CommandOptions& options);
void add_report_options(CLI::App& command, CommandOptions& options);
void add_diff_options(CLI::App& command, CommandOptions& options);
void add_hint_options(CLI::App& command, CommandOptions& options);

}  // namespace shardy::tools
