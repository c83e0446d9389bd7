#include "text/mlir_cursor.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "shardy/support/scanner.hpp"

namespace shardy::text {

namespace {

/// Returns a table of the characters for which the predicate is true.
template <class Predicate>
constexpr std::array<bool, 256> table_of(Predicate is_in) {
  std::array<bool, 256> table{};
  for (std::size_t index = 0; index < table.size(); ++index) {
    table[index] = is_in(static_cast<char>(index));
  }
  return table;
}

constexpr auto kDigitChars = table_of(&is_digit);
constexpr auto kIdentChars = table_of(&is_ident_char);

}  // namespace

void MlirCursor::skip_blanks() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
      ++at_;
    } else if (c == '/' && raw_peek(1) == '/') {
      const std::size_t end = text_.find('\n', at_);
      at_ = end == std::string_view::npos ? text_.size() : end;
    } else {
      return;
    }
  }
}

bool MlirCursor::at_integer() {
  const char c = peek();
  return is_digit(c) || (c == '-' && is_digit(raw_peek(1)));
}

std::string_view MlirCursor::ident() {
  if (!at_ident()) return {};
  return skip(kIdentChars);
}

/// Skips characters of the class, and returns them.
std::string_view MlirCursor::skip(const CharClass& characters) {
  const std::size_t begin = at_;
  while (at_ < text_.size() && characters[static_cast<unsigned char>(text_[at_])]) ++at_;
  return slice(begin);
}

std::string_view MlirCursor::suffix() {
  if (is_digit(raw_peek())) return skip(kDigitChars);
  const std::size_t begin = at_;
  do {
    skip(kIdentChars);
  } while (raw_peek() == '-' && raw_peek(1) != '>' && ++at_ > 0);
  return slice(begin);
}

std::optional<int64_t> MlirCursor::integer() {
  const std::size_t begin = position();
  if (!at_integer()) {
    expected("an integer");
    return std::nullopt;
  }
  const bool is_negative = eat('-');
  const bool is_hex = raw_peek() == '0' && raw_peek(1) == 'x' && detail::hex_digit(raw_peek(2));
  if (is_hex) at_ += 2;
  uint64_t magnitude = 0;
  const auto [rest, error] =
      std::from_chars(text_.data() + at_, text_.data() + text_.size(), magnitude, is_hex ? 16 : 10);
  at_ = static_cast<std::size_t>(rest - text_.data());
  const uint64_t most = uint64_t{1} << 63U;
  if (error != std::errc() || (is_negative && magnitude > most)) {
    fail(begin, "integer doesn't fit in 64 bits");
    return std::nullopt;
  }
  return static_cast<int64_t>(is_negative ? ~magnitude + 1 : magnitude);
}

bool MlirCursor::escape(std::string& value) {
  const char c = raw_peek();
  constexpr std::string_view kNames = "\"\\nt";
  constexpr std::string_view kValues = "\"\\\n\t";
  if (const std::size_t at = kNames.find(c); c != '\0' && at != std::string_view::npos) {
    value += kValues[at];
    ++at_;
    return true;
  }
  const std::optional<int> high = detail::hex_digit(c);
  const std::optional<int> low = detail::hex_digit(raw_peek(1));
  if (!high || !low) return fail(at_ - 1, "unknown escape in string");
  value += static_cast<char>(*high * 16 + *low);
  at_ += 2;
  return true;
}

std::optional<std::string> MlirCursor::string() {
  if (peek() != '"') {
    expected("a string");
    return std::nullopt;
  }
  const std::size_t begin = at_++;
  std::string value;
  for (std::size_t from = at_; at_ < text_.size() && text_[at_] != '\n';) {
    const char c = text_[at_++];
    if (c != '"' && c != '\\') continue;
    value += text_.substr(from, at_ - 1 - from);
    if (c == '"') return value;
    if (!escape(value)) return std::nullopt;
    from = at_;
  }
  fail(begin, "expected '\"' at the end of the string");
  return std::nullopt;
}

std::optional<std::string> MlirCursor::symbol() {
  if (peek() == '@' && raw_peek(1) == '"') {
    ++at_;
    return string();
  }
  if (peek() == '@' && is_ident_start(raw_peek(1))) {
    ++at_;
    return std::string(ident());
  }
  expected("a symbol");
  return std::nullopt;
}

