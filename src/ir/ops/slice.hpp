// Slices, concatenations and paddings.
#pragma once

#include "notation.hpp"

namespace shardy::ir {

inline constexpr OpRow kSliceOps[] = {
    {.kind = Concatenate,
     .operands = "inputs+",
     .infer = &infer_concatenate,
     .attributes = "dimension:i64",
     .form = " *, dim = $dimension A : FUNC",
     .min_operands = 1},
    {.kind = Pad,
     .operands = "operand padding_value",
     .infer = &infer_pad,
     .attributes = "edge_padding_high:array;edge_padding_low:array;interior_padding:array",
     .form = " %, %, low = $edge_padding_low, high = $edge_padding_high, interior = "
             "$interior_padding A : FUNC"},
    {.kind = DynamicPad,
     .operands = "operand padding_value edge_padding_low edge_padding_high interior_padding",
     .types_given = true,
     .infer = &infer_written,
     .form = " * A : FUNC"},
    {.kind = Slice,
     .operands = "operand",
     .infer = &infer_slice,
     .attributes = "limit_indices:array;start_indices:array;strides:array",
     .form = " % $ranges A : FUNC"},
    {.kind = RealDynamicSlice,
     .operands = "operand start_indices limit_indices strides",
     .types_given = true,
     .infer = &infer_written,
     .form = " * A : FUNC"},
    {.kind = DynamicSlice,
     .operands = "operand start_indices*",
     .infer = &infer_dynamic_slice,
     .attributes = "slice_sizes:array",
     .form = " *, sizes = $slice_sizes A : FUNC",
     .min_operands = 2},
    {.kind = DynamicUpdateSlice,
     .operands = "operand update start_indices*",
     .infer = &infer_dynamic_update_slice,
     .form = " * A : FUNC"},
};

}  // namespace shardy::ir
