// Parts of messages: quoted text, and suggestions for misspelled names.
#pragma once

#include <optional>
#include <shardy/support/detail/inline.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace shardy {

/// Returns true for an ASCII digit.
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
/// Returns true for an ASCII letter.
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
/// Checks whether an identifier may begin with the character.
constexpr bool is_ident_start(char c) { return is_letter(c) || c == '_'; }
/// Checks whether an identifier may continue with the character.
constexpr bool is_ident_char(char c) {
  return is_ident_start(c) || is_digit(c) || c == '$' || c == '.';
}

/// Checks whether a program may contain `text` without quotes. Spec: algebra 10.1.
constexpr bool is_ident(std::string_view text) {
  if (text.empty() || !is_ident_start(text.front())) return false;
  for (const char c : text) {
    if (!is_ident_char(c)) return false;
  }
  return true;
}

/// Returns `text` in double quotes. Printable ASCII is unchanged, `\` becomes `\\`, and all other
/// bytes become `\` and two hex digits.
std::string in_quotes(std::string_view text);

/// Returns `@name`, with quotes only if the name needs them.
std::string symbol_text(std::string_view name);

/// Returns the candidate most similar to `word`, if the similarity suggests a misspelling.
std::optional<std::string> closest(std::string_view word,
                                   const std::vector<std::string_view>& candidates);

}  // namespace shardy

#ifdef SHARDY_BODIES
#include <algorithm>
#include <compare>
#include <cstddef>
#include <numeric>
#include <utility>

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

namespace detail {

/// Returns the number of letters to insert, delete, replace, or swap with a neighbour that changes
/// one word into the other: the optimal string alignment distance of Damerau.
SHARDY_INLINE std::size_t edit_distance(std::string_view from, std::string_view to) {
  // Rows for one letter less and for two letters less.
  std::vector<std::size_t> before(to.size() + 1);
  std::vector<std::size_t> last(to.size() + 1);
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::swap(before, last);
    std::swap(last, row);
    row[0] = i + 1;
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t replaced = last[j] + (from[i] == to[j] ? 0 : 1);
      row[j + 1] = std::min({replaced, row[j] + 1, last[j + 1] + 1});
      const bool is_swap = i > 0 && j > 0 && from[i] == to[j - 1] && from[i - 1] == to[j];
      if (is_swap) row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
    }
  }
  return row.back();
}

/// Sort key of candidates: fewer edits first, then candidates with the letters of the word in
/// another order. Example: for `tahn`, `tanh` precedes `tan`.
struct WordDistance {
  std::size_t edits = 0;
  bool has_other_letters = false;
  friend auto operator<=>(const WordDistance&, const WordDistance&) = default;
};

SHARDY_INLINE WordDistance word_distance(std::string_view word, std::string_view candidate) {
  return {edit_distance(word, candidate),
          !std::is_permutation(word.begin(), word.end(), candidate.begin(), candidate.end())};
}

}  // namespace detail

SHARDY_INLINE std::optional<std::string> closest(std::string_view word,
                                                 const std::vector<std::string_view>& candidates) {
  constexpr std::size_t kLongestWord = 64;
  if (word.size() > kLongestWord) return std::nullopt;
  std::optional<std::string> best;
  detail::WordDistance best_distance;
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > kLongestWord) continue;
    const detail::WordDistance distance = detail::word_distance(word, candidate);
    const bool is_alike = distance.edits < std::max(word.size(), candidate.size()) &&
                          distance.edits <= 1 + word.size() / 3;
    if (!is_alike || (best && distance >= best_distance)) continue;
    best_distance = distance;
    best = std::string(candidate);
  }
  return best;
}

}  // namespace shardy
#endif  // SHARDY_BODIES
