// A position in MLIR text, and readers of tokens. Spec: stablehlo 1.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shardy/support/detail/quote.hpp"
#include "shardy/support/result.hpp"

namespace shardy::text {

/// Returns true for characters of `%x`, `^bb`, `#a` and `!t` after the first one.
constexpr bool is_suffix_char(char c) { return is_ident_char(c) || c == '-'; }

/// Reads tokens and stores the first error. After an error, reads return false or an empty view. A
/// view of the text that allocates no memory.
class MlirCursor {
 public:
  struct ReadFailure {
    std::size_t position = 0;
    std::string message;
    std::vector<std::string> notes;
  };

  explicit MlirCursor(std::string_view text) : text_(text) {}

  std::string_view text() const { return text_; }
  /// Returns the offset of the next token.
  std::size_t position() {
    skip_space();
    return at_;
  }
  /// Returns the offset after the last token.
  std::size_t raw_position() const { return at_; }
  void seek(std::size_t position) { at_ = position; }
  std::string_view slice(std::size_t begin) const { return text_.substr(begin, at_ - begin); }
  bool at_end() { return position() >= text_.size(); }
  /// Returns the first character of the next token, '\0' at the end.
  char peek() {
    skip_space();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  /// Returns the character directly after the last token.
  char raw_peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool starts_with(std::string_view token) {
    skip_space();
    return text_.substr(at_).starts_with(token);
  }

  bool eat(char c) {
    if (peek() != c || c == '\0') return false;
    ++at_;
    return true;
  }
  /// Reads punctuation of several characters.
  bool eat(std::string_view token) {
    if (!starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  bool at_word(std::string_view word) {
    return starts_with(word) && !is_ident_char(raw_peek(word.size()));
  }
  bool eat_word(std::string_view word) {
    if (!at_word(word)) return false;
    at_ += word.size();
    return true;
  }
  bool expect(char c) {
    if (eat(c)) return true;
    return expected(std::string("'") + c + "'");
  }
  bool expect(std::string_view token) {
    const bool found = !token.empty() && is_ident_char(token.back()) ? eat_word(token) : eat(token);
    return found || expected("'" + std::string(token) + "'");
  }

  bool at_ident() { return is_ident_start(peek()); }
  bool at_integer();
  /// Reads a bare identifier; empty if none exists.
  std::string_view ident();
  /// Reads a name as after `%`, `^`, `#` or `!`; empty if none exists.
  std::string_view suffix();
  /// Reads an integer such as `-12` or `0x1F`. std::nullopt, with an error, if none exists or it
  /// does not fit 64 bits.
  std::optional<int64_t> integer();
  /// Reads a string and replaces its escapes.
  std::optional<std::string> string();
  /// Reads `@name` or `@"name"`; returns the name without `@`.
  std::optional<std::string> symbol();
  /// Returns the text of a number with its sign, such as `-1.5e+3` or `0x7F800000`; empty if no
  /// number follows.
  std::string_view number();
  /// Skips a pair of brackets with everything in it, or a string. Requires: one of these comes
  /// next.
  bool skip_balanced();

  /// Stores an error at `position`, unless an error is stored already. Returns false.
  bool fail(std::size_t position, std::string message, std::vector<std::string> notes = {});
  bool fail(std::string message) { return fail(position(), std::move(message)); }
  /// Stores the error of a name that is defined twice, with a note at the first definition. Returns
  /// false.
  bool fail_redefinition(std::size_t position, std::string message, std::size_t previous);
  /// Stores the error `expected <what>, found <the next token>`. Returns false.
  bool expected(std::string_view what, std::vector<std::string> notes = {});
  bool failed() const { return failure_.has_value(); }
  const ReadFailure& failure() const { return *failure_; }
  void clear_failure() { failure_.reset(); }

  void skip_space() {
    if (raw_peek() == ' ') ++at_;  // in most cases, a single blank
    if (raw_peek() <= ' ' || raw_peek() == '/') skip_blanks();
  }

 private:
  void skip_blanks();
  using CharClass = std::array<bool, 256>;  // by character
  std::string_view skip(const CharClass& characters);
  bool skip_string();
  bool escape(std::string& value);

  std::string_view text_;
  std::size_t at_ = 0;
  std::optional<ReadFailure> failure_;
};

/// Replaces white space and comments outside of strings by single blanks, and removes them at both
/// ends.
std::string collapsed_text(std::string_view text);

/// A line and a column, counted from 1.
struct LineAndColumn {
  uint32_t line = 0;
  uint32_t column = 0;
};

/// Converts offsets to `line:column`, both counted from 1; columns count bytes. Ascending queries
/// take one pass over the text and no memory.
class LineCounter {
 public:
  explicit LineCounter(std::string_view text) : text_(text) {}
  LineAndColumn line_and_column(std::size_t position);
  /// Returns the location `LINE:COLUMN`.
  Location location(std::size_t position);

 private:
  std::string_view text_;
  std::size_t line_ = 1;
  std::size_t start_ = 0;        // offset of the line's start
  std::size_t scanned_end_ = 0;  // no line ends between the last one and this offset
};

}  // namespace shardy::text
