#include "tools/input.hpp"

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>
#include <utility>

#include "shardy/text/json.hpp"
#include "shardy/text/mlir.hpp"
#include "text/error_places.hpp"
#include "tools/output.hpp"

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

/// Programs that somebody has stored may be large; what a pipe or a device gives has no end that
/// could be seen before.
constexpr std::size_t kMostStored = (std::size_t{1} << 32) - 1;
constexpr std::size_t kMostStreamed = std::size_t{1} << 30;

/// Bytes of a regular file.
std::optional<std::size_t> stored_size(std::FILE* file) {
  struct stat found {};
  if (::fstat(fileno(file), &found) != 0 || !S_ISREG(found.st_mode)) return std::nullopt;
  return static_cast<std::size_t>(found.st_size);
}

/// Errors: the file cannot be read. Reads no more than `most` bytes.
Result<std::string> read_some(std::FILE* file, const std::string& path, std::size_t most,
                              const LookAtBeginning& look) {
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

Result<std::string> read_file(const std::string& path, const LookAtBeginning& look) {
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

tl::expected<ir::Module, Diagnostics> parse_source(const Source& source) {
  if (source.format == Format::Json) return text::parse_json(source.text);
  return text::parse_mlir(source.text);
}

tl::expected<ir::Module, Diagnostics> read_program(Source& source) {
  if (Status status = read_source(source); !status) {
    return tl::unexpected(Diagnostics{std::move(status).error()});
  }
  return parse_source(source);
}

Diagnostics with_places(const Source& source, Diagnostics said) {
  return source.format == Format::Json ? text::with_json_places(source.text, std::move(said))
                                       : text::with_mlir_places(source.text, std::move(said));
}

void print_diagnostics(const Source& source, const Diagnostics& said) {
  if (!source.text.empty()) return print_said(source.path, source.text, said);
  for (const Diagnostic& each : said) {  // what cannot be read is named by the message
    print_said(each.location.empty() ? std::string() : source.path, {}, {each});
  }
}

}  // namespace shardy::tools
