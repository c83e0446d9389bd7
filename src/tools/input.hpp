// Reading programs, and saying what is wrong with them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shardy/ir/module.hpp"
#include "shardy/support/result.hpp"

namespace shardy::tools {

/// The contents of a file, or of standard input for `-`. Errors: it cannot be read, or is larger
/// than any program: 4 GiB, or 1 GiB from a pipe or a device.
Result<std::string> read_file(const std::string& path);
/// No more than its first `most` bytes. Errors: it cannot be read.
Result<std::string> read_beginning(const std::string& path, std::size_t most);

enum class Format : uint8_t { Json, Mlir, Generic };

/// A program as it was read: what its errors refer to.
struct Source {
  std::string path;
  std::string text = {};
  Format format = Format::Json;
};

/// Fills in the text and the format of a source that has a path. JSON or MLIR: by the name of the
/// file, by its first character in standard input. Errors: no such file, another kind of file.
Status read_source(Source& source);
/// The program that the text of a source holds. Errors: all that the reader reports.
tl::expected<ir::Module, Diagnostics> parse_source(const Source& source);
/// Both.
tl::expected<ir::Module, Diagnostics> read_program(Source& source);

/// The format of a file of that name; nothing if the name does not tell.
std::optional<Format> format_of(const std::string& path);

/// What was said of a program, the first 1,000 with a note of the line that a JSON pointer leads
/// to: looking up each of many would take long.
Diagnostics with_lines(const Source& source, Diagnostics said);

/// Prints each of them as compilers do, on standard error: `FILE:PLACE: SEVERITY: CODE: message`,
/// the line of the text, notes. The one form of all commands.
void print_diagnostics(const Source& source, const Diagnostics& said);

}  // namespace shardy::tools
