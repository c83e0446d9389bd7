// Suggestions for misspelled words.
#pragma once

#include <optional>
#include <shardy/support/inline.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace shardy {

/// The candidate that looks most like `word`, if one is close enough to be a slip of the pen.
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

namespace detail {

/// Letters to insert, delete, replace, or swap with their neighbour to turn one word into the
/// other: the optimal string alignment distance of Damerau.
SHARDY_INLINE std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> before(to.size() + 1);  // of one letter less, and of two
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

/// Orders candidates: fewer edits first, then those with the same letters in another order, as
/// `tahn` is `tanh` rather than `tan`.
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
