// Reading programs, and saying what is wrong with them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shardy/ir/module.hpp"
#include "shardy/support/result.hpp"
#include "tools/program_format.hpp"

namespace shardy::tools {

/// The contents of a file, or of standard input for `-`. Errors: it cannot be read, or is larger
/// than any program: 4 GiB, or 1 GiB from a pipe or a device.
Result<std::string> read_file(const std::string& path);
/// The same, but a file is refused by what it begins with before it is read to its end.
using LookAtBeginning = std::function<Status(std::string_view beginning)>;
Result<std::string> read_file(const std::string& path, const LookAtBeginning& look);
/// No more than its first `most` bytes. Errors: it cannot be read.
Result<std::string> read_beginning(const std::string& path, std::size_t most);

/// A program as it was read: what its errors refer to.
struct Source {
  std::string path;
  std::string text = {};
  Format format = Format::Json;
};

/// Fills in the text and the format of a source that has a path; a byte order mark is left out.
/// Errors: no such file, those of format_of_text.
Status read_source(Source& source);
/// The program that the text of a source holds. Errors: all that the reader reports.
tl::expected<ir::Module, Diagnostics> parse_source(const Source& source);
/// Both.
tl::expected<ir::Module, Diagnostics> read_program(Source& source);

/// Diagnostics with places that name a line and a column: of JSON instead of the pointer, which
/// goes to a note; of MLIR those of attributes instead of those of their ops.
Diagnostics with_places(const Source& source, Diagnostics said);

/// Prints each of them as compilers do, on standard error: `FILE:PLACE: SEVERITY: CODE: message`,
/// the line of the text, notes. The one form of all commands.
void print_diagnostics(const Source& source, const Diagnostics& said);

}  // namespace shardy::tools
