// An array that grows without moving what it holds.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace shardy {

/// Elements by index, in chunks of one size: growing moves no element (but those of the first
/// chunk, which grows as a std::vector does, so that small arrays stay small) and wastes less than
/// a chunk. Reading an element takes two loads where a std::vector takes one.
template <class T>
class ChunkedArray {
 public:
  std::size_t size() const {
    return empty() ? 0 : (chunks_.size() - 1) * kChunk + chunks_.back().size();
  }
  bool empty() const { return chunks_.empty(); }
  /// Requires: index < size().
  T& operator[](std::size_t index) { return chunks_[index / kChunk][index % kChunk]; }
  const T& operator[](std::size_t index) const { return chunks_[index / kChunk][index % kChunk]; }
  /// References to elements are valid until the next one is made.
  template <class... Args>
  T& emplace_back(Args&&... args) {
    if (empty() || chunks_.back().size() == kChunk) add_chunk();
    return chunks_.back().emplace_back(std::forward<Args>(args)...);
  }
  void push_back(T element) { emplace_back(std::move(element)); }

 private:
  static constexpr std::size_t kChunk = 1024;  // elements

  void add_chunk() {
    chunks_.emplace_back();
    if (chunks_.size() > 1) chunks_.back().reserve(kChunk);
  }

  std::vector<std::vector<T>> chunks_;  // all but the last one full
};

}  // namespace shardy
