// Functions of floats in exact runs: fixed pseudo-random functions of the bits, of
// which nothing but equality of the arguments is known. Spec: stablehlo 37.
#pragma once

#include "shardy/simulation/kernels/kernel.hpp"

namespace shardy::simulation {

/// Checks whether the op is a function of exact elements other than field arithmetic.
bool is_exact_function(const ir::Module& module, ir::OpId op);

/// Element by element. Requires: is_exact_function.
Kernel exact_function(const KernelRequest& request);

/// A function of whole matrices, the last two dims. Requires: one operand and a result of its type.
Kernel exact_matrix_function(const KernelRequest& request);

}  // namespace shardy::simulation
