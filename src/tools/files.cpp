#include "tools/files.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "shardy/text/json.hpp"
#include "shardy/text/mlir.hpp"
#include "text/bytes_text.hpp"
#include "text/error_places.hpp"

namespace shardy::tools {

namespace {

struct CloseFile {
  void operator()(std::FILE* file) const {
    if (file != stdin) std::fclose(file);
  }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

tl::unexpected<Error> cannot_read(const std::string& path, int error) {
  return fail(fmt::format("cannot read {}: {}", path, std::generic_category().message(error)));
}

/// The largest sizes of programs: for regular files, and for pipes and devices, whose size is not
/// known in advance.
constexpr std::size_t kMostStored = (std::size_t{1} << 32) - 1;
constexpr std::size_t kMostStreamed = std::size_t{1} << 30;

/// Returns the size of a regular file; std::nullopt for other files.
std::optional<std::size_t> stored_size(std::FILE* file) {
  struct stat found {};
  if (::fstat(fileno(file), &found) != 0 || !S_ISREG(found.st_mode)) return std::nullopt;
  return static_cast<std::size_t>(found.st_size);
}

/// Reads at most `most` bytes. Error: the file cannot be read.
Result<std::string> read_some(std::FILE* file, const std::string& path, std::size_t most,
                              const CheckBeginning& look) {
  std::string text;
  if (const std::optional<std::size_t> size = stored_size(file))
    text.reserve(std::min(*size, most));
  char buffer[1 << 16];
  while (text.size() < most) {
    const std::size_t wanted = std::min(sizeof buffer, most - text.size());
    const std::size_t count = std::fread(buffer, 1, wanted, file);
    if (count == 0) break;
    const bool is_first = text.empty();
    text.append(buffer, count);
    if (is_first && look) {
      SHARDY_TRY_STATUS(look(text));
    }
  }
  if (std::ferror(file) != 0) return cannot_read(path, errno);
  return text;
}

Result<File> open_file(const std::string& path) {
  File file(path == "-" ? stdin : std::fopen(path.c_str(), "rb"));
  if (!file) return cannot_read(path, errno);
  return file;
}

}  // namespace

Result<std::string> read_beginning(const std::string& path, std::size_t most) {
  SHARDY_TRY(const File file, open_file(path));
  return read_some(file.get(), path, most, {});
}

Result<std::string> read_file(const std::string& path) { return read_file(path, {}); }

Result<std::string> read_file(const std::string& path, const CheckBeginning& look) {
  SHARDY_TRY(const File file, open_file(path));
  const std::optional<std::size_t> size = stored_size(file.get());
  const std::size_t most = size ? kMostStored : kMostStreamed;
  const auto refuse = [&] {
    return fail(fmt::format("cannot read {}: more than {} bytes, the most that {} may hold", path,
                            most, size ? "a file" : "a pipe or a device"));
  };
  if (size.value_or(0) > most) return refuse();
  SHARDY_TRY(std::string text, read_some(file.get(), path, most + 1, look));
  if (text.size() > most) return refuse();
  return text;
}

Status read_source(Source& source) {
  const std::string name = source.path == "-" ? "standard input" : source.path;
  Result<Format> format = Format::Mlir;
  const auto look = [&](std::string_view text) -> Status {
    if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    format = format_of_text(text, format_of(source.path));
    if (format) return {};
    return tl::unexpected(with_prefix(name + " ", format.error()));
  };
  SHARDY_TRY(source.text, read_file(source.path, look));
  if (source.text.empty()) return look(source.text);
  if (source.text.starts_with(kByteOrderMark)) source.text.erase(0, kByteOrderMark.size());
  source.format = *format;
  return {};
}

namespace {

/// Checks whether the text has only blanks and comments, as after the last separator of a file.
bool holds_nothing(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin != std::string_view::npos && !line.substr(begin).starts_with("//")) return false;
  }
  return true;
}

}  // namespace

std::vector<std::string> programs_of(std::string_view text) {
  std::vector<std::string> programs = text::split_programs(text);
  std::erase_if(programs, holds_nothing);
  return programs;
}

