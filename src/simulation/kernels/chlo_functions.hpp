// Functions that the C++ library does not have, accurate to the last bits of a double.
// Spec: stablehlo 29.
#pragma once

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

}  // namespace shardy::simulation
