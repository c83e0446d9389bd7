// Reading and writing programs, and saying what is wrong with them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shardy/ir/module.hpp"
#include "shardy/support/result.hpp"

namespace shardy::tools {

/// The contents of a file, or of standard input for `-`. Errors: it cannot be read.
Result<std::string> read_file(const std::string& path);

enum class Format : uint8_t { Json, Mlir, Generic };

/// A program as it was read: what its errors refer to.
struct Source {
  std::string path;
  std::string text = {};
  Format format = Format::Json;
};

/// The text in the file of `source` and its format. Errors: it cannot be read, the name of the file
/// does not tell its format.
Status read_source(Source& source);

/// The program in the file of `source`, of which the rest is filled in. JSON or MLIR: by the name
/// of the file, by its first character in standard input. Errors: all that the reader reports.
tl::expected<ir::Module, std::vector<Error>> read_program(Source& source);

/// The format of a file of that name; nothing if the name does not tell.
std::optional<Format> format_of(const std::string& path);

/// Writes to a file, or to standard output for `-`.
Status write_file(const std::string& path, const std::string& text);

/// `error: ...`, place and notes, on standard error; of MLIR text as compilers do it, with the
/// line.
void print_errors(const Source& source, const std::vector<Error>& errors);

}  // namespace shardy::tools
