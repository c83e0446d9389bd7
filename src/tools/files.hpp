// Files, standard output and the terminal: input programs, and output.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shardy/ir/module.hpp"
#include "shardy/support/result.hpp"
#include "text/program_format.hpp"

namespace shardy::tools {

// Detects the format of a file by its bytes.

using text::Format;
using text::format_of;
using text::format_of_text;
using text::kByteOrderMark;

// Reading programs, and printing their diagnostics.

/// The contents of a file, or of standard input for `-`. Errors: it cannot be read, or is larger
/// than any program: 4 GiB, or 1 GiB from a pipe or a device.
Result<std::string> read_file(const std::string& path);
/// The same, but a file may be refused by its beginning, before it is read to its end.
using LookAtBeginning = std::function<Status(std::string_view beginning)>;
Result<std::string> read_file(const std::string& path, const LookAtBeginning& look);
/// Reads at most the first `most` bytes. Errors: the file cannot be read.
Result<std::string> read_beginning(const std::string& path, std::size_t most);

/// The text of a program, which its errors quote.
struct Source {
  std::string path;
  std::string text = {};
  Format format = Format::Json;
};

/// Fills in the text and the format of a source that has a path; a byte order mark is dropped.
/// Errors: no such file, those of format_of_text.
Status read_source(Source& source);
/// The program that the text of a source holds. Errors: all that the reader reports.
DiagnosedResult<ir::Module> parse_source(const Source& source);
/// Both.
DiagnosedResult<ir::Module> read_program(Source& source);

/// Replaces locations by `LINE:COLUMN`: of JSON instead of the pointer, which moves to a note; of
/// MLIR the place of an attribute instead of that of its op.
Diagnostics with_places(const Source& source, Diagnostics diagnostics);

/// Prints each of them as compilers do, on standard error: `FILE:PLACE: SEVERITY: CODE: message`,
/// the line of the text, notes. The one form of all commands.
void print_diagnostics(const Source& source, const Diagnostics& diagnostics);

// Output: standard output, files and the terminal.

/// A file that is being written. The old file stays until `commit`: the new content goes to a
/// temporary file in the same folder, which is then renamed. Devices, pipes and standard output
/// (`-`) are written directly.
class OutputFile {
 public:
  /// Errors: those of expect_writable.
  static Result<OutputFile> open(const std::string& path);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  /// Errors: such as a full disk; those of standard output are reported at its end. `commit` is the
  /// last call.
  Status write(std::string_view bytes);
  Status commit();

 private:
  OutputFile(std::FILE* file, std::string path) : file_(file), path_(std::move(path)) {}
  Status close();

  std::FILE* file_;
  std::string path_;       // as requested
  std::string target_;     // the file to replace; empty if it is written directly
  std::string temporary_;  // the temporary file; empty after the rename
};

/// Writes a whole file.
Status write_file(const std::string& path, std::string_view bytes);

/// Checks whether the file can be written, so that an error is reported before the work. Errors:
/// the folder does not exist or is not writable, the path is a folder, the file is write-protected.
Status expect_writable(const std::string& path);

/// Makes the folder if it does not exist. Errors: it cannot be made, or is not writable.
Status expect_folder(const std::string& path);

/// Ends standard output. Errors: a part of it was not written.
Status finish_output();

/// Waits until the readers of standard output and standard error through pipes have read all of it,
/// two seconds at most. For a process that a launcher ends together with the pipes.
void wait_until_read();

/// Prints text for users, with control characters of terminals as `\1B`.
void print_text(std::FILE* to, std::string_view text);

/// Checks whether the stream is a terminal and colours are on; `NO_COLOR` turns them off.
bool shows_colours(std::FILE* to);

/// Prints diagnostics on standard error, text::error_text.
void print_error_text(std::string_view file, std::string_view text, const Diagnostics& diagnostics);

/// Prints an error without a program, such as of a file, on standard error.
void print_error(const Error& error);

}  // namespace shardy::tools
