// What functions of floats are in exact runs: fixed functions of the bits that look random, and of
// which nothing but equality of the arguments is known. Spec: stablehlo 37.
#pragma once

#include "shardy/simulation/kernels/kernel.hpp"

namespace shardy::simulation {

/// Whether the op computes a function of exact elements that is no arithmetic of the field.
bool is_exact_function(const ir::Module& module, ir::OpId op);

/// Element by element. Requires: is_exact_function.
Kernel exact_function(const KernelRequest& request);

/// A function of whole matrices, the last two dims. Requires: one operand and a result of its type.
Kernel exact_matrix_function(const KernelRequest& request);

}  // namespace shardy::simulation
