#include "text/error_places.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "text/json_document.hpp"
#include "text/json_places.hpp"

namespace shardy::text {

namespace {

constexpr std::size_t kMostDiagnostics = 1000;  // of one text; the others stay as they are

/// Offsets of lines, found once for all diagnostics of a text.
class TextLines {
 public:
  explicit TextLines(std::string_view text) : size_(text.size()) {
    for (std::size_t at = text.find('\n'); at != std::string_view::npos;
         at = text.find('\n', at + 1)) {
      begins_.push_back(at + 1);
    }
  }

  /// Line and column start at 1; std::nullopt after the end.
  std::optional<std::size_t> offset(std::size_t line, std::size_t column) const {
    if (line == 0 || column == 0 || line > begins_.size()) return std::nullopt;
    const std::size_t at = begins_[line - 1] + column - 1;
    return at <= size_ ? std::optional(at) : std::nullopt;
  }
  std::string location(std::size_t offset) const {
    const auto line = std::upper_bound(begins_.begin(), begins_.end(), offset) - 1;
    return std::to_string(line - begins_.begin() + 1) + ":" + std::to_string(offset - *line + 1);
  }

 private:
  std::size_t size_;
  std::vector<std::size_t> begins_ = {0};
};

// ---- JSON ---------------------------------------------------------------------------------------

/// The beginning of the value that ends before `end`, or of the bracket there.
std::size_t begin_of_value(std::string_view text, std::size_t end) {
  if (end == 0) return 0;
  std::size_t at = end - 1;
  if (text[at] == '"') {
    const auto is_escaped = [&](std::size_t quote) {
      std::size_t first = quote;
      while (first > 0 && text[first - 1] == '\\') --first;
      return (quote - first) % 2 == 1;
    };
    do {
      if (at == 0) return 0;
      at = text.rfind('"', at - 1);
    } while (at != std::string_view::npos && is_escaped(at));
    return at == std::string_view::npos ? end - 1 : at;
  }
  constexpr std::string_view kBefore = " \t\r\n,:[]{}\"";
  if (kBefore.find(text[at]) != std::string_view::npos) return at;
  while (at > 0 && kBefore.find(text[at - 1]) == std::string_view::npos) --at;
  return at;
}

bool is_pointer(const Diagnostic& each) { return each.location.starts_with('/'); }

// ---- MLIR ---------------------------------------------------------------------------------------

struct TextRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Goes through the text of an op; strings and comments are one step each.
class HeaderScanner {
 public:
  HeaderScanner(std::string_view text, std::size_t begin) : text_(text), at_(begin) {}

