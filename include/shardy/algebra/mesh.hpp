#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <shardy/support/detail/hash.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/detail/math.hpp>
#include <shardy/support/detail/shared.hpp>
#include <shardy/support/detail/span_of.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardy {

/// A mesh axis or a sub-axis `(pre)size`: the major `pre` shards of the axis are each split into
/// `size` shards. The full axis of size n is (1)n.
///
/// A ref is resolved: `axis` is an index in a mesh. A ref of an axis of size 1 overlaps only itself
/// and merges with no other ref. Order: axis, pre, size, which is the mesh order. Spec: algebra 2.
struct AxisRef {
  int32_t axis = 0;  // index of the axis in the mesh
  int64_t pre = 1;   // product of the sizes of all more major sub-axes
  int64_t size = 1;  // number of shards along this ref

  /// Returns pre * size: the number of shards of this ref and all more major sub-axes. Requires:
  /// pre >= 1, size >= 1, and a product that fits int64.
  constexpr int64_t next() const {
    int64_t end = 0;
    const bool is_too_large = __builtin_mul_overflow(pre, size, &end);
    SHARDY_EXPECTS(pre >= 1 && size >= 1 && !is_too_large);
    return end;
  }

  friend constexpr bool operator==(const AxisRef&, const AxisRef&) = default;
  friend constexpr std::strong_ordering operator<=>(const AxisRef&, const AxisRef&) = default;
};

namespace detail {

/// Returns pre * size, modulo 2^64: AxisRef::next() for refs that are not validated.
constexpr int64_t end_of(const AxisRef& ref) {
  return static_cast<int64_t>(static_cast<uint64_t>(ref.pre) * static_cast<uint64_t>(ref.size));
}

// std::min and std::max without <algorithm>, which would be a tenth of the cost of this header.
constexpr int64_t lesser(int64_t a, int64_t b) { return a < b ? a : b; }
constexpr int64_t greater(int64_t a, int64_t b) { return a < b ? b : a; }

}  // namespace detail

// The functions below take refs of one mesh. Predicates: algebra 2.3.

/// Checks whether `b` is a sub-axis of `a` or equals `a`.
constexpr bool contains(const AxisRef& a, const AxisRef& b) {
  return a.axis == b.axis && a.pre <= b.pre && detail::end_of(b) <= detail::end_of(a);
}

/// Checks whether `b` is a sub-axis of `a` and differs from `a`.
constexpr bool strictly_contains(const AxisRef& a, const AxisRef& b) {
  return a != b && contains(a, b);
}

/// Checks whether `a` is a major sub-axis of `b` or equals `b`.
constexpr bool prefix_of(const AxisRef& a, const AxisRef& b) {
  return contains(b, a) && a.pre == b.pre;
}

/// Checks whether `a` is a major sub-axis of `b` and differs from `b`.
constexpr bool strict_prefix_of(const AxisRef& a, const AxisRef& b) {
  return a != b && prefix_of(a, b);
}

/// Checks whether `a` is a minor sub-axis of `b` or equals `b`.
constexpr bool suffix_of(const AxisRef& a, const AxisRef& b) {
  return contains(b, a) && detail::end_of(a) == detail::end_of(b);
}

/// Checks whether `a` is a minor sub-axis of `b` and differs from `b`.
constexpr bool strict_suffix_of(const AxisRef& a, const AxisRef& b) {
  return a != b && suffix_of(a, b);
}

constexpr bool overlaps(const AxisRef& a, const AxisRef& b) {
  if (a == b) return true;  // includes an axis of size 1
  return a.axis == b.axis && a.pre < detail::end_of(b) && b.pre < detail::end_of(a);
}

/// Checks whether one factorization of the axis contains both refs, so that one sharding can use
/// both.
constexpr bool can_coexist(const AxisRef& a, const AxisRef& b) {
  if (a.axis != b.axis || a == b) return true;
  const int64_t first = detail::lesser(a.pre, b.pre);
  const int64_t second = detail::greater(a.pre, b.pre);
  const int64_t third = detail::lesser(a.next(), b.next());
  const int64_t last = detail::greater(a.next(), b.next());
  if (third <= second) return second % third == 0;
  return third % second == 0 && second % first == 0 && last % third == 0;
}

