// Reductions of whole dims.
#pragma once

#include "notation.hpp"

namespace shardy::ir {

inline constexpr OpRow kReduceOps[] = {
    {.kind = Reduce,
     .operands = "inputs+ init_values+",
     .results = "results+",
     .regions = "body",
     .terminator = StablehloReturn,
     .infer = &infer_reduce,
     .attributes = "dimensions:array",
     .form = " * A : FUNC",
     .syntax = Syntax::Reduce},
};

}  // namespace shardy::ir
