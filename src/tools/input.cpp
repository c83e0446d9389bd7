#include "tools/input.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>
#include <utility>

#include "shardy/text/json.hpp"
#include "shardy/text/mlir.hpp"

namespace shardy::tools {

namespace {

struct CloseFile {
  void operator()(std::FILE* file) const {
    if (file != stdin && file != stdout) std::fclose(file);
  }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

tl::unexpected<Error> system_error(const std::string& what, const std::string& path) {
  return fail(fmt::format("cannot {} {}: {}", what, path, std::generic_category().message(errno)));
}

/// What standard input begins with: an object, or anything else.
Format sniffed_format(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool is_object =
      first != std::string::npos && text[first] == '{' && text.compare(first, 3, "{-#") != 0;
  return is_object || first == std::string::npos ? Format::Json : Format::Mlir;
}

}  // namespace

Result<std::string> read_file(const std::string& path) {
  const File file(path == "-" ? stdin : std::fopen(path.c_str(), "rb"));
  if (!file) return system_error("read", path);
  std::string text;
  char buffer[1 << 16];
  for (std::size_t count = 0; (count = std::fread(buffer, 1, sizeof buffer, file.get())) != 0;) {
    text.append(buffer, count);
  }
  if (std::ferror(file.get()) != 0) return system_error("read", path);
  return text;
}

std::optional<Format> format_of(const std::string& path) {
  if (path.ends_with(".json")) return Format::Json;
  if (path.ends_with(".mlir")) return Format::Mlir;
  return std::nullopt;
}

Status read_source(Source& source) {
  SHARDY_TRY(source.text, read_file(source.path));
  const std::optional<Format> named = format_of(source.path);
  if (!named && source.path != "-") {
    return tl::unexpected(Error{"unknown kind of file: " + source.path,
                                {},
                                {"programs are JSON graphs, named NAME.json, or MLIR text, named "
                                 "NAME.mlir"}});
  }
  source.format = named.value_or(sniffed_format(source.text));
  return {};
}

tl::expected<ir::Module, std::vector<Error>> parse_source(const Source& source) {
  if (source.format == Format::Json) return text::parse_json(source.text);
  return text::parse_mlir(source.text);
}

tl::expected<ir::Module, std::vector<Error>> read_program(Source& source) {
  if (Status status = read_source(source); !status) {
    return tl::unexpected(std::vector{std::move(status).error()});
  }
  return parse_source(source);
}

Status write_file(const std::string& path, const std::string& text) {
  const File file(path == "-" ? stdout : std::fopen(path.c_str(), "wb"));
  if (!file) return system_error("write", path);
  const bool written = std::fwrite(text.data(), 1, text.size(), file.get()) == text.size() &&
                       std::fflush(file.get()) == 0;
  if (!written) return system_error("write", path);
  return {};
}

void print_errors(const Source& source, const std::vector<Error>& errors) {
  if (source.format != Format::Json) {
    fmt::print(stderr, "{}", text::error_text(source.path, source.text, errors));
    return;
  }
  for (const Error& error : errors) {
    fmt::print(stderr, "error: {}\n", error.message);
    if (!error.at.empty()) fmt::print(stderr, "  at {}:{}\n", source.path, error.at);
    for (const std::string& note : error.notes) fmt::print(stderr, "  note: {}\n", note);
  }
}

}  // namespace shardy::tools
