#include "tools/expectations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <regex>
#include <utility>

namespace shardy::tools {

namespace {

constexpr std::size_t kMany = std::numeric_limits<std::size_t>::max();

/// `expected-error@+1 2 {{text}}`.
struct Expectation {
  std::string severity;
  std::string text;
  std::optional<std::regex> pattern;
  std::size_t line = 0;  // where it is expected; 0: nowhere
  std::size_t at = 0;    // the line of the comment
  std::size_t least = 1;
  std::size_t most = 1;
  std::size_t found = 0;

  bool matches(std::string_view message) const {
    if (pattern) return std::regex_search(std::string(message), *pattern);
    return message.find(text) != std::string_view::npos;
  }
};

/// Takes `prefix` off the front.
bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

void skip_blanks(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
}

std::optional<std::size_t> take_number(std::string_view& text) {
  std::size_t number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  return number;
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (std::string_view(R"(^$\.*+?()[]{}|)").find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

/// Compiles a pattern: text outside of `{{}}` is literal, inside a regular expression.
std::optional<std::regex> pattern_of(std::string_view text) {
  std::string pattern;
  while (!text.empty()) {
    const std::size_t begin = std::min(text.find("{{"), text.size());
    pattern += escaped(text.substr(0, begin));
    text.remove_prefix(begin);
    if (!take(text, "{{")) break;
    const std::size_t end = std::min(text.find("}}"), text.size());
    pattern += "(" + std::string(text.substr(0, end)) + ")";
    text.remove_prefix(std::min(text.size(), end + 2));
  }
  try {
    return std::regex(pattern, std::regex::extended);
  } catch (const std::regex_error&) {
    return std::nullopt;
  }
}

void take_count(std::string_view& text, Expectation& expected) {
  if (const std::optional<std::size_t> number = take_number(text)) {
    expected.least = expected.most = *number;
    if (take(text, "+")) expected.most = kMany;
  } else if (take(text, "+")) {
    expected.most = kMany;
  } else if (take(text, "*")) {
    expected.least = 0;
    expected.most = kMany;
  }
}

/// The expectations of a text, read line by line.
class Reader {
 public:
  std::vector<Expectation> read(std::string_view text);

 private:
  bool read_line(std::string_view line);
  bool take_place(std::string_view& text, Expectation& expected);

  std::vector<Expectation> all_;
  std::vector<std::size_t> below_;    // those that wait for the next line without any
  std::size_t number_ = 0;            // of the line
  std::size_t last_without_any_ = 0;  // its number
};

bool Reader::take_place(std::string_view& text, Expectation& expected) {
  expected.line = number_;
  if (!take(text, "@")) return true;
  if (take(text, "unknown")) {
    expected.line = 0;
  } else if (take(text, "above")) {
    expected.line = last_without_any_;
  } else if (take(text, "below")) {
    below_.push_back(all_.size());
  } else {
    const bool is_up = take(text, "-");
    if (!is_up && !take(text, "+")) return false;
    const std::optional<std::size_t> offset = take_number(text);
    if (!offset || (is_up && *offset >= number_)) return false;
    expected.line = is_up ? number_ - *offset : number_ + *offset;
  }
  return true;
}

/// Returns whether the line ends in an expectation.
bool Reader::read_line(std::string_view line) {
  constexpr std::string_view kStart = "expected-";
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
  const std::size_t begin = line.find(kStart);
  if (begin == std::string_view::npos || !line.ends_with("}}")) return false;
  line.remove_prefix(begin + kStart.size());
  Expectation expected;
  for (const std::string_view severity : {"error", "note", "remark", "warning"}) {
    if (expected.severity.empty() && take(line, severity)) expected.severity = severity;
  }
  const bool is_pattern = take(line, "-re");
  skip_blanks(line);
  if (expected.severity.empty() || !take_place(line, expected)) return false;
  skip_blanks(line);
  take_count(line, expected);
  skip_blanks(line);
  if (!take(line, "{{")) return false;
  expected.text = line.substr(0, line.size() - 2);
  if (is_pattern) expected.pattern = pattern_of(expected.text);
  expected.at = number_;
  all_.push_back(std::move(expected));
  return true;
}

std::vector<Expectation> Reader::read(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    ++number_;
    if (read_line(line)) continue;
    last_without_any_ = number_;
    for (const std::size_t index : below_) all_[index].line = number_;
    below_.clear();
  }
  return std::move(all_);
}

Expectation* find(std::vector<Expectation>& all, std::string_view severity, std::size_t line,
                  std::string_view message) {
  for (Expectation& expected : all) {
    if (expected.severity == severity && expected.line == line && expected.found < expected.most &&
        expected.matches(message)) {
      ++expected.found;
      return &expected;
    }
  }
  return nullptr;
}

/// A note has no place of its own: it may be expected on any line.
void find_note(std::vector<Expectation>& all, std::string_view note) {
  for (Expectation& expected : all) {
    if (find(all, "note", expected.line, note) != nullptr) return;
  }
}

}  // namespace

std::size_t line_of_place(std::string_view location) {
  const std::optional<std::size_t> line = take_number(location);
  return line && location.starts_with(':') ? *line : 0;
}

Diagnostics compare_diagnostics(std::string_view text, const Diagnostics& said,
                                std::size_t num_of_input, bool only_expected) {
  std::vector<Expectation> all = Reader().read(text);
  Diagnostics wrong;
  bool has_stopped = false;  // the input had an expected error
  for (std::size_t index = 0; index < said.size(); ++index) {
    const Diagnostic& each = said[index];
    const bool is_of_input = index < num_of_input;
    const std::string_view severity = to_string(each.severity);
    const bool is_expected =
        find(all, severity, line_of_place(each.location), each.headline()) != nullptr;
    for (const std::string& note : each.notes) find_note(all, note);
    const bool is_ignored = only_expected || (has_stopped && is_of_input);
    if (!is_expected && !is_ignored) {
      wrong.push_back({fmt::format("unexpected {}: {}", severity, each.headline()), each.location});
    }
    has_stopped = has_stopped || (is_expected && is_of_input);
  }
  for (const Expectation& expected : all) {
    if (expected.found >= expected.least) continue;
    wrong.push_back(
        {fmt::format("expected {} \"{}\" was not produced", expected.severity, expected.text),
         fmt::format("{}:1", expected.at)});
  }
  return wrong;
}

}  // namespace shardy::tools
