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

/// A constant of rank 0.
ir::ValueId i64_constant(ir::Builder& builder, int64_t number);

/// The number of the process, as i64: its partition or its replica.
ir::ValueId device_number(ir::Builder& builder, ir::OpKind kind);

/// The entry of a constant list at `index`, a scalar.
ir::ValueId table_entry(ir::Builder& builder, const std::vector<int64_t>& table, ir::ValueId index);

/// The coordinate along the axes, major first, of the device with that number: arithmetic on its
/// number, or a table where the mesh has an order of devices of its own.
ir::ValueId coordinate_of(ir::Builder& builder, const Mesh& mesh, std::span<const AxisRef> axes,
                          ir::ValueId device);

/// One E_MESH_MISMATCH per spmd op of the program whose mesh has not all of its devices.
/// Spec: partitioning 4.4.
Diagnostics wrong_device_counts(const ir::Module& module);

}  // namespace shardy::partitioning
