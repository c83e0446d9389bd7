#pragma once

#include <cstdint>
#include <map>
#include <shardy/algebra/mesh.hpp>
#include <shardy/support/detail/inline.hpp>
#include <string>
#include <string_view>

namespace shardy {

/// Returns the size of each axis by name. Spec: algebra 1.4.
std::map<std::string, int64_t, std::less<>> axis_name_to_size(const Mesh& mesh);

/// Compares axis names by the order of axes in `mesh`. Unknown names come last, ordered by name.
/// Spec: algebra 1.4.
bool axis_name_less(const Mesh& mesh, std::string_view left, std::string_view right);

}  // namespace shardy

#ifdef SHARDY_BODIES
#include <optional>

namespace shardy {

SHARDY_INLINE std::map<std::string, int64_t, std::less<>> axis_name_to_size(const Mesh& mesh) {
  std::map<std::string, int64_t, std::less<>> sizes;
  for (const MeshAxis& axis : mesh.axes()) sizes.emplace(axis.name, axis.size);
  return sizes;
}

SHARDY_INLINE bool axis_name_less(const Mesh& mesh, std::string_view left, std::string_view right) {
  const std::optional<int32_t> left_axis = mesh.find_axis(left);
  const std::optional<int32_t> right_axis = mesh.find_axis(right);
  if (left_axis && right_axis) return *left_axis < *right_axis;
  if (left_axis || right_axis) return left_axis.has_value();
  return left < right;
}

}  // namespace shardy
#endif  // SHARDY_BODIES
