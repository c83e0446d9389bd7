// A set of small numbers that can be walked in order while it changes.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace shardy {

/// A set of numbers below a bound: one bit for each, and for every 64 bits another that says
/// whether there is one among them, and so on. Each operation takes a few steps, log64(bound).
class NumberSet {
 public:
  /// All numbers below `bound`.
  explicit NumberSet(std::size_t bound);

  bool contains(uint32_t number) const {
    return (levels_.front()[number / kBits] >> (number % kBits) & 1U) != 0;
  }
  /// Requires: number < bound.
  void insert(uint32_t number);
  void erase(uint32_t number);
  /// The least number in the set that is not below `number`.
  std::optional<uint32_t> first_from(uint32_t number) const;

 private:
  using Words = std::vector<uint64_t>;
  static constexpr uint32_t kBits = 64;

  static Words ones(std::size_t count);

  std::vector<Words> levels_;  // of the numbers, of the words of those, ..., down to one word
};

// -------------------------------------------------------------------------------------------------

/// `count` bits that are set; at least one word.
inline NumberSet::Words NumberSet::ones(std::size_t count) {
  Words words(count / kBits, ~uint64_t{0});
  const std::size_t rest = count % kBits;
  if (rest > 0 || count == 0) words.push_back((uint64_t{1} << rest) - 1);
  return words;
}

inline NumberSet::NumberSet(std::size_t bound) {
  levels_.push_back(ones(bound));
  while (levels_.back().size() > 1) levels_.push_back(ones(levels_.back().size()));
}

inline void NumberSet::insert(uint32_t number) {
  for (Words& words : levels_) {
    words[number / kBits] |= uint64_t{1} << (number % kBits);
    number /= kBits;
  }
}

inline void NumberSet::erase(uint32_t number) {
  for (Words& words : levels_) {
    uint64_t& word = words[number / kBits];
    word &= ~(uint64_t{1} << (number % kBits));
    if (word != 0) return;
    number /= kBits;
  }
}

inline std::optional<uint32_t> NumberSet::first_from(uint32_t number) const {
  std::size_t level = 0;
  // Up, until a word has a bit that is not before the number; then down along the first bits.
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
