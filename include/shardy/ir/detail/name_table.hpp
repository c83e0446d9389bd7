// Top-level ops by their names.
#pragma once

#include <algorithm>
#include <cstddef>
#include <shardy/ir/ids.hpp>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace shardy::ir {

/// Four bytes for each place: the names themselves stand in the ops. `name_of(op)` reads them; a
/// named op keeps its name until it is dropped.
class NameTable {
 public:
  /// The op of that name, the one added first when several have it; invalid without one.
  template <class NameOf>
  OpId find(std::string_view name, const NameOf& name_of) const {
    return places_.empty() ? OpId() : places_[place_of(name, name_of)];
  }

  template <class NameOf>
  void add(OpId op, const NameOf& name_of) {
    if ((num_names_ + 1) * 4 > places_.size() * 3) grow(name_of);
    const std::size_t place = place_of(name_of(op), name_of);
    if (places_[place].valid()) {
      later_[places_[place]].push_back(op);
    } else {
      places_[place] = op;
      ++num_names_;
    }
  }

  template <class NameOf>
  void drop(OpId op, const NameOf& name_of) {
    if (places_.empty()) return;
    const std::size_t place = place_of(name_of(op), name_of);
    const OpId first = places_[place];
    if (const auto found = later_.find(first); found != later_.end()) {
      drop_of_several(op, place, found->second);
    } else if (first == op) {
      vacate(place, name_of);
      --num_names_;
    }
  }

 private:
  std::size_t next(std::size_t place) const { return (place + 1) & (places_.size() - 1); }
  std::size_t home_of(std::string_view name) const {
    return std::hash<std::string_view>()(name) & (places_.size() - 1);
  }
  /// Where the name stands, or the free place where it would.
  template <class NameOf>
  std::size_t place_of(std::string_view name, const NameOf& name_of) const {
    std::size_t place = home_of(name);
    while (places_[place].valid() && name_of(places_[place]) != name) place = next(place);
    return place;
  }

  template <class NameOf>
  void grow(const NameOf& name_of) {
    const std::vector<OpId> old =
        std::exchange(places_, std::vector<OpId>(std::max(2 * places_.size(), kFewPlaces)));
    for (const OpId op : old) {
      if (op.valid()) places_[place_of(name_of(op), name_of)] = op;
    }
  }

  /// Ops behind a free place that were put there only because it was taken move up.
  template <class NameOf>
  void vacate(std::size_t free, const NameOf& name_of) {
    for (std::size_t place = next(free); places_[place].valid(); place = next(place)) {
      const std::size_t home = home_of(name_of(places_[place]));
      if (steps_between(home, place) < steps_between(free, place)) continue;
      places_[free] = places_[place];
      free = place;
    }
    places_[free] = OpId();
  }
  std::size_t steps_between(std::size_t from, std::size_t to) const {
    return (to - from) & (places_.size() - 1);
  }

  /// `later` are those that have the name of the op at `place`, too.
  void drop_of_several(OpId op, std::size_t place, std::vector<OpId>& later);

  static constexpr std::size_t kFewPlaces = 8;

  std::vector<OpId> places_;  // a power of two, at most three quarters of them taken
  std::size_t num_names_ = 0;
  std::unordered_map<OpId, std::vector<OpId>> later_;  // of a name's first op: the others, in order
};

}  // namespace shardy::ir

#ifdef SHARDY_HEADER_ONLY
#include <shardy/ir/detail/name_table_inl.hpp>
#endif
