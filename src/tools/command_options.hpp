// The options of the commands.
#pragma once

#include <string>

#include "tools/commands.hpp"
namespace CLI {  // NOLINT(readability-identifier-naming): a namespace of a library
class App;
}

namespace shardy::tools {

/// A command on the program of a file.
struct CommandRow {
  const char* name;
  const char* help;
  int (*run)(const CommandOptions&);
  bool runs;  // has the options of a simulation
  bool writes;
  bool propagates;
};

/// Adds the options that several commands share, then the command's own options. `options` must
/// outlive
/// the parser.
void add_command_options(CLI::App& command, const CommandRow& row, CommandOptions& options);
void add_sweep_options(CLI::App& command, SweepOrder& order);
void add_soak_options(CLI::App& command, SoakOptions& order);
void add_show_options(CLI::App& command, ShowRequest& request);
void add_reshard_options(CLI::App& command, ReshardRequest& request);

/// Returns the given options that change the results of a sweep, except the options of strategies.
std::string flags_of_sweep(const CLI::App& command);

/// Returns the second program and the given options of a page, except the option of the output.
std::string flags_of_view(const CLI::App& command);

/// Returns the given options that `run --check` has, too, such as ` --seed=3 --exact=false`.
std::string flags_for_run(const CLI::App& command);

// Options of commands that explain a program.

void add_explain_options(CLI::App& command, CommandOptions& options);
void add_report_options(CLI::App& command, CommandOptions& options);
void add_diff_options(CLI::App& command, CommandOptions& options);
void add_hint_options(CLI::App& command, CommandOptions& options);
void add_view_options(CLI::App& command, CommandOptions& options);
void add_autoshard_options(CLI::App& command, CommandOptions& options);

}  // namespace shardy::tools
