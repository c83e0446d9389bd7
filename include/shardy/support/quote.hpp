#pragma once

#include <shardy/support/inline.hpp>
#include <string>
#include <string_view>

namespace shardy {

/// ASCII only.
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
/// ASCII only.
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
/// Checks whether an identifier may begin with the character.
constexpr bool is_ident_start(char c) { return is_letter(c) || c == '_'; }
/// Checks whether an identifier may continue with the character.
constexpr bool is_ident_char(char c) {
  return is_ident_start(c) || is_digit(c) || c == '$' || c == '.';
}

/// `text` can stand in a program without quotes. Spec: algebra 10.1.
constexpr bool is_ident(std::string_view text) {
  if (text.empty() || !is_ident_start(text.front())) return false;
  for (const char c : text) {
    if (!is_ident_char(c)) return false;
  }
  return true;
}

/// `text` in double quotes: printable ASCII as is, `\` as `\\`, all else as `\` and two hex digits.
std::string in_quotes(std::string_view text);

/// `@name`, quoted only if it must be.
std::string symbol_text(std::string_view name);

}  // namespace shardy

#ifdef SHARDY_BODIES
namespace shardy {

SHARDY_INLINE std::string in_quotes(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string result = "\"";
  for (const char c : text) {
    if (c == '\\') {
      result += "\\\\";
    } else if (c >= ' ' && c <= '~' && c != '"') {
      result += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      result += {'\\', kHex[byte >> 4U], kHex[byte & 15U]};
    }
  }
  result += '"';
  return result;
}

SHARDY_INLINE std::string symbol_text(std::string_view name) {
  return "@" + (is_ident(name) ? std::string(name) : in_quotes(name));
}

}  // namespace shardy
#endif  // SHARDY_BODIES
