// The places in other programs, such as those of Python, that locations of MLIR name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shardy::text {

/// A line of a file, and the function around it, as JAX names it.
struct SourcePlace {
  std::string file;
  uint64_t line = 0;
  uint64_t column = 0;  // 0: not said
  std::string name = {};
};

/// All places that a location names, in its order: of a call site the inner one first, of a fused
/// location its parts. Empty for a place in the text of the program, `12:7`.
std::vector<SourcePlace> source_places(std::string_view location);

/// The names that stand around places or alone: `jit(f)/add`, `embed`.
std::vector<std::string> source_names(std::string_view location);

/// `model.py:31 (embed)`; `model.py:31:8` if no name is known; a location that names no place as it
/// is.
std::string place_text(std::string_view location);

}  // namespace shardy::text
