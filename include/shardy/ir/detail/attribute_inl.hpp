// Bodies of attribute.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <shardy/ir/attribute.hpp>
#include <shardy/support/inline.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardy::ir {

SHARDY_INLINE bool operator==(const FloatAttr& a, const FloatAttr& b) {
  return a.type == b.type && std::bit_cast<uint64_t>(a.value) == std::bit_cast<uint64_t>(b.value);
}
// Written out, in this order, where a default would do: clang 14 breaks on the circle of defaults.

SHARDY_INLINE bool NamedAttribute::operator==(const NamedAttribute& other) const {
  return name == other.name && value == other.value;
}

SHARDY_INLINE AttributeMap::AttributeMap() = default;
SHARDY_INLINE AttributeMap::AttributeMap(const AttributeMap& other) = default;
SHARDY_INLINE AttributeMap::AttributeMap(AttributeMap&& other) noexcept = default;
SHARDY_INLINE AttributeMap& AttributeMap::operator=(const AttributeMap& other) = default;
SHARDY_INLINE AttributeMap& AttributeMap::operator=(AttributeMap&& other) noexcept = default;
SHARDY_INLINE AttributeMap::~AttributeMap() = default;

SHARDY_INLINE bool AttributeMap::erase(std::string_view name) {
  if (!contains(name)) return false;
  entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(place_of(name)));
  return true;
}

SHARDY_INLINE bool SymbolAttr::operator==(const SymbolAttr&) const = default;
SHARDY_INLINE bool TypeAttr::operator==(const TypeAttr&) const = default;
SHARDY_INLINE bool DenseArrayAttr::operator==(const DenseArrayAttr&) const = default;
SHARDY_INLINE bool OpaqueAttr::operator==(const OpaqueAttr&) const = default;
SHARDY_INLINE bool DotDims::operator==(const DotDims&) const = default;
SHARDY_INLINE bool RaggedDotDims::operator==(const RaggedDotDims&) const = default;
SHARDY_INLINE bool GatherDims::operator==(const GatherDims&) const = default;
SHARDY_INLINE bool ScatterDims::operator==(const ScatterDims&) const = default;
SHARDY_INLINE bool ConvolutionDims::operator==(const ConvolutionDims&) const = default;
SHARDY_INLINE bool ShardingList::operator==(const ShardingList&) const = default;
SHARDY_INLINE bool SpelledShardingList::operator==(const SpelledShardingList&) const = default;
SHARDY_INLINE bool AxesAttr::operator==(const AxesAttr&) const = default;
SHARDY_INLINE bool SpelledAxesAttr::operator==(const SpelledAxesAttr&) const = default;
SHARDY_INLINE bool AxesListsAttr::operator==(const AxesListsAttr&) const = default;
SHARDY_INLINE bool SpelledAxesListsAttr::operator==(const SpelledAxesListsAttr&) const = default;
SHARDY_INLINE bool AllToAllParam::operator==(const AllToAllParam&) const = default;
SHARDY_INLINE bool AllToAllAttr::operator==(const AllToAllAttr&) const = default;
SHARDY_INLINE bool SpelledAllToAllParam::operator==(const SpelledAllToAllParam&) const = default;
SHARDY_INLINE bool SpelledAllToAllAttr::operator==(const SpelledAllToAllAttr&) const = default;
SHARDY_INLINE bool ManualAxesAttr::operator==(const ManualAxesAttr&) const = default;
SHARDY_INLINE bool PermuteMap::operator==(const PermuteMap&) const = default;

SHARDY_INLINE bool ArrayAttr::operator==(const ArrayAttr& other) const {
  return std::ranges::equal(elements, other.elements);
}

SHARDY_INLINE bool AttributeMap::operator==(const AttributeMap& other) const {
  return std::ranges::equal(entries_, other.entries_);
}

SHARDY_INLINE AttributeMap AttributeMap::from_sorted(std::vector<NamedAttribute> entries) {
  AttributeMap map;
  map.entries_ = std::move(entries);
  return map;
}

SHARDY_INLINE std::vector<NamedAttribute> AttributeMap::take() && {
  return std::exchange(entries_, {});
}

SHARDY_INLINE std::size_t AttributeMap::place_of(std::string_view name) const {
  const auto at = std::ranges::lower_bound(
      entries_, name, {}, [](const NamedAttribute& entry) { return std::string_view(entry.name); });
  return static_cast<std::size_t>(at - entries_.begin());
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
  const auto at = entries_.begin() + static_cast<std::ptrdiff_t>(place_of(name));
  if (at != entries_.end() && at->name == name) {
    at->value = std::move(value);
  } else {
    entries_.insert(at, NamedAttribute{std::string(name), std::move(value)});
  }
}

}  // namespace shardy::ir
