#pragma once

#include <cstddef>
#include <cstdint>
#include <shardy/algebra/detail/device_array.hpp>
#include <shardy/algebra/mesh.hpp>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

// One mesh for the device arrays of a program. Spec: interop 5.2, 5.3.

namespace shardy {

/// Two device arrays that no mesh has both of.
struct HloMeshConflict {
  /// The difference of two device arrays: numbers of devices, sizes of dims, or
  /// device orders.
  enum class Kind { Counts, Sizes, Orders };

  Kind kind = Kind::Counts;       // what keeps them apart
  std::size_t first = 0;          // number of the first array
  std::size_t second = 0;         // number of the second array
  std::string first_sizes = {};   // `3x2`: how the first cuts the devices; only for Sizes
  std::string second_sizes = {};  // how the second cuts the devices; only for Sizes
};

/// The coarsest mesh in whose axes all arrays can be written: axes `_axis_0`, ... major to minor,
/// and the devices in another order if some array needs it. Requires: an array, and more than one
/// device. Cost: linear in the text of the arrays; all devices for each if the order is another.
tl::expected<Mesh, HloMeshConflict> common_hlo_mesh(std::span<const DeviceArray> arrays);

}  // namespace shardy

#ifdef SHARDY_HEADER_ONLY
#include <shardy/algebra/detail/hlo_mesh_inl.hpp>
#endif
