// The form of help pages: options in groups, with types of values, wrapped to the terminal.
#pragma once

#include <cstddef>
#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): of a library
class App;
}

namespace shardy::tools {

/// The columns of the terminal, of the variable COLUMNS, or 100.
std::size_t help_width();

/// Gives the command and its subcommands help pages of that form, and the flag -h, which sets
/// `wants_short` and throws CLI::CallForHelp.
void set_help_form(CLI::App& app, bool& wants_short);

/// Names of options in their groups, without explanations.
std::string short_help(const CLI::App& app, const std::string& name);

}  // namespace shardy::tools
