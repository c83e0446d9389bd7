// Reading and writing programs, and saying what is wrong with them.
#pragma once

#include <string>
#include <vector>

#include "shardy/ir/module.hpp"
#include "shardy/support/result.hpp"

namespace shardy::tools {

/// The contents of a file, or of standard input for `-`. Errors: it cannot be read.
Result<std::string> read_file(const std::string& path);

/// The program in a file. Errors: all that the reader reports.
tl::expected<ir::Module, std::vector<Error>> read_program(const std::string& path);

/// Writes to a file, or to standard output for `-`.
Status write_file(const std::string& path, const std::string& text);

/// `error: ...`, place and notes, on standard error.
void print_errors(const std::string& path, const std::vector<Error>& errors);

}  // namespace shardy::tools
