#pragma once

#include <cstddef>
#include <cstdint>
#include <shardy/algebra/detail/device_array.hpp>
#include <shardy/algebra/mesh.hpp>
#include <shardy/support/detail/inline.hpp>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

// A common mesh for the device arrays of a program. Spec: interop 5.2, 5.3.

namespace shardy {

/// Two device arrays that no mesh can represent.
struct HloMeshConflict {
  /// Difference of the two arrays: numbers of devices, sizes of dims, or device orders.
  enum class Kind { Counts, Sizes, Orders };

  Kind kind = Kind::Counts;       // kind of the difference
  std::size_t first = 0;          // index of the first array
  std::size_t second = 0;         // index of the second array
  std::string first_sizes = {};   // Sizes: split of the devices by the first array, `3x2`
  std::string second_sizes = {};  // Sizes: split of the devices by the second array
};

/// Returns the coarsest mesh whose axes express all arrays. Axes are named `_axis_0`, ... from
/// major to minor; device ids are permuted if an array needs it. The error is not a diagnostic,
/// because the caller has the locations of the arrays. Requires: at least one array, and more than
/// one device. Cost: linear in the text of the arrays; with permuted device ids, linear in the
/// devices per array.
tl::expected<Mesh, HloMeshConflict> common_hlo_mesh(std::span<const DeviceArray> arrays);

}  // namespace shardy

#ifdef SHARDY_BODIES
#include <algorithm>
#include <map>
#include <optional>
#include <shardy/support/result.hpp>
#include <utility>

