// Arithmetic and logic on two elements. All cases are defined: integers wrap, x / 0 is -1, and
// shifts by the width or more give 0 or the sign. Spec: stablehlo 17, 18.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "shardy/support/detail/prime_field.hpp"
#include "simulation/element.hpp"
#include "simulation/kernels/matrix_product.hpp"

namespace shardy::simulation {

// Elementwise loops and products of row-major matrices over the prime field, with the results of
// prime_field.hpp.

void add_primes(const Prime* x, const Prime* y, Prime* sums, std::size_t count);
void subtract_primes(const Prime* x, const Prime* y, Prime* differences, std::size_t count);
void multiply_primes(const Prime* x, const Prime* y, Prime* products, std::size_t count);
/// Inverts many divisors together.
void divide_primes(const Prime* x, const Prime* y, Prime* quotients, std::size_t count);

/// Orders elements by `prime_field::order_key`; returns the first of two equal elements or NaNs.
void larger_primes(const Prime* x, const Prime* y, Prime* maxima, std::size_t count);
void smaller_primes(const Prime* x, const Prime* y, Prime* minima, std::size_t count);
/// Reduces the sum once.
Prime sum_of_primes(Prime first, const Prime* others, std::size_t count);
/// Folds elements in order, with one key for each.
Prime largest_prime(Prime first, const Prime* others, std::size_t count);
Prime smallest_prime(Prime first, const Prime* others, std::size_t count);

/// A function of the elements at each position that looks random: `prime_field::mixed` of the salt
/// and of the operands in order. NaN if one of them is NaN. Requires: operands.
void mix_primes(uint64_t salt, std::span<const Prime* const> operands, Prime* mixes,
                std::size_t count);

struct PrimeProductVersion {
  std::string_view name;
  MatrixProduct product;
};

/// Returns the versions that this machine runs, the fastest last. All return bitwise equal results:
/// sums of `prime_field::multiply` by `prime_field::add`, which do not depend on the order.
std::vector<PrimeProductVersion> prime_products();

// -------------------------------------------------------------------------------------------------

namespace detail {

inline int exact_order(Prime x, Prime y) {
  const uint64_t left = prime_field::order_key(x.raw);
  const uint64_t right = prime_field::order_key(y.raw);
  return left < right ? -1 : left > right ? 1 : 0;
}
inline bool is_exact_nan(Prime x) { return !prime_field::is_number(x.raw); }
inline bool is_exact_nan(PrimePair x) { return is_exact_nan(x.real) || is_exact_nan(x.imag); }
inline int exact_order(PrimePair x, PrimePair y) {
  return x.real == y.real ? exact_order(x.imag, y.imag) : exact_order(x.real, y.real);
}

}  // namespace detail

struct Add {
  static Prime apply(Prime x, Prime y) { return {prime_field::add(x.raw, y.raw)}; }
  static void apply_all(const Prime* x, const Prime* y, Prime* sums, std::size_t count) {
    add_primes(x, y, sums, count);
  }
  static Prime fold_all(Prime first, const Prime* others, std::size_t count) {
    return sum_of_primes(first, others, count);
  }
  static PrimePair apply(PrimePair x, PrimePair y) {
    return {apply(x.real, y.real), apply(x.imag, y.imag)};
  }
  static Bool apply(Bool x, Bool y) { return {static_cast<uint8_t>(x.raw | y.raw)}; }
  template <Integer T>
  static T apply(T x, T y) {
    return wrap<T>(static_cast<uint64_t>(widen(x)) + static_cast<uint64_t>(widen(y)));
  }
  template <Float T>
  static T apply(T x, T y) {
    return from_exact<T>(to_exact(x) + to_exact(y));
  }
  template <Complex T>
  static T apply(T x, T y) {
    return {x.real() + y.real(), x.imag() + y.imag()};
  }
};

struct Subtract {
  static Prime apply(Prime x, Prime y) { return {prime_field::subtract(x.raw, y.raw)}; }
  static void apply_all(const Prime* x, const Prime* y, Prime* differences, std::size_t count) {
    subtract_primes(x, y, differences, count);
  }
  static PrimePair apply(PrimePair x, PrimePair y) {
    return {apply(x.real, y.real), apply(x.imag, y.imag)};
  }
  template <Integer T>
  static T apply(T x, T y) {
    return wrap<T>(static_cast<uint64_t>(widen(x)) - static_cast<uint64_t>(widen(y)));
  }
  template <Float T>
  static T apply(T x, T y) {
    return from_exact<T>(to_exact(x) - to_exact(y));
  }
  template <Complex T>
  static T apply(T x, T y) {
    return {x.real() - y.real(), x.imag() - y.imag()};
  }
};

struct Multiply {
  static Prime apply(Prime x, Prime y) { return {prime_field::multiply(x.raw, y.raw)}; }
  static void apply_all(const Prime* x, const Prime* y, Prime* products, std::size_t count) {
    multiply_primes(x, y, products, count);
  }
  static PrimePair apply(PrimePair x, PrimePair y) {
    return {Subtract::apply(apply(x.real, y.real), apply(x.imag, y.imag)),
            Add::apply(apply(x.real, y.imag), apply(x.imag, y.real))};
  }
  static Bool apply(Bool x, Bool y) { return {static_cast<uint8_t>(x.raw & y.raw)}; }
  template <Integer T>
  static T apply(T x, T y) {
    return wrap<T>(static_cast<uint64_t>(widen(x)) * static_cast<uint64_t>(widen(y)));
  }
  template <Float T>
  static T apply(T x, T y) {
    return from_exact<T>(to_exact(x) * to_exact(y));
  }
  template <Complex T>
  static T apply(T x, T y) {
    return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
  }
};

namespace detail {

/// Returns true for MIN / -1, whose quotient T cannot represent. False for unsigned numbers.
template <Integer T>
constexpr bool overflows(T x, T y) {
  if constexpr (kSigned<T>) return widen(y) == -1 && widen(x) == min_value<T>();
  return false;
}

template <Complex T>
std::complex<double> to_complex_double(T x) {
  return {static_cast<double>(x.real()), static_cast<double>(x.imag())};
}
template <Complex T>
T round_complex(std::complex<double> x) {
  using Part = typename T::value_type;
  return {static_cast<Part>(x.real()), static_cast<Part>(x.imag())};
}

}  // namespace detail

struct Divide {
  static Prime apply(Prime x, Prime y) {
    return Multiply::apply(x, Prime{prime_field::inverse(y.raw)});
  }
  static void apply_all(const Prime* x, const Prime* y, Prime* quotients, std::size_t count) {
    divide_primes(x, y, quotients, count);
  }
  /// The norm of a pair is 0 only if both parts are 0, because -1 has no root in the field.
  static PrimePair apply(PrimePair x, PrimePair y) {
    const PrimePair conjugate{y.real, {prime_field::negate(y.imag.raw)}};
    const PrimePair product = Multiply::apply(x, conjugate);
    const Prime norm = Multiply::apply(y, conjugate).real;
    return {apply(product.real, norm), apply(product.imag, norm)};
  }
  template <Integer T>
  static T apply(T x, T y) {
    if (widen(y) == 0) return wrap<T>(~uint64_t{0});
    return detail::overflows(x, y) ? x : wrap<T>(widen(x) / widen(y));
  }
  template <Float T>
  static T apply(T x, T y) {
    return from_exact<T>(to_exact(x) / to_exact(y));
  }
  template <Complex T>
  static T apply(T x, T y) {
    return detail::round_complex<T>(detail::to_complex_double(x) / detail::to_complex_double(y));
  }
};

struct Remainder {
  template <Integer T>
  static T apply(T x, T y) {
    if (widen(y) == 0) return x;
    return detail::overflows(x, y) ? wrap<T>(uint64_t{0}) : wrap<T>(widen(x) % widen(y));
  }
  template <Float T>
  static T apply(T x, T y) {
    return round_to<T>(std::fmod(to_double(x), to_double(y)));
  }
};

/// Returns the quotient rounded towards minus infinity; x / 0 = -1. Spec: partitioning 4.1.
struct FloorDivide {
  template <Integer T>
  static T apply(T x, T y) {
    const T quotient = Divide::apply(x, y);
    if constexpr (kSigned<T>) {
      const bool inexact = widen(y) != 0 && widen(Remainder::apply(x, y)) != 0;
      if (inexact && (widen(x) < 0) != (widen(y) < 0)) return wrap<T>(widen(quotient) - 1);
    }
    return quotient;
  }
};

/// Returns the remainder with the sign of the divisor; x mod 0 = x. Spec: partitioning 4.1.
struct FloorModulo {
  template <Integer T>
  static T apply(T x, T y) {
    const T rest = Remainder::apply(x, y);
    if constexpr (kSigned<T>) {
      const bool moves = widen(y) != 0 && widen(rest) != 0;
      if (moves && (widen(rest) < 0) != (widen(y) < 0)) return wrap<T>(widen(rest) + widen(y));
    }
    return rest;
  }
};

struct Power {
  template <Integer T>
  static T apply(T x, T y) {
    if constexpr (kSigned<T>) {
      if (widen(y) < 0) return negative_exponent(x, y);
    }
    uint64_t result = 1;
    auto base = static_cast<uint64_t>(widen(x));
    for (auto rest = static_cast<uint64_t>(widen(y)); rest != 0; rest >>= 1) {
      if ((rest & 1) != 0) result *= base;
      base *= base;
    }
    return wrap<T>(result);
  }
  template <Float T>
  static T apply(T x, T y) {
    return round_to<T>(std::pow(to_double(x), to_double(y)));
  }
  template <Complex T>
  static T apply(T x, T y) {
    if (x == T(0)) return T(0);
    return detail::round_complex<T>(
        std::pow(detail::to_complex_double(x), detail::to_complex_double(y)));
  }

