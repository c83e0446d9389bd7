// Bodies of closest.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <shardy/support/closest.hpp>
#include <shardy/support/inline.hpp>
#include <utility>

namespace shardy {

namespace detail {

/// Letters to put in, take out or replace to make one of the other.
SHARDY_INLINE std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t replaced = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace detail

SHARDY_INLINE std::optional<std::string> closest(std::string_view word,
                                                 const std::vector<std::string_view>& candidates) {
  constexpr std::size_t kLongestWord = 64;
  if (word.size() > kLongestWord) return std::nullopt;
  std::optional<std::string> best;
  std::size_t best_distance = 1 + word.size() / 3;
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > kLongestWord) continue;
    const std::size_t distance = detail::edit_distance(word, candidate);
    const bool is_alike = distance < std::max(word.size(), candidate.size());
    if (!is_alike || distance > best_distance || (best && distance == best_distance)) continue;
    best_distance = distance;
    best = std::string(candidate);
  }
  return best;
}

}  // namespace shardy