namespace shardy::detail {

/// Factors of the devices, minor first. Each factor lies within one dim of the tile.
using HloAtoms = std::vector<DeviceStride>;

/// Splits strides at the borders of tile dims. Returns std::nullopt if a border is inside a factor
/// that the dim does not divide.
SHARDY_INLINE std::optional<HloAtoms> split_at_tile(std::span<const DeviceStride> strides,
                                                    std::span<const int64_t> tile) {
  HloAtoms atoms;
  std::size_t dim = tile.size();
  int64_t room = 1;
  for (DeviceStride part : strides) {
    while (part.size > 1) {
      while (room == 1) room = tile[--dim];
      const int64_t size = std::min(part.size, room);
      if (part.size % size != 0 || room % size != 0) return std::nullopt;
      atoms.push_back({size, part.stride});
      part = {part.size / size, part.stride * size};
      room /= size;
    }
  }
  return atoms;
}

SHARDY_INLINE std::optional<HloAtoms> atoms_of(const DeviceArray& array) {
  if (!array.is_list()) return split_at_tile(array.strides(), array.tile());
  const auto strides = strides_of_list(array.devices());
  return strides ? split_at_tile(*strides, array.tile()) : std::nullopt;
}

/// Returns the sizes of the factors, major first: `3x2`.
SHARDY_INLINE std::string sizes_text(HloAtoms atoms) {
  std::ranges::sort(atoms, [](const auto& a, const auto& b) { return a.stride > b.stride; });
  std::string text;
  for (const DeviceStride& atom : atoms) {
    text += (text.empty() ? "" : "x") + std::to_string(atom.size);
  }
  return text;
}

/// Device strides at which a mesh axis must begin, with the first array that requires each.
using HloBorders = std::map<int64_t, std::size_t>;

SHARDY_INLINE std::optional<HloMeshConflict> conflict_of(const HloBorders& borders,
                                                         std::span<const HloAtoms> atoms) {
  const std::pair<const int64_t, std::size_t>* before = nullptr;
  for (const auto& border : borders) {
    if (before != nullptr && border.first % before->first != 0) {
      const std::size_t first = std::min(before->second, border.second);
      const std::size_t second = std::max(before->second, border.second);
      return HloMeshConflict{HloMeshConflict::Kind::Sizes, first, second, sizes_text(atoms[first]),
                             sizes_text(atoms[second])};
    }
    before = &border;
  }
  return std::nullopt;
}

SHARDY_INLINE tl::expected<std::vector<MeshAxis>, HloMeshConflict> axes_of_atoms(
    std::span<const HloAtoms> atoms) {
  HloBorders borders;
  for (std::size_t index = 0; index < atoms.size(); ++index) {
    for (const DeviceStride& atom : atoms[index]) {
      borders.emplace(atom.stride, index);
      borders.emplace(atom.stride * atom.size, index);
    }
  }
  if (auto conflict = conflict_of(borders, atoms)) return tl::unexpected(*std::move(conflict));
  std::vector<MeshAxis> axes;
  for (auto border = borders.rbegin(); border != borders.rend(); ++border) {
    const auto next = std::next(border);
    if (next == borders.rend()) break;
    axes.push_back({"_axis_" + std::to_string(axes.size()), border->first / next->first});
  }
  return axes;
}

SHARDY_INLINE std::vector<int64_t> devices_of(const DeviceArray& array) {
  if (array.is_list()) return {array.devices().begin(), array.devices().end()};
  std::vector<int64_t> devices;
  for (int64_t index = 0; index < array.num_devices(); ++index) {
    devices.push_back(array.device_at(index));
  }
  return devices;
}

/// Returns a mesh that numbers devices in the order of array `order`. If any order fits all arrays,
/// the order of every array that does not fit the default order fits, because all these orders
/// number the factors of one mesh.
SHARDY_INLINE tl::expected<Mesh, HloMeshConflict> mesh_in_order_of(
    std::span<const DeviceArray> arrays, std::size_t order) {
  const std::vector<int64_t> devices = devices_of(arrays[order]);
  std::vector<int64_t> positions(devices.size());
  for (std::size_t index = 0; index < devices.size(); ++index) {
    positions[static_cast<std::size_t>(devices[index])] = static_cast<int64_t>(index);
  }
  std::vector<HloAtoms> atoms;
  for (std::size_t index = 0; index < arrays.size(); ++index) {
    std::vector<int64_t> list = devices_of(arrays[index]);
    for (int64_t& device : list) device = positions[static_cast<std::size_t>(device)];
    const auto strides = strides_of_list(list);
    auto own = strides ? split_at_tile(*strides, arrays[index].tile()) : std::nullopt;
    if (!own) return tl::unexpected(HloMeshConflict{HloMeshConflict::Kind::Orders, order, index});
    atoms.push_back(*std::move(own));
  }
  auto axes = axes_of_atoms(atoms);
  if (!axes) {
    return tl::unexpected(
        HloMeshConflict{HloMeshConflict::Kind::Orders, axes.error().first, axes.error().second});
  }
  return Mesh::make(*std::move(axes), devices).value_or(Mesh());
}

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE tl::expected<Mesh, HloMeshConflict> common_hlo_mesh(
    std::span<const DeviceArray> arrays) {
  constexpr int64_t kMostListed = int64_t{1} << 24;
  std::vector<detail::HloAtoms> atoms;
  std::optional<std::size_t> unfit;
  for (std::size_t index = 0; index < arrays.size(); ++index) {
    if (arrays[index].num_devices() != arrays[0].num_devices()) {
      return tl::unexpected(HloMeshConflict{HloMeshConflict::Kind::Counts, 0, index});
    }
    auto own = detail::atoms_of(arrays[index]);
    if (!own && !unfit) unfit = index;
    atoms.push_back(own ? *std::move(own) : detail::HloAtoms());
  }
  if (unfit && arrays[0].num_devices() <= kMostListed) {
    return detail::mesh_in_order_of(arrays, *unfit);
  }
  if (unfit) {
    return tl::unexpected(HloMeshConflict{HloMeshConflict::Kind::Orders, *unfit, *unfit});
  }
  auto axes = detail::axes_of_atoms(atoms);
  if (!axes) return tl::unexpected(std::move(axes).error());
  return Mesh::make(*std::move(axes)).value_or(Mesh());
}

}  // namespace shardy
#endif  // SHARDY_BODIES
