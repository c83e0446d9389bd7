// Ops with computed indices.
#pragma once

#include "notation.hpp"

namespace shardy::ir {

inline constexpr OpRow kGatherOps[] = {
    {.kind = Gather,
     .operands = "operand start_indices",
     .infer = &infer_gather,
     .attributes = "dimension_numbers:gather;indices_are_sorted:bool?;slice_sizes:array"},
    {.kind = DynamicGather,
     .operands = "operand start_indices slice_sizes",
     .types_given = true,
     .infer = &infer_written,
     .attributes = "dimension_numbers:gather;indices_are_sorted:bool?"},
    {.kind = Scatter,
     .operands = "inputs+ scatter_indices updates+",
     .results = "results+",
     .regions = "update_computation",
     .terminator = StablehloReturn,
     .infer = &infer_scatter,
     .attributes =
         "indices_are_sorted:bool?;scatter_dimension_numbers:scatter;unique_indices:bool?"},
    {.kind = TorchIndexSelect,
     .operands = "operand index",
     .types_given = true,
     .infer = &infer_written,
     .attributes = "batch_dims:i64;dim:i64"},
};

}  // namespace shardy::ir
