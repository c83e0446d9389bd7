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
  /// Maximal number of reported errors. After an error, parsing continues with the next op.
  std::size_t max_errors = 20;
  /// Maximal nesting depth of lists and objects.
  std::size_t max_depth = 512;
  /// Gets the names of the values, if not null.
  WrittenNames* names = nullptr;
};

/// Parses a program and resolves its shardings. An op without a location in the text gets its JSON
/// pointer as location.
///
/// Errors: in the order of the text. Error::location is a JSON pointer
/// ("/functions/0/body/3/operands/1"), or line:column if the text is not JSON or the error concerns
/// the whole text. The last note has the line of the JSON pointer.
DiagnosedResult<ir::Module> parse_json(std::string_view text, const JsonOptions& options = {});

/// Options of to_json.
struct JsonPrintOptions {
  /// Preferred line length in characters.
  std::size_t width = 120;
  /// Literals with more elements are printed as base64.
  int64_t max_list_elements = 256;
  /// Print the locations of ops.
  bool locations = false;
  /// Print the names of values of the parsed program, as MlirPrintOptions::names.
  bool names = false;
};

/// Returns the JSON text of a program. parse_json(to_json(m)) equals `m` if `m` is valid and its
/// nesting fits JsonOptions::max_depth, where a region takes four levels. Equal programs have equal
/// texts. The text ends with a newline.
std::string to_json(const ir::Module& module, const JsonPrintOptions& options = {});

}  // namespace shardy::text
