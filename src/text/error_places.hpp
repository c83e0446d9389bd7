// Positions in the texts of programs, found from locations and subjects of diagnostics.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shardy/support/result.hpp"
#include "text/json_document.hpp"

namespace shardy::text {

// Positions in other programs, such as Python programs, that MLIR locations contain.

/// A line of a file, and the function around it by its name in JAX.
struct SourcePlace {
  std::string file;
  uint64_t line = 0;
  uint64_t column = 0;  // 0: unknown
  std::string name = {};
};

/// Returns all positions in other files that a location contains, in order: for a call site the
/// inner one first, for a fused location its members. Empty for a position in the text of the
/// program, such as `12:7`.
std::vector<SourcePlace> source_places(const Location& location);

/// Returns the names in a location, with or without a position, such as `jit(f)/add` or `embed`.
std::vector<std::string> source_names(const Location& location);

/// Returns `model.py:31 (embed)`, or `model.py:31:8` if no name is known. A location without a
/// place is returned unchanged.
std::string place_text(const Location& location);

// Positions of diagnostics in the text of a program. They follow from the location of a diagnostic
// and from its subject.

/// Returns the JSON pointer of the axis, mesh or sharding to which an error refers, within the op,
/// argument or result of the error. Returns the location of the error if the text has none.
Location pointer_of_subject(const JsonDocument& document, const Error& error);

/// Returns the note with the line of a node, `line 12`.
std::string line_note(JsonNode node);

/// Replaces JSON pointers in the locations of diagnostics by `LINE:COLUMN` and adds a note with the
/// pointer.
Diagnostics with_json_places(std::string_view text, Diagnostics diagnostics);

/// Moves locations of diagnostics in MLIR text. A diagnostic whose subject is an argument or result
/// of a function, an axis or a mesh gets the place of the attribute, or of the name in it, instead
/// of the place of the op.
Diagnostics with_mlir_places(std::string_view text, Diagnostics diagnostics);

}  // namespace shardy::text
