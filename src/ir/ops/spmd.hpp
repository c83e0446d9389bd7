// Ops that only a per-device program has. Spec: partitioning 4.1, 4.2.
#pragma once

#include "notation.hpp"

namespace shardy::ir {

inline constexpr OpRow kSpmdOps[] = {
    {.kind = SpmdCoord,
     .operands = "",
     .infer = &infer_spmd_coord,
     .attributes = "axes:axes;mesh:symbol"},
    {.kind = SpmdDeviceId,
     .operands = "",
     .infer = &infer_spmd_device_id,
     .attributes = "mesh:symbol"},
    {.kind = SpmdUndef, .operands = "", .types_given = true, .infer = &infer_spmd_undef},
    {.kind = SpmdFloorDiv, .operands = "lhs rhs", .infer = &infer_spmd_integer_arithmetic},
    {.kind = SpmdFloorMod, .operands = "lhs rhs", .infer = &infer_spmd_integer_arithmetic},
    {.kind = SpmdAllGather,
     .operands = "operands+",
     .results = "results+",
     .infer = &infer_spmd_all_gather,
     .attributes = "axes:axes;dim:i64;mesh:symbol"},
    {.kind = SpmdAllReduce,
     .operands = "operands+",
     .results = "results+",
     .regions = "reducer",
     .terminator = StablehloReturn,
     .infer = &infer_spmd_all_reduce,
     .attributes = "axes:axes;mesh:symbol"},
    {.kind = SpmdReduceScatter,
     .operands = "operands+",
     .results = "results+",
     .regions = "reducer",
     .terminator = StablehloReturn,
     .infer = &infer_spmd_reduce_scatter,
     .attributes = "axes:axes;dim:i64;mesh:symbol"},
    {.kind = SpmdAllToAll,
     .operands = "operands+",
     .results = "results+",
     .infer = &infer_spmd_all_to_all,
     .attributes = "axes:axes;concat_dim:i64;mesh:symbol;split_dim:i64"},
    {.kind = SpmdPermute,
     .operands = "operands+",
     .results = "results+",
     .infer = &infer_spmd_permute,
     .attributes = "axes:axes;map:permute;mesh:symbol"},
    {.kind = SpmdBroadcastFrom,
     .operands = "operands+",
     .results = "results+",
     .infer = &infer_spmd_broadcast_from,
     .attributes = "axes:axes;mesh:symbol;root:i64?"},
};

}  // namespace shardy::ir