std::string_view MlirCursor::number() {
  if (!at_integer()) return {};
  const std::size_t begin = at_;
  if (raw_peek() == '-') ++at_;
  if (raw_peek() == '0' && raw_peek(1) == 'x' && detail::hex_digit(raw_peek(2))) {
    at_ += 2;
    while (detail::hex_digit(raw_peek())) ++at_;
    return slice(begin);
  }
  while (is_digit(raw_peek())) ++at_;
  if (raw_peek() != '.') return slice(begin);
  ++at_;
  while (is_digit(raw_peek())) ++at_;
  if (raw_peek() != 'e' && raw_peek() != 'E') return slice(begin);
  const std::size_t sign = raw_peek(1) == '+' || raw_peek(1) == '-' ? 1 : 0;
  if (!is_digit(raw_peek(1 + sign))) return slice(begin);
  at_ += 1 + sign;
  while (is_digit(raw_peek())) ++at_;
  return slice(begin);
}

bool MlirCursor::skip_string() {
  const std::size_t begin = at_++;
  while (at_ < text_.size() && text_[at_] != '\n') {
    const char c = text_[at_++];
    if (c == '"') return true;
    if (c == '\\' && at_ < text_.size()) ++at_;
  }
  return fail(begin, "expected '\"' at the end of the string");
}

namespace {

/// Returns the closing bracket of `open`; 0 if `open` is not an opening bracket.
char closing_of(char open) {
  switch (open) {
    case '(':
      return ')';
    case '[':
      return ']';
    case '{':
      return '}';
    case '<':
      return '>';
    default:
      return '\0';
  }
}

}  // namespace

bool MlirCursor::skip_balanced() {
  const std::size_t begin = position();
  std::string open;
  do {
    if (at_end()) return fail(begin, "unbalanced brackets");
    const char c = text_[at_];
    if (c == '"') {
      if (!skip_string()) return false;
      continue;
    }
    ++at_;
    if (c == '-' && raw_peek() == '>') {
      ++at_;
    } else if (const char closing = closing_of(c); closing != '\0') {
      open += closing;
    } else if (c == ')' || c == ']' || c == '}' || c == '>') {
      if (open.empty() || open.back() != c) return fail(at_ - 1, "unbalanced brackets");
      open.pop_back();
    }
  } while (!open.empty());
  return true;
}

bool MlirCursor::fail(std::size_t position, std::string message, std::vector<std::string> notes) {
  if (!failure_) failure_ = ReadFailure{position, std::move(message), std::move(notes)};
  return false;
}

bool MlirCursor::fail_redefinition(std::size_t position, std::string message,
                                   std::size_t previous) {
  LineCounter lines(text_);
  return fail(position, std::move(message),
              {"previous definition at " + lines.location(previous).text()});
}

bool MlirCursor::expected(std::string_view what, std::vector<std::string> notes) {
  const std::size_t begin = position();
  std::string found = "end of text";
  if (!at_end()) {
    std::size_t end = begin + 1;
    if (is_suffix_char(text_[begin]) || text_[begin] == '%' || text_[begin] == '"') {
      while (end < text_.size() && is_suffix_char(text_[end])) ++end;
    }
    if (text_[begin] == '"' && end < text_.size() && text_[end] == '"') ++end;
    constexpr std::size_t kLongest = 40;
    const std::string_view token = text_.substr(begin, std::min(end - begin, kLongest));
    const bool printable = std::ranges::all_of(token, [](char c) { return c >= ' ' && c <= '~'; });
    found = printable ? "'" + std::string(token) + "'" : in_quotes(token);
  }
  return fail(begin, "expected " + std::string(what) + ", found " + found, std::move(notes));
}

std::string collapsed_text(std::string_view text) {
  std::string result;
  MlirCursor cursor(text);
  while (!cursor.at_end()) {
    const std::size_t before = cursor.raw_position();
    const std::size_t begin = before;
    if (cursor.raw_peek() == '"') {
      cursor.skip_balanced();
    } else {
      cursor.seek(before + 1);
    }
    result += cursor.slice(begin);
    const std::size_t after = cursor.raw_position();
    if (cursor.position() != after && !cursor.at_end()) result += ' ';
  }
  return result;
}

LineAndColumn LineCounter::line_and_column(std::size_t position) {
  if (position < start_) *this = LineCounter(text_);
  const std::string_view before = text_.substr(0, position);
  while (scanned_end_ < position) {
    const std::size_t end = before.find('\n', scanned_end_);
    scanned_end_ = end == std::string_view::npos ? position : end + 1;
    if (end == std::string_view::npos) break;
    start_ = scanned_end_;
    ++line_;
  }
  return {static_cast<uint32_t>(line_), static_cast<uint32_t>(position - start_ + 1)};
}

Location LineCounter::location(std::size_t position) {
  const LineAndColumn at = line_and_column(position);
  return {at.line, at.column};
}

}  // namespace shardy::text
