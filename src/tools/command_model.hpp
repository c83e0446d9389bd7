// The command line as data: for help, completion and the manual.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>
namespace CLI {  // NOLINT(readability-identifier-naming): of a library
class App;
}

namespace shardy::tools {

struct OptionModel {
  std::vector<std::string> names;  // `-o`, `--output`
  std::string help;
  bool takes_value = false;
  std::vector<std::string> choices = {};  // values that it may have; empty: any
};

struct CommandModel {
  std::string name;  // of a subcommand
  std::string help;
  bool takes_file = false;
  std::vector<OptionModel> options = {};
  std::vector<std::string> examples = {};
};

/// Returns the model of a command's parser.
CommandModel model_of(const CLI::App& command, std::string name);

/// Returns the models of all subcommands that help shows, in its order. `opt_model` is that of
/// `opt`, which has its own parser.
std::vector<CommandModel> models_of(const CLI::App& app, const CommandModel& opt_model);

/// Returns at least two examples of a command; empty for an unknown command.
std::vector<std::string> examples_of(std::string_view command);
/// The examples, formatted as the end of a help page.
std::string examples_text(std::string_view command);

// The form of help pages: options in groups, with types of values, wrapped to the terminal.

/// Columns of the terminal, of the variable COLUMNS, or 100.
std::size_t help_width();

/// Gives the command and its subcommands help pages of that form, and the flag -h, which sets
/// `wants_short` and throws CLI::CallForHelp.
void set_help_form(CLI::App& app, bool& wants_short);

/// Names of options in their groups, without explanations.
std::string short_help(const CLI::App& app, const std::string& name);

}  // namespace shardy::tools
