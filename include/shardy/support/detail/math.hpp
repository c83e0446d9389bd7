#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <shardy/support/result.hpp>

namespace shardy {

/// Returns a * b; std::nullopt on overflow.
constexpr std::optional<int64_t> checked_mul(int64_t a, int64_t b) {
  int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
  return result;
}

/// Returns a + b; std::nullopt on overflow.
constexpr std::optional<int64_t> checked_add(int64_t a, int64_t b) {
  int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) return std::nullopt;
  return result;
}

/// Returns a + b, saturated at the limits of int64.
constexpr int64_t saturating_add(int64_t a, int64_t b) {
  using Limits = std::numeric_limits<int64_t>;
  return checked_add(a, b).value_or(b < 0 ? Limits::min() : Limits::max());
}

/// Returns a * b, saturated at the limits of int64.
constexpr int64_t saturating_mul(int64_t a, int64_t b) {
  using Limits = std::numeric_limits<int64_t>;
  return checked_mul(a, b).value_or((a < 0) != (b < 0) ? Limits::min() : Limits::max());
}

/// Returns a / b, rounded towards minus infinity. Requires: b > 0.
constexpr int64_t floor_div(int64_t a, int64_t b) {
  SHARDY_EXPECTS(b > 0);
  return a / b - (a % b < 0 ? 1 : 0);
}

/// Returns the remainder of a / b in [0, b). Requires: b > 0.
constexpr int64_t floor_mod(int64_t a, int64_t b) {
  SHARDY_EXPECTS(b > 0);
  return a % b + (a % b < 0 ? b : 0);
}

/// Returns a / b, rounded towards plus infinity. Requires: b > 0.
constexpr int64_t ceil_div(int64_t a, int64_t b) {
  SHARDY_EXPECTS(b > 0);
  return a / b + (a % b > 0 ? 1 : 0);
}

/// Returns the greatest common divisor; gcd(n, 0) == n. Requires: a >= 0, b >= 0.
constexpr int64_t gcd(int64_t a, int64_t b) {
  SHARDY_EXPECTS(a >= 0 && b >= 0);
  while (b != 0) {
    const int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/// Returns the product of all elements, 1 for an empty range; std::nullopt on overflow. If any
/// element is zero, the product is 0, even if a partial product overflows.
template <class Range>
constexpr std::optional<int64_t> checked_product(const Range& range) {
  std::optional<int64_t> result = 1;
  for (const int64_t factor : range) {
    if (factor == 0) return 0;
    if (result) result = checked_mul(*result, factor);
  }
  return result;
}

/// Returns the product of all elements, 1 for an empty range. Requires: the product fits int64.
template <class Range>
constexpr int64_t product(const Range& range) {
  const std::optional<int64_t> result = checked_product(range);
  SHARDY_EXPECTS(result.has_value());
  return result.value_or(std::numeric_limits<int64_t>::max());
}

}  // namespace shardy
