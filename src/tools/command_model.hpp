// A description of the command line as data, for help, completion and the manual.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>
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
