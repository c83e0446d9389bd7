// GSPMD shardings and their text. Spec: algebra 12.1.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <shardy/algebra/detail/device_array.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/result.hpp>
#include <shardy/support/scanner.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardy {

/// Kind of a last dim of the device array. Such a dim does not shard the tensor.
enum class HloDimKind { Replicated, Manual, Unreduced };

/// A group of tensors for XLA's sharding propagation, which keeps their shardings equal
/// (`shard_as`) or similar (`shard_like`). Text: `shard_as 3`.
struct HloShardGroup {
  /// Relation of the shardings in the group.
  enum class Kind { As, Like };

  Kind kind = Kind::As;  // equal (As) or similar (Like) shardings
  int64_t id = 0;        // number of the group

  friend bool operator==(const HloShardGroup&, const HloShardGroup&);
  friend std::strong_ordering operator<=>(const HloShardGroup&, const HloShardGroup&);
};

/// A GSPMD sharding: an array of device numbers instead of a mesh. Different texts of equivalent
/// shardings are kept as written. Text: `{devices=[2,1,4]<=[8] last_tile_dim_replicate}`. Spec:
/// algebra 12.1.
///
/// Invariant: the device of a maximal sharding is >= 0; `last` has at most as many kinds as the
/// device array has dims; braces in metadata are balanced; tuples are nested at most kMaxDepth deep
/// and have no group or metadata.
class HloSharding {
 public:
  /// Kind of a sharding.
  enum class Kind { Replicated, Manual, Unreduced, Unknown, Maximal, Tiled, Tuple };
  static constexpr int kMaxDepth = 64;  // maximal nesting depth of tuples

  HloSharding() = default;  // replicated sharding
  /// Returns the manual sharding: the program itself determines the data on each device.
  static HloSharding manual() { return HloSharding(Kind::Manual); }
  /// Returns the unreduced sharding: every device has a partial value.
  static HloSharding unreduced() { return HloSharding(Kind::Unreduced); }
  /// Returns the unknown sharding.
  static HloSharding unknown() { return HloSharding(Kind::Unknown); }
  /// Returns a maximal sharding: one device has the full tensor. Errors: a negative device.
  static Result<HloSharding> maximal(int64_t device);
  /// Returns a tiled sharding. `last` has the kinds of the last dims of `devices`; the other dims
  /// shard the tensor. Errors: `last` has more kinds than `devices` has dims.
  static Result<HloSharding> tiled(DeviceArray devices, std::vector<HloDimKind> last = {});
  /// Returns the sharding of a tuple, one element per value. Errors: nesting deeper than kMaxDepth.
  static Result<HloSharding> tuple(std::vector<HloSharding> elements);
  /// Returns the sharding with a group. Errors: the sharding is a tuple.
  Result<HloSharding> with_group(HloShardGroup group) const;
  /// Returns the sharding with metadata. `metadata` is the text between the braces. Errors: the
  /// sharding is a tuple; unbalanced braces in `metadata`.
  Result<HloSharding> with_metadata(std::string metadata) const;

  /// Returns the kind of the sharding.
  Kind kind() const { return kind_; }
  /// Returns the only device; 0 unless the sharding is maximal.
  int64_t device() const { return device_; }
  /// Returns the device array. Requires: tiled.
  const DeviceArray& devices() const {
    SHARDY_EXPECTS(devices_.has_value());
    return *devices_;
  }
  /// Returns the kinds of the last dims of the device array, which shard no dim; empty unless
  /// tiled.
  std::span<const HloDimKind> last() const { return last_; }
  /// Returns the number of dims of the device array that shard dims of the tensor. Requires: tiled.
  std::size_t tiled_rank() const { return devices().tile().size() - last_.size(); }
  /// Returns the elements of a tuple; empty for other shardings.
  std::span<const HloSharding> elements() const { return elements_; }
  /// Returns the group, if any.
  const std::optional<HloShardGroup>& group() const { return group_; }
  /// Returns the text between the braces of the metadata, if any.
  const std::optional<std::string>& metadata() const { return metadata_; }

