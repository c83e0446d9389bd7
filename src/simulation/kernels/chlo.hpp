// Functions that the C++ library does not have, accurate to the last bits of a double. In exact
// runs, functions of floats are replaced by fixed pseudo-random functions of the bits, so that
// equal arguments give equal results. Spec: stablehlo 29, 37.
#pragma once

#include "shardy/simulation/run.hpp"

namespace shardy::simulation {

/// Returns the inverse of erf: infinite at -1 and 1, NaN outside of [-1, 1].
double erf_inv(double x);
/// Returns exp(-|x|) I_1(x), where I_1 is the modified Bessel function.
double bessel_i1e(double x);
/// Returns the derivative of log gamma; NaN at its poles.
double digamma(double x);
/// Returns the Hurwitz zeta function: the sum of (q + k)^-x over k >= 0.
double zeta(double x, double q);
/// Returns the n-th derivative of digamma; NaN if n is not a natural number.
double polygamma(double n, double x);

/// Checks whether the op computes a function of exact elements other than field arithmetic.
bool is_exact_function(const ir::Module& module, ir::OpId op);

/// Returns a kernel that applies the function to each element. Requires: is_exact_function.
Kernel exact_function(const KernelRequest& request);

/// Returns a kernel of a function of matrices, which are the last two dims. Requires: one operand;
/// the result has its type.
Kernel exact_matrix_function(const KernelRequest& request);

}  // namespace shardy::simulation
