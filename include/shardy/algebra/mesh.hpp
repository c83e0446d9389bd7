#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <shardy/algebra/axis_ref.hpp>
#include <shardy/support/hash.hpp>
#include <shardy/support/math.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardy {

struct MeshAxis {
  std::string name;
  int64_t size = 1;

  friend bool operator==(const MeshAxis&, const MeshAxis&) = default;
  friend std::strong_ordering operator<=>(const MeshAxis&, const MeshAxis&) = default;
};

/// A logical grid of devices with named axes, major to minor. Immutable; cheap to copy.
///
/// Invariant: axis sizes >= 1, names unique, the number of devices fits int64; device ids: none, a
/// permutation other than the identity, or one id and no axes (a maximal mesh). The default is the
/// empty mesh, a placeholder. Text: `<["x"=4, "y"=2]>`. Spec: algebra 1.
class Mesh {
 public:
  Mesh() : data_(empty_data()) {}

  /// Drops device ids that are the identity. Errors: M1..M6 of algebra 1.3, too many devices.
  static Result<Mesh> make(std::vector<MeshAxis> axes, std::vector<int64_t> device_ids = {});
  /// The mesh without axes whose only device is `device_id`. Errors: M2.
  static Result<Mesh> maximal(int64_t device_id) { return make({}, {device_id}); }

  std::span<const MeshAxis> axes() const { return data_->axes; }
  /// Device at each logical position; empty when position p holds device p.
  std::span<const int64_t> device_ids() const { return data_->device_ids; }
  int32_t num_axes() const { return static_cast<int32_t>(data_->axes.size()); }
  /// Product of the axis sizes; 1 for empty and maximal meshes.
  int64_t num_devices() const { return data_->num_devices; }
  bool empty() const { return axes().empty() && device_ids().empty(); }
  bool is_maximal() const { return axes().empty() && !device_ids().empty(); }
  std::optional<int64_t> maximal_device_id() const {
    if (!is_maximal()) return std::nullopt;
    return device_ids().front();
  }

  std::optional<int32_t> find_axis(std::string_view name) const;
  /// Size of axis `name`, or nullopt when the mesh has no such axis.
  std::optional<int64_t> axis_size(std::string_view name) const {
    const std::optional<int32_t> axis = find_axis(name);
    if (!axis) return std::nullopt;
    return axis_size(*axis);
  }
  int64_t axis_size(int32_t axis) const { return at(axis).size; }
  const std::string& axis_name(int32_t axis) const { return at(axis).name; }
  /// Rank of the name of `axis` among all names, in byte order.
  int32_t name_rank(int32_t axis) const {
    return data_->name_ranks[static_cast<std::size_t>(axis)];
  }
  AxisRef full_axis(int32_t axis) const { return {axis, 1, axis_size(axis)}; }
  bool is_full(const AxisRef& ref) const { return ref.size == axis_size(ref.axis); }

  /// Requires: 0 <= position < num_devices().
  int64_t device_at(int64_t position) const {
    SHARDY_ASSERT(position >= 0 && position < num_devices());
    return device_ids().empty() ? position : device_ids()[static_cast<std::size_t>(position)];
  }
  /// Logical position of `device`, or nullopt if it is not in the mesh.
  std::optional<int64_t> position_of(int64_t device) const;

  /// Two maximal meshes are equal; a maximal mesh and an empty one are not.
  bool equals_ignoring_device_ids(const Mesh& other) const {
    return is_maximal() == other.is_maximal() && data_->axes == other.data_->axes;
  }

  friend bool operator==(const Mesh& a, const Mesh& b) {
    return a.data_ == b.data_ ||
           (a.data_->axes == b.data_->axes && a.data_->device_ids == b.data_->device_ids);
  }
  friend std::strong_ordering operator<=>(const Mesh& a, const Mesh& b) {
    if (a.data_ == b.data_) return std::strong_ordering::equal;
    if (const auto order = a.data_->axes <=> b.data_->axes; order != 0) return order;
    return a.data_->device_ids <=> b.data_->device_ids;
  }

 private:
  struct Data {
    std::vector<MeshAxis> axes;
    std::vector<int64_t> device_ids;
    int64_t num_devices = 1;
    std::vector<int32_t> name_ranks;  // of each axis
    std::vector<int32_t> by_name;     // axes in byte order of their names
    std::vector<int64_t> positions;   // of each device; empty like device_ids
  };

  explicit Mesh(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

  static const std::shared_ptr<const Data>& empty_data() {
    static const auto data = std::make_shared<const Data>();
    return data;
  }
  static Status verify_entries(const Data& data);
  static Status verify_names(const Data& data);
  static Status verify_device_ids(const Data& data);
  static void index_names(Data& data);

  const MeshAxis& at(int32_t axis) const {
    SHARDY_ASSERT(axis >= 0 && axis < num_axes());
    return data_->axes[static_cast<std::size_t>(axis)];
  }

  std::shared_ptr<const Data> data_;
};

/// The order of names, then of parts; several tie-breaks go by it. Spec: algebra 2.2.
inline bool canonical_less(const Mesh& mesh, const AxisRef& a, const AxisRef& b) {
  if (a.axis != b.axis) return mesh.name_rank(a.axis) < mesh.name_rank(b.axis);
  return a < b;
}

namespace detail {

inline bool is_iota(std::span<const int64_t> ids) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

inline std::string comma_separated(std::span<const int64_t> numbers) {
  std::string text;
  for (const int64_t number : numbers) {
    if (!text.empty()) text += ", ";
    text += std::to_string(number);
  }
  return text;
}

}  // namespace detail

inline Status Mesh::verify_entries(const Data& data) {
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

/// Sorts the names; equal ones then stand side by side.
inline void Mesh::index_names(Data& data) {
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

/// Requires: index_names was called. Names the first axis, in mesh order, whose name stood before.
inline Status Mesh::verify_names(const Data& data) {
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

inline Status Mesh::verify_device_ids(const Data& data) {
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

inline Result<Mesh> Mesh::make(std::vector<MeshAxis> axes, std::vector<int64_t> device_ids) {
  const auto data = std::make_shared<Data>();
  data->axes = std::move(axes);
  data->device_ids = std::move(device_ids);
  SHARDY_TRY_STATUS(verify_entries(*data));
  if (data->axes.empty()) return Mesh(data);

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
  return Mesh(data);
}

inline std::optional<int32_t> Mesh::find_axis(std::string_view name) const {
  const std::vector<int32_t>& by_name = data_->by_name;
  const auto name_of = [&](int32_t axis) -> std::string_view { return axis_name(axis); };
  const auto found = std::ranges::lower_bound(by_name, name, {}, name_of);
  if (found == by_name.end() || name_of(*found) != name) return std::nullopt;
  return *found;
}

inline std::optional<int64_t> Mesh::position_of(int64_t device) const {
  if (is_maximal())
    return device == device_ids().front() ? std::optional<int64_t>(0) : std::nullopt;
  if (device < 0 || device >= num_devices()) return std::nullopt;
  return device_ids().empty() ? device : data_->positions[static_cast<std::size_t>(device)];
}

}  // namespace shardy

template <>
struct std::hash<shardy::MeshAxis> {
  std::size_t operator()(const shardy::MeshAxis& axis) const noexcept {
    return shardy::hash_of(axis.name, axis.size);
  }
};

template <>
struct std::hash<shardy::Mesh> {
  std::size_t operator()(const shardy::Mesh& mesh) const noexcept {
    return shardy::hash_combine(shardy::hash_range(mesh.axes()),
                                shardy::hash_range(mesh.device_ids()));
  }
};
