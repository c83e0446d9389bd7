#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace shardy::propagation {

/// Lists of `T`, one per row, in one array (compressed rows).
template <class T>
class Rows {
 public:
  Rows() = default;
  /// Groups `pairs` of (row, item) by row; the items of a row keep their order.
  Rows(std::size_t num_rows, std::span<const std::pair<uint32_t, T>> pairs);

  std::size_t size() const { return ends_.size(); }
  std::span<const T> operator[](std::size_t row) const {
    const std::size_t begin = row == 0 ? 0 : ends_[row - 1];
    return std::span<const T>(items_).subspan(begin, ends_[row] - begin);
  }

  void add_row(std::span<const T> items) {
    items_.insert(items_.end(), items.begin(), items.end());
    ends_.push_back(items_.size());
  }

 private:
  std::vector<std::size_t> ends_;
  std::vector<T> items_;
};

template <class T>
Rows<T>::Rows(std::size_t num_rows, std::span<const std::pair<uint32_t, T>> pairs)
    : ends_(num_rows, 0), items_(pairs.size()) {
  std::vector<std::size_t> next(num_rows + 1, 0);  // where the next item of a row goes
  for (const auto& pair : pairs) ++next[pair.first + 1];
  for (std::size_t row = 0; row < num_rows; ++row) {
    next[row + 1] += next[row];
    ends_[row] = next[row + 1];
  }
  for (const auto& pair : pairs) items_[next[pair.first]++] = pair.second;
}

}  // namespace shardy::propagation
