// The options of the commands, and a description of the command line as data, for help, completion
// and the manual.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tools/commands.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): a namespace of a library
class App;
}

namespace shardy::tools {

struct OptionModel {
  std::vector<std::string> names;  // such as `-o`, `--output`
  std::string help;
  bool takes_value = false;
  std::vector<std::string> choices = {};  // allowed values; empty: any value
};

struct CommandModel {
  std::string name;  // name of a subcommand
  std::string help;
  bool takes_file = false;
  std::vector<OptionModel> options = {};
  std::vector<std::string> examples = {};
};

/// Returns the model of a command's parser.
CommandModel model_of(const CLI::App& command, std::string name);

/// Returns the models of all subcommands that help shows, in the order of help. `opt_model`
/// describes `opt`, which has a separate parser.
std::vector<CommandModel> models_of(const CLI::App& app, const CommandModel& opt_model);

/// Returns at least two examples of a command; empty for an unknown command.
std::vector<std::string> examples_of(std::string_view command);
/// Returns the examples, formatted for the end of a help page.
std::string examples_text(std::string_view command);

// The form of help pages: options in groups, with types of values, wrapped to the terminal's width.

/// Returns the number of columns of the terminal, the value of the variable COLUMNS, or 100.
std::size_t help_width();

/// Sets the help pages of the command and its subcommands to this form. Adds the flag -h, which
/// sets `wants_short` and throws CLI::CallForHelp.
void set_help_form(CLI::App& app, bool& wants_short);

/// Returns the names of options in their groups, without explanations.
std::string short_help(const CLI::App& app, const std::string& name);

}  // namespace shardy::tools

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

/// Returns the given options that change a search with a limit of memory, such as `--effort=20`.
std::vector<std::string> search_words_of(const CLI::App& command);

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
