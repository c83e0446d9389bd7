// The number of the running device and values derived from it, in StableHLO. Spec: partitioning
// 4.4.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shardy/algebra/axis_ref.hpp"
#include "shardy/algebra/mesh.hpp"
#include "shardy/ir/builder.hpp"
#include "shardy/support/result.hpp"

namespace shardy::partitioning {

/// Creates an i64 constant of rank 0.
ir::ValueId i64_constant(ir::Builder& builder, int64_t number);

/// Returns the number of the process as i64: partition or replica.
ir::ValueId device_number(ir::Builder& builder, ir::OpKind kind);

/// Returns entry `index`, a scalar, of a constant list.
ir::ValueId table_entry(ir::Builder& builder, const std::vector<int64_t>& table, ir::ValueId index);

/// Returns the coordinate along the axes, major first, of the device: arithmetic on its number, or
/// a table lookup if the mesh lists device ids.
ir::ValueId coordinate_of(ir::Builder& builder, const Mesh& mesh, std::span<const AxisRef> axes,
                          ir::ValueId device);

/// Returns one E_MESH_MISMATCH per spmd op whose mesh lacks devices of the program. Spec:
/// partitioning 4.4.
Diagnostics wrong_device_counts(const ir::Module& module);

}  // namespace shardy::partitioning
