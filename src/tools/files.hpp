// Reads programs, and writes files, standard output and the terminal. Differences of texts.
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
#include "shardy/text/written_values.hpp"
#include "text/program_format.hpp"

namespace shardy::tools {

// Detects the format of a file by its bytes.

using text::Format;
using text::format_of;
using text::format_of_text;
using text::kByteOrderMark;

// Programs and their diagnostics.

/// Returns the contents of a file, or of standard input for `-`. Errors: the file cannot be read,
/// or is larger than 4 GiB (from a pipe or a device, 1 GiB).
Result<std::string> read_file(const std::string& path);
/// Reads a file like read_file. `look` checks the beginning of the file and may return an error
/// before the rest is read.
using CheckBeginning = std::function<Status(std::string_view beginning)>;
Result<std::string> read_file(const std::string& path, const CheckBeginning& look);
/// Reads at most the first `most` bytes. Error: the file cannot be read.
Result<std::string> read_beginning(const std::string& path, std::size_t most);

/// The text of a program and its format. Errors quote the text.
struct Source {
  std::string path;
  std::string text = {};
  Format format = Format::Json;
};

/// Reads the text of a source that has a path, and sets its format. Drops a byte order mark.
/// Errors: the file does not exist; those of format_of_text.
Status read_source(Source& source);
/// Returns the programs of MLIR text, which lines `// -----` separate; parts with comments only are
/// left out.
std::vector<std::string> programs_of(std::string_view text);
/// Parses the text of a source. Errors: errors of the parser, with a note if the text has several
/// programs. `names`: receives the names in the text.
DiagnosedResult<ir::Module> parse_source(const Source& source, text::WrittenNames* names = nullptr);
/// Reads and parses a source.
DiagnosedResult<ir::Module> read_program(Source& source);

/// Replaces locations by `LINE:COLUMN`. For JSON, the JSON pointer moves to a note. For MLIR, the
/// location of an attribute replaces the location of its op.
Diagnostics with_places(const Source& source, Diagnostics diagnostics);

/// Prints diagnostics on standard error as compilers do: `FILE:PLACE: SEVERITY: CODE: message`, the
/// line of the text, notes. All commands use this form.
void print_diagnostics(const Source& source, const Diagnostics& diagnostics);

// Output: standard output, files and the terminal.

/// A file that is being written. The new content goes to a temporary file in the same folder, and
/// `commit` renames it, so the old file stays until then. Devices, pipes and standard output (`-`)
/// are written directly.
class OutputFile {
 public:
  /// Opens a file. Errors: those of expect_writable.
  static Result<OutputFile> open(const std::string& path);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  /// Writes bytes. Errors: for example, a full disk. Errors of standard output are reported at its
  /// end. The last call must be `commit`.
  Status write(std::string_view bytes);
  Status commit();

 private:
  OutputFile(std::FILE* file, std::string path) : file_(file), path_(std::move(path)) {}
  Status close();

  std::FILE* file_;
  std::string path_;       // as requested
  std::string target_;     // the file to be replaced; empty if it is written directly
  std::string temporary_;  // the temporary file; empty after it is renamed
};

/// Writes a whole file.
Status write_file(const std::string& path, std::string_view bytes);

/// Checks whether the file can be written, so that an error is reported before the work. Errors:
/// the folder does not exist or is not writable, the path is a folder, the file is write-protected.
Status expect_writable(const std::string& path);

/// Creates the folder if it does not exist. Errors: it cannot be created, or is not writable.
Status expect_folder(const std::string& path);

/// Ends standard output. Error: some output was not written.
Status finish_output();

/// Waits, for at most two seconds, until the readers of standard output and standard error have
/// read everything from the pipes. For a process whose launcher ends with the pipes.
void wait_until_read();

/// Prints text for users. Control characters of terminals are printed as `\1B`.
void print_text(std::FILE* to, std::string_view text);

/// Checks whether the stream is a terminal and colours are enabled. `NO_COLOR` disables them.
bool shows_colours(std::FILE* to);

/// Prints diagnostics, formatted by text::error_text, on standard error.
void print_error_text(std::string_view file, std::string_view text, const Diagnostics& diagnostics);

/// Prints an error without a program, such as an error of a file, on standard error.
void print_error(const Error& error);

/// Returns the unified diff without context lines that turns the file `name` from `before` into
/// `after`: `patch` and `git apply --unidiff-zero` apply it. Empty if the texts are equal. The diff
/// is shortest if at most 2,000 lines differ; of more, all lines between the first and the last
/// different one are replaced. Cost: linear in the lines times the lines that differ.
std::string unified_diff(std::string_view before, std::string_view after, std::string_view name);

}  // namespace shardy::tools