  friend bool operator==(const HloSharding& a, const HloSharding& b) {
    return (a <=> b) == std::strong_ordering::equal;
  }
  friend std::strong_ordering operator<=>(const HloSharding& a, const HloSharding& b);

 private:
  explicit HloSharding(Kind kind) : kind_(kind) {}

  Kind kind_ = Kind::Replicated;
  int64_t device_ = 0;
  int depth_ = 0;  // nesting depth of a tuple
  std::optional<DeviceArray> devices_;
  std::vector<HloDimKind> last_;
  std::vector<HloSharding> elements_;
  std::optional<HloShardGroup> group_;
  std::optional<std::string> metadata_;
};

namespace detail {

/// Returns the number of characters of `text` up to the `}` that matches an earlier `{`. Braces in
/// strings do not count. Returns std::nullopt if `}` is missing.
std::optional<std::size_t> balanced_length(std::string_view text);

}  // namespace detail

std::strong_ordering operator<=>(const HloSharding& a, const HloSharding& b);

}  // namespace shardy

template <>
struct std::hash<shardy::HloSharding> {
  std::size_t operator()(const shardy::HloSharding& sharding) const;
};

// Text of GSPMD shardings. Spec: algebra 12.1.

namespace shardy {

/// Returns the text `[2,1,4]<=[4,2]T(1,0)`, without `T` for the identity.
std::string to_string(const DeviceArray& array);

/// Returns the text `{devices=[2,1,4]<=[8] last_tile_dim_replicate}`, `{{replicated}, {maximal
/// device=0}}`.
std::string to_string(const HloSharding& sharding);

/// Reads one sharding. `depth` is the number of tuples around it.
Result<HloSharding> read_hlo_sharding(Scanner& scanner, int depth = 0);

/// Parses a text with one sharding, which may be a tuple.
Result<HloSharding> parse_hlo_sharding(std::string_view text);

}  // namespace shardy

