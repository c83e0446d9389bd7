#pragma once

#include <optional>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/support/inline.hpp>
#include <span>
#include <string>

namespace shardy {

/// Options of the comparison of meshes.
struct CommonMeshOptions {
  bool ignore_device_ids = false;  // then a mesh in iota order is preferred
};

/// The mesh that all shardings which are there have in common, and how the first one refers to it;
/// an empty mesh gives way to any other. Nothing if they differ or none is there.
/// Order: operands, then results. Spec: algebra 1.5.
std::optional<MeshRef> common_mesh(std::span<const std::optional<TensorSharding>> shardings,
                                   CommonMeshOptions options = {});

/// Name of the common mesh; nothing if there is none. Requires: it is referred to by its name.
std::optional<std::string> common_mesh_name(
    std::span<const std::optional<TensorSharding>> shardings, CommonMeshOptions options = {});

/// How the first sharding that is there and not on a maximal mesh refers to its mesh.
std::optional<MeshRef> first_non_maximal_mesh(
    std::span<const std::optional<TensorSharding>> shardings);

}  // namespace shardy

#ifdef SHARDY_BODIES
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
#endif  // SHARDY_BODIES
