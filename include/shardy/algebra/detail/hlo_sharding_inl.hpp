// Bodies of hlo_sharding.hpp.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>
#include <shardy/algebra/detail/device_array.hpp>
#include <shardy/algebra/hlo_sharding.hpp>
#include <shardy/support/hash.hpp>
#include <shardy/support/inline.hpp>
#include <shardy/support/result.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardy {

SHARDY_INLINE bool operator==(const HloShardGroup&, const HloShardGroup&) = default;
SHARDY_INLINE std::strong_ordering operator<=>(const HloShardGroup&,
                                               const HloShardGroup&) = default;

}  // namespace shardy

namespace shardy::detail {

SHARDY_INLINE std::optional<std::size_t> balanced_length(std::string_view text) {
  std::size_t open = 1;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') in_string = !in_string;
    if (in_string) {
      if (c == '\\') ++i;
      continue;
    }
    if (c == '{') ++open;
    if (c == '}' && --open == 0) return i;
  }
  return std::nullopt;
}

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE Result<HloSharding> HloSharding::maximal(int64_t device) {
  if (device < 0) return fail("device id must be non-negative, got: " + std::to_string(device));
  HloSharding sharding(Kind::Maximal);
  sharding.device_ = device;
  return sharding;
}

SHARDY_INLINE Result<HloSharding> HloSharding::tiled(DeviceArray devices,
                                                     std::vector<HloDimKind> last) {
  if (devices.tile().empty()) return fail("a tiled sharding has dims");
  if (last.size() > devices.tile().size()) {
    return fail("last_tile_dims names " + std::to_string(last.size()) + " dims, there are " +
                std::to_string(devices.tile().size()));
  }
  HloSharding sharding(Kind::Tiled);
  sharding.devices_ = std::move(devices);
  sharding.last_ = std::move(last);
  return sharding;
}

SHARDY_INLINE Result<HloSharding> HloSharding::tuple(std::vector<HloSharding> elements) {
  HloSharding sharding(Kind::Tuple);
  sharding.depth_ = 1;
  for (const HloSharding& element : elements) {
    sharding.depth_ = std::max(sharding.depth_, element.depth_ + 1);
  }
  if (sharding.depth_ > kMaxDepth) {
    return fail("tuples of shardings are nested more than " + std::to_string(kMaxDepth) + " deep");
  }
  sharding.elements_ = std::move(elements);
  return sharding;
}

SHARDY_INLINE Result<HloSharding> HloSharding::with_group(HloShardGroup group) const {
  if (kind_ == Kind::Tuple) return fail("a tuple of shardings has no shard group");
  HloSharding sharding = *this;
  sharding.group_ = group;
  return sharding;
}

SHARDY_INLINE Result<HloSharding> HloSharding::with_metadata(std::string metadata) const {
  if (kind_ == Kind::Tuple) return fail("a tuple of shardings has no metadata");
  if (detail::balanced_length(metadata + "}") != metadata.size()) {
    return fail("metadata is not balanced in braces and quotes: " + metadata);
  }
  HloSharding sharding = *this;
  sharding.metadata_ = std::move(metadata);
  return sharding;
}

SHARDY_INLINE std::strong_ordering operator<=>(const HloSharding& a, const HloSharding& b) {
  if (const auto order = a.kind_ <=> b.kind_; order != 0) return order;
  if (const auto order = a.device_ <=> b.device_; order != 0) return order;
  if (const auto order = a.devices_ <=> b.devices_; order != 0) return order;
  if (const auto order = a.last_ <=> b.last_; order != 0) return order;
  if (const auto order = a.group_ <=> b.group_; order != 0) return order;
  if (const auto order = a.metadata_ <=> b.metadata_; order != 0) return order;
  // At most kMaxDepth calls deep.
  return std::lexicographical_compare_three_way(a.elements_.begin(), a.elements_.end(),
                                                b.elements_.begin(), b.elements_.end());
}

}  // namespace shardy

SHARDY_INLINE std::size_t std::hash<shardy::HloSharding>::operator()(
    const shardy::HloSharding& sharding) const {
  using Kind = shardy::HloSharding::Kind;
  std::size_t seed = shardy::hash_of(static_cast<int>(sharding.kind()), sharding.metadata());
  if (sharding.kind() == Kind::Maximal)
    return shardy::hash_combine(seed, shardy::hash_of(sharding.device()));
  if (sharding.kind() == Kind::Tiled)
    seed = shardy::hash_combine(seed, shardy::hash_of(sharding.devices()));
  for (const shardy::HloDimKind kind : sharding.last())
    seed = shardy::hash_combine(seed, static_cast<std::size_t>(kind));
  if (sharding.group())
    seed = shardy::hash_combine(seed, static_cast<std::size_t>(sharding.group()->id));
  return shardy::hash_combine(seed, shardy::hash_range(sharding.elements()));
}
