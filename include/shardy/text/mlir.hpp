// Programs as MLIR text: StableHLO, CHLO, func and SDY. Format: docs/mlir.md.
#pragma once

#include <cstddef>
#include <optional>
#include <shardy/ir/module.hpp>
#include <shardy/support/result.hpp>
#include <shardy/text/written_values.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace shardy::text {

/// Options of parse_mlir.
struct MlirOptions {
  /// Verify the program by ir::verify.
  bool verify = true;
  /// Maximal number of reported errors. After an error, parsing continues with the next op.
  std::size_t max_errors = 20;
  /// Accept ops of unregistered dialects.
  bool allow_unregistered = true;
  /// Receives the names of the values. May be null.
  WrittenNames* names = nullptr;
};

/// Parses a program and resolves its shardings. An op has the location given in the text
/// (`loc(...)`). An op without a location gets its position in the text, `line:column`.
///
/// Accepts custom and generic forms of old and new versions. Ops, attributes and types of foreign
/// dialects are kept as text. Errors: in the order of the text; Error::location is `line:column`.
/// Spec: stablehlo 1 to 14, dialect, algebra 10.
DiagnosedResult<ir::Module> parse_mlir(std::string_view text, const MlirOptions& options = {});

/// Parses the attributes of an op named `name` in their generic form, without the braces:
/// `permutation = array<i64: 1, 0>` of `stablehlo.transpose`. The op determines the kinds of its
/// attributes; attributes of an unknown op are kept as text. Errors, at `line:column` of the text:
/// a missing attribute that the op requires; text after the attributes.
DiagnosedResult<ir::AttributeMap> parse_attributes(std::string_view name, std::string_view text);

/// Replaces each `dense_resource<key>` by its value from the section dialect_resources of the file.
/// The interpreter requires these values. Keys that the section does not contain are kept.
/// Errors: data that do not fit the type, at the location of the op.
Status load_resources(ir::Module& module);

/// Options of to_mlir.
struct MlirPrintOptions {
  /// Print all ops in the old generic form, which all versions of MLIR parse.
  bool generic = false;
  /// Print the new generic form, with inherent attributes in `<{...}>`. Used only with `generic`.
  bool properties = false;
  /// Print the locations that the parsed text contained.
  bool locations = false;
  /// Print the names of values of the parsed program, and name other values after their op
  /// (docs/mlir.md). Programs that differ only in names then have different texts.
  bool names = false;
};

/// Returns the text of a program in the canonical form of stablehlo 13. parse_mlir(to_mlir(m))
/// equals `m` if `m` is valid. Equal programs have equal texts. The text ends with a newline.
std::string to_mlir(const ir::Module& module, const MlirPrintOptions& options = {});

/// Options of error_text.
struct ErrorTextOptions {
  /// Use ANSI colours for terminals.
  bool colours = false;
};

/// Formats diagnostics as the command line does: `FILE:12:7: error: CODE: message`, the source line
/// with a caret below the column, and the notes. Locations without line and column, such as JSON
/// pointers, have no source line. Source lines of more than 160 bytes are shortened around the
/// column. Without file and location, the text starts with the severity. Control characters and
/// bytes that are not UTF-8 are escaped as `\1B`.
std::string error_text(std::string_view file, std::string_view text, const Diagnostics& diagnostics,
                       const ErrorTextOptions& options = {});

/// Splits a text into programs, at lines that start with `marker`. Each result begins with an empty
/// line for each earlier line of the text, so that line numbers refer to the full text.
std::vector<std::string> split_programs(std::string_view text,
                                        std::string_view marker = "// -----");

// Equality of programs.

/// Returns a description of the first difference; std::nullopt if both modules are the same
/// program: equal ops in the same order. Ignores ids, locations, value names, and whether shardings
/// are resolved.
std::optional<std::string> first_difference(const ir::Module& a, const ir::Module& b);

/// Checks whether first_difference finds none.
inline bool same_program(const ir::Module& a, const ir::Module& b) {
  return !first_difference(a, b);
}

}  // namespace shardy::text
