// Intermediate values are long double where the host has one that is wider than double: sums and
// differences then cost no bit of the result.
#include "simulation/kernels/chlo_functions.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace shardy::simulation {
namespace {

using Long = long double;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// B_2, B_4, ..., B_24.
constexpr std::array<Long, 12> kBernoulli = {
    1.0L / 6,       -1.0L / 30,       1.0L / 42,       -1.0L / 30,
    5.0L / 66,      -691.0L / 2730,   7.0L / 6,        -3617.0L / 510,
    43867.0L / 798, -174611.0L / 330, 854513.0L / 138, -236364091.0L / 2730};

// ---- erf_inv ---------------------------------------------------------------------------------

/// Winitzki's approximation, good to 2 digits. Requires: 0 < x < 1.
Long rough_erf_inv(Long x, Long complement) {
  constexpr Long kA = 0.147L;
  const Long log = std::log(complement * (1 + x));
  const Long half = 2 / (std::numbers::pi_v<Long> * kA) + log / 2;
  return std::sqrt(std::sqrt(half * half - log / kA) - half);
}

/// Halley's method on erf near 0, on erfc where erf is close to 1. Requires: 0 < x < 1.
Long positive_erf_inv(Long x) {
  const Long complement = 1 - x;  // exact where it matters
  const Long slope = 2 * std::numbers::inv_sqrtpi_v<Long>;
  Long y = x < 0.01L ? x / slope : rough_erf_inv(x, complement);
  for (int step = 0; step < 4; ++step) {
    const Long error = x < 0.5L ? std::erf(y) - x : complement - std::erfc(y);
    const Long newton = error / (slope * std::exp(-y * y));
    y -= newton / (1 + y * newton);
  }
  return y;
}

// ---- digamma ---------------------------------------------------------------------------------

/// log x - 1/(2x) - sum of B_2k / (2k x^2k), from x >= 15 on, where the recurrence leads.
Long positive_digamma(Long x) {
  Long shift = 0;
  while (x < 15) {
    shift += 1 / x;
    x += 1;
  }
  const Long inverse = 1 / (x * x);
  Long series = 0;
  for (std::size_t k = kBernoulli.size(); k > 0; --k) {
    series = (series + kBernoulli[k - 1] / static_cast<Long>(2 * k)) * inverse;
  }
  return std::log(x) - 1 / (2 * x) - series - shift;
}

// ---- zeta ------------------------------------------------------------------------------------

/// The difference of the sum from a on and its integral: a^-x / 2 and the corrections by Euler and
/// Maclaurin, relative to a^-x.
Long corrections(Long x, Long a) {
  Long factor = x / a;  // x (x + 1) ... (x + 2k - 2) / a^(2k - 1)
  Long factorial = 2;   // (2k)!
  Long sum = 0.5L;
  for (std::size_t k = 1; k <= kBernoulli.size(); ++k) {
    const Long term = kBernoulli[k - 1] * factor / factorial;
    sum += term;
    if (std::abs(term) < std::abs(sum) * 1e-21L) break;
    const auto twice = static_cast<Long>(2 * k);
    factor *= (x + twice - 1) * (x + twice) / (a * a);
    factorial *= (twice + 1) * (twice + 2);
  }
  return sum;
}

/// Requires: x > 1, q > 0.
Long positive_zeta(Long x, Long q) {
  if (std::isinf(x)) return std::pow(q, -x);
  constexpr int kDirectTerms = 24;
  Long sum = 0;
  Long a = q;
  for (int k = 0; k < kDirectTerms; ++k, ++a) {
    const Long term = std::pow(a, -x);
    sum += term;
    if (term * (1 + a / (x - 1)) < sum * 1e-22L) return sum;
  }
  const Long power = std::pow(a, -x);
  return sum + power * (a / (x - 1)) + power * corrections(x, a);
}

/// The terms with q + k < 0 are those of two other sums, up to a sign. Requires: natural x > 1,
/// q < 0 and not an integer.
Long reflected_zeta(Long x, Long q) {
  const Long fraction = q - std::floor(q);
  const Long num_negative = -std::floor(q);
  const Long negative =
      positive_zeta(x, 1 - fraction) - positive_zeta(x, num_negative + 1 - fraction);
  const bool is_even = std::fmod(x, 2.0L) == 0;
  return positive_zeta(x, fraction) + (is_even ? negative : -negative);
}

bool is_integer(double x) { return std::floor(x) == x; }

/// In long double: factors of polygamma overflow and underflow against each other.
Long wide_zeta(double x, double q) {
  if (std::isnan(x) || std::isnan(q) || x < 1) return kNan;
  if (x == 1) return std::numeric_limits<Long>::infinity();
  if (q > 0) return std::isinf(q) ? 0 : positive_zeta(x, q);
  if (is_integer(q)) return std::fmod(x, 2.0) == 0 ? kInfinity : kNan;
  return is_integer(x) && !std::isinf(x) ? reflected_zeta(x, q) : kNan;
}

// ---- bessel_i1e ------------------------------------------------------------------------------

/// exp(-x) times the power series, all terms of which are positive.
Long series_i1e(Long x) {
  const Long quarter = x * x / 4;
  Long term = x / 2;
  Long sum = 0;
  for (int k = 1; term > sum * 1e-22L; ++k) {
    sum += term;
    term *= quarter / (static_cast<Long>(k) * static_cast<Long>(k + 1));
  }
  return std::exp(-x) * sum;
}

/// The asymptotic series, whose terms shrink until about k = 2 x.
Long asymptotic_i1e(Long x) {
  Long term = 1;
  Long sum = 0;
  for (int k = 1; std::abs(term) > 1e-22L && k < 60; ++k) {
    sum += term;
    const auto odd = static_cast<Long>(2 * k - 1);
    term *= -(4 - odd * odd) / (8 * static_cast<Long>(k) * x);
  }
  return sum / std::sqrt(2 * std::numbers::pi_v<Long> * x);
}

}  // namespace

double erf_inv(double x) {
  const double magnitude = std::abs(x);
  if (!(magnitude <= 1)) return kNan;
  if (magnitude == 0) return x;
  if (magnitude == 1) return std::copysign(kInfinity, x);
  return std::copysign(static_cast<double>(positive_erf_inv(magnitude)), x);
}

double bessel_i1e(double x) {
  if (std::isnan(x) || x == 0) return x;
  const Long magnitude = std::abs(x);
  const Long value = magnitude < 40 ? series_i1e(magnitude) : asymptotic_i1e(magnitude);
  return std::copysign(static_cast<double>(value), x);
}

double digamma(double x) {
  if (std::isnan(x)) return x;
  if (x > 0) return std::isinf(x) ? x : static_cast<double>(positive_digamma(x));
  if (std::isinf(x) || is_integer(x)) return kNan;
  const Long wide = x;
  const Long past = wide - std::round(wide);  // the nearest pole: exact, also close to it
  const Long reflection = std::numbers::pi_v<Long> / std::tan(std::numbers::pi_v<Long> * past);
  return static_cast<double>(positive_digamma(1 - wide) - reflection);
}

double zeta(double x, double q) { return static_cast<double>(wide_zeta(x, q)); }

double polygamma(double n, double x) {
  if (n == 0) return digamma(x);
  if (!(n > 0) || !is_integer(n) || std::isinf(n)) return kNan;
  const Long value = std::tgamma(static_cast<Long>(n) + 1) * wide_zeta(n + 1, x);
  return static_cast<double>(std::fmod(n, 2.0) == 0 ? -value : value);
}

}  // namespace shardy::simulation
