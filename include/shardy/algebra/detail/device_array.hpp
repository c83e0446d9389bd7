#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <shardy/algebra/mesh.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/detail/math.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <vector>

namespace shardy {

/// A factor of a device array: `size` entries whose device ids have distance `stride`.
struct DeviceStride {
  int64_t size = 1;
  int64_t stride = 1;

  friend constexpr bool operator==(const DeviceStride&, const DeviceStride&) = default;
};

/// An array of the devices 0 .. N-1, each once, of shape `tile`. The array is either an iota,
/// `iota(N).reshape(reshape).transpose(transpose).reshape(tile)`, or a row-major list. Arrays of
/// equal devices can have several representations, which compare as different; `canonical` unifies
/// them.
///
/// Invariant: sizes >= 1, all products are equal and fit int64, `transpose` is a permutation. Text:
/// `[2,1,4]<=[4,2]T(1,0)`, `[2,2]0,2,1,3`. Spec: algebra 12.1.
class DeviceArray {
 public:
  /// Makes an iota. An empty `transpose` is the identity. Errors: the invariant is violated.
  static Result<DeviceArray> iota(std::vector<int64_t> tile, std::vector<int64_t> reshape,
                                  std::vector<int64_t> transpose = {});
  static Result<DeviceArray> list(std::vector<int64_t> tile, std::vector<int64_t> devices);
  /// Returns the array with these strides, minor first. Requires: `strides` are sorted by stride,
  /// and each stride is the previous stride times the previous size.
  static DeviceArray of_strides(std::vector<int64_t> tile, std::span<const DeviceStride> strides);

  std::span<const int64_t> tile() const { return tile_; }
  bool is_list() const { return !devices_.empty(); }
  /// Returns the parameters of an iota; empty for a list.
  std::span<const int64_t> reshape() const { return reshape_; }
  std::span<const int64_t> transpose() const { return transpose_; }
  /// Returns the devices of a list, row-major; empty for an iota.
  std::span<const int64_t> devices() const { return devices_; }
  bool has_identity_transpose() const;
  int64_t num_devices() const { return *checked_product(tile_); }
  /// Returns the device at a row-major index. Requires: 0 <= index < num_devices().
  int64_t device_at(int64_t index) const;
  /// Returns the strides of the array, minor first, with adjacent strides merged and without size
  /// 1. Requires: an iota.
  std::vector<DeviceStride> strides() const;
  /// Returns the shortest representation: no dims of size 1, merged dims, and an iota instead of a
  /// list if possible.
  DeviceArray canonical() const;

  friend bool operator==(const DeviceArray&, const DeviceArray&);
  friend std::strong_ordering operator<=>(const DeviceArray&, const DeviceArray&);

 private:
  DeviceArray() = default;

  std::vector<int64_t> tile_;
  std::vector<int64_t> reshape_;
  std::vector<int64_t> transpose_;
  std::vector<int64_t> devices_;
};

namespace detail {

/// Returns the distance between neighbours along each dim of a row-major array of shape `shape`.
std::vector<int64_t> row_major_strides(std::span<const int64_t> shape);

/// Returns the strides of a list, minor first. The error is the index of the first entry that fits
/// no strides; callers turn it into a diagnostic.
tl::expected<std::vector<DeviceStride>, std::size_t> strides_of_list(std::span<const int64_t> list);

}  // namespace detail

}  // namespace shardy

template <>
struct std::hash<shardy::DeviceArray> {
  std::size_t operator()(const shardy::DeviceArray& array) const;
};

#ifdef SHARDY_BODIES
#include <algorithm>
#include <numeric>
#include <optional>
#include <shardy/support/detail/hash.hpp>
#include <string>
#include <utility>

namespace shardy {

SHARDY_INLINE bool DeviceArray::has_identity_transpose() const {
  return detail::is_iota(transpose_);
}

SHARDY_INLINE bool operator==(const DeviceArray&, const DeviceArray&) = default;
SHARDY_INLINE std::strong_ordering operator<=>(const DeviceArray&, const DeviceArray&) = default;

}  // namespace shardy

