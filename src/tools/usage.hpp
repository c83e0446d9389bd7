// Suggestions for wrong words of the command line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shardy/support/result.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): of a library
class App;
}

namespace shardy::tools {

/// Returns the first unknown flag, or the first unexpected word; empty if all are known.
std::string first_extra(const CLI::App& app);

/// `--trace`, `-o`, ... of a command.
std::vector<std::string> flags_of(const CLI::App& command);

/// The note `did you mean X?`, if a name is like the word up to its `=`.
void add_suggestion(Error& error, const std::string& word, const std::vector<std::string>& names);

/// The same for a value that an option does not have, of which the message lists those that it has;
/// an option without its value is told in plain words.
void explain_value(Error& error);

/// Returns an error in the value of an option, `--mesh` for example, with an example of a value if
/// the value has a wrong form.
Error in_option(std::string_view option, Error error);

/// Makes flags of all commands refuse values other than `true` and `false`.
void check_flag_values(CLI::App& app);

/// `a, b, c`.
std::string joined(const std::vector<std::string>& names);

}  // namespace shardy::tools
