// Places in the texts of programs, as locations and messages name them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shardy/support/result.hpp"
#include "text/json_document.hpp"

namespace shardy::text {

// The places in other programs, such as those of Python, that locations of MLIR name.

/// A line of a file, and the function around it, as JAX names it.
struct SourcePlace {
  std::string file;
  uint64_t line = 0;
  uint64_t column = 0;  // 0: unknown
  std::string name = {};
};

/// All places that a location names, in its order: of a call site the inner one first, of a fused
/// location its parts. Empty for a place in the text of the program, `12:7`.
std::vector<SourcePlace> source_places(const Location& location);

/// The names around places or without one: `jit(f)/add`, `embed`.
std::vector<std::string> source_names(const Location& location);

/// `model.py:31 (embed)`; `model.py:31:8` if no name is known; a location that names no place as it
/// is.
std::string place_text(const Location& location);

// The place in a JSON text of the word that an error is about.

/// `"x"` or `@m`, with its marks, at the end of a message about it; empty if the message has none.
std::string_view quoted_word(std::string_view message);

/// The argument or result of a function that a message is about: `arg 3 - `, `result 0 - `.
struct FunctionPart {
  bool is_result = false;
  std::size_t index = 0;
};
std::optional<FunctionPart> function_part(std::string_view message);

/// The pointer of the string that holds the axis or mesh which the message of an error quotes, in
/// the op, argument or result that the error is about; the location of the error if there is none.
Location pointer_of_word(const JsonDocument& document, const Error& error);

// Places of diagnostics in the text of a program.

/// Diagnostics of a program in JSON, with `LINE:COLUMN` as location and a note with the pointer.
Diagnostics with_json_places(std::string_view text, Diagnostics diagnostics);

/// Diagnostics of a program in MLIR. A diagnostic about an argument or a result of a function, an
/// axis or a mesh gets the place of the attribute, or of the name in it, instead of that of the op.
Diagnostics with_mlir_places(std::string_view text, Diagnostics diagnostics);

}  // namespace shardy::text