#ifdef SHARDY_BODIES
#include <algorithm>
#include <array>
#include <shardy/support/detail/hash.hpp>
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
    return fail("last_tile_dims names " + std::to_string(last.size()) + " dims, the tile has " +
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
  // Recursion is at most kMaxDepth deep.
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

namespace shardy::detail {

struct HloWord {
  HloSharding::Kind kind;
  std::string_view text;
};

/// The kinds whose text is one keyword.
constexpr std::array<HloWord, 4> kHloWords = {{{HloSharding::Kind::Replicated, "replicated"},
                                               {HloSharding::Kind::Manual, "manual"},
                                               {HloSharding::Kind::Unreduced, "unreduced"},
                                               {HloSharding::Kind::Unknown, "unknown"}}};

constexpr std::array<std::string_view, 3> kHloDimKinds = {"replicated", "manual", "unreduced"};

SHARDY_INLINE std::string without_spaces(std::span<const int64_t> numbers) {
  std::string text;
  for (const int64_t number : numbers) text += (text.empty() ? "" : ",") + std::to_string(number);
  return text;
}

SHARDY_INLINE std::string last_dims_text(std::span<const HloDimKind> last) {
  if (last.empty()) return "";
  if (last.size() == 1 && last[0] == HloDimKind::Replicated) return " last_tile_dim_replicate";
  std::string text;
  for (const HloDimKind kind : last) {
    text += text.empty() ? " last_tile_dims={" : ", ";
    text += kHloDimKinds[static_cast<std::size_t>(kind)];
  }
  return text + "}";
}

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE std::string to_string(const DeviceArray& array) {
  std::string text = "[" + detail::without_spaces(array.tile()) + "]";
  if (array.is_list()) return text + detail::without_spaces(array.devices());
  text += "<=[" + detail::without_spaces(array.reshape()) + "]";
  if (array.has_identity_transpose()) return text;
  return text + "T(" + detail::without_spaces(array.transpose()) + ")";
}

}  // namespace shardy

namespace shardy::detail {

/// Returns the text of a sharding that is not a tuple, without the outer braces. Requires: not a
/// tuple.
SHARDY_INLINE std::string hlo_body_text(const HloSharding& sharding) {
  if (sharding.kind() == HloSharding::Kind::Maximal) {
    return "maximal device=" + std::to_string(sharding.device());
  }
  if (sharding.kind() == HloSharding::Kind::Tiled) {
    return "devices=" + to_string(sharding.devices()) + last_dims_text(sharding.last());
  }
  return std::string(kHloWords[static_cast<std::size_t>(sharding.kind())].text);
}

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE std::string to_string(const HloSharding& sharding) {
  std::string text = "{";
  if (sharding.kind() == HloSharding::Kind::Tuple) {
    for (const HloSharding& element : sharding.elements()) {
      if (text.size() > 1) text += ", ";
      text += to_string(element);  // recursion at most HloSharding::kMaxDepth deep
    }
    return text + "}";
  }
  text += detail::hlo_body_text(sharding);
  if (sharding.group()) {
    const bool is_as = sharding.group()->kind == HloShardGroup::Kind::As;
    text += (is_as ? " shard_as " : " shard_like ") + std::to_string(sharding.group()->id);
  }
  if (sharding.metadata()) text += " metadata={" + *sharding.metadata() + "}";
  return text + "}";
}

}  // namespace shardy

namespace shardy::detail {

SHARDY_INLINE Result<HloSharding> hlo_error_at(const Scanner& scanner, std::size_t position,
                                               Result<HloSharding> sharding) {
  return std::move(sharding).map_error([&](Error error) {
    error.location = scanner.location(position);
    return error;
  });
}

/// Reads one or more integers, then `close` unless `close` is empty.
SHARDY_INLINE Result<std::vector<int64_t>> read_ints(Scanner& scanner, std::string_view close) {
  std::vector<int64_t> numbers;
  do {
    SHARDY_TRY(const int64_t number, scanner.int64());
    numbers.push_back(number);
  } while (scanner.eat(','));
  SHARDY_TRY_STATUS(scanner.expect(close));
  return numbers;
}

/// Reads a device array, after `devices=`.
SHARDY_INLINE Result<DeviceArray> read_device_array(Scanner& scanner) {
  const std::size_t start = scanner.position();
  SHARDY_TRY_STATUS(scanner.expect("["));
  SHARDY_TRY(std::vector<int64_t> tile, read_ints(scanner, "]"));
  const auto at_start = [&](Error error) {
    error.location = scanner.location(start);
    return error;
  };
  if (!scanner.eat("<=")) {
    SHARDY_TRY(std::vector<int64_t> devices, read_ints(scanner, ""));
    return DeviceArray::list(std::move(tile), std::move(devices)).map_error(at_start);
  }
  SHARDY_TRY_STATUS(scanner.expect("["));
  SHARDY_TRY(std::vector<int64_t> reshape, read_ints(scanner, "]"));
  std::vector<int64_t> transpose;
  if (scanner.eat("T")) {
    SHARDY_TRY_STATUS(scanner.expect("("));
    SHARDY_TRY(transpose, read_ints(scanner, ")"));
  }
  return DeviceArray::iota(std::move(tile), std::move(reshape), std::move(transpose))
      .map_error(at_start);
}

SHARDY_INLINE Result<HloDimKind> read_dim_kind(Scanner& scanner) {
  for (std::size_t i = 0; i < kHloDimKinds.size(); ++i) {
    if (scanner.eat(kHloDimKinds[i])) return static_cast<HloDimKind>(i);
  }
  return scanner.expected("'replicated', 'manual' or 'unreduced'");
}

SHARDY_INLINE Result<std::vector<HloDimKind>> read_last_dims(Scanner& scanner) {
  std::vector<HloDimKind> last;
  if (scanner.eat("last_tile_dim_replicate")) {
    last.push_back(HloDimKind::Replicated);
  } else if (scanner.eat("last_tile_dims")) {
    SHARDY_TRY_STATUS(scanner.expect("="));
    SHARDY_TRY_STATUS(scanner.expect("{"));
    do {
      SHARDY_TRY(const HloDimKind kind, read_dim_kind(scanner));
      last.push_back(kind);
    } while (scanner.eat(','));
    SHARDY_TRY_STATUS(scanner.expect("}"));
  }
  return last;
}

SHARDY_INLINE Result<HloSharding> read_hlo_body(Scanner& scanner) {
  const std::size_t start = scanner.position();
  if (scanner.eat("replicated")) return HloSharding();
  if (scanner.eat("manual")) return HloSharding::manual();
  if (scanner.eat("unreduced")) return HloSharding::unreduced();
  if (scanner.eat("unknown")) return HloSharding::unknown();
  if (scanner.eat("maximal")) {
    SHARDY_TRY_STATUS(scanner.expect("device"));
    SHARDY_TRY_STATUS(scanner.expect("="));
    SHARDY_TRY(const int64_t device, scanner.int64());
    return hlo_error_at(scanner, start, HloSharding::maximal(device));
  }
  if (!scanner.eat("devices")) return scanner.expected("a sharding");
  SHARDY_TRY_STATUS(scanner.expect("="));
  SHARDY_TRY(DeviceArray devices, read_device_array(scanner));
  SHARDY_TRY(std::vector<HloDimKind> last, read_last_dims(scanner));
  return hlo_error_at(scanner, start, HloSharding::tiled(std::move(devices), std::move(last)));
}

/// Reads `shard_as 1` and `metadata={...}`, in this order, if they come next.
SHARDY_INLINE Result<HloSharding> read_hlo_extras(Scanner& scanner, HloSharding sharding) {
  const bool is_as = scanner.eat("shard_as");
  if (is_as || scanner.eat("shard_like")) {
    const auto kind = is_as ? HloShardGroup::Kind::As : HloShardGroup::Kind::Like;
    SHARDY_TRY(const int64_t id, scanner.int64());
    SHARDY_TRY(sharding, sharding.with_group({kind, id}));
  }
  if (!scanner.eat("metadata")) return sharding;
  SHARDY_TRY_STATUS(scanner.expect("="));
  SHARDY_TRY_STATUS(scanner.expect("{"));
  // The metadata is read as characters, because `//` does not begin a comment in metadata.
  const std::size_t start = scanner.raw_position();
  const std::string_view after = scanner.text().substr(start);
  const std::optional<std::size_t> length = balanced_length(after);
  if (!length) return scanner.error_at(start, "expected '}' at the end of the metadata");
  scanner.seek(start + *length + 1);
  return sharding.with_metadata(std::string(after.substr(0, *length)));
}

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE Result<HloSharding> read_hlo_sharding(Scanner& scanner, int depth) {
  const std::size_t start = scanner.position();
  SHARDY_TRY_STATUS(scanner.expect("{"));
  if (scanner.peek() != '{' && scanner.peek() != '}') {
    SHARDY_TRY(HloSharding body, detail::read_hlo_body(scanner));
    SHARDY_TRY(HloSharding sharding, detail::read_hlo_extras(scanner, std::move(body)));
    SHARDY_TRY_STATUS(scanner.expect("}"));
    return sharding;
  }
  if (depth == HloSharding::kMaxDepth) {
    return scanner.error_at(start, "tuples of shardings are nested more than " +
                                       std::to_string(HloSharding::kMaxDepth) + " deep");
  }
  std::vector<HloSharding> elements;
  SHARDY_TRY_STATUS(read_list(scanner, "}", [&]() -> Status {
    SHARDY_TRY(HloSharding element, read_hlo_sharding(scanner, depth + 1));
    elements.push_back(std::move(element));
    return {};
  }));
  return HloSharding::tuple(std::move(elements));
}

SHARDY_INLINE Result<HloSharding> parse_hlo_sharding(std::string_view text) {
  Scanner scanner(text);
  SHARDY_TRY(HloSharding sharding, read_hlo_sharding(scanner));
  SHARDY_TRY_STATUS(scanner.expect_end());
  return sharding;
}

}  // namespace shardy
#endif  // SHARDY_BODIES
