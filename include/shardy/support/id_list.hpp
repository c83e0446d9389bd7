// Short lists of ids without memory of their own.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

namespace shardy {

/// A list of 32-bit ids; up to two of them stand in the list itself. Most ops have no region or
/// one, most regions one block, most blocks no argument or two: twelve bytes, where a std::vector
/// takes 24 and a block of memory.
template <class Id>
class IdList {
  static_assert(sizeof(Id) == sizeof(uint32_t) && std::is_trivially_copyable_v<Id>);

 public:
  IdList() = default;
  explicit IdList(std::span<const Id> ids) {
    if (ids.size() > kFew) move_to(ids.size());
    size_ = static_cast<uint32_t>(ids.size());
    std::ranges::copy(ids, data());
  }
  IdList(const IdList& other) : IdList(std::span<const Id>(other)) {}
  IdList(IdList&& other) noexcept { swap(other); }
  IdList& operator=(IdList other) noexcept {
    swap(other);
    return *this;
  }
  ~IdList() {
    if (size_ > kFew) delete[] block();
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
    if (size_ == capacity()) move_to(std::size_t{size_} + std::max(size_ / 4, kFew));
    ++size_;
    data()[size_ - 1] = id;
  }
  /// Requires: index < size().
  void erase(std::size_t index) {
    std::copy(begin() + index + 1, end(), begin() + index);
    if (size_ == kFew + 1) move_back();
    --size_;
  }

 private:
  static constexpr uint32_t kFew = 2;
  using Few = std::array<Id, kFew>;
  static constexpr std::size_t kAddressBytes = sizeof(void*);
  static_assert(kAddressBytes <= sizeof(Few));

  Id* data() { return size_ > kFew ? block() + 1 : few_.data(); }
  const Id* data() const { return size_ > kFew ? block() + 1 : few_.data(); }

  // More ids stand in a block of memory, behind the number of those that it has room for, and the
  // bytes of its address in place of the few.
  Id* block() const {
    Id* block = nullptr;
    std::memcpy(&block, few_.data(), kAddressBytes);
    return block;
  }
  uint32_t capacity() const { return size_ > kFew ? std::bit_cast<uint32_t>(*block()) : kFew; }
  /// To a block with room for `capacity` ids. More than a few must follow.
  void move_to(std::size_t capacity) {
    Id* const larger = new Id[capacity + 1];
    *larger = std::bit_cast<Id>(static_cast<uint32_t>(capacity));
    std::ranges::copy(*this, larger + 1);
    if (size_ > kFew) delete[] block();
    std::memcpy(static_cast<void*>(few_.data()), &larger, kAddressBytes);
  }
  void move_back() {
    const Id* const old = block();
    std::copy_n(old + 1, kFew, few_.begin());
    delete[] old;
  }
  void swap(IdList& other) noexcept {
    std::swap(size_, other.size_);
    std::swap(few_, other.few_);
  }

  uint32_t size_ = 0;
  Few few_ = {};
};

}  // namespace shardy