/// Checks whether `b` continues `a` with the next minor sub-axis. False for full axes and for axes
/// of size 1.
constexpr bool can_merge(const AxisRef& a, const AxisRef& b) {
  return a.axis == b.axis && a.size > 1 && b.size > 1 && detail::end_of(a) == b.pre;
}

// Constructive operations: algebra 2.5. The result is std::nullopt if it would be empty or could
// not coexist with the arguments.

/// Returns the common sub-axis of `a` and `b`.
constexpr std::optional<AxisRef> overlap(const AxisRef& a, const AxisRef& b) {
  if (!overlaps(a, b) || !can_coexist(a, b)) return std::nullopt;
  const int64_t begin = detail::greater(a.pre, b.pre);
  return AxisRef{a.axis, begin, detail::lesser(a.next(), b.next()) / begin};
}

/// Returns the sub-axis of `a` that is major to the overlap with `b`. The sub-axis minor to `b` is
/// dropped, too.
constexpr std::optional<AxisRef> prefix_without_overlap(const AxisRef& a, const AxisRef& b) {
  if (!can_coexist(a, b)) return std::nullopt;
  if (!overlaps(a, b)) return a;
  if (a.pre >= b.pre) return std::nullopt;
  return AxisRef{a.axis, a.pre, b.pre / a.pre};
}

/// Returns the sub-axis of `a` that is minor to the overlap with `b`.
constexpr std::optional<AxisRef> suffix_without_overlap(const AxisRef& a, const AxisRef& b) {
  if (!can_coexist(a, b)) return std::nullopt;
  if (!overlaps(a, b)) return a;
  if (a.next() <= b.next()) return std::nullopt;
  return AxisRef{a.axis, b.next(), a.next() / b.next()};
}

/// Returns the longest common prefix of `a` and `b`.
constexpr std::optional<AxisRef> greatest_common_prefix(const AxisRef& a, const AxisRef& b) {
  if (!can_coexist(a, b)) return std::nullopt;
  if (prefix_of(a, b)) return a;
  if (prefix_of(b, a)) return b;
  return std::nullopt;
}

/// Returns the ref that covers `a` and `b`. Requires: can_merge(a, b).
constexpr AxisRef merge(const AxisRef& a, const AxisRef& b) {
  int64_t size = 0;
  const bool is_too_large = __builtin_mul_overflow(a.size, b.size, &size);
  SHARDY_EXPECTS(can_merge(a, b) && !is_too_large);
  return AxisRef{a.axis, a.pre, size};
}

/// Returns the longest prefix of `a` whose size divides `capacity`. A ref of size 1 always fits.
/// Requires: capacity >= 0. Spec: algebra 2.6.
constexpr std::optional<AxisRef> prefix_fitting(const AxisRef& a, int64_t capacity) {
  const int64_t fitting = gcd(a.size, capacity);
  if (fitting == a.size) return a;
  if (fitting == 1) return std::nullopt;
  return AxisRef{a.axis, a.pre, fitting};
}

}  // namespace shardy

template <>
struct std::hash<shardy::AxisRef> {
  std::size_t operator()(const shardy::AxisRef& ref) const {
    return shardy::hash_of(ref.axis, ref.pre, ref.size);
  }
};

namespace shardy {

/// An axis of a mesh.
struct MeshAxis {
  std::string name;  // unique in its mesh
  int64_t size = 1;  // number of devices along the axis, >= 1

  friend bool operator==(const MeshAxis&, const MeshAxis&);
  friend std::strong_ordering operator<=>(const MeshAxis&, const MeshAxis&);
};

/// A logical grid of devices with named axes, from major to minor. Immutable; cheap to copy.
///
/// Invariant: axis sizes are >= 1, names are unique, and the number of devices fits int64.
/// `device_ids` is empty, a permutation other than the identity, or one id without axes (a maximal
/// mesh). The default is the empty mesh, a placeholder. Text: `<["x"=4, "y"=2]>`. Spec: algebra 1.
class Mesh {
 public:
  Mesh() : data_(empty_data()) {}

