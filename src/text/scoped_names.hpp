// Names of values and their scopes. The readers of both formats, and the names that printers
// choose, use this table. Spec: stablehlo 6.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace shardy::text {

/// Returns the number in a name of at most six digits without leading zeros; std::nullopt for other
/// names.
inline std::optional<uint32_t> small_number(std::string_view name) {
  constexpr std::size_t kMostDigits = 6;
  const bool has_zeros = name.size() > 1 && name.front() == '0';
  if (name.size() > kMostDigits || name.empty() || has_zeros) return std::nullopt;
  uint32_t number = 0;
  for (const char c : name) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + static_cast<uint32_t>(c - '0');
  }
  return number;
}

/// The meanings of names in nested scopes. A name is visible from its definition to the end of its
/// scope, including inner scopes that are not isolated. Each name has a slot. Most names of MLIR
/// text are numbers, which are their own slots and need no hashing.
///
/// `Name` is std::string, or std::string_view if the names' text outlives the table.
template <class Name, class Meaning>
class ScopedNames {
 public:
  ScopedNames() = default;
  /// Names that are numbers below `num_numbers` need no hashing. `visible` omits these names.
  explicit ScopedNames(uint32_t num_numbers) : num_numbers_(num_numbers) {}

  void open_scope(bool isolated) {
    const auto number = static_cast<uint32_t>(scopes_.size() + 1);
    const uint32_t floor = isolated || scopes_.empty() ? number : scopes_.back().floor;
    scopes_.push_back({changes_.size(), floor});
  }
  void close_scope() {
    while (changes_.size() > scopes_.back().num_changes) {
      at(changes_.back().slot) = std::move(changes_.back().before);
      changes_.pop_back();
    }
    scopes_.pop_back();
  }

  /// Defines a name. Returns false if it is already visible.
  bool define(std::string_view name, Meaning meaning) {
    const uint32_t slot = slot_of(name, meaning);
    NameMeaning& current = at(slot);
    if (current.scope >= scopes_.back().floor) return false;
    NameMeaning defined{std::move(meaning), static_cast<uint32_t>(scopes_.size())};
    changes_.push_back({slot, std::exchange(current, std::move(defined))});
    return true;
  }
  /// Returns the meaning of the name in this scope; null if it is not visible.
  const Meaning* find(std::string_view name) const {
    return find_from(name, scopes_.empty() ? 1 : scopes_.back().floor);
  }
  /// Finds meanings like find, and also of names in outer scopes that isolated scopes hide.
  const Meaning* find_hidden(std::string_view name) const { return find_from(name, 1); }
  /// Returns the visible names in order.
  std::vector<std::string_view> visible() const {
    std::vector<std::string_view> names;
    const uint32_t floor = scopes_.empty() ? 1 : scopes_.back().floor;
    for (const auto& [name, slot] : slots_) {
      if (named_[slot - num_numbers_].scope >= floor) names.push_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  struct NameMeaning {
    Meaning meaning;
    uint32_t scope = 0;  // 0 if not visible
  };
  struct NameScope {
    std::size_t num_changes;  // number of changes before the scope
    uint32_t floor;           // the outermost scope that is visible from this one
  };
  struct NameChange {
    uint32_t slot;
    NameMeaning before;
  };
  struct NameHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const {
      return std::hash<std::string_view>()(name);
    }
  };

  /// Returns the number of a name; num_numbers_ if the name is not a plain number or is too large.
  uint32_t number_of(std::string_view name) const {
    return std::min(small_number(name).value_or(num_numbers_), num_numbers_);
  }
  /// Returns the slot of the name; a new slot is filled with `filler`.
  uint32_t slot_of(std::string_view name, const Meaning& filler) {
    const uint32_t number = number_of(name);
    if (number < num_numbers_) {
      if (number >= numbered_.size())
        numbered_.resize(number + 1 + number / 2, NameMeaning{filler});
      return number;
    }
    const auto next = num_numbers_ + static_cast<uint32_t>(named_.size());
    const auto [entry, is_new] = slots_.try_emplace(Name(name), next);
    if (is_new) named_.push_back(NameMeaning{filler});
    return entry->second;
  }
  NameMeaning& at(uint32_t slot) {
    return slot < num_numbers_ ? numbered_[slot] : named_[slot - num_numbers_];
  }
  const Meaning* find_from(std::string_view name, uint32_t floor) const {
    const uint32_t number = number_of(name);
    const NameMeaning* found = nullptr;
    if (number < num_numbers_) {
      if (number < numbered_.size()) found = &numbered_[number];
    } else if (const auto slot = slots_.find(name); slot != slots_.end()) {
      found = &named_[slot->second - num_numbers_];
    }
    return found && found->scope >= floor ? &found->meaning : nullptr;
  }

  uint32_t num_numbers_ = 0;
  std::vector<NameMeaning> numbered_;
  std::unordered_map<Name, uint32_t, NameHash, std::equal_to<>>
      slots_;                       // slots of names that are not numbers
  std::vector<NameMeaning> named_;  // by slot - num_numbers_
  std::vector<NameScope> scopes_;
  std::vector<NameChange> changes_;
};

}  // namespace shardy::text
