#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <shardy/algebra/detail/device_array.hpp>
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

#ifdef SHARDY_HEADER_ONLY
#include <shardy/algebra/detail/hlo_sharding_inl.hpp>
#endif