  /// Makes a mesh. `device_ids` equal to the identity are dropped. Errors: M1 to M6 of algebra 1.3;
  /// too many devices.
  static Result<Mesh> make(std::vector<MeshAxis> axes, std::vector<int64_t> device_ids = {});
  /// Returns the maximal mesh of `device_id`: no axes and one device. Errors: M2.
  static Result<Mesh> maximal(int64_t device_id);

  /// Returns the axes, major to minor.
  std::span<const MeshAxis> axes() const { return span_of(held().axes); }
  /// Returns the device at each logical position; empty if position p has device p.
  std::span<const int64_t> device_ids() const { return span_of(held().device_ids); }
  /// Returns the number of axes.
  int32_t num_axes() const { return static_cast<int32_t>(held().axes.size()); }
  /// Returns the product of the axis sizes; 1 for empty and maximal meshes.
  int64_t num_devices() const { return held().num_devices; }
  /// Returns whether the mesh has neither axes nor devices.
  bool empty() const { return axes().empty() && device_ids().empty(); }
  /// Returns whether the mesh is maximal: one device and no axes. Spec: algebra 1.2.
  bool is_maximal() const { return axes().empty() && !device_ids().empty(); }
  /// Returns the device id of a maximal mesh; std::nullopt for other meshes.
  std::optional<int64_t> maximal_device_id() const {
    if (!is_maximal()) return std::nullopt;
    return device_ids().front();
  }

  /// Returns the index of the axis named `name`; std::nullopt if the mesh has no such axis.
  std::optional<int32_t> find_axis(std::string_view name) const;
  /// Returns the size of the axis named `name`; std::nullopt if the mesh has no such axis.
  std::optional<int64_t> axis_size(std::string_view name) const {
    const std::optional<int32_t> axis = find_axis(name);
    if (!axis) return std::nullopt;
    return axis_size(*axis);
  }
  /// Returns the number of devices along an axis. Requires: 0 <= axis < num_axes().
  int64_t axis_size(int32_t axis) const { return at(axis).size; }
  /// Returns the name of an axis. Requires: 0 <= axis < num_axes().
  const std::string& axis_name(int32_t axis) const { return at(axis).name; }
  /// Returns the rank of the axis name among all names, in byte order. Requires: 0 <= axis <
  /// num_axes().
  int32_t name_rank(int32_t axis) const {
    SHARDY_EXPECTS(axis >= 0 && axis < num_axes());
    return held().name_ranks[static_cast<std::size_t>(axis)];
  }
  /// Returns the ref of the full axis. Requires: 0 <= axis < num_axes().
  AxisRef full_axis(int32_t axis) const { return {axis, 1, axis_size(axis)}; }
  /// Returns whether the ref is a full axis. Requires: an axis of this mesh.
  bool is_full(const AxisRef& ref) const { return ref.size == axis_size(ref.axis); }

  /// Returns the device at a logical position. Requires: 0 <= position < num_devices().
  int64_t device_at(int64_t position) const;
  /// Returns the logical position of `device`; std::nullopt if the mesh does not have the device.
  std::optional<int64_t> position_of(int64_t device) const;

  /// Checks whether the axes are equal. Two maximal meshes are equal; a maximal and an empty mesh
  /// differ.
  bool equals_ignoring_device_ids(const Mesh& other) const;

  friend bool operator==(const Mesh& a, const Mesh& b) { return a.data_ == b.data_ || a.equals(b); }
  friend std::strong_ordering operator<=>(const Mesh& a, const Mesh& b);

 private:
  struct Data : OwnerCount {
    static void destroy(const Data* data);

    std::vector<MeshAxis> axes;
    std::vector<int64_t> device_ids;
    int64_t num_devices = 1;
    std::vector<int32_t> name_ranks;  // rank of each axis name
    std::vector<int32_t> by_name;     // axes in byte order of names
    std::vector<int64_t> positions;   // position of each device; empty if device_ids is empty
  };

  explicit Mesh(Shared<Data> data) : data_(std::move(data)) {}

  static const Shared<Data>& empty_data();
  bool equals(const Mesh& other) const;
  static Status verify_entries(const Data& data);
  static Status verify_names(const Data& data);
  static Status verify_device_ids(const Data& data);
  static void index_names(Data& data);

