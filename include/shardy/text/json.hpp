// Programs as JSON. The format: docs/json.md, docs/shardy.schema.json.
#pragma once

#include <cstddef>
#include <cstdint>
#include <shardy/ir/module.hpp>
#include <shardy/support/result.hpp>
#include <shardy/text/written_values.hpp>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace shardy::text {

/// How JSON is read.
struct JsonOptions {
  /// Also verify the program: ir::verify.
  bool verify = true;
  /// Reading goes on to the next op after an error, up to so many of them.
  std::size_t max_errors = 20;
  /// Levels of lists and objects that a text may nest.
  std::size_t max_depth = 512;
  /// Where the names of the values go, if not null.
  WrittenNames* names = nullptr;
};

/// The program that `text` holds, with its shardings resolved. Where the text gives an op no
/// location, its JSON pointer becomes the location.
///
/// Errors: in the order of the text. `location` is a JSON pointer
/// ("/functions/0/body/3/operands/1"), or line:column if the text is not JSON or the error is about
/// the whole text. The last note has the line of the pointer.
tl::expected<ir::Module, std::vector<Error>> parse_json(std::string_view text,
                                                        const JsonOptions& options = {});

/// How JSON is printed.
struct JsonPrintOptions {
  /// Characters that a line should not exceed.
  std::size_t width = 120;
  /// Literals of more elements are printed as base64.
  int64_t max_list_elements = 256;
  /// Print the locations of ops.
  bool locations = false;
  /// Values keep the names of the program that was read, as in MlirPrintOptions.
  bool names = false;
};

/// The program as text; parse_json(to_json(m)) is the same program as a valid `m` that nests no
/// deeper than JsonOptions::max_depth allows: a region takes four levels. Equal programs have equal
/// texts. Ends in a newline.
std::string to_json(const ir::Module& module, const JsonPrintOptions& options = {});

}  // namespace shardy::text
