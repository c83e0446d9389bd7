// Makes test cases from choices: all combinations in order, or some at random.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "shardy/checking/sweep.hpp"

namespace shardy_test {

/// Walks through all combinations of choices. After each `next`, the caller makes the same choices
/// in the same order. The number of options of a choice may depend on earlier choices.
class Choices {
 public:
  Choices() = default;
  /// Makes random choices instead of walking through all combinations.
  explicit Choices(uint64_t seed) : random_(std::in_place, seed) {}

  /// Returns a choice in [0, count).
  int64_t pick(int64_t count) {
    if (random_) return random_->between(0, count - 1);
    if (at_ == picked_.size()) picked_.emplace_back(0, count);
    return picked_[at_++].first;
  }
  template <class T>
  const T& of(const std::vector<T>& options) {
    return options[static_cast<std::size_t>(pick(static_cast<int64_t>(options.size())))];
  }
  bool coin() { return pick(2) == 1; }

  /// Moves to the next combination. Returns false after the last one.
  bool next() {
    at_ = 0;
    if (random_) return true;
    while (!picked_.empty() && picked_.back().first + 1 == picked_.back().second)
      picked_.pop_back();
    if (picked_.empty()) return false;
    ++picked_.back().first;
    return true;
  }

 private:
  std::vector<std::pair<int64_t, int64_t>> picked_;  // each choice with its number of options
  std::size_t at_ = 0;
  std::optional<shardy::checking::Random> random_;
};

}  // namespace shardy_test
