// Options of the stages that several commands go through.
#pragma once

#include "tools/commands.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): of a library
class App;
class Option;
}  // namespace CLI

namespace shardy::tools {

CLI::Option* add_file(CLI::App& command, CommandOptions& options);
/// Adds the option for shardings of other forms. `convert` keeps them by default.
void add_import_option(CLI::App& command, CommandOptions& options, bool is_convert);
/// In which form shardings are written.
void add_export_option(CLI::App& command, CommandOptions& options);
/// Adds the options of all commands that propagate.
void add_propagation_options(CLI::App& command, CommandOptions& options);
void add_resharding_options(CLI::App& command, CommandOptions& options);
void add_collective_options(CLI::App& command, CommandOptions& options);

}  // namespace shardy::tools
