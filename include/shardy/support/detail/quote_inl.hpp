// Bodies of quote.hpp.
#pragma once

#include <shardy/support/inline.hpp>
#include <shardy/support/quote.hpp>
#include <string>
#include <string_view>

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
