#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <shardy/algebra/axis_ref.hpp>
#include <shardy/support/span_of.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardy {

/// An axis of a mesh.
struct MeshAxis {
  std::string name;  // unique in its mesh
  int64_t size = 1;  // number of devices along it, >= 1

  friend bool operator==(const MeshAxis&, const MeshAxis&);
  friend std::strong_ordering operator<=>(const MeshAxis&, const MeshAxis&);
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
  static Result<Mesh> maximal(int64_t device_id);

  /// Major to minor.
  std::span<const MeshAxis> axes() const { return span_of(held().axes); }
  /// Device at each logical position; empty when position p holds device p.
  std::span<const int64_t> device_ids() const { return span_of(held().device_ids); }
  /// How many axes there are.
  int32_t num_axes() const { return static_cast<int32_t>(held().axes.size()); }
  /// Product of the axis sizes; 1 for empty and maximal meshes.
  int64_t num_devices() const { return held().num_devices; }
  /// Returns whether it has neither axes nor devices: it shards nothing.
  bool empty() const { return axes().empty() && device_ids().empty(); }
  /// Returns whether it is one device. Spec: algebra 1.2.
  bool is_maximal() const { return axes().empty() && !device_ids().empty(); }
  /// The id of that device, if is_maximal().
  std::optional<int64_t> maximal_device_id() const {
    if (!is_maximal()) return std::nullopt;
    return device_ids().front();
  }

  /// The index of the axis of that name, if there is one.
  std::optional<int32_t> find_axis(std::string_view name) const;
  /// Size of axis `name`, or nullopt when the mesh has no such axis.
  std::optional<int64_t> axis_size(std::string_view name) const {
    const std::optional<int32_t> axis = find_axis(name);
    if (!axis) return std::nullopt;
    return axis_size(*axis);
  }
  /// Number of devices along an axis. Requires: 0 <= axis < num_axes().
  int64_t axis_size(int32_t axis) const { return at(axis).size; }
  /// Its name. Requires: 0 <= axis < num_axes().
  const std::string& axis_name(int32_t axis) const { return at(axis).name; }
  /// Rank of the name of `axis` among all names, in byte order. Requires: 0 <= axis < num_axes().
  int32_t name_rank(int32_t axis) const {
    SHARDY_EXPECTS(axis >= 0 && axis < num_axes());
    return held().name_ranks[static_cast<std::size_t>(axis)];
  }
  /// All of an axis. Requires: 0 <= axis < num_axes().
  AxisRef full_axis(int32_t axis) const { return {axis, 1, axis_size(axis)}; }
  /// Returns whether the ref is all of its axis. Requires: an axis of this mesh.
  bool is_full(const AxisRef& ref) const { return ref.size == axis_size(ref.axis); }

  /// Requires: 0 <= position < num_devices().
  int64_t device_at(int64_t position) const;
  /// Logical position of `device`, or nullopt if it is not in the mesh.
  std::optional<int64_t> position_of(int64_t device) const;

  /// Two maximal meshes are equal; a maximal mesh and an empty one are not.
  bool equals_ignoring_device_ids(const Mesh& other) const;

  friend bool operator==(const Mesh& a, const Mesh& b) { return a.data_ == b.data_ || a.equals(b); }
  friend std::strong_ordering operator<=>(const Mesh& a, const Mesh& b);

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

  static const std::shared_ptr<const Data>& empty_data();
  bool equals(const Mesh& other) const;
  static Status verify_entries(const Data& data);
  static Status verify_names(const Data& data);
  static Status verify_device_ids(const Data& data);
  static void index_names(Data& data);

  const MeshAxis& at(int32_t axis) const {
    SHARDY_EXPECTS(axis >= 0 && axis < num_axes());
    return held().axes[static_cast<std::size_t>(axis)];
  }

  /// Not there in an object from which was moved.
  const Data& held() const {
    SHARDY_EXPECTS(data_ != nullptr);
    return *data_;
  }

  std::shared_ptr<const Data> data_;
};

/// The order of names, then of parts; several tie-breaks go by it. Spec: algebra 2.2.
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

#ifdef SHARDY_HEADER_ONLY
#include <shardy/algebra/detail/mesh_inl.hpp>
#endif