  std::size_t position() const { return at_; }
  std::size_t depth() const { return depth_; }
  bool at_end() const { return at_ >= text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  std::string_view rest() const { return text_.substr(std::min(at_, text_.size())); }

  void step() {
    const char c = peek();
    if (c == '"') return skip_string();
    if (rest().starts_with("//")) {
      at_ = std::min(text_.find('\n', at_), text_.size());
      return;
    }
    const bool is_arrow = c == '>' && at_ > 0 && text_[at_ - 1] == '-';
    constexpr std::string_view kOpen = "([{<";
    constexpr std::string_view kClose = ")]}>";
    if (kOpen.find(c) != std::string_view::npos) ++depth_;
    if (kClose.find(c) != std::string_view::npos && !is_arrow && depth_ > 0) --depth_;
    ++at_;
  }

 private:
  void skip_string() {
    for (++at_; !at_end() && text_[at_] != '"' && text_[at_] != '\n'; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    ++at_;
  }

  std::string_view text_;
  std::size_t at_;
  std::size_t depth_ = 0;
};

/// A region or the end of the line ends what an op says itself.
bool ends_header(const HeaderScanner& scanner) {
  if (scanner.peek() == '\n' && scanner.depth() == 0) return true;
  if (scanner.peek() != '{') return false;
  const std::string_view behind = scanner.rest().substr(1);
  const std::size_t next = behind.find_first_not_of(" \t\r");
  return next == std::string_view::npos || behind[next] == '\n' || behind[next] == '^';
}

TextRange header_of(std::string_view text, std::size_t begin) {
  HeaderScanner scanner(text, begin);
  while (!scanner.at_end() && !ends_header(scanner)) scanner.step();
  return {begin, std::min(scanner.position(), text.size())};
}

/// Returns the range of element `index` of the list whose bracket is at the position of the
/// scanner, and moves the scanner to the end of the list.
std::optional<TextRange> element(HeaderScanner& scanner, std::size_t index) {
  const std::size_t inside = scanner.depth() + 1;
  scanner.step();
  std::optional<TextRange> found;
  std::size_t number = 0;
  std::size_t begin = scanner.position();
  while (!scanner.at_end()) {
    const bool is_end = scanner.depth() == inside && scanner.peek() == ')';
    const bool is_comma = scanner.depth() == inside && scanner.peek() == ',';
    if ((is_end || is_comma) && number++ == index) found = TextRange{begin, scanner.position()};
    scanner.step();
    if (is_end) return found;
    if (is_comma) begin = scanner.position();
  }
  return std::nullopt;
}

/// `%arg1: tensor<4xf32> {...}` of `func.func @main(...) -> (...)`.
std::optional<TextRange> range_of(std::string_view text, std::size_t begin,
                                  const FunctionPart& part) {
  HeaderScanner scanner(text, begin);
  if (!scanner.rest().starts_with("func")) return std::nullopt;
  while (!scanner.at_end() && scanner.peek() != '(' && scanner.peek() != '\n') scanner.step();
  if (scanner.peek() != '(') return std::nullopt;
  const auto argument = element(scanner, part.index);
  if (!part.is_result) return argument;
  while (!scanner.at_end() && scanner.peek() != '(') {
    if (scanner.peek() == '{') return std::nullopt;  // a result without a list has no attributes
    scanner.step();
  }
  return scanner.at_end() ? std::nullopt : element(scanner, part.index);
}

/// Without blanks in front.
std::size_t first_character(std::string_view text, TextRange range) {
  return std::min(text.find_first_not_of(" \t\r\n", range.begin), range.end);
}

/// The offset of the name, attribute or argument that an error at `begin` is about.
std::size_t place_of_word(std::string_view text, std::size_t begin, std::string_view message) {
  const std::optional<FunctionPart> part = function_part(message);
  const auto of_part = part ? range_of(text, begin, *part) : std::nullopt;
  const TextRange range = of_part ? *of_part : header_of(text, begin);
  const std::string_view inside = text.substr(range.begin, range.end - range.begin);
  const std::string_view word = quoted_word(message);
  if (!word.empty()) {
    const bool is_repeated = message.find("duplicate") != std::string_view::npos;
    const std::size_t at = is_repeated ? inside.rfind(word) : inside.find(word);
    if (at != std::string_view::npos) return range.begin + at;
  }
  if (!of_part) return begin;
  for (const std::string_view name : {"sdy.sharding", "mhlo.sharding"}) {
    const std::size_t at = inside.find(name);
    if (at != std::string_view::npos) return range.begin + at;
  }
  return first_character(text, range);
}

/// `12:7`, both from 1; nothing for other places.
std::optional<std::size_t> offset_of(const TextLines& lines, const std::string& location) {
  std::size_t line = 0;
  std::size_t column = 0;
  const char* const end = location.data() + location.size();
  const auto [colon, failure] = std::from_chars(location.data(), end, line);
  if (failure != std::errc() || colon == end || *colon != ':') return std::nullopt;
  const auto [rest, other] = std::from_chars(colon + 1, end, column);
  return other == std::errc() && rest == end ? lines.offset(line, column) : std::nullopt;
}

}  // namespace

Diagnostics with_json_places(std::string_view text, Diagnostics said) {
  constexpr JsonDocument::Limits kAnyProgram = {512, 1};
  if (std::ranges::none_of(said, is_pointer)) return said;
  const auto document = JsonDocument::parse(text, kAnyProgram);
  if (!document) return said;
  const TextLines lines(text);
  const std::size_t count = std::min(said.size(), kMostDiagnostics);
  for (std::size_t index = 0; index < count; ++index) {
    Diagnostic& each = said[index];
    if (!is_pointer(each)) continue;
    const JsonNode node = document->find(each.location);
    const auto end = lines.offset(node.line(), node.end_column());
    if (!end) continue;
    const bool has_line = !each.notes.empty() && each.notes.back().starts_with("line ");
    if (has_line) each.notes.pop_back();
    each.notes.push_back("at " + each.location);
    each.location = lines.location(begin_of_value(text, *end));
  }
  return said;
}

Diagnostics with_mlir_places(std::string_view text, Diagnostics said) {
  if (said.empty()) return said;
  const TextLines lines(text);
  const std::size_t count = std::min(said.size(), kMostDiagnostics);
  for (std::size_t index = 0; index < count; ++index) {
    Diagnostic& each = said[index];
    const std::optional<std::size_t> begin = offset_of(lines, each.location);
    if (!begin || *begin >= text.size()) continue;
    each.location = lines.location(place_of_word(text, *begin, each.message));
  }
  return said;
}

}  // namespace shardy::text
