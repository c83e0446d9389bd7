#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <shardy/algebra/mesh.hpp>
#include <shardy/support/math.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <vector>

namespace shardy {

/// `size` entries of an array of devices, `stride` device numbers apart.
struct DeviceStride {
  int64_t size = 1;
  int64_t stride = 1;

  friend constexpr bool operator==(const DeviceStride&, const DeviceStride&) = default;
};

/// An array of the devices 0 .. N-1, each once, with the shape `tile`: either iota(N), shaped
/// `reshape`, transposed by `transpose` and shaped again, or a list, row-major. Two arrays with the
/// same devices may be spelled in different ways, and are different then (see canonical).
///
/// Invariant: sizes >= 1, all products agree and fit int64, the transpose is a permutation.
/// Text: `[2,1,4]<=[4,2]T(1,0)`, `[2,2]0,2,1,3`. Spec: algebra 12.1.
class DeviceArray {
 public:
  /// An empty `transpose` is the identity.
  static Result<DeviceArray> iota(std::vector<int64_t> tile, std::vector<int64_t> reshape,
                                  std::vector<int64_t> transpose = {});
  static Result<DeviceArray> list(std::vector<int64_t> tile, std::vector<int64_t> devices);
  /// The array whose entries lie as `strides` say, minor first. Requires: in order of their
  /// strides each one begins where the one before ends.
  static DeviceArray of_strides(std::vector<int64_t> tile, std::span<const DeviceStride> strides);

  std::span<const int64_t> tile() const { return tile_; }
  bool is_list() const { return !devices_.empty(); }
  /// Empty for a list.
  std::span<const int64_t> reshape() const { return reshape_; }
  std::span<const int64_t> transpose() const { return transpose_; }
  /// Empty unless it is a list.
  std::span<const int64_t> devices() const { return devices_; }
  bool has_identity_transpose() const { return detail::is_iota(transpose_); }
  int64_t num_devices() const { return *checked_product(tile_); }
  /// Requires: 0 <= index < num_devices().
  int64_t device_at(int64_t index) const;
  /// Strides of the entries, minor first, none of size 1 and none that continues the one before.
  /// Requires: not a list.
  std::vector<DeviceStride> strides() const;
  /// The shortest spelling: no sizes of 1, nothing in two parts that is one, no list that some iota
  /// is equal to.
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

/// Distance in a row-major array of `shape` between entries that follow along each dim.
std::vector<int64_t> row_major_strides(std::span<const int64_t> shape);

/// How the entries lie, minor first, or the index of the first one that fits no such order.
tl::expected<std::vector<DeviceStride>, std::size_t> strides_of_list(std::span<const int64_t> list);

}  // namespace detail

}  // namespace shardy

template <>
struct std::hash<shardy::DeviceArray> {
  std::size_t operator()(const shardy::DeviceArray& array) const;
};

#ifdef SHARDY_HEADER_ONLY
#include <shardy/algebra/detail/device_array_inl.hpp>
#endif
