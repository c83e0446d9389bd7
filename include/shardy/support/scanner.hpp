#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/detail/quote.hpp>
#include <shardy/support/result.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace shardy {

/// A reader of tokens. Spaces and `// ...` comments separate tokens and are skipped. Every error
/// has the line:column of the first wrong token. The scanner does not own the text. Spec: algebra
/// 10.1.
class Scanner {
 public:
  /// Starts at the beginning of `text`, which must outlive the scanner.
  explicit Scanner(std::string_view text) : text_(text) {}

  /// Returns the whole text.
  std::string_view text() const { return text_; }
  /// Returns the offset of the next token.
  std::size_t position() {
    skip_space();
    return position_;
  }
  /// Returns the offset after the last token, before any space.
  std::size_t raw_position() const { return position_; }
  /// Sets the offset of the next read.
  void seek(std::size_t position) { position_ = std::min(position, text_.size()); }
  /// Returns whether no more tokens follow.
  bool at_end() { return position() == text_.size(); }
  /// Returns the first character of the next token; '\0' at the end.
  char peek() { return at_end() ? '\0' : text_[position_]; }
  /// Returns the text from the next token on.
  std::string_view rest() { return text_.substr(position()); }

  /// Consumes `token` if it comes next, and returns whether it did. The beginning of a longer word
  /// does not match.
  bool eat(std::string_view token);
  /// Consumes the character `c` if the next token begins with it, and returns whether it did.
  bool eat(char c) {
    if (c == '\0' || peek() != c) return false;
    ++position_;
    return true;
  }
  /// Consumes `token`. Errors: `expected <token>, found <the next token>`.
  Status expect(std::string_view token);
  /// Checks that no more tokens follow. Errors: `expected end of text, found <the next token>`.
  Status expect_end() {
    if (at_end()) return {};
    return expected("end of text");
  }

  /// Returns whether an identifier comes next.
  bool at_ident() { return is_ident_start(peek()); }
  /// Returns whether a string in double quotes comes next.
  bool at_string() { return peek() == '"'; }
  /// Returns whether an integer comes next, possibly with a sign.
  bool at_int();

  /// Reads an identifier: a letter or `_`, then letters, digits, `_`, `$` and `.`.
  Result<std::string_view> ident();
  /// Reads a string in double quotes, and replaces escapes.
  Result<std::string> string();
  /// Reads `@name` or `@"name"`, and returns the name without `@`.
  Result<std::string> symbol();
  /// Reads an integer: `-12`, `0x1F`.
  Result<int64_t> int64();
  /// Reads decimal digits only: from `0x4xf32` it reads `0`.
  Result<int64_t> decimal();

  /// Returns an error at the location of the next token.
  tl::unexpected<Error> error(std::string message) {
    return error_at(position(), std::move(message));
  }
  /// Returns an error at the location of an offset.
  tl::unexpected<Error> error_at(std::size_t position, std::string message) const {
    return fail_at(location(position), std::move(message));
  }
  /// Returns the error `expected <what>, found <the next token>`.
  tl::unexpected<Error> expected(std::string_view what);
  /// Returns the location `line:column` of an offset. Lines and columns start at 1; columns count
  /// bytes.
  Location location(std::size_t position) const;

 private:
  void skip_space();
  std::string next_token_text();
  std::optional<char> escape();
  Result<int64_t> digits(int base, bool is_negative, std::size_t start);

  std::string_view text_;
  std::size_t position_ = 0;
};

/// Reads `{ element , element ... } close` after the opening token. `read() -> Status` reads one
/// element. A comma before `close` is an error.
template <class Read>
Status read_list(Scanner& scanner, std::string_view close, Read read) {
  if (scanner.eat(close)) return {};
  while (true) {
    SHARDY_TRY_STATUS(read());
    if (scanner.eat(close)) return {};
    if (!scanner.eat(',')) return scanner.expected("',' or '" + std::string(close) + "'");
  }
}

namespace detail {

constexpr std::optional<int> hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

}  // namespace detail

inline Result<int64_t> Scanner::decimal() {
  if (!is_digit(peek())) return expected("a number");
  return digits(10, false, position_);
}

}  // namespace shardy

#ifdef SHARDY_BODIES
#include <limits>

