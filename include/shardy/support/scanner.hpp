#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <shardy/support/quote.hpp>
#include <shardy/support/result.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace shardy {

/// Reads tokens from a text: spaces and `// ...` comments separate them and are otherwise ignored.
/// Every error carries the line:column of the first wrong token. Views the text. Spec:
/// algebra 10.1.
class Scanner {
 public:
  /// Reads `text` from its beginning; whoever owns it must outlive the scanner.
  explicit Scanner(std::string_view text) : text_(text) {}

  /// The whole text.
  std::string_view text() const { return text_; }
  /// Offset of the next token.
  std::size_t position() {
    skip_space();
    return position_;
  }
  /// Offset after the last token that was read, before any space.
  std::size_t raw_position() const { return position_; }
  /// Goes back (or on) to an offset.
  void seek(std::size_t position) { position_ = std::min(position, text_.size()); }
  /// Returns whether no token follows.
  bool at_end() { return position() == text_.size(); }
  /// First character of the next token, '\0' at the end.
  char peek() { return at_end() ? '\0' : text_[position_]; }
  /// Returns the rest of the text, from the next token on.
  std::string_view rest() { return text_.substr(position()); }

  /// Reads `token`, characters in a row, if it comes next; of a longer word not the beginning.
  bool eat(std::string_view token);
  /// Reads the character `c` if the next token begins with it.
  bool eat(char c) {
    if (c == '\0' || peek() != c) return false;
    ++position_;
    return true;
  }
  /// Reads `token`. Errors: `expected <token>, found <the next token>`.
  Status expect(std::string_view token);
  /// Checks that the text ends. Errors: `expected end of text, found <the next token>`.
  Status expect_end() {
    if (at_end()) return {};
    return expected("end of text");
  }

  /// Returns whether an identifier comes next.
  bool at_ident() { return is_ident_start(peek()); }
  /// Returns whether a string in double quotes comes next.
  bool at_string() { return peek() == '"'; }
  /// Returns whether a number with or without a sign comes next.
  bool at_int();

  /// `[letter or _] {letter, digit, _, $, .}`
  Result<std::string_view> ident();
  /// A string in double quotes, with its escapes replaced.
  Result<std::string> string();
  /// `@name` or `@"name"`, without the `@`.
  Result<std::string> symbol();
  /// `-12`, `0x1F`.
  Result<int64_t> int64();
  /// Decimal digits only, and only as many as there are: of `0x4xf32` it reads the 0.
  Result<int64_t> decimal();

  /// An error at the next token.
  tl::unexpected<Error> error(std::string message) {
    return error_at(position(), std::move(message));
  }
  /// An error at an offset of the text.
  tl::unexpected<Error> error_at(std::size_t position, std::string message) const {
    return fail_at(location(position), std::move(message));
  }
  /// `expected <what>, found <the next token>`
  tl::unexpected<Error> expected(std::string_view what);
  /// `line:column`, both from 1; columns count bytes.
  std::string location(std::size_t position) const;

 private:
  void skip_space();
  std::string next_token_text();
  std::optional<char> escape();
  Result<int64_t> digits(int base, bool is_negative, std::size_t start);

  std::string_view text_;
  std::size_t position_ = 0;
};

/// Reads `{ element , element ... } close`, after the opening token, with no comma before `close`.
/// `read() -> Status` reads one element.
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

#ifdef SHARDY_HEADER_ONLY
#include <shardy/support/detail/scanner_inl.hpp>
#endif
