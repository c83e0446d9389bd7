// Kernels of elementary functions, computed in f64 and rounded once. Spec: stablehlo 16.4, 17, 18.
#include <cmath>
#include <concepts>
#include <numbers>

#include "simulation/element.hpp"
#include "simulation/kernels/binary_ops.hpp"
#include "simulation/kernels/elementary.hpp"
#include "simulation/kernels/elementwise.hpp"
#include "simulation/kernels/kernel_table.hpp"

namespace shardy::simulation {
namespace {

using Wide = WideComplex;

struct Exponential {
  static double of(double x) { return std::exp(x); }
  [[gnu::always_inline]] static double narrow(double x) { return detail::narrow_exp(x); }
  static Wide of(Wide x) { return std::exp(x); }
};
struct ExponentialMinusOne {
  static double of(double x) { return std::expm1(x); }
  [[gnu::always_inline]] static double narrow(double x) { return detail::narrow_expm1(x); }
  static Wide of(Wide x) { return std::exp(x) - 1.0; }
};
struct Log {
  static double of(double x) { return std::log(x); }
  [[gnu::always_inline]] static double narrow(double x) { return detail::narrow_log(x); }
  static Wide of(Wide x) { return std::log(x); }
};
struct LogPlusOne {
  static double of(double x) { return std::log1p(x); }
  /// Keeps small parts of x near 0, which log(1 + x) loses.
  static Wide of(Wide x) {
    const double re = x.real();
    const double im = x.imag();
    if (std::abs(re) >= 0.5 || std::abs(im) >= 0.5) return std::log(1.0 + x);
    return {0.5 * std::log1p(re * (2 + re) + im * im), std::atan2(im, 1 + re)};
  }
};
struct Tanh {
  static double of(double x) { return std::tanh(x); }
  [[gnu::always_inline]] static double narrow(double x) { return detail::narrow_tanh(x); }
  static Wide of(Wide x) { return std::tanh(x); }
};
struct Rsqrt {
  static double of(double x) { return 1.0 / std::sqrt(x); }
  static Wide of(Wide x) { return 1.0 / std::sqrt(x); }
};
struct Cbrt {
  static double of(double x) { return std::cbrt(x); }
  static Wide of(Wide x) {
    const double radius = std::pow(x.real() * x.real() + x.imag() * x.imag(), 1.0 / 6.0);
    const double angle = std::arg(x) / 3.0;
    return {radius * std::cos(angle), radius * std::sin(angle)};
  }
};

/// Returns 1 / (1 + exp(-x)); each step is rounded.
struct Logistic {
  template <class T>
  static constexpr bool kIsVectorCode = Elementary<Exponential>::kIsVectorCode<T>;

  template <Float T>
  static T apply(T x) {
    const T exponential = Elementary<Exponential>::apply(round_to<T>(-to_double(x)));
    const T one = round_to<T>(1.0);
    return Divide::apply(one, Add::apply(one, exponential));
  }
  template <Complex T>
  static T apply(T x) {
    const T exponential = Elementary<Exponential>::apply(T(-x.real(), -x.imag()));
    return Divide::apply(T(1), Add::apply(T(1), exponential));
  }
};

/// The first step of the logistic function for floats of one byte: exp(-x).
struct ExponentialOfNegated {
  static double apply(std::same_as<double> auto x) { return std::exp(-x); }
};
struct OnePlus {
  static double apply(std::same_as<double> auto x) { return 1 + x; }
};
struct Reciprocal {
  static double apply(std::same_as<double> auto x) { return 1 / x; }
};

Result<Kernel> make_logistic(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  if (!is_tiny_float(reader.operand().element())) {
    return elementwise_kernel(reader, &pick_unary<Logistic>);
  }
  constexpr UnaryPick kSteps[] = {&pick_unary<ExponentialOfNegated>, &pick_unary<OnePlus>,
                                  &pick_unary<Reciprocal>};
  return tiny_kernel(reader, kSteps);
}

}  // namespace

SHARDY_KERNEL(Cbrt, make_unary<Elementary<Cbrt>>)
SHARDY_KERNEL(Cosine, make_unary<Elementary<WideFunction<std::cos, std::cos>>>)
SHARDY_KERNEL(Exponential, make_unary<Elementary<Exponential>>)
SHARDY_KERNEL(ExponentialMinusOne, make_unary<Elementary<ExponentialMinusOne>>)
SHARDY_KERNEL(Log, make_unary<Elementary<Log>>)
SHARDY_KERNEL(LogPlusOne, make_unary<Elementary<LogPlusOne>>)
SHARDY_KERNEL(Logistic, make_logistic)
SHARDY_KERNEL(Rsqrt, make_unary<Elementary<Rsqrt>>)
SHARDY_KERNEL(Sine, make_unary<Elementary<WideFunction<std::sin, std::sin>>>)
SHARDY_KERNEL(Sqrt, make_unary<Elementary<WideFunction<std::sqrt, std::sqrt>>>)
SHARDY_KERNEL(Tan, make_unary<Elementary<WideFunction<std::tan, std::tan>>>)
SHARDY_KERNEL(Tanh, make_unary<Elementary<Tanh>>)

}  // namespace shardy::simulation
