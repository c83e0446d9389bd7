#pragma once

#include <optional>
#include <shardy/algebra/tensor_sharding.hpp>
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

#ifdef SHARDY_HEADER_ONLY
#include <shardy/algebra/detail/common_mesh_inl.hpp>
#endif
