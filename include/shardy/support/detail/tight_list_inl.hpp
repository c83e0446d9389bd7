// Bodies of tight_list.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <shardy/support/inline.hpp>
#include <shardy/support/tight_list.hpp>
#include <string_view>

namespace shardy::detail {

/// Behind the string that begins there.
SHARDY_INLINE std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return std::min(at + 1, text.size());
}

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE ListAhead list_ahead(std::string_view text, std::size_t begin) {
  ListAhead ahead;
  std::size_t depth = 0;
  std::size_t at = begin;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"') {
      at = detail::end_of_string(text, at);
      continue;
    }
    const bool is_arrow = c == '>' && at > begin && text[at - 1] == '-';
    const bool closes = !is_arrow && std::string_view(">)]}").find(c) != std::string_view::npos;
    if (closes && depth == 0) break;
    if (closes) --depth;
    if (std::string_view("<([{").find(c) != std::string_view::npos) ++depth;
    if (c == ',' && depth == 0) ++ahead.elements;
    ++at;
  }
  ahead.bytes = at - begin;
  return ahead;
}

}  // namespace shardy
