// Elementary functions on double and complex double, rounded once. The versions for types of at
// most 32 bits have neither branches nor calls, so that compilers vectorize loops over them. A
// transformer layer then takes a third less time than with the C library
// (benchmarks/whole_programs.py). Spec: stablehlo 16.4, 29.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include "simulation/element.hpp"
#include "simulation/kernels/binary_ops.hpp"

namespace shardy::simulation::detail {

// The functions below use sums and products of f64, each rounded once, and so return equal bits on
// all machines. Their errors are below 4 units in the last place of f64. An f32 result can differ
// from the correctly rounded one only if the exact value is that close to the middle between two
// f32.

/// ln 2 = kLn2Head + kLn2Tail. Products of the head with integers below 2^11 are exact.
inline constexpr double kLn2Head = 0x1.62e42fefa38p-1;
inline constexpr double kLn2Tail = 0x1.ef35793c7673p-45;
/// The sum of this number and a double below 2^51 in magnitude has the nearest integer in its last
/// bits.
inline constexpr double kRoundingShift = 0x1.8p52;

/// Returns x^kPower; kPower is a power of 2.
template <std::size_t kPower>
[[gnu::always_inline]] constexpr double power_of(double x) {
  if constexpr (kPower == 1) {
    return x;
  } else {
    const double root = power_of<kPower / 2>(x);
    return root * root;
  }
}

/// Returns p[kFirst] + x p[kFirst + 1] + x^2 p[kFirst + 2] + ... with kCount terms. Halves the sum
/// recursively, to shorten the chain of dependent steps.
template <std::size_t kFirst, std::size_t kCount, std::size_t kSize>
[[gnu::always_inline]] constexpr double terms(const std::array<double, kSize>& p, double x) {
  if constexpr (kCount == 1) {
    return p[kFirst];
  } else {
    constexpr std::size_t kHalf = std::bit_ceil(kCount) / 2;
    return terms<kFirst, kHalf>(p, x) +
           power_of<kHalf>(x) * terms<kFirst + kHalf, kCount - kHalf>(p, x);
  }
}

/// Returns p[0] + x p[1] + x^2 p[2] + ...
template <std::size_t kSize>
[[gnu::always_inline]] constexpr double polynomial(const std::array<double, kSize>& p, double x) {
  return terms<0, kSize>(p, x);
}

/// The numbers e^r - 1 and 2^k for x = r + k ln 2.
struct SplitExponential {
  double fraction;
  double scale;
};

/// Splits x. Requires: |x| < 700, or x is NaN.
[[gnu::always_inline]] inline SplitExponential split_exponential(double x) {
  constexpr std::array<double, 12> kTaylor = {
      1.0 / 2,     1.0 / 6,      1.0 / 24,      1.0 / 120,      1.0 / 720,       1.0 / 5040,
      1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800};
  constexpr double kLog2E = 0x1.71547652b82fep0;
  const double shifted = x * kLog2E + kRoundingShift;
  const double k = shifted - kRoundingShift;
  const double r = (x - k * kLn2Head) - k * kLn2Tail;
  // Its last 11 bits are the biased exponent.
  const uint64_t exponent = std::bit_cast<uint64_t>(shifted) + 1023;
  return {r + r * r * polynomial(kTaylor, r), std::bit_cast<double>(exponent << 52U)};
}

/// Returns the nearest value in [low, high]; NaN for NaN.
[[gnu::always_inline]] constexpr double between(double low, double x, double high) {
  const double raised = select(x < low, low, x);
  return select(raised > high, high, raised);
}

/// Returns e^x. Outside of the bounds, f32 results are only 0 or infinity.
[[gnu::always_inline]] inline double narrow_exp(double x) {
  const SplitExponential e = split_exponential(between(-200, x, 200));
  return e.scale + e.scale * e.fraction;
}

/// Returns e^x - 1; keeps zeros and their signs.
[[gnu::always_inline]] inline double narrow_expm1(double x) {
  const SplitExponential e = split_exponential(between(-200, x, 200));
  return std::copysign((e.scale - 1) + e.scale * e.fraction, x);
}

/// Returns (e^2|x| - 1) / (e^2|x| + 1) with the sign of x; the quotient is 1 for |x| >= 20.
[[gnu::always_inline]] inline double narrow_tanh(double x) {
  const SplitExponential e = split_exponential(2 * between(0, std::fabs(x), 20));
  const double less_one = (e.scale - 1) + e.scale * e.fraction;
  return std::copysign(less_one / (less_one + 2), x);
}

/// Returns 2 artanh((m - 1) / (m + 1)) + k ln 2 for x = m 2^k with m near 1. Requires: x is not a
/// subnormal f64.
[[gnu::always_inline]] inline double narrow_log(double x) {
  constexpr std::array<double, 11> kArtanh = {1.0 / 3,  1.0 / 5,  1.0 / 7,  1.0 / 9,
                                              1.0 / 11, 1.0 / 13, 1.0 / 15, 1.0 / 17,
                                              1.0 / 19, 1.0 / 21, 1.0 / 23};
  constexpr auto kOne = std::bit_cast<uint64_t>(1.0);
  constexpr auto kRootOfHalf = std::bit_cast<uint64_t>(0x1.6a09e667f3bcdp-1);
  constexpr auto kShiftBits = std::bit_cast<uint64_t>(0x1p52);
  const auto bits = std::bit_cast<uint64_t>(x);
  // 1023 for x in [sqrt 1/2, sqrt 2)
  const uint64_t exponent = (bits + (kOne - kRootOfHalf)) >> 52U;
  const double k = std::bit_cast<double>(exponent | kShiftBits) - (0x1p52 + 1023);
  const auto m = std::bit_cast<double>(bits - ((exponent - 1023) << 52U));
  const double s = (m - 1) / (m + 1);
  const double square = s * s;
  const double of_m = 2 * s + 2 * s * square * polynomial(kArtanh, square);
  const double finite = k * kLn2Head + (k * kLn2Tail + of_m);
  const double not_positive = select(x == 0, -HUGE_VAL, (x - x) / (x - x));
  return select(x > 0, select(x < HUGE_VAL, finite, x), not_positive);
}

}  // namespace shardy::simulation::detail

