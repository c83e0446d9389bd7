// Permute maps and groups of collectives as lists of devices. Spec: partitioning 4.3, 4.4.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "shardy/algebra/axis_ref.hpp"
#include "shardy/algebra/mesh.hpp"
#include "shardy/ir/attribute.hpp"

namespace shardy::partitioning {

using DevicePair = std::pair<int64_t, int64_t>;  // source, target

/// Returns source-target pairs, in the order of the sources' positions on `mesh`.
std::vector<DevicePair> device_pairs(const ir::PermuteMap& map, const Mesh& mesh,
                                     std::span<const AxisRef> axes);

}  // namespace shardy::partitioning
