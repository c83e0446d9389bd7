#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace shardy {

/// A 32-bit index into a table of entries, with the type `Tag`; by default it is invalid.
template <class Tag>
struct TypedId {
  /// The position in its table; the largest number marks an invalid id.
  uint32_t value = std::numeric_limits<uint32_t>::max();

  constexpr TypedId() = default;
  /// The id of the entry at that position.
  constexpr explicit TypedId(uint32_t id) : value(id) {}

  /// Returns whether it is the id of an entry.
  constexpr bool valid() const { return value != std::numeric_limits<uint32_t>::max(); }
  /// Returns whether it is the id of an entry.
  constexpr explicit operator bool() const { return valid(); }
  /// The position in its table; larger than any table if the id is invalid.
  constexpr std::size_t index() const { return value; }

  friend constexpr bool operator==(TypedId, TypedId) = default;
  friend constexpr std::strong_ordering operator<=>(TypedId, TypedId) = default;
};

namespace detail {

/// Returns true if the table has an entry of that id. Compares bytes, as size() may have to divide
/// by the size of an entry.
template <class Tag, class Table>
constexpr bool is_in(TypedId<Tag> id, const Table& table) {
  constexpr uint64_t kEntryBytes = sizeof(typename Table::value_type);
  return id.value * kEntryBytes < table.size() * kEntryBytes;
}

}  // namespace detail

}  // namespace shardy

template <class Tag>
struct std::hash<shardy::TypedId<Tag>> {
  std::size_t operator()(shardy::TypedId<Tag> id) const { return id.value; }
};
