// Words, numbers and sharding rules on the command line, and suggestions for wrong ones.
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
namespace CLI {  // NOLINT(readability-identifier-naming): a namespace of a library
class App;
}

namespace shardy::tools {

/// Returns the first unknown flag or the first unexpected word; empty if all arguments are known.
std::string first_extra(const CLI::App& app);

/// Returns the flags of a command, such as `--trace` or `-o`.
std::vector<std::string> flags_of(const CLI::App& command);

/// Adds the note `did you mean X?` if a name is similar to the word up to its `=`.
void add_suggestion(Error& error, const std::string& word, const std::vector<std::string>& names);

/// The exception for a wrong value of an option, because exceptions of CLI11 have no notes.
struct WrongValue {
  Error error;
};

/// Returns the error `--emit: no such value: mlr`, with notes that have the most similar name and
/// all names. `kind` is the word `value` in the message.
WrongValue no_such(const std::string& option, std::string_view kind, const std::string& word,
                   const std::vector<std::string>& names);

/// Restricts the option to these values. Parsing another value throws WrongValue.
CLI::Option* allow_only(CLI::Option* option, const std::vector<std::string>& names);

/// Converts the error of a command line that CLI11 rejects.
Error error_of(const CLI::ParseError& parse_error);

/// Returns an error of an option's value, for example of `--mesh`. If the value has a wrong form,
/// the error has an example.
Error in_option(std::string_view option, Error error);

/// Makes flags of all commands reject values other than `true` and `false`.
void check_flag_values(CLI::App& app);

/// Returns a text such as `a, b, c`.
std::string joined(const std::vector<std::string>& names);

// Numbers in options.

/// Parses an integer of decimal digits. Errors: other text, a number out of range.
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

/// Parses a real number. Errors: other text, negative numbers, infinities, NaN.
Result<double> read_magnitude(std::string_view text);

/// Parses a number of bytes, with or without a unit: "65536", "5MB" (10^6 bytes), "1.5GiB" (2^30
/// bytes). Errors: other text, parts of bytes, a number out of range.
Result<int64_t> read_bytes(std::string_view text);

/// Two integers with an `x` between them, such as "2x4".
struct IntegerPair {
  int64_t first = 0;
  int64_t second = 0;
};
/// Parses a pair. Error: other text.
Result<IntegerPair> read_pair(std::string_view text);

// Sharding rules on the command line.

/// Adds `--op-rule`, `--custom-call-rule` and `--composite-rule`, each of which has the form
/// `NAME=RULE` and may occur several times. RULE has the form of an einsum. The rules are stored in
/// the context, which must outlive the app.
void add_rule_options(CLI::App& app, checking::Context& context);

}  // namespace shardy::tools
