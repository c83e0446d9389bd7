#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace shardy::propagation {

/// Rows of `T` of different lengths in one array (compressed sparse rows). Requires: fewer than
/// 2^32 elements.
template <class T>
class RowLists {
 public:
  RowLists() = default;
  /// Groups elements by row. `for_each(visit)` calls `visit(row, element)` for each element. The
  /// constructor calls `for_each` twice; both calls must visit equal elements in equal order. The
  /// elements of a row keep that order.
  template <class ForEach>
  RowLists(std::size_t num_rows, ForEach for_each);

  std::size_t size() const { return ends_.size(); }
  std::span<const T> operator[](std::size_t row) const {
    const std::size_t begin = row == 0 ? 0 : ends_[row - 1];
    return std::span<const T>(items_).subspan(begin, ends_[row] - begin);
  }

  void reserve(std::size_t num_rows, std::size_t num_items) {
    ends_.reserve(num_rows);
    items_.reserve(num_items);
  }
  void add_row(std::span<const T> items) {
    items_.insert(items_.end(), items.begin(), items.end());
    ends_.push_back(static_cast<uint32_t>(items_.size()));
  }

 private:
  std::vector<uint32_t> ends_;
  std::vector<T> items_;
};

template <class T>
template <class ForEach>
RowLists<T>::RowLists(std::size_t num_rows, ForEach for_each) : ends_(num_rows, 0) {
  for_each([&](std::size_t row, const T& /*item*/) { ++ends_[row]; });
  uint32_t begin = 0;
  for (uint32_t& end : ends_) {
    const uint32_t count = end;
    end = begin;  // position of the next element of the row
    begin += count;
  }
  items_.resize(begin);
  for_each([&](std::size_t row, const T& item) { items_[ends_[row]++] = item; });
}

}  // namespace shardy::propagation
