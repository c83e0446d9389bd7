// Bodies of mesh.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <shardy/algebra/mesh.hpp>
#include <shardy/support/inline.hpp>
#include <shardy/support/math.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardy {

SHARDY_INLINE const std::shared_ptr<const Mesh::Data>& Mesh::empty_data() {
  static const auto data = std::make_shared<const Data>();
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

/// Sorts the names; equal ones then stand side by side.
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

/// Requires: index_names was called. The error names the first axis, in mesh order, with a repeated
/// name.
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