 private:
  template <Integer T>
  static T negative_exponent(T x, T y) {
    const bool odd = (pattern(y) & 1) != 0;
    const int64_t base = widen(x);
    return wrap<T>(static_cast<int64_t>(base == 1 ? 1 : base == -1 ? (odd ? -1 : 1) : 0));
  }
};

struct Atan2 {
  template <Float T>
  static T apply(T y, T x) {
    return round_to<T>(std::atan2(to_double(y), to_double(x)));
  }
  template <Complex T>
  static T apply(T y, T x) {
    const std::complex<double> i(0, 1);
    const std::complex<double> wide_y = detail::to_complex_double(y);
    const std::complex<double> wide_x = detail::to_complex_double(x);
    return detail::round_complex<T>(
        -i * std::log((wide_x + i * wide_y) / std::sqrt(wide_x * wide_x + wide_y * wide_y)));
  }
};

struct Maximum {
  template <Exactly T>
  static T apply(T x, T y) {
    return !detail::is_exact_nan(x) && (detail::is_exact_nan(y) || detail::exact_order(x, y) < 0)
               ? y
               : x;
  }
  static void apply_all(const Prime* x, const Prime* y, Prime* maxima, std::size_t count) {
    larger_primes(x, y, maxima, count);
  }
  static Prime fold_all(Prime first, const Prime* others, std::size_t count) {
    return largest_prime(first, others, count);
  }
  static Bool apply(Bool x, Bool y) { return {static_cast<uint8_t>(x.raw | y.raw)}; }
  template <Integer T>
  static T apply(T x, T y) {
    return widen(x) < widen(y) ? y : x;
  }
  template <Float T>
  static T apply(T x, T y) {
    const auto a = to_exact(x);
    const auto b = to_exact(y);
    // Without `||`, so that compilers vectorize loops over this function.
    const bool greater = a > b;
    const bool equal = a == b;
    const bool nan = is_nan(x);
    const bool positive = !is_negative(x);
    const bool first = static_cast<bool>(greater | nan | (equal & positive));
    return first ? x : y;
  }
  template <Complex T>
  static T apply(T x, T y) {
    const bool first = x.real() > y.real() || (x.real() == y.real() && x.imag() > y.imag());
    return first ? x : y;
  }
};

struct Minimum {
  template <Exactly T>
  static T apply(T x, T y) {
    return !detail::is_exact_nan(x) && (detail::is_exact_nan(y) || detail::exact_order(y, x) < 0)
               ? y
               : x;
  }
  static void apply_all(const Prime* x, const Prime* y, Prime* minima, std::size_t count) {
    smaller_primes(x, y, minima, count);
  }
  static Prime fold_all(Prime first, const Prime* others, std::size_t count) {
    return smallest_prime(first, others, count);
  }
  static Bool apply(Bool x, Bool y) { return {static_cast<uint8_t>(x.raw & y.raw)}; }
  template <Integer T>
  static T apply(T x, T y) {
    return widen(y) < widen(x) ? y : x;
  }
  template <Float T>
  static T apply(T x, T y) {
    const auto a = to_exact(x);
    const auto b = to_exact(y);
    const bool less = a < b;
    const bool equal = a == b;
    const bool nan = is_nan(x);
    const bool negative = is_negative(x);
    const bool first = static_cast<bool>(less | nan | (equal & negative));
    return first ? x : y;
  }
  template <Complex T>
  static T apply(T x, T y) {
    const bool first = x.real() < y.real() || (x.real() == y.real() && x.imag() < y.imag());
    return first ? x : y;
  }
};

struct And {
  static Bool apply(Bool x, Bool y) { return {static_cast<uint8_t>(x.raw & y.raw)}; }
  template <Integer T>
  static T apply(T x, T y) {
    return wrap<T>(pattern(x) & pattern(y));
  }
};

struct Or {
  static Bool apply(Bool x, Bool y) { return {static_cast<uint8_t>(x.raw | y.raw)}; }
  template <Integer T>
  static T apply(T x, T y) {
    return wrap<T>(pattern(x) | pattern(y));
  }
};

struct Xor {
  static Bool apply(Bool x, Bool y) { return {static_cast<uint8_t>(x.raw ^ y.raw)}; }
  template <Integer T>
  static T apply(T x, T y) {
    return wrap<T>(pattern(x) ^ pattern(y));
  }
};

/// Shifts left. The amount is read as unsigned.
struct ShiftLeft {
  template <Integer T>
  static T apply(T x, T amount) {
    const uint64_t by = pattern(amount);
    return wrap<T>(by < static_cast<uint64_t>(kBits<T>) ? pattern(x) << by : 0);
  }
};

struct ShiftRightLogical {
  template <Integer T>
  static T apply(T x, T amount) {
    const uint64_t by = pattern(amount);
    return wrap<T>(by < static_cast<uint64_t>(kBits<T>) ? pattern(x) >> by : 0);
  }
};

/// Shifts right and copies the top bit, for unsigned numbers as well.
struct ShiftRightArithmetic {
  template <Integer T>
  static T apply(T x, T amount) {
    constexpr int kUnused = 64 - kBits<T>;
    const auto value = static_cast<int64_t>(pattern(x) << kUnused) >> kUnused;
    const uint64_t by = std::min(pattern(amount), static_cast<uint64_t>(kBits<T> - 1));
    return wrap<T>(value >> by);
  }
};

/// Makes a complex number from its real and imaginary part.
struct MakeComplex {
  static PrimePair apply(Prime real, Prime imag) { return {real, imag}; }
  template <std::floating_point T>
  static std::complex<T> apply(T real, T imag) {
    return {real, imag};
  }
};

}  // namespace shardy::simulation
