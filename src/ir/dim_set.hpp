// A set of dims of a tensor, for checks of lists of dims.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace shardy::ir {

/// Returns whether a short list names the dim.
inline bool has_dim(std::span<const int64_t> dims, std::size_t dim) {
  return std::ranges::find(dims, static_cast<int64_t>(dim)) != dims.end();
}

/// A set of dims of one tensor. Does not allocate memory for ranks up to 64.
class DimSet {
 public:
  explicit DimSet(std::size_t rank) : rank_(rank), large_(rank > kSmall ? rank : 0) {}

  bool contains(std::size_t dim) const {
    return large_.empty() ? (small_ >> dim & 1U) != 0 : large_[dim];
  }
  /// Adds a dim; returns false if it is out of range or already in the set.
  bool add(int64_t dim) {
    const auto index = static_cast<std::size_t>(dim);
    if (index >= rank_ || contains(index)) return false;  // a negative dim is a huge index
    if (large_.empty()) {
      small_ |= uint64_t{1} << index;
    } else {
      large_[index] = true;
    }
    return true;
  }
  bool add_all(std::span<const int64_t> dims) {
    return std::ranges::all_of(dims, [&](int64_t dim) { return add(dim); });
  }

 private:
  static constexpr std::size_t kSmall = 64;

  std::size_t rank_;
  uint64_t small_ = 0;
  std::vector<bool> large_;
};

}  // namespace shardy::ir
