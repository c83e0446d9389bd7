// Words, numbers and rules on the command line, and suggestions for wrong ones.
#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "shardy/checking/compile.hpp"
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

/// The error of a refused value of an option. Thrown out of a parse, because errors of CLI11 have
/// no notes.
struct WrongValue {
  Error error;
};

/// `--emit: no such value: mlr`, with the closest name and all names in notes. `kind`: `value`.
WrongValue no_such(const std::string& option, std::string_view kind, const std::string& word,
                   const std::vector<std::string>& names);

/// Restricts the option to these values. Parsing another one throws WrongValue.
CLI::Option* allow_only(CLI::Option* option, const std::vector<std::string>& names);

/// Returns the error in plain words of a command line that CLI11 refuses.
Error error_of(const CLI::ParseError& parse_error);

/// Returns an error in the value of an option, `--mesh` for example, with an example of a value if
/// the value has a wrong form.
Error in_option(std::string_view option, Error error);

/// Makes flags of all commands refuse values other than `true` and `false`.
void check_flag_values(CLI::App& app);

/// `a, b, c`.
std::string joined(const std::vector<std::string>& names);

// Numbers that options take.

/// Parses an integer: decimal digits only. Errors: other text, a number out of the range.
template <std::integral Int>
Result<Int> read_integer(std::string_view text, Int least = 0,
                         Int most = std::numeric_limits<Int>::max()) {
  Int value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && rest == end && value >= least && value <= most) return value;
  return fail("expected an integer from " + std::to_string(least) + " to " + std::to_string(most) +
              ", got: " + std::string(text));
}

/// Parses a real number. Errors: also negative ones, infinities and NaNs.
Result<double> read_magnitude(std::string_view text);

/// A number of bytes, with or without a unit: "65536", "5MB" (10^6 bytes each), "1.5GiB" (2^30).
/// Errors: anything else, parts of bytes, a number out of the range.
Result<int64_t> read_bytes(std::string_view text);

/// Two integers with an `x` between: "2x4".
struct IntegerPair {
  int64_t first = 0;
  int64_t second = 0;
};
/// Errors: anything else.
Result<IntegerPair> read_pair(std::string_view text);

// Sharding rules that are given on the command line.

/// `--op-rule`, `--custom-call-rule` and `--composite-rule`, each `NAME=RULE`, any number of times,
/// with a rule written like an einsum. The rules are stored in the context, which must outlive the
/// app.
void add_rule_options(CLI::App& app, checking::Context& context);

}  // namespace shardy::tools
