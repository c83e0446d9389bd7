// Ops given by a function on double and on complex double, rounded once. Spec: stablehlo 16.4, 29.
#pragma once

#include <complex>
#include <concepts>

#include "simulation/element.hpp"
#include "simulation/kernels/binary_ops.hpp"

namespace shardy::simulation {

using WideComplex = std::complex<double>;

/// `Function::of` takes doubles, and complex doubles where the op has complex operands.
/// `Function::narrow`, if there is one, takes the place of the first for narrower operands.
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

/// The same for a function of two doubles.
template <class Function>
struct ElementaryOfTwo {
  template <Float T>
  static T apply(T x, T y) {
    return round_to<T>(Function::of(to_double(x), to_double(y)));
  }
};

}  // namespace shardy::simulation
