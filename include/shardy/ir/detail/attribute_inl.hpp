// Bodies of attribute.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <shardy/ir/attribute.hpp>
#include <shardy/support/inline.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardy::ir {

SHARDY_INLINE bool ArrayAttr::operator==(const ArrayAttr& other) const {
  return std::ranges::equal(elements, other.elements);
}

SHARDY_INLINE bool AttributeMap::operator==(const AttributeMap& other) const {
  return std::ranges::equal(entries_, other.entries_);
}

SHARDY_INLINE AttributeMap AttributeMap::from_sorted(std::vector<NamedAttribute> entries) {
  AttributeMap map;
  map.entries_.reserve(entries.size());
  for (NamedAttribute& entry : entries) map.entries_.insert(map.size(), std::move(entry));
  return map;
}

SHARDY_INLINE std::vector<NamedAttribute> AttributeMap::take() && {
  std::vector<NamedAttribute> entries(std::make_move_iterator(entries_.begin()),
                                      std::make_move_iterator(entries_.end()));
  entries_ = {};
  return entries;
}

SHARDY_INLINE std::size_t AttributeMap::place_of(std::string_view name) const {
  const auto* const at = std::ranges::lower_bound(
      entries_, name, {}, [](const NamedAttribute& entry) { return std::string_view(entry.name); });
  return static_cast<std::size_t>(at - begin());
}

SHARDY_INLINE const Attribute* AttributeMap::find(std::string_view name) const {
  if (size() > kMany) {
    const NamedAttribute* const at = begin() + place_of(name);
    return at != end() && at->name == name ? &at->value : nullptr;
  }
  for (const NamedAttribute& entry : entries_) {
    if (entry.name == name) return &entry.value;
  }
  return nullptr;
}

SHARDY_INLINE void AttributeMap::set(std::string_view name, Attribute value) {
  const std::size_t place = place_of(name);
  NamedAttribute* const at = entries_.begin() + place;
  if (at != entries_.end() && at->name == name) {
    at->value = std::move(value);
  } else {
    entries_.insert(place, NamedAttribute{std::string(name), std::move(value)});
  }
}

}  // namespace shardy::ir
