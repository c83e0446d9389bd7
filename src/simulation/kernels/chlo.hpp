// Functions that the C++ library does not have, accurate to the last bits of a double, and
// functions of floats in exact runs: fixed pseudo-random functions of the bits: equal
// arguments give equal results. Spec: stablehlo 29, 37.
#pragma once

#include "shardy/simulation/kernels/kernel.hpp"

namespace shardy::simulation {

/// The inverse of erf: infinite at -1 and 1, NaN beyond.
double erf_inv(double x);
/// exp(-|x|) I_1(x).
double bessel_i1e(double x);
/// The derivative of log gamma; NaN at its poles.
double digamma(double x);
/// Hurwitz: the sum of (q + k)^-x over k >= 0.
double zeta(double x, double q);
/// Returns the n-th derivative of digamma; NaN if n is not a natural number.
double polygamma(double n, double x);

/// Checks whether the op is a function of exact elements other than field arithmetic.
bool is_exact_function(const ir::Module& module, ir::OpId op);

/// Element by element. Requires: is_exact_function.
Kernel exact_function(const KernelRequest& request);

/// A function of whole matrices, the last two dims. Requires: one operand and a result of its type.
Kernel exact_matrix_function(const KernelRequest& request);

}  // namespace shardy::simulation
