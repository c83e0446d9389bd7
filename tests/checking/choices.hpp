// Makes cases from choices: all of them, one after the other, or some at random.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "shardy/checking/sweep.hpp"

namespace shardy_test {

/// Choices for a walk through all combinations: after each `next` the caller makes the same choices
/// in the same order. Numbers of options may depend on what was picked before.
class Choices {
 public:
  Choices() = default;
  /// Picks at random instead.
  explicit Choices(uint64_t seed) : random_(std::in_place, seed) {}

  /// In [0, count).
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

  /// Moves to the next combination; false after the last one.
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
  std::vector<std::pair<int64_t, int64_t>> picked_;  // and of how many
  std::size_t at_ = 0;
  std::optional<shardy::checking::Random> random_;
};

}  // namespace shardy_test