DiagnosedResult<ir::Module> parse_source(const Source& source, text::WrittenNames* names) {
  if (source.format == Format::Json) return text::parse_json(source.text, {.names = names});
  auto module = text::parse_mlir(source.text, {.names = names});
  if (module) return module;
  const std::size_t count = programs_of(source.text).size();
  if (count > 1) {
    module.error().front().notes.push_back(
        fmt::format("the file holds {} programs, with // ----- between them, and was read as one; "
                    "run and opt read each of them with --split-input-file",
                    count));
  }
  return module;
}

DiagnosedResult<ir::Module> read_program(Source& source) {
  if (Status status = read_source(source); !status) {
    return tl::unexpected(Diagnostics{std::move(status).error()});
  }
  return parse_source(source);
}

Diagnostics with_places(const Source& source, Diagnostics diagnostics) {
  return source.format == Format::Json
             ? text::with_json_places(source.text, std::move(diagnostics))
             : text::with_mlir_places(source.text, std::move(diagnostics));
}

void print_diagnostics(const Source& source, const Diagnostics& diagnostics) {
  if (!source.text.empty()) return print_error_text(source.path, source.text, diagnostics);
  for (const Diagnostic& each : diagnostics) {  // its message names the file that cannot be read
    print_error_text(each.location.empty() ? std::string() : source.path, {}, {each});
  }
}

namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> cannot(const std::string& what, const std::string& path, int error) {
  return fail(fmt::format("cannot {} {}: {}", what, path, std::generic_category().message(error)));
}

std::optional<struct stat> stat_of(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return std::nullopt;
  return found;
}

bool is_standard_output(const struct stat& file) {
  struct stat output {};
  return ::fstat(STDOUT_FILENO, &output) == 0 && output.st_dev == file.st_dev &&
         output.st_ino == file.st_ino;
}

std::string folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

/// Returns true for a path of an open descriptor, such as the target of `/dev/stdout`.
bool is_open_file(const std::string& path) {
  std::error_code error;
  return fs::canonical(folder_of(path), error).string().starts_with("/proc/");
}

/// Returns the path after symbolic links are resolved. The target need not exist.
std::string link_target(const std::string& path) {
  constexpr int kMostLinks = 40;
  fs::path target = path;
  std::error_code error;
  for (int count = 0; count < kMostLinks && !is_open_file(target); ++count) {
    const fs::path next = fs::read_symlink(target, error);
    if (error) break;
    target = target.parent_path() / next;
  }
  return target;
}

enum class OutputMode : uint8_t { StandardOutput, InPlace, Replace };
struct OutputPlan {
  OutputMode way = OutputMode::StandardOutput;
  std::string target = {};  // path after symbolic links are resolved
  std::optional<mode_t> mode = {};
};

/// Decides how a file is written. Errors: those of expect_writable.
Result<OutputPlan> plan_output(const std::string& path) {
  if (path == "-") return OutputPlan{};
  if (path.empty()) return fail("cannot write a file without a name");
  const std::optional<struct stat> old = stat_of(path);
  if (old && S_ISDIR(old->st_mode)) return cannot("write", path, EISDIR);
  if (old && ::access(path.c_str(), W_OK) != 0) return cannot("write", path, errno);
  const std::string target = link_target(path);
  const bool is_special = is_open_file(target) || (old && !S_ISREG(old->st_mode));
  if (old && is_standard_output(*old)) return OutputPlan{};
  if (is_special) return OutputPlan{OutputMode::InPlace, target};
  if (::access(folder_of(target).c_str(), W_OK | X_OK) != 0) {
    return cannot("write", path, errno);
  }
  OutputPlan plan{OutputMode::Replace, target};
  if (old) plan.mode = old->st_mode & 07777U;
  return plan;
}

/// Opens a new file in the folder of the target.
std::FILE* open_beside(const OutputPlan& plan, std::string& name) {
  constexpr int kMostTries = 100;
  constexpr mode_t kAll = 0666;  // the umask is subtracted
  int file = -1;
  for (int number = 0; file < 0 && number < kMostTries; ++number) {
    name = fmt::format("{}/.shardy.{}.{}", folder_of(plan.target), ::getpid(), number);
    file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kAll);
    if (file < 0 && errno != EEXIST) break;
  }
  if (file < 0) return nullptr;
  // The new file gets the mode of the old one, if the file system has modes.
  if (plan.mode) static_cast<void>(::fchmod(file, *plan.mode));
  return ::fdopen(file, "wb");
}

}  // namespace