namespace shardy::simulation {

using WideComplex = std::complex<double>;

/// A kernel of an elementary function. `Function::of` has overloads for double and, if the op has
/// complex operands, for complex double. `Function::narrow`, if it exists, replaces the overload
/// for double if the operands have at most 32 bits.
template <class Function>
struct Elementary {
  template <class T>
  static constexpr bool kIsVectorCode = Float<T> && !std::same_as<T, double> && requires(double x) {
    Function::narrow(x);
  };

  template <Float T>
  static T apply(T x) {
    if constexpr (kIsVectorCode<T>) {
      return round_to<T>(Function::narrow(to_double(x)));
    } else {
      return round_to<T>(Function::of(to_double(x)));
    }
  }
  template <Complex T>
  requires requires(WideComplex x) { Function::of(x); }
  static T apply(T x) {
    return detail::round_complex<T>(Function::of(detail::to_complex_double(x)));
  }
};

/// A function without vector code, defined on double, and optionally on complex double.
template <double (*kReal)(double)>
struct RealFunction {
  static double of(double x) { return kReal(x); }
};
template <double (*kReal)(double), WideComplex (*kComplex)(const WideComplex&)>
struct WideFunction : RealFunction<kReal> {
  using RealFunction<kReal>::of;
  static WideComplex of(WideComplex x) { return kComplex(x); }
};

/// A function of two doubles without vector code.
template <double (*kFunction)(double, double)>
struct ElementaryOfTwo {
  template <Float T>
  static T apply(T x, T y) {
    return round_to<T>(kFunction(to_double(x), to_double(y)));
  }
};

}  // namespace shardy::simulation
