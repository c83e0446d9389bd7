// What is said about a program, and comparing it with what its comments expect.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shardy/support/result.hpp"

namespace shardy::tools {

/// An error, warning, remark or note. `place`: where it was said.
struct Said {
  std::string severity = "error";
  Error what;
  /// Said while reading or verifying, where other tools stop at the first error.
  bool is_of_input = false;
};

/// Line of a place `12:7`, 0 for other places.
std::size_t line_of_place(std::string_view at);

/// Compares what was said with the comments `expected-error {{text}}` (warning, note, remark) of
/// the text, as MLIR's -verify-diagnostics: on its own line or at `@+1`, `@-1`, `@below`, `@above`,
/// `@unknown`; with a count `2`, `+` or `*` in front of the text; `expected-error-re` with regular
/// expressions in `{{}}` inside it. The text is looked for in the message.
///
/// Returns what does not fit, errors in the order of the text. Notes that nobody expects fit, and
/// so do errors of the input after one that was expected.
std::vector<Error> compare_diagnostics(std::string_view text, const std::vector<Said>& said,
                                       bool only_expected);

}  // namespace shardy::tools
