// Programs as MLIR text: StableHLO, CHLO, func and SDY. The format: docs/mlir.md.
#pragma once

#include <cstddef>
#include <optional>
#include <shardy/ir/module.hpp>
#include <shardy/support/result.hpp>
#include <shardy/text/written_values.hpp>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace shardy::text {

/// How MLIR text is read.
struct MlirOptions {
  /// Also verify the program: ir::verify.
  bool verify = true;
  /// Reading goes on to the next op after an error, up to so many of them.
  std::size_t max_errors = 20;
  /// Ops of unknown dialects are read, not errors.
  bool allow_unregistered = true;
  /// Where the names of the values go, if not null.
  WrittenNames* names = nullptr;
};

/// The program that `text` holds, with its shardings resolved. The locations of its ops are those
/// that the text gives them, as text, else `line:column`.
///
/// Custom and generic forms are read, of old and new text. Ops, attributes and types of foreign
/// dialects are kept as they are written. Errors: in the order of the text; `location` is
/// `line:column`. Spec: stablehlo 1 to 14, dialect, algebra 10.
tl::expected<ir::Module, std::vector<Error>> parse_mlir(std::string_view text,
                                                        const MlirOptions& options = {});

/// Replaces each `dense_resource<key>` by its value from the section dialect_resources of the file,
/// which a run of the program needs. Keys that the section does not hold stay. Errors: data that is
/// not a value of the type, at the location of the op.
Status load_resources(ir::Module& module);

/// How MLIR text is printed.
struct MlirPrintOptions {
  /// All ops in the generic form of older text, which any MLIR parser reads.
  bool generic = false;
  /// With `generic`: of newer text, with inherent attributes in `<{...}>`.
  bool properties = false;
  /// Print the locations of ops that the text gave.
  bool locations = false;
  /// Values keep the names of the program that was read, others are called by what they are made
  /// of (docs/mlir.md). Programs that only differ in names have different texts then.
  bool names = false;
};

/// The program as text, in the canonical form of stablehlo 13; parse_mlir(to_mlir(m)) is the same
/// program as a valid `m`. Equal programs have equal texts. Ends in a newline.
std::string to_mlir(const ir::Module& module, const MlirPrintOptions& options = {});

/// How errors are printed.
struct ErrorTextOptions {
  /// With the marks that make a terminal show colours.
  bool colours = false;
};

/// `FILE:12:7: error: CODE: message`, the line and a caret below the column, then the notes, for
/// each diagnostic: the form in which the command line prints all of them. A place without line and
/// column, as in JSON, has no excerpt. A line of more than 160 bytes is shortened to the text
/// around the column. Without a file and a place the text begins with the severity. Control
/// characters, and bytes that are not UTF-8, are written as `\1B`.
std::string error_text(std::string_view file, std::string_view text, const Diagnostics& diagnostics,
                       const ErrorTextOptions& options = {});

/// The programs of a text that lines which begin with the marker separate, each with the lines
/// before it, empty, so that places stay right.
std::vector<std::string> split_programs(std::string_view text,
                                        std::string_view marker = "// -----");

// True if two modules are one program.

/// Where two modules first differ, in words; nothing if they are the same program: the same ops in
/// the same order, up to ids, locations, and whether shardings are spelled or resolved.
std::optional<std::string> first_difference(const ir::Module& a, const ir::Module& b);

/// Returns whether both have one text: locations and names of values do not count.
inline bool same_program(const ir::Module& a, const ir::Module& b) {
  return !first_difference(a, b);
}

}  // namespace shardy::text
