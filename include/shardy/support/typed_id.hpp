#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

namespace shardy {

/// A 32-bit index in a table. `Tag` distinguishes ids of different tables. The default is invalid.
template <class Tag>
struct TypedId {
  /// Index in the table; the largest number marks an invalid id.
  uint32_t value = std::numeric_limits<uint32_t>::max();

  constexpr TypedId() = default;
  /// Makes the id of the table entry with index `id`.
  constexpr explicit TypedId(uint32_t id) : value(id) {}

  /// Returns whether the id is not the invalid one.
  constexpr bool valid() const { return value != std::numeric_limits<uint32_t>::max(); }
  /// Returns whether the id is not the invalid one.
  constexpr explicit operator bool() const { return valid(); }
  /// Returns the index in the table; for an invalid id, a number that exceeds all indices.
  constexpr std::size_t index() const { return value; }

  friend constexpr bool operator==(TypedId, TypedId) = default;
  friend constexpr std::strong_ordering operator<=>(TypedId, TypedId) = default;
};

namespace detail {

/// Returns true if the table has an entry with this id. The comparison is in bytes, because size()
/// of a vector has to divide by the size of an entry.
template <class Tag, class Table>
constexpr bool is_in(TypedId<Tag> id, const Table& table) {
  constexpr uint64_t kEntryBytes = sizeof(typename Table::value_type);
  return id.value * kEntryBytes < table.size() * kEntryBytes;
}

/// Appends an entry to a table. Tables grow by a quarter, because most of the memory of a
/// compilation is in the tables of its programs.
template <class Table>
void push_row(Table& table, typename Table::value_type row) {
  if (table.size() == table.capacity()) table.reserve(table.size() + table.size() / 4 + 16);
  table.push_back(std::move(row));
}

}  // namespace detail

}  // namespace shardy

template <class Tag>
struct std::hash<shardy::TypedId<Tag>> {
  std::size_t operator()(shardy::TypedId<Tag> id) const { return id.value; }
};
