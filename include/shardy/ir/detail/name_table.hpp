// Names of values in the text of a program, by value id.
#pragma once

#include <cstdint>
#include <shardy/ir/ids.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace shardy::ir {

/// Names of values: four bytes each, plus the characters of names that are not numbers. A name
/// refers to one value, or to all results of an op, `%x#0`, `%x#1`, ...; the table does not make
/// names unique.
class NameTable {
 public:
  bool empty() const { return ids_.empty(); }
  /// `x`, without `%`; for one of several results of an op `x#1` if `index` is 1. Empty: no name.
  std::string name(ValueId value, uint32_t index) const;
  /// The value is one of several results with one name.
  bool is_shared(ValueId value) const;
  void set(ValueId value, std::string_view name, bool shared);
  void set(ValueId first, uint32_t count, std::string_view name);
  bool has(ValueId value) const {
    return value.index() < ids_.size() && ids_[value.index()] != kNone;
  }

  /// `to` replaces `from`: it takes over the name when `from` is erased.
  void note_heir(ValueId from, ValueId to);
  /// The last heir of a value, invalid if there is none; the heir is forgotten.
  ValueId take_heir(ValueId from);

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  static constexpr uint32_t kNumber = uint32_t{1} << 31U;  // the rest is the name
  static constexpr uint32_t kShared = uint32_t{1} << 30U;

  uint32_t id_of(std::string_view name);

  std::vector<uint32_t> ids_;  // by value
  std::string characters_;
  std::vector<uint32_t> ends_;                  // of names in characters_
  std::unordered_map<ValueId, ValueId> heirs_;  // looked up only
};

}  // namespace shardy::ir

#ifdef SHARDY_HEADER_ONLY
#include <shardy/ir/detail/name_table_inl.hpp>
#endif