// ---- OutputFile ---------------------------------------------------------------------------------

Result<OutputFile> OutputFile::open(const std::string& path) {
  SHARDY_TRY(const OutputPlan plan, plan_output(path));
  if (plan.way == OutputMode::StandardOutput) return OutputFile(stdout, path);
  std::string temporary;
  std::FILE* const file = plan.way == OutputMode::InPlace ? std::fopen(path.c_str(), "wb")
                                                          : open_beside(plan, temporary);
  if (file == nullptr) return cannot("write", path, errno);
  OutputFile output(file, path);
  if (plan.way == OutputMode::Replace) output.target_ = plan.target;
  output.temporary_ = std::move(temporary);
  return output;
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : file_(std::exchange(other.file_, nullptr)),
      path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})) {}

OutputFile::~OutputFile() {
  if (file_ != nullptr && file_ != stdout) std::fclose(file_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Status OutputFile::write(std::string_view bytes) {
  const bool is_written = std::fwrite(bytes.data(), 1, bytes.size(), file_) == bytes.size();
  if (is_written || file_ == stdout) return {};  // finish_output reports errors of standard output
  return cannot("write", path_, errno);
}

Status OutputFile::close() {
  std::FILE* const file = std::exchange(file_, nullptr);
  if (file == stdout || std::fclose(file) == 0) return {};
  return cannot("write", path_, errno);
}

Status OutputFile::commit() {
  SHARDY_TRY_STATUS(close());
  if (target_.empty()) return {};
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) return cannot("write", path_, errno);
  temporary_.clear();
  return {};
}

// ---- Functions ----------------------------------------------------------------------------------

Status write_file(const std::string& path, std::string_view bytes) {
  SHARDY_TRY(OutputFile file, OutputFile::open(path));
  SHARDY_TRY_STATUS(file.write(bytes));
  return file.commit();
}

Status expect_writable(const std::string& path) {
  SHARDY_TRY_STATUS(plan_output(path));
  return {};
}

Status expect_folder(const std::string& path) {
  if (path.empty()) return fail("cannot make a folder without a name");
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return cannot("make", path, error.value());
  if (::access(path.c_str(), W_OK | X_OK) != 0) return cannot("write to", path, errno);
  return {};
}

Status finish_output() {
  if (std::fflush(stdout) != 0) return cannot("write", "standard output", errno);
  if (std::ferror(stdout) == 0) return {};
  return fail("cannot write standard output: the output is incomplete");
}

namespace {

/// Checks whether all output was read. Always true for files and terminals; for a pipe, if its
/// buffer is empty.
bool is_read(int descriptor) {
  int unread = 0;
  return ::ioctl(descriptor, FIONREAD, &unread) != 0 || unread == 0;
}

}  // namespace

void wait_until_read() {
  constexpr auto kStep = std::chrono::milliseconds(10);
  constexpr int kMaxSteps = 200;
  std::fflush(stdout);
  std::fflush(stderr);
  for (int step = 0; step < kMaxSteps; ++step) {
    if (is_read(STDOUT_FILENO) && is_read(STDERR_FILENO)) return;
    std::this_thread::sleep_for(kStep);
  }
}

void print_text(std::FILE* to, std::string_view text) {
  const std::string shown = text::printable_text(text);
  std::fwrite(shown.data(), 1, shown.size(), to);
}

namespace {

/// Returns an environment variable; empty if it is not set. Thread-safe, because the program never
/// changes the environment.
std::string_view environment(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value != nullptr ? value : "";
}

}  // namespace

bool shows_colours(std::FILE* to) {
  if (!environment("NO_COLOR").empty() || environment("TERM") == "dumb") return false;
  return ::isatty(fileno(to)) != 0;
}

void print_error_text(std::string_view file, std::string_view text,
                      const Diagnostics& diagnostics) {
  // The message contains foreign text only in escaped form.
  const std::string shown =
      text::error_text(file, text, diagnostics, {.colours = shows_colours(stderr)});
  std::fwrite(shown.data(), 1, shown.size(), stderr);
}

void print_error(const Error& error) { print_error_text({}, {}, {error}); }

}  // namespace shardy::tools