  const MeshAxis& at(int32_t axis) const {
    SHARDY_EXPECTS(axis >= 0 && axis < num_axes());
    return held().axes[static_cast<std::size_t>(axis)];
  }

  /// Returns the content. A moved-from mesh has none.
  const Data& held() const { return *data_; }

  Shared<Data> data_;
};

/// Compares refs by axis name, then by sub-axis. Several tie-breaks use this order. Spec: algebra
/// 2.2.
inline bool canonical_less(const Mesh& mesh, const AxisRef& a, const AxisRef& b) {
  if (a.axis != b.axis) return mesh.name_rank(a.axis) < mesh.name_rank(b.axis);
  return a < b;
}

namespace detail {

bool is_iota(std::span<const int64_t> ids);

std::string comma_separated(std::span<const int64_t> numbers);

}  // namespace detail

}  // namespace shardy

template <>
struct std::hash<shardy::MeshAxis> {
  std::size_t operator()(const shardy::MeshAxis& axis) const;
};

template <>
struct std::hash<shardy::Mesh> {
  std::size_t operator()(const shardy::Mesh& mesh) const;
};

#ifdef SHARDY_BODIES
#include <algorithm>
#include <numeric>
#include <shardy/support/result.hpp>

namespace shardy {

SHARDY_INLINE void Mesh::Data::destroy(const Data* data) { delete data; }

SHARDY_INLINE const Shared<Mesh::Data>& Mesh::empty_data() {
  static const Shared<Data> data = Shared<Data>::make();
  return data;
}

SHARDY_INLINE bool Mesh::equals_ignoring_device_ids(const Mesh& other) const {
  return is_maximal() == other.is_maximal() && held().axes == other.held().axes;
}

SHARDY_INLINE bool Mesh::equals(const Mesh& other) const {
  return held().axes == other.held().axes && held().device_ids == other.held().device_ids;
}

SHARDY_INLINE std::strong_ordering operator<=>(const Mesh& a, const Mesh& b) {
  if (a.data_ == b.data_) return std::strong_ordering::equal;
  if (const auto order = a.held().axes <=> b.held().axes; order != 0) return order;
  return a.held().device_ids <=> b.held().device_ids;
}

SHARDY_INLINE bool operator==(const MeshAxis&, const MeshAxis&) = default;
SHARDY_INLINE std::strong_ordering operator<=>(const MeshAxis&, const MeshAxis&) = default;

SHARDY_INLINE int64_t Mesh::device_at(int64_t position) const {
  SHARDY_EXPECTS(position >= 0 && position < num_devices());
  return device_ids().empty() ? position : device_ids()[static_cast<std::size_t>(position)];
}

}  // namespace shardy

