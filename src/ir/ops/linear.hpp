// Linear algebra, transforms, normalization.
#pragma once

#include "notation.hpp"

namespace shardy::ir {

inline constexpr OpRow kLinearOps[] = {
    {.kind = Cholesky,
     .operands = "a",
     .infer = &infer_cholesky,
     .attributes = "lower:bool=false",
     .form = " %{, lower = $lower} A : SAME"},
    {.kind = TriangularSolve,
     .operands = "a b",
     .infer = &infer_triangular_solve,
     .attributes = "left_side:bool;lower:bool;transpose_a:enum transpose;unit_diagonal:bool"},
    {.kind = Fft,
     .operands = "operand",
     .infer = &infer_fft,
     .attributes = "fft_length:array;fft_type:enum fft",
     .form = " %, type = $fft_type, length = $fft_length A : FUNC"},
    {.kind = BatchNormGrad,
     .operands = "operand scale mean variance grad_output",
     .results = "grad_operand grad_scale grad_offset",
     .infer = &infer_batch_norm,
     .attributes = kNormalization},
    {.kind = BatchNormInference,
     .operands = "operand scale offset mean variance",
     .infer = &infer_batch_norm,
     .attributes = kNormalization},
    {.kind = BatchNormTraining,
     .operands = "operand scale offset",
     .results = "output batch_mean batch_var",
     .infer = &infer_batch_norm,
     .attributes = kNormalization},
};

}  // namespace shardy::ir
