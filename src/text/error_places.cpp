#include "text/error_places.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/json_document.hpp"

namespace shardy::text {

namespace {

bool is_decimal(char c) { return c >= '0' && c <= '9'; }

/// Reads the text of a location from start to end. Brackets are nested; a name before a bracket
/// applies to all locations in it.
class LocationReader {
 public:
  explicit LocationReader(const Location& location) {
    const bool has_names = !location.is_pointer() && location.text().find('"') != std::string::npos;
    if (has_names) rest_ = location.text();
  }

  void read() {
    while (!rest_.empty()) {
      const char c = rest_.front();
      if (c == '"') {
        read_string();
      } else if (c == '<') {
        skip_metadata();
      } else {
        if (c == '(' || c == '[') around_.emplace_back();
        if ((c == ')' || c == ']') && !around_.empty()) around_.pop_back();
        rest_.remove_prefix(1);
      }
    }
  }

  std::vector<SourcePlace> places;
  std::vector<std::string> names;

 private:
  std::optional<uint64_t> number_after_colon() {
    if (rest_.size() < 2 || rest_[0] != ':' || !is_decimal(rest_[1])) return std::nullopt;
    rest_.remove_prefix(1);
    uint64_t number = 0;
    while (!rest_.empty() && is_decimal(rest_.front())) {
      number = number * 10 + static_cast<uint64_t>(rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    return number;
  }

  /// Returns the text up to the closing quote. Does not replace escapes.
  std::string string_text() {
    std::size_t end = 1;
    while (end < rest_.size() && rest_[end] != '"') end += rest_[end] == '\\' ? 2 : 1;
    end = std::min(end, rest_.size());
    std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return text;
  }

  void read_string() {
    std::string text = string_text();
    if (const std::optional<uint64_t> line = number_after_colon()) {
      SourcePlace place{std::move(text), *line, number_after_colon().value_or(0)};
      const auto name = std::find_if(around_.rbegin(), around_.rend(),
                                     [](const std::string& each) { return !each.empty(); });
      if (name != around_.rend()) place.name = *name;
      places.push_back(std::move(place));
      return;
    }
    names.push_back(text);
    if (!rest_.starts_with('(')) return;
    around_.push_back(std::move(text));
    rest_.remove_prefix(1);
  }

  /// Skips the `<...>` of a fused location, an attribute that contains no place.
  void skip_metadata() {
    std::size_t depth = 0;
    do {
      const char c = rest_.front();
      if (c == '"') {
        string_text();
        continue;
      }
      if (c == '<') ++depth;
      if (c == '>') --depth;
      rest_.remove_prefix(1);
    } while (depth > 0 && !rest_.empty());
  }

  std::string_view rest_;
  std::vector<std::string> around_;  // the open brackets, each with the name before it
};

/// Returns the last part of a name such as `jit(f)/jit(main)/add`.
std::string_view last_part(std::string_view name) { return name.substr(name.rfind('/') + 1); }

}  // namespace

std::vector<SourcePlace> source_places(const Location& location) {
  LocationReader reader(location);
  reader.read();
  return std::move(reader.places);
}

std::vector<std::string> source_names(const Location& location) {
  LocationReader reader(location);
  reader.read();
  return std::move(reader.names);
}

std::string place_text(const Location& location) {
  const std::vector<SourcePlace> places = source_places(location);
  if (places.empty()) return location.text();
  const SourcePlace& place = places.front();
  std::string text = place.file + ":" + std::to_string(place.line);
  if (!place.name.empty()) return text + " (" + std::string(last_part(place.name)) + ")";
  return place.column == 0 ? text : text + ":" + std::to_string(place.column);
}

namespace {

using Subject = DiagnosticSubject;

/// Returns true if the string contains the word, or equals the word with or without quotes and
/// sigil.
bool holds(std::string_view text, std::string_view word) {
  return text == word || text == word.substr(1) ||
         (word.size() > 2 && text == word.substr(1, word.size() - 2)) ||
         text.find(word) != std::string_view::npos;
}

/// Returns the first or last string below the node that contains the word. Skips names, and strings
/// in regions.
std::optional<JsonNode> find_word(JsonNode node, std::string_view word, bool is_last) {
  std::optional<JsonNode> found;
  constexpr std::array<std::string_view, 6> kOthers = {"name", "op",      "operands",
                                                       "body", "regions", "comment"};
  std::vector<JsonNode> pending = {node};
  while (!pending.empty()) {
    const JsonNode next = pending.back();
    pending.pop_back();
    if (next.is_string()) {
      if (holds(next.string(), word)) found = next;
      if (found && !is_last) return found;
      continue;
    }
    if (!next.is_object() && !next.is_array()) continue;
    std::vector<JsonNode> children = next.children();
    std::ranges::reverse(children);  // so that the first child is visited first
    for (const JsonNode child : children) {
      if (std::ranges::find(kOthers, child.key()) == kOthers.end()) pending.push_back(child);
    }
  }
  return found;
}

}  // namespace

Location pointer_of_subject(const JsonDocument& document, const Error& error) {
  if (!error.location.is_pointer()) return error.location;
  const std::string& pointer = error.location.text();
  const JsonNode whole = document.find(pointer);
  if (whole.pointer() != pointer) return error.location;
  const Subject& subject = error.subject;
  std::string part = pointer;
  if (subject.kind != Subject::Kind::Op) {
    part += subject.kind == Subject::Kind::Result ? "/results/" : "/args/";
    part += std::to_string(subject.index);
  }
  const JsonNode named = document.find(part);
  const JsonNode inside = named.pointer() == part ? named : whole;
  if (!subject.name.empty()) {
    const auto found = find_word(inside, subject.name, subject.is_repeated);
    return found ? Location(found->pointer()) : error.location;
  }
  const auto sharding =
      subject.is_sharding && inside.is_object() ? inside.find("sharding") : std::nullopt;
  return sharding ? Location(sharding->pointer()) : error.location;
}

std::string line_note(JsonNode node) { return "line " + std::to_string(node.line()); }

namespace {

constexpr std::size_t kMostDiagnostics = 1000;  // limit per text; further diagnostics do not change

/// The offsets of lines, computed once for all diagnostics of a text.
class TextLines {
 public:
  explicit TextLines(std::string_view text) : size_(text.size()) {
    for (std::size_t at = text.find('\n'); at != std::string_view::npos;
         at = text.find('\n', at + 1)) {
      begins_.push_back(at + 1);
    }
  }

