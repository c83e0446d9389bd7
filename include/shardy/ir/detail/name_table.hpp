// Names in the text of a program: of values, by value id, and symbols.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <shardy/ir/op_table.hpp>
#include <shardy/support/detail/inline.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace shardy::ir {

/// Names of values. A name takes four bytes, plus its characters unless the name is a number. A
/// name belongs to one value, or to all results of an op: `%x#0`, `%x#1`, ... The table does not
/// make names unique.
class NameTable {
 public:
  bool empty() const { return ids_.empty(); }
  /// Returns the name without `%`: `x`, or `x#1` if several results share the name and `index` is
  /// 1. Empty if the value has no name.
  std::string name(ValueId value, uint32_t index) const;
  /// Returns the name without the result number: `x` for `x#1`.
  std::string base_name(ValueId value) const;
  /// Returns whether several results of an op share the name of `value`.
  bool is_shared(ValueId value) const;
  void set(ValueId value, std::string_view name, bool shared);
  void set(ValueId first, uint32_t count, std::string_view name);
  bool has(ValueId value) const {
    return value.index() < ids_.size() && ids_[value.index()] != kNone;
  }

  /// Records that `to` replaces `from`, so that `to` gets the name of `from` when `from` is erased.
  void set_replacement(ValueId from, ValueId to);
  /// Returns the last replacement of `from` and removes the record; invalid if no replacement was
  /// recorded.
  ValueId take_replacement(ValueId from);

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  /// Flag: the other bits are a number, which is the name.
  static constexpr uint32_t kNumber = uint32_t{1} << 31U;
  static constexpr uint32_t kShared = uint32_t{1} << 30U;

  uint32_t id_of(std::string_view name);

  std::vector<uint32_t> ids_;  // name of each value, by value id
  std::string characters_;
  std::vector<uint32_t> ends_;                         // end of each name in characters_
  std::unordered_map<ValueId, ValueId> replacements_;  // replacements of values; never iterated
};

/// Top-level ops by symbol name. Several ops may have one name.
class SymbolIndex {
 public:
  void add(std::string_view name, OpId op) { ops_[std::string(name)].push_back(op); }
  void remove(std::string_view name, OpId op);
  /// Returns the op that was added first with the name.
  std::optional<OpId> find(std::string_view name) const;

 private:
  std::map<std::string, std::vector<OpId>, std::less<>> ops_;  // the first added one first
};

}  // namespace shardy::ir

#ifdef SHARDY_BODIES
namespace shardy::ir {

SHARDY_INLINE std::string NameTable::name(ValueId value, uint32_t index) const {
  std::string text = base_name(value);
  return is_shared(value) ? text + "#" + std::to_string(index) : text;
}

SHARDY_INLINE std::string NameTable::base_name(ValueId value) const {
  if (!has(value)) return {};
  const uint32_t id = ids_[value.index()];
  const uint32_t number = id & ~(kNumber | kShared);
  if ((id & kNumber) != 0) return std::to_string(number);
  const uint32_t begin = number == 0 ? 0 : ends_[number - 1];
  return characters_.substr(begin, ends_[number] - begin);
}

SHARDY_INLINE bool NameTable::is_shared(ValueId value) const {
  return has(value) && (ids_[value.index()] & kShared) != 0;
}

/// Numbers without leading zeros are stored in the id, without characters.
SHARDY_INLINE uint32_t NameTable::id_of(std::string_view name) {
  constexpr std::size_t kMostDigits = 9;  // numbers below 10^9 fit the bits of an id
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  uint32_t number = 0;
  bool is_number = name.size() <= kMostDigits && !(name.size() > 1 && name.front() == '0');
  for (const char c : name) {
    is_number = is_number && is_digit(c);
    if (is_number) number = number * 10 + static_cast<uint32_t>(c - '0');
  }
  if (is_number && number < kShared) return kNumber | number;
  // Names after the first 4 GiB of characters are dropped.
  if (characters_.size() + name.size() >= kNone || ends_.size() >= kShared) return kNone;
  characters_ += name;
  ends_.push_back(static_cast<uint32_t>(characters_.size()));
  return static_cast<uint32_t>(ends_.size() - 1);
}

SHARDY_INLINE void NameTable::set(ValueId value, std::string_view name, bool shared) {
  if (name.empty()) {
    if (has(value)) ids_[value.index()] = kNone;
    return;
  }
  const uint32_t id = id_of(name);
  if (value.index() >= ids_.size()) ids_.resize(value.index() + 1, kNone);
  ids_[value.index()] = id == kNone || !shared ? id : id | kShared;
}

SHARDY_INLINE void NameTable::set(ValueId first, uint32_t count, std::string_view name) {
  if (count == 0) return;
  set(first, name, count > 1);
  if (count == 1) return;
  const uint32_t id = has(first) ? ids_[first.index()] : kNone;
  if (ids_.size() < first.index() + count) ids_.resize(first.index() + count, kNone);
  for (uint32_t index = 1; index < count; ++index) ids_[first.index() + index] = id;
}

SHARDY_INLINE void NameTable::set_replacement(ValueId from, ValueId to) {
  if (has(from) && !has(to)) replacements_[from] = to;
}

SHARDY_INLINE ValueId NameTable::take_replacement(ValueId from) {
  const auto found = replacements_.find(from);
  if (found == replacements_.end()) return {};
  const ValueId replacement = found->second;
  replacements_.erase(found);
  return replacement;
}

SHARDY_INLINE void SymbolIndex::remove(std::string_view name, OpId op) {
  const auto found = ops_.find(name);
  if (found == ops_.end()) return;
  std::erase(found->second, op);
  if (found->second.empty()) ops_.erase(found);
}

SHARDY_INLINE std::optional<OpId> SymbolIndex::find(std::string_view name) const {
  const auto found = ops_.find(name);
  return found != ops_.end() ? std::optional(found->second.front()) : std::nullopt;
}

}  // namespace shardy::ir
#endif  // SHARDY_BODIES
