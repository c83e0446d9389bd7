// A set of small numbers that may be changed while it is iterated in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/support/contract.hpp>
#include <shardy/support/detail/inline.hpp>
#include <vector>

namespace shardy {

/// A set of numbers below a bound. Level 0 has one bit per number. A bit of a higher level is set
/// if any of the 64 bits below it is set. Each operation takes log64(bound) steps.
class NumberSet {
 public:
  /// Makes the set of all numbers below `bound`. The capacity is `bound`, rounded up to a multiple
  /// of 64, but at least 64. Requires: bound <= 2^32.
  explicit NumberSet(std::size_t bound);

  /// Returns whether `number` is in the set. Requires: a number below the capacity.
  bool contains(uint32_t number) const {
    SHARDY_EXPECTS(is_below_capacity(number));
    return (levels_.front()[number / kBits] >> (number % kBits) & 1U) != 0;
  }
  /// Adds a number. Requires: a number below the capacity.
  void insert(uint32_t number);
  /// Removes `number` if present. Requires: a number below the capacity.
  void erase(uint32_t number);
  /// Returns the least number of the set that is >= `number`; std::nullopt if none exists.
  std::optional<uint32_t> first_from(uint32_t number) const;

 private:
  bool is_below_capacity(uint32_t number) const {
    return !levels_.empty() && number / kBits < levels_.front().size();
  }

  using Words = std::vector<uint64_t>;
  static constexpr uint32_t kBits = 64;

  static Words ones(std::size_t count);

  std::vector<Words> levels_;  // level 0 first; the last level has one word
};

// -------------------------------------------------------------------------------------------------

inline void NumberSet::insert(uint32_t number) {
  SHARDY_EXPECTS(is_below_capacity(number));
  for (Words& words : levels_) {
    words[number / kBits] |= uint64_t{1} << (number % kBits);
    number /= kBits;
  }
}

}  // namespace shardy

#ifdef SHARDY_BODIES
#include <bit>

namespace shardy {

/// Returns words in which the first `count` bits are set; at least one word.
SHARDY_INLINE NumberSet::Words NumberSet::ones(std::size_t count) {
  SHARDY_EXPECTS(count <= uint64_t{1} << 32U);
  Words words(count / kBits, ~uint64_t{0});
  const std::size_t rest = count % kBits;
  if (rest > 0 || count == 0) words.push_back((uint64_t{1} << rest) - 1);
  return words;
}

SHARDY_INLINE NumberSet::NumberSet(std::size_t bound) {
  levels_.push_back(ones(bound));
  while (levels_.back().size() > 1) levels_.push_back(ones(levels_.back().size()));
}

SHARDY_INLINE void NumberSet::erase(uint32_t number) {
  SHARDY_EXPECTS(is_below_capacity(number));
  for (Words& words : levels_) {
    uint64_t& word = words[number / kBits];
    word &= ~(uint64_t{1} << (number % kBits));
    if (word != 0) return;
    number /= kBits;
  }
}

SHARDY_INLINE std::optional<uint32_t> NumberSet::first_from(uint32_t number) const {
  std::size_t level = 0;
  // Goes up to a level whose word has a bit at or after the number, then down along the first set
  // bits.
  for (;; ++level) {
    if (level == levels_.size()) return std::nullopt;
    const Words& words = levels_[level];
    if (number / kBits >= words.size()) return std::nullopt;
    const uint64_t later = words[number / kBits] & (~uint64_t{0} << (number % kBits));
    if (later != 0) {
      number = number / kBits * kBits + static_cast<uint32_t>(std::countr_zero(later));
      break;
    }
    number = number / kBits + 1;
  }
  for (; level > 0; --level) {
    number = number * kBits + static_cast<uint32_t>(std::countr_zero(levels_[level - 1][number]));
  }
  return number;
}

}  // namespace shardy
#endif  // SHARDY_BODIES
