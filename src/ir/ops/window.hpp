// Ops that move windows over a tensor.
#pragma once

#include "notation.hpp"

namespace shardy::ir {

inline constexpr OpRow kWindowOps[] = {
    {.kind = Convolution,
     .operands = "lhs rhs",
     .infer = &infer_convolution,
     .attributes = kConvolution,
     .form = " %, % A : FUNC",
     .syntax = Syntax::Convolution},
    {.kind = DynamicConv,
     .operands = "lhs rhs padding",
     .types_given = true,
     .infer = &infer_written,
     .attributes = kConvolution},
    {.kind = ReduceWindow,
     .operands = "inputs+ init_values+",
     .results = "results+",
     .regions = "body",
     .terminator = StablehloReturn,
     .infer = &infer_reduce_window,
     .attributes =
         "base_dilations:array?;padding:pairs?;window_dilations:array?;window_dimensions:array;"
         "window_strides:array?"},
    {.kind = SelectAndScatter,
     .operands = "operand source init_value",
     .regions = "select scatter",
     .terminator = StablehloReturn,
     .infer = &infer_select_and_scatter,
     .attributes = "padding:pairs?;window_dimensions:array?;window_strides:array?"},
};

}  // namespace shardy::ir
