// Programs as JSON. Format: docs/json.md, docs/shardy.schema.json.
#pragma once

#include <cstddef>
#include <cstdint>
#include <shardy/ir/module.hpp>
#include <shardy/support/result.hpp>
#include <shardy/text/written_values.hpp>
#include <string>
#include <string_view>

namespace shardy::text {

/// Options of parse_json.
struct JsonOptions {
  /// Verify the program by ir::verify.
  bool verify = true;
  /// Limit of reported errors; parsing continues with the next op after an error.
  std::size_t max_errors = 20;
  /// Limit of nested lists and objects.
  std::size_t max_depth = 512;
  /// Receives the names of values; null: none.
  WrittenNames* names = nullptr;
};

/// Parses a program and resolves its shardings. An op without location in the text gets its JSON
/// pointer as location.
///
/// Errors: in the order of the text. `location` is a JSON pointer
/// ("/functions/0/body/3/operands/1"), or line:column if the text is not JSON or the error concerns
/// the whole text. The last note gives the line of the pointer.
DiagnosedResult<ir::Module> parse_json(std::string_view text, const JsonOptions& options = {});

/// Options of to_json.
struct JsonPrintOptions {
  /// Preferred maximum line length in characters.
  std::size_t width = 120;
  /// Literals with more elements are printed as base64.
  int64_t max_list_elements = 256;
  /// Print the locations of ops.
  bool locations = false;
  /// Keep the names of values of the parsed program, as in MlirPrintOptions.
  bool names = false;
};

/// Prints a program. parse_json(to_json(m)) equals a valid `m` whose nesting fits
/// JsonOptions::max_depth; a region takes four levels. Equal programs have equal texts. Ends with a
/// newline.
std::string to_json(const ir::Module& module, const JsonPrintOptions& options = {});

}  // namespace shardy::text
