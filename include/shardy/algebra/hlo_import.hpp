#pragma once

#include <cstdint>
#include <shardy/algebra/hlo_sharding.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <vector>

// Import of GSPMD's shardings for a tensor, on a mesh of their own or on a given one.
// Spec: algebra 12.1.

namespace shardy {

/// A sharding of the free axes, and the names of the mesh axes that are manual, in mesh order.
struct HloLayout {
  TensorSharding sharding;          // on the mesh of the import
  std::vector<std::string> manual;  // names of the axes that are manual

  friend bool operator==(const HloLayout&, const HloLayout&);
};

namespace detail {

/// The error that names the first device which no sharding of `mesh` has there.
tl::unexpected<Error> first_difference(const HloSharding& hlo, const Mesh& mesh, int64_t index);

/// Logical positions in `mesh` of the devices of the array, as strides; the index of the first one
/// that has no place in them. Requires: as many devices as the mesh has.
tl::expected<std::vector<DeviceStride>, std::size_t> position_strides(const DeviceArray& array,
                                                                      const Mesh& mesh);

}  // namespace detail

/// Returns the sharding of a tensor of `rank` dims, on an inlined mesh made for it: the axes of its
/// device array, named `axis_0`, ... or by `names`, split where a dim ends inside of them. All dims
/// are closed. Errors: those of algebra 12.1; manual and unreduced shardings, which name no
/// devices.
Result<HloLayout> import_hlo(const HloSharding& hlo, std::size_t rank,
                             std::span<const std::string> names = {});

/// The same on a given mesh, in its axes and sub-axes; a maximal sharding keeps its own. Errors: as
/// above; `device <d> at index <i> of the device array is where no sharding over <mesh> has it`.
/// Cost: all devices if the array is a list or the mesh has device ids.
Result<HloLayout> import_hlo_onto(const HloSharding& hlo, std::size_t rank, const MeshRef& mesh);

}  // namespace shardy

#ifdef SHARDY_HEADER_ONLY
#include <shardy/algebra/detail/hlo_import_inl.hpp>
#endif
