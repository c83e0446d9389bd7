// Short lists of ids without memory of their own.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

namespace shardy {

/// A list of 32-bit ids; up to two of them stand in the list itself. Most ops have no region or
/// one, most regions one block, most blocks no argument or two: sixteen bytes, where a std::vector
/// takes 24 and a block of memory.
template <class Id>
class IdList {
  static_assert(sizeof(Id) == sizeof(uint32_t) && std::is_trivially_copyable_v<Id>);

 public:
  IdList() = default;
  explicit IdList(std::span<const Id> ids) {
    reserve(ids.size());
    std::ranges::copy(ids, data());
    size_ = static_cast<uint32_t>(ids.size());
  }
  IdList(const IdList& other) : IdList(std::span<const Id>(other)) {}
  IdList(IdList&& other) noexcept { swap(other); }
  IdList& operator=(IdList other) noexcept {
    swap(other);
    return *this;
  }
  ~IdList() {
    if (!is_short()) delete[] storage_.many;
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Id* begin() { return data(); }
  Id* end() { return data() + size_; }
  const Id* begin() const { return data(); }
  const Id* end() const { return data() + size_; }
  /// Requires: index < size().
  Id& operator[](std::size_t index) { return data()[index]; }
  Id operator[](std::size_t index) const { return data()[index]; }
  Id front() const { return *data(); }

  void push_back(Id id) {
    if (size_ == capacity_) reserve(std::size_t{size_} + std::max(size_ / 4, kFew));
    data()[size_++] = id;
  }
  /// Requires: index < size().
  void erase(std::size_t index) {
    std::copy(begin() + index + 1, end(), begin() + index);
    --size_;
  }

 private:
  static constexpr uint32_t kFew = 2;
  union Storage {
    Storage() : few() {}
    std::array<Id, kFew> few;
    Id* many;  // of capacity_ ids
  };

  bool is_short() const { return capacity_ == kFew; }
  Id* data() { return is_short() ? storage_.few.data() : storage_.many; }
  const Id* data() const { return is_short() ? storage_.few.data() : storage_.many; }
  void reserve(std::size_t capacity) {
    if (capacity <= capacity_) return;
    Id* const larger = new Id[capacity];
    std::ranges::copy(*this, larger);
    if (!is_short()) delete[] storage_.many;
    storage_.many = larger;
    capacity_ = static_cast<uint32_t>(capacity);
  }
  void swap(IdList& other) noexcept {
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    std::swap(storage_, other.storage_);
  }

  uint32_t size_ = 0;
  uint32_t capacity_ = kFew;
  Storage storage_;
};

}  // namespace shardy
