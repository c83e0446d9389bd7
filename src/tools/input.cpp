#include "tools/input.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include "shardy/text/json.hpp"

namespace shardy::tools {

namespace {

struct CloseFile {
  void operator()(std::FILE* file) const {
    if (file != stdin && file != stdout) std::fclose(file);
  }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

tl::unexpected<Error> system_error(const std::string& what, const std::string& path) {
  return fail(fmt::format("cannot {} {}: {}", what, path, std::strerror(errno)));
}

bool is_json(const std::string& path, const std::string& text) {
  if (path.ends_with(".json")) return true;
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return path == "-" && first != std::string::npos && text[first] == '{';
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

tl::expected<ir::Module, std::vector<Error>> read_program(const std::string& path) {
  Result<std::string> text = read_file(path);
  if (!text) return tl::unexpected(std::vector{std::move(text).error()});
  if (is_json(path, *text)) return text::parse_json(*text);
  return tl::unexpected(std::vector{
      Error{"unknown kind of file: " + path, {}, {"programs are JSON graphs, named NAME.json"}}});
}

Status write_file(const std::string& path, const std::string& text) {
  const File file(path == "-" ? stdout : std::fopen(path.c_str(), "wb"));
  if (!file) return system_error("write", path);
  const bool written = std::fwrite(text.data(), 1, text.size(), file.get()) == text.size() &&
                       std::fflush(file.get()) == 0;
  if (!written) return system_error("write", path);
  return {};
}

void print_errors(const std::string& path, const std::vector<Error>& errors) {
  for (const Error& error : errors) {
    fmt::print(stderr, "error: {}\n", error.message);
    if (!error.at.empty()) fmt::print(stderr, "  at {}:{}\n", path, error.at);
    for (const std::string& note : error.notes) fmt::print(stderr, "  note: {}\n", note);
  }
}

}  // namespace shardy::tools
