// Comparing what is said about a program with what its comments expect.
#pragma once

#include <cstddef>
#include <string_view>

#include "shardy/support/result.hpp"

namespace shardy::tools {

/// Line of a place `12:7`, 0 for other places.
std::size_t line_of_place(std::string_view location);

/// Compares what was said with the comments `expected-error {{text}}` (warning, note, remark) of
/// the text, as MLIR's -verify-diagnostics: on its own line or at `@+1`, `@-1`, `@below`, `@above`,
/// `@unknown`; with a count `2`, `+` or `*` in front of the text; `expected-error-re` with regular
/// expressions in `{{}}` inside it. The text is looked for in `CODE: message`.
///
/// `num_of_input`: how many of `said`, the first ones, were said while reading or verifying, where
/// other tools stop at the first error.
/// Returns mismatches, errors in the order of the text. Unexpected notes are accepted, and
/// so do errors of the input after one that was expected.
Diagnostics compare_diagnostics(std::string_view text, const Diagnostics& said,
                                std::size_t num_of_input, bool only_expected);

}  // namespace shardy::tools
