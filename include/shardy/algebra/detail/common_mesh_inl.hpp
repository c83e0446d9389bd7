// Bodies of common_mesh.hpp.
#pragma once

#include <optional>
#include <shardy/algebra/common_mesh.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/support/inline.hpp>
#include <span>
#include <string>

namespace shardy::detail {

/// Takes one more mesh into `common`; false if it does not fit.
SHARDY_INLINE bool take_mesh(std::optional<MeshRef>& common, const MeshRef& next,
                             CommonMeshOptions options) {
  // So the last empty reference wins while only empty ones were seen.
  if (!common || common->mesh.empty()) {
    common = next;
    return true;
  }
  if (next.mesh.empty()) return true;
  const bool equal = options.ignore_device_ids ? next.mesh.equals_ignoring_device_ids(common->mesh)
                                               : next.mesh == common->mesh;
  if (equal && options.ignore_device_ids && next.mesh.device_ids().empty()) common = next;
  return equal;
}

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE std::optional<MeshRef> common_mesh(
    std::span<const std::optional<TensorSharding>> shardings, CommonMeshOptions options) {
  std::optional<MeshRef> common;
  for (const std::optional<TensorSharding>& sharding : shardings) {
    if (sharding && !detail::take_mesh(common, sharding->mesh_ref(), options)) return std::nullopt;
  }
  return common;
}

SHARDY_INLINE std::optional<std::string> common_mesh_name(
    std::span<const std::optional<TensorSharding>> shardings, CommonMeshOptions options) {
  const std::optional<MeshRef> common = common_mesh(shardings, options);
  if (!common) return std::nullopt;
  SHARDY_EXPECTS(common->name.has_value());
  return common->name;
}

SHARDY_INLINE std::optional<MeshRef> first_non_maximal_mesh(
    std::span<const std::optional<TensorSharding>> shardings) {
  for (const std::optional<TensorSharding>& sharding : shardings) {
    if (sharding && !sharding->mesh().is_maximal()) return sharding->mesh_ref();
  }
  return std::nullopt;
}

}  // namespace shardy