  /// Returns the offset of a line and column, which start at 1; std::nullopt for 0 and for
  /// positions after the end.
  std::optional<std::size_t> offset(std::size_t line, std::size_t column) const {
    if (line == 0 || column == 0 || line > begins_.size()) return std::nullopt;
    const std::size_t at = begins_[line - 1] + column - 1;
    return at <= size_ ? std::optional(at) : std::nullopt;
  }
  Location location(std::size_t offset) const {
    const auto line = std::upper_bound(begins_.begin(), begins_.end(), offset) - 1;
    return {static_cast<uint32_t>(line - begins_.begin() + 1),
            static_cast<uint32_t>(offset - *line + 1)};
  }

 private:
  std::size_t size_;
  std::vector<std::size_t> begins_ = {0};
};

// ---- JSON ---------------------------------------------------------------------------------------

/// Returns the start of the value, or of the bracket, that ends before `end`.
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

bool is_pointer(const Diagnostic& each) { return each.location.is_pointer(); }

// ---- MLIR ---------------------------------------------------------------------------------------

struct TextRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Scans the text of an op. Each string and each comment is one step.
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

/// Returns true for the end of the op's own text: the start of a region, or the end of the line.
bool ends_header(const HeaderScanner& scanner) {
  if (scanner.peek() == '\n' && scanner.depth() == 0) return true;
  if (scanner.peek() != '{') return false;
  const std::string_view inside = scanner.rest().substr(1);
  const std::size_t next = inside.find_first_not_of(" \t\r");
  return next == std::string_view::npos || inside[next] == '\n' || inside[next] == '^';
}

TextRange header_of(std::string_view text, std::size_t begin) {
  HeaderScanner scanner(text, begin);
  while (!scanner.at_end() && !ends_header(scanner)) scanner.step();
  return {begin, std::min(scanner.position(), text.size())};
}

/// Returns the ranges of the elements of the list whose bracket is at the scanner's position, and
/// moves the scanner to its end.
std::vector<TextRange> elements(HeaderScanner& scanner) {
  const std::size_t inside = scanner.depth() + 1;
  scanner.step();
  std::vector<TextRange> all;
  std::size_t begin = scanner.position();
  while (!scanner.at_end()) {
    const bool is_end = scanner.depth() == inside && scanner.peek() == ')';
    const bool is_comma = scanner.depth() == inside && scanner.peek() == ',';
    if (is_end || is_comma) all.push_back({begin, scanner.position()});
    scanner.step();
    if (is_end) return all;
    if (is_comma) begin = scanner.position();
  }
  return all;
}

/// The arguments and results of the function at `begin`, such as `%arg1: tensor<4xf32> {...}` in
/// `func.func @main(...) -> (...)`. They are read once for all errors of a function.
struct FunctionParts {
  std::size_t begin = 0;
  std::vector<TextRange> arguments;
  std::vector<TextRange> results;  // empty if no list has them, then none has attributes
};

FunctionParts parts_of(std::string_view text, std::size_t begin) {
  FunctionParts parts{begin, {}, {}};
  HeaderScanner scanner(text, begin);
  if (!scanner.rest().starts_with("func")) return parts;
  while (!scanner.at_end() && scanner.peek() != '(' && scanner.peek() != '\n') scanner.step();
  if (scanner.peek() != '(') return parts;
  parts.arguments = elements(scanner);
  while (!scanner.at_end() && scanner.peek() != '(') {
    if (scanner.peek() == '{') return parts;
    scanner.step();
  }
  if (!scanner.at_end()) parts.results = elements(scanner);
  return parts;
}

/// Returns the range of an argument or result; `parts` are those of the last function.
std::optional<TextRange> range_of(std::string_view text, std::size_t begin, const Subject& subject,
                                  std::optional<FunctionParts>& parts) {
  if (subject.kind == Subject::Kind::Op) return std::nullopt;
  if (!parts || parts->begin != begin) parts = parts_of(text, begin);
  const bool is_argument = subject.kind == Subject::Kind::Argument;
  const std::vector<TextRange>& all = is_argument ? parts->arguments : parts->results;
  if (subject.index >= all.size()) return std::nullopt;
  return all[subject.index];
}

/// Returns the offset of the first character of the range that is not a blank.
std::size_t first_character(std::string_view text, TextRange range) {
  return std::min(text.find_first_not_of(" \t\r\n", range.begin), range.end);
}

/// Returns the offset of the name, attribute or argument to which an error at `begin` refers.
std::size_t place_of_subject(std::string_view text, std::size_t begin, const Subject& subject,
                             std::optional<FunctionParts>& parts) {
  const auto of_part = range_of(text, begin, subject, parts);
  const TextRange range = of_part ? *of_part : header_of(text, begin);
  const std::string_view inside = text.substr(range.begin, range.end - range.begin);
  if (!subject.name.empty()) {
    const std::size_t at =
        subject.is_repeated ? inside.rfind(subject.name) : inside.find(subject.name);
    if (at != std::string_view::npos) return range.begin + at;
  }
  if (!of_part) return begin;
  for (const std::string_view name : {"sdy.sharding", "mhlo.sharding"}) {
    const std::size_t at = subject.is_sharding ? inside.find(name) : std::string_view::npos;
    if (at != std::string_view::npos) return range.begin + at;
  }
  return first_character(text, range);
}

}  // namespace

Diagnostics with_json_places(std::string_view text, Diagnostics diagnostics) {
  constexpr JsonDocument::JsonLimits kAnyProgram = {512, 1};
  if (std::ranges::none_of(diagnostics, is_pointer)) return diagnostics;
  const auto document = JsonDocument::parse(text, kAnyProgram);
  if (!document) return diagnostics;
  const TextLines lines(text);
  const std::size_t count = std::min(diagnostics.size(), kMostDiagnostics);
  for (std::size_t index = 0; index < count; ++index) {
    Diagnostic& each = diagnostics[index];
    if (!is_pointer(each)) continue;
    const JsonNode node = document->find(each.location.text());
    const auto end = lines.offset(node.line(), node.end_column());
    if (!end) continue;
    const bool has_line = !each.notes.empty() && each.notes.back() == line_note(node);
    if (has_line) each.notes.pop_back();
    each.notes.push_back("at " + each.location.text());
    each.location = lines.location(begin_of_value(text, *end));
  }
  return diagnostics;
}

Diagnostics with_mlir_places(std::string_view text, Diagnostics diagnostics) {
  if (diagnostics.empty()) return diagnostics;
  const TextLines lines(text);
  const std::size_t count = std::min(diagnostics.size(), kMostDiagnostics);
  std::optional<FunctionParts> parts;
  for (std::size_t index = 0; index < count; ++index) {
    Diagnostic& each = diagnostics[index];
    const std::optional<std::size_t> begin =
        lines.offset(each.location.line(), each.location.column());
    if (!begin || *begin >= text.size()) continue;
    each.location = lines.location(place_of_subject(text, *begin, each.subject, parts));
  }
  return diagnostics;
}

}  // namespace shardy::text