namespace shardy::detail {

SHARDY_INLINE Result<int64_t> device_count(std::span<const int64_t> sizes,
                                           const std::string& what) {
  for (const int64_t size : sizes) {
    if (size < 1) return fail(what + " sizes must be at least 1, got: " + std::to_string(size));
  }
  const std::optional<int64_t> count = checked_product(sizes);
  if (!count) return fail("product of " + what + " sizes doesn't fit in 64 bits");
  return *count;
}

SHARDY_INLINE Status check_same_count(int64_t tile, int64_t devices) {
  if (tile == devices) return {};
  return fail("product of tile sizes must match the number of devices, got: " +
              std::to_string(tile) + " != " + std::to_string(devices));
}

SHARDY_INLINE bool is_permutation_of_iota(std::span<const int64_t> numbers) {
  std::vector<int64_t> sorted(numbers.begin(), numbers.end());
  std::ranges::sort(sorted);
  return is_iota(sorted);
}

SHARDY_INLINE std::vector<int64_t> row_major_strides(std::span<const int64_t> shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

SHARDY_INLINE tl::expected<std::vector<DeviceStride>, std::size_t> strides_of_list(
    std::span<const int64_t> list) {
  std::vector<DeviceStride> strides;
  if (list[0] != 0) return tl::unexpected(std::size_t{0});
  std::size_t covered = 1;  // number of leading entries that the strides so far explain
  while (covered < list.size()) {
    const int64_t stride = list[covered];
    std::size_t end = covered;  // end of the copies of these entries at distance `stride`
    while (end < list.size()) {
      const int64_t offset = static_cast<int64_t>(end / covered) * stride;
      if (list[end] != offset) break;
      for (std::size_t i = 0; i < covered; ++i) {
        if (list[end + i] != offset + list[i]) return tl::unexpected(end + i);
      }
      end += covered;
    }
    if (list.size() % end != 0) return tl::unexpected(end);
    strides.push_back({static_cast<int64_t>(end / covered), stride});
    covered = end;
  }
  return strides;
}

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE Result<DeviceArray> DeviceArray::iota(std::vector<int64_t> tile,
                                                    std::vector<int64_t> reshape,
                                                    std::vector<int64_t> transpose) {
  SHARDY_TRY(const int64_t count, detail::device_count(tile, "tile"));
  SHARDY_TRY(const int64_t devices, detail::device_count(reshape, "reshape"));
  SHARDY_TRY_STATUS(detail::check_same_count(count, devices));
  if (transpose.empty()) {
    transpose.resize(reshape.size());
    std::iota(transpose.begin(), transpose.end(), 0);
  }
  if (transpose.size() != reshape.size() || !detail::is_permutation_of_iota(transpose)) {
    return fail("transpose must be a permutation of the " + std::to_string(reshape.size()) +
                " reshape dims, got: " + detail::comma_separated(transpose));
  }
  DeviceArray array;
  array.tile_ = std::move(tile);
  array.reshape_ = std::move(reshape);
  array.transpose_ = std::move(transpose);
  return array;
}

SHARDY_INLINE Result<DeviceArray> DeviceArray::list(std::vector<int64_t> tile,
                                                    std::vector<int64_t> devices) {
  SHARDY_TRY(const int64_t count, detail::device_count(tile, "tile"));
  SHARDY_TRY_STATUS(detail::check_same_count(count, static_cast<int64_t>(devices.size())));
  if (!detail::is_permutation_of_iota(devices)) {
    return fail("devices must be 0 to " + std::to_string(count - 1) +
                " once each, got: " + detail::comma_separated(devices));
  }
  DeviceArray array;
  array.tile_ = std::move(tile);
  array.devices_ = std::move(devices);
  return array;
}

SHARDY_INLINE DeviceArray DeviceArray::of_strides(std::vector<int64_t> tile,
                                                  std::span<const DeviceStride> strides) {
  std::vector<DeviceStride> sorted(strides.begin(), strides.end());
  std::ranges::sort(sorted, std::greater(), &DeviceStride::stride);
  DeviceArray array;
  array.tile_ = std::move(tile);
  for (const DeviceStride& part : sorted) array.reshape_.push_back(part.size);
  for (std::size_t i = strides.size(); i-- > 0;) {
    array.transpose_.push_back(std::ranges::find(sorted, strides[i]) - sorted.begin());
  }
  if (strides.empty()) {
    array.reshape_ = {1};
    array.transpose_ = {0};
  }
  return array;
}

SHARDY_INLINE int64_t DeviceArray::device_at(int64_t index) const {
  SHARDY_EXPECTS(index >= 0 && index < num_devices());
  if (is_list()) return devices_[static_cast<std::size_t>(index)];
  int64_t device = 0;
  for (const DeviceStride& part : strides()) {
    device += index % part.size * part.stride;
    index /= part.size;
  }
  return device;
}

SHARDY_INLINE std::vector<DeviceStride> DeviceArray::strides() const {
  SHARDY_EXPECTS(!is_list());
  const std::vector<int64_t> device_strides = detail::row_major_strides(reshape_);
  std::vector<DeviceStride> strides;
  for (std::size_t i = transpose_.size(); i-- > 0;) {
    const auto dim = static_cast<std::size_t>(transpose_[i]);
    const DeviceStride next{reshape_[dim], device_strides[dim]};
    if (next.size == 1) continue;
    if (!strides.empty() && next.stride == strides.back().stride * strides.back().size) {
      strides.back().size *= next.size;
    } else {
      strides.push_back(next);
    }
  }
  return strides;
}

SHARDY_INLINE DeviceArray DeviceArray::canonical() const {
  if (!is_list()) return of_strides(tile_, strides());
  const auto strides = detail::strides_of_list(devices_);
  return strides ? of_strides(tile_, *strides) : *this;
}

}  // namespace shardy

SHARDY_INLINE std::size_t std::hash<shardy::DeviceArray>::operator()(
    const shardy::DeviceArray& array) const {
  std::size_t seed =
      shardy::hash_combine(shardy::hash_range(array.tile()), shardy::hash_range(array.reshape()));
  seed = shardy::hash_combine(seed, shardy::hash_range(array.transpose()));
  return shardy::hash_combine(seed, shardy::hash_range(array.devices()));
}
#endif  // SHARDY_BODIES
