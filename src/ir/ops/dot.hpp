// Contractions.
#pragma once

#include "notation.hpp"

namespace shardy::ir {

inline constexpr OpRow kDotOps[] = {
    {.kind = Dot,
     .operands = "lhs rhs",
     .infer = &infer_dot,
     .attributes = "precision_config:words precision?",
     .form = " %, %{, precision = $precision_config} A : FUNC"},
    {.kind = DotGeneral,
     .operands = "lhs rhs",
     .infer = &infer_dot_general,
     .attributes =
         "algorithm:algorithm?;dot_dimension_numbers:dot;precision_config:words precision?",
     .form = " %, %, $dot_dimension_numbers{, precision = $precision_config}{, algorithm = "
             "$algorithm} A : FUNC"},
    {.kind = Einsum,
     .operands = "lhs rhs",
     .types_given = true,
     .infer = &infer_written,
     .attributes = "einsum_config:string",
     .form = " %, %, config = $einsum_config A : FUNC"},
    {.kind = UnaryEinsum,
     .operands = "operand",
     .types_given = true,
     .infer = &infer_written,
     .attributes = "einsum_config:string",
     .form = " %, config = $einsum_config A : FUNC"},
};

}  // namespace shardy::ir