namespace shardy::detail {

SHARDY_INLINE bool is_iota(std::span<const int64_t> ids) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

SHARDY_INLINE std::string comma_separated(std::span<const int64_t> numbers) {
  std::string text;
  for (const int64_t number : numbers) {
    if (!text.empty()) text += ", ";
    text += std::to_string(number);
  }
  return text;
}

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE Status Mesh::verify_entries(const Data& data) {
  for (const MeshAxis& axis : data.axes) {
    if (axis.size < 1) {
      return fail("axis size must be at least 1, got: " + std::to_string(axis.size));
    }
  }
  for (const int64_t device : data.device_ids) {
    if (device < 0) return fail("device id must be non-negative, got: " + std::to_string(device));
  }
  if (data.axes.empty() && data.device_ids.size() > 1) {
    return fail("axes is empty and device_ids has more than one element");
  }
  return {};
}

/// Sorts the names, so that equal names are adjacent.
SHARDY_INLINE void Mesh::index_names(Data& data) {
  data.by_name.resize(data.axes.size());
  std::iota(data.by_name.begin(), data.by_name.end(), 0);
  const auto name = [&](int32_t axis) -> const std::string& {
    return data.axes[static_cast<std::size_t>(axis)].name;
  };
  std::ranges::stable_sort(data.by_name, {}, name);
  data.name_ranks.resize(data.axes.size());
  for (std::size_t rank = 0; rank < data.by_name.size(); ++rank) {
    data.name_ranks[static_cast<std::size_t>(data.by_name[rank])] = static_cast<int32_t>(rank);
  }
}

/// Checks that names are unique. The error names the first axis, in mesh order, with a repeated
/// name. Requires: index_names was called.
SHARDY_INLINE Status Mesh::verify_names(const Data& data) {
  std::optional<int32_t> duplicate;
  for (std::size_t rank = 1; rank < data.by_name.size(); ++rank) {
    const int32_t axis = data.by_name[rank];
    const auto previous = static_cast<std::size_t>(data.by_name[rank - 1]);
    if (data.axes[previous].name != data.axes[static_cast<std::size_t>(axis)].name) continue;
    duplicate = std::min(axis, duplicate.value_or(axis));
  }
  if (!duplicate) return {};
  return fail("duplicate axis name: \"" + data.axes[static_cast<std::size_t>(*duplicate)].name +
              "\"");
}

SHARDY_INLINE Status Mesh::verify_device_ids(const Data& data) {
  const auto count = static_cast<int64_t>(data.device_ids.size());
  if (count == 0) return {};
  if (count != data.num_devices) {
    return fail("total product of axis sizes must match total number of device ids, got: " +
                std::to_string(data.num_devices) + " != " + std::to_string(count));
  }
  std::vector<int64_t> sorted = data.device_ids;
  std::ranges::sort(sorted);
  if (detail::is_iota(sorted)) return {};
  return fail("sorted device ids must be iota(product(axes)), got: " +
              detail::comma_separated(sorted));
}

SHARDY_INLINE Result<Mesh> Mesh::maximal(int64_t device_id) { return make({}, {device_id}); }

SHARDY_INLINE Result<Mesh> Mesh::make(std::vector<MeshAxis> axes, std::vector<int64_t> device_ids) {
  auto* const data = new Data;
  Mesh mesh(Shared<Data>::adopt(data));
  data->axes = std::move(axes);
  data->device_ids = std::move(device_ids);
  SHARDY_TRY_STATUS(verify_entries(*data));
  if (data->axes.empty()) return mesh;

  index_names(*data);
  SHARDY_TRY_STATUS(verify_names(*data));
  std::optional<int64_t> num_devices = 1;
  for (const MeshAxis& axis : data->axes) {
    num_devices = checked_mul(*num_devices, axis.size);
    if (!num_devices) return fail("total product of axis sizes doesn't fit in 64 bits");
  }
  data->num_devices = *num_devices;
  SHARDY_TRY_STATUS(verify_device_ids(*data));
  if (detail::is_iota(data->device_ids)) data->device_ids.clear();
  data->positions.resize(data->device_ids.size());
  for (std::size_t position = 0; position < data->device_ids.size(); ++position) {
    data->positions[static_cast<std::size_t>(data->device_ids[position])] =
        static_cast<int64_t>(position);
  }
  return mesh;
}

SHARDY_INLINE std::optional<int32_t> Mesh::find_axis(std::string_view name) const {
  const std::vector<int32_t>& by_name = held().by_name;
  const auto name_of = [&](int32_t axis) -> std::string_view { return axis_name(axis); };
  const auto found = std::ranges::lower_bound(by_name, name, {}, name_of);
  if (found == by_name.end() || name_of(*found) != name) return std::nullopt;
  return *found;
}

SHARDY_INLINE std::optional<int64_t> Mesh::position_of(int64_t device) const {
  if (is_maximal())
    return device == device_ids().front() ? std::optional<int64_t>(0) : std::nullopt;
  if (device < 0 || device >= num_devices()) return std::nullopt;
  return device_ids().empty() ? device : held().positions[static_cast<std::size_t>(device)];
}

}  // namespace shardy

SHARDY_INLINE std::size_t std::hash<shardy::MeshAxis>::operator()(
    const shardy::MeshAxis& axis) const {
  return shardy::hash_of(axis.name, axis.size);
}

SHARDY_INLINE std::size_t std::hash<shardy::Mesh>::operator()(const shardy::Mesh& mesh) const {
  return shardy::hash_combine(shardy::hash_range(mesh.axes()),
                              shardy::hash_range(mesh.device_ids()));
}
#endif  // SHARDY_BODIES