namespace shardy {

SHARDY_INLINE Status Scanner::expect(std::string_view token) {
  if (eat(token)) return {};
  return expected("'" + std::string(token) + "'");
}

SHARDY_INLINE tl::unexpected<Error> Scanner::expected(std::string_view what) {
  return error("expected " + std::string(what) + ", found " + next_token_text());
}

SHARDY_INLINE void Scanner::skip_space() {
  constexpr std::string_view kSpace = " \t\r\n";
  while (position_ < text_.size()) {
    if (text_.substr(position_).starts_with("//")) {
      position_ = std::min(text_.find('\n', position_), text_.size());
    } else if (kSpace.find(text_[position_]) != std::string_view::npos) {
      ++position_;
    } else {
      return;
    }
  }
}

SHARDY_INLINE bool Scanner::eat(std::string_view token) {
  const std::string_view after = rest();
  if (!after.starts_with(token)) return false;
  const bool is_word = !token.empty() && is_ident_char(token.back());
  if (is_word && after.size() > token.size() && is_ident_char(after[token.size()])) return false;
  position_ += token.size();
  return true;
}

SHARDY_INLINE bool Scanner::at_int() {
  const std::string_view after = rest();
  const std::size_t sign = after.starts_with('-') ? 1 : 0;
  return after.size() > sign && is_digit(after[sign]);
}

SHARDY_INLINE Result<std::string_view> Scanner::ident() {
  if (!at_ident()) return expected("an identifier");
  const std::size_t start = position_;
  while (position_ < text_.size() && is_ident_char(text_[position_])) ++position_;
  return text_.substr(start, position_ - start);
}

/// Reads the character after a backslash; std::nullopt if both are not an escape.
SHARDY_INLINE std::optional<char> Scanner::escape() {
  const std::string_view after = text_.substr(position_);
  if (after.empty()) return std::nullopt;
  constexpr std::string_view kNames = "\"\\nt";
  constexpr std::string_view kValues = "\"\\\n\t";
  if (const std::size_t name = kNames.find(after[0]); name != std::string_view::npos) {
    ++position_;
    return kValues[name];
  }
  if (after.size() < 2) return std::nullopt;
  const std::optional<int> high = detail::hex_digit(after[0]);
  const std::optional<int> low = detail::hex_digit(after[1]);
  if (!high || !low) return std::nullopt;
  position_ += 2;
  return static_cast<char>(*high * 16 + *low);
}

SHARDY_INLINE Result<std::string> Scanner::string() {
  if (!at_string()) return expected("a string");
  const std::size_t start = position_++;
  std::string value;
  while (position_ < text_.size()) {
    const char c = text_[position_++];
    if (c == '"') return value;
    if (c == '\n') break;
    if (c != '\\') {
      value += c;
      continue;
    }
    const std::size_t backslash = position_ - 1;
    const std::optional<char> escaped = escape();
    if (!escaped) return error_at(backslash, "unknown escape in string");
    value += *escaped;
  }
  position_ = start;
  return error("expected '\"' at the end of the string");
}

SHARDY_INLINE Result<std::string> Scanner::symbol() {
  if (!eat('@')) return expected("a symbol");
  const std::size_t after_at = position_;
  const bool is_adjacent = position() == after_at;
  if (is_adjacent && at_string()) return string();
  if (!is_adjacent || !at_ident()) return expected("a symbol name");
  return std::string(*ident());
}

SHARDY_INLINE Result<int64_t> Scanner::digits(int base, bool is_negative, std::size_t start) {
  // The number is accumulated as a negative one, because |INT64_MIN| exceeds INT64_MAX.
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  int64_t value = 0;
  while (position_ < text_.size()) {
    const std::optional<int> digit = detail::hex_digit(text_[position_]);
    if (!digit || *digit >= base) break;
    if (value < (kMin + *digit) / base) return error_at(start, "integer doesn't fit in 64 bits");
    value = value * base - *digit;
    ++position_;
  }
  if (is_negative) return value;
  if (value == kMin) return error_at(start, "integer doesn't fit in 64 bits");
  return -value;
}

SHARDY_INLINE Result<int64_t> Scanner::int64() {
  if (!at_int()) return expected("an integer");
  const std::size_t start = position_;
  const bool is_negative = text_[position_] == '-';
  if (is_negative) ++position_;
  const std::string_view after = text_.substr(position_);
  if (after.size() > 2 && after.starts_with("0x") && detail::hex_digit(after[2])) {
    position_ += 2;
    return digits(16, is_negative, start);
  }
  return digits(10, is_negative, start);
}

SHARDY_INLINE std::string Scanner::next_token_text() {
  if (at_end()) return "end of text";
  std::size_t end = position_ + 1;
  if (is_ident_char(text_[position_])) {
    while (end < text_.size() && is_ident_char(text_[end])) ++end;
  }
  constexpr std::size_t kLongest = 40;
  const std::string_view token = text_.substr(position_, std::min(end - position_, kLongest));
  const bool is_printable = std::ranges::all_of(token, [](char c) { return c >= ' ' && c <= '~'; });
  return is_printable ? "'" + std::string(token) + "'" : in_quotes(token);
}

SHARDY_INLINE Location Scanner::location(std::size_t position) const {
  const std::string_view before = text_.substr(0, position);
  const auto line = std::ranges::count(before, '\n') + 1;
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return {static_cast<uint32_t>(line), static_cast<uint32_t>(position - line_start + 1)};
}

}  // namespace shardy
#endif  // SHARDY_BODIES
