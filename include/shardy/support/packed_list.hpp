// A list that takes a pointer where it is empty and one block of memory where it is not.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

namespace shardy {

/// Elements behind their number in one block, which has room for no more than a quarter more of
/// them: for many short lists. std::vector takes three words and a block.
///
/// T may be incomplete where the list is named.
template <class T>
class PackedList {
 public:
  PackedList() = default;
  PackedList(const PackedList& other) : PackedList() {
    reserve(other.size());
    for (const T& element : other) add(element);
  }
  PackedList(PackedList&& other) noexcept : head_(std::exchange(other.head_, nullptr)) {}
  PackedList& operator=(PackedList other) noexcept {
    std::swap(head_, other.head_);
    return *this;
  }
  ~PackedList() {
    if (!head_) return;
    std::destroy_n(begin(), size());
    ::operator delete(head_);
  }

  std::size_t size() const { return head_ ? head_->size : 0; }
  bool empty() const { return size() == 0; }
  T* begin() { return head_ ? elements(head_) : nullptr; }
  T* end() { return begin() + size(); }
  const T* begin() const { return head_ ? elements(head_) : nullptr; }
  const T* end() const { return begin() + size(); }

  /// Makes room for so many in all. Requires: at most 2^32 - 1.
  void reserve(std::size_t capacity) {
    if (capacity <= (head_ ? head_->capacity : 0)) return;
    static_assert(alignof(T) <= sizeof(Head));
    auto* const larger =
        new (::operator new(sizeof(Head) + capacity * sizeof(T))) Head{size(), capacity};
    std::uninitialized_move_n(begin(), size(), elements(larger));
    PackedList old;
    old.head_ = std::exchange(head_, larger);
  }
  /// Adds an element before the one at `index`, or at the end. Requires: index <= size().
  void insert(std::size_t index, T element) {
    if (!head_ || head_->size == head_->capacity) reserve(size() + size() / 4 + 1);
    add(std::move(element));
    std::rotate(begin() + index, end() - 1, end());
  }
  /// Requires: index < size().
  void erase(std::size_t index) {
    std::move(begin() + index + 1, end(), begin() + index);
    std::destroy_at(end() - 1);
    --head_->size;
  }

 private:
  struct Head {
    Head(std::size_t of_size, std::size_t of_capacity)
        : size(static_cast<uint32_t>(of_size)), capacity(static_cast<uint32_t>(of_capacity)) {}
    uint32_t size;
    uint32_t capacity;
  };

  static T* elements(Head* head) { return std::launder(reinterpret_cast<T*>(head + 1)); }
  /// Requires: room for it.
  void add(T element) {
    new (static_cast<void*>(elements(head_) + head_->size)) T(std::move(element));
    ++head_->size;
  }

  Head* head_ = nullptr;
};

}  // namespace shardy
