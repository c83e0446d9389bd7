// Bodies of scanner.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <shardy/support/inline.hpp>
#include <shardy/support/quote.hpp>
#include <shardy/support/result.hpp>
#include <shardy/support/scanner.hpp>
#include <string>
#include <string_view>

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

/// Reads the character after the backslash; std::nullopt if it is not an escape.
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
  // Counted below zero, where there is room for one more.
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

SHARDY_INLINE std::string Scanner::location(std::size_t position) const {
  const std::string_view before = text_.substr(0, position);
  const auto line = std::ranges::count(before, '\n') + 1;
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return std::to_string(line) + ":" + std::to_string(position - line_start + 1);
}

}  // namespace shardy
