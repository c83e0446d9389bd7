#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <shardy/algebra/detail/device_array.hpp>
#include <shardy/support/inline.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardy {

/// Kind of a dim of the device array that shards no dim of the tensor.
enum class HloDimKind { Replicated, Manual, Unreduced };

/// Tensors whose shardings the propagation of XLA keeps equal, or alike. Text: `shard_as 3`.
struct HloShardGroup {
  /// Relation of shardings: equal, or of the same form.
  enum class Kind { As, Like };

  Kind kind = Kind::As;  // whether they are equal or only alike
  int64_t id = 0;        // the number of the group

  friend bool operator==(const HloShardGroup&, const HloShardGroup&);
  friend std::strong_ordering operator<=>(const HloShardGroup&, const HloShardGroup&);
};

/// A sharding as GSPMD writes it: devices by their numbers, no mesh. Keeps its spelling, also where
/// several spellings mean the same. Text: `{devices=[2,1,4]<=[8] last_tile_dim_replicate}`.
/// Spec: algebra 12.1.
///
/// Invariant: a device >= 0; no more named last dims than the device array has; metadata is
/// balanced in braces; tuples are nested at most kMaxDepth deep, and have no group or metadata.
class HloSharding {
 public:
  /// Kind of a sharding.
  enum class Kind { Replicated, Manual, Unreduced, Unknown, Maximal, Tiled, Tuple };
  static constexpr int kMaxDepth = 64;  // tuples within tuples, at most

  HloSharding() = default;  // replicated
  /// The program says what each device has.
  static HloSharding manual() { return HloSharding(Kind::Manual); }
  /// Every device has a summand.
  static HloSharding unreduced() { return HloSharding(Kind::Unreduced); }
  /// Returns the unknown sharding.
  static HloSharding unknown() { return HloSharding(Kind::Unknown); }
  /// All of it on one device. Errors: a negative device.
  static Result<HloSharding> maximal(int64_t device);
  /// `last` are the kinds of the last dims of `devices`, not none; the others split the tensor.
  static Result<HloSharding> tiled(DeviceArray devices, std::vector<HloDimKind> last = {});
  /// One for each value of a tuple. Errors: nested more than kMaxDepth deep.
  static Result<HloSharding> tuple(std::vector<HloSharding> elements);
  /// The same in a group, and with metadata: the text between its braces. Errors: for tuples, and
  /// text that does not end where the braces do.
  Result<HloSharding> with_group(HloShardGroup group) const;
  /// The same with metadata: the text between its braces. Errors: for tuples, and text that does
  /// not end where the braces do.
  Result<HloSharding> with_metadata(std::string metadata) const;

  /// Returns the kind of the sharding.
  Kind kind() const { return kind_; }
  /// The only device; 0 unless it is maximal.
  int64_t device() const { return device_; }
  /// Requires: tiled.
  const DeviceArray& devices() const {
    SHARDY_EXPECTS(devices_.has_value());
    return *devices_;
  }
  /// Kinds of the last dims of the device array, which split no dim; of other kinds than Tiled
  /// empty.
  std::span<const HloDimKind> last() const { return last_; }
  /// Number of dims of the device array that split dims of the tensor. Requires: tiled.
  std::size_t tiled_rank() const { return devices().tile().size() - last_.size(); }
  /// Those of a tuple; none unless it is one.
  std::span<const HloSharding> elements() const { return elements_; }
  /// The group, if it is in one.
  const std::optional<HloShardGroup>& group() const { return group_; }
  /// The text between the braces of its metadata.
  const std::optional<std::string>& metadata() const { return metadata_; }

  friend bool operator==(const HloSharding& a, const HloSharding& b) {
    return (a <=> b) == std::strong_ordering::equal;
  }
  friend std::strong_ordering operator<=>(const HloSharding& a, const HloSharding& b);

 private:
  explicit HloSharding(Kind kind) : kind_(kind) {}

  Kind kind_ = Kind::Replicated;
  int64_t device_ = 0;
  int depth_ = 0;  // of the tuples inside
  std::optional<DeviceArray> devices_;
  std::vector<HloDimKind> last_;
  std::vector<HloSharding> elements_;
  std::optional<HloShardGroup> group_;
  std::optional<std::string> metadata_;
};

namespace detail {

/// Number of characters of `text` up to the `}` that closes what was open before it; braces in
/// strings do not count. Nothing if it is missing.
std::optional<std::size_t> balanced_length(std::string_view text);

}  // namespace detail

std::strong_ordering operator<=>(const HloSharding& a, const HloSharding& b);

}  // namespace shardy

template <>
struct std::hash<shardy::HloSharding> {
  std::size_t operator()(const shardy::HloSharding& sharding) const;
};

#ifdef SHARDY_BODIES
#include <algorithm>
#include <shardy/support/hash.hpp>
#include <utility>

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
#endif  // SHARDY_BODIES
