// The integers modulo 2^61 - 1: numbers whose sums do not depend on the order of the summands.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace shardy::prime_field {

/// The modulus, a prime.
inline constexpr uint64_t kPrime = (uint64_t{1} << 61U) - 1;

namespace detail {
__extension__ using Wide = unsigned __int128;
}  // namespace detail

/// The element of the field that represents a number.
constexpr uint64_t reduced(uint64_t x) {
  const uint64_t folded = (x & kPrime) + (x >> 61U);
  return folded >= kPrime ? folded - kPrime : folded;
}

/// Represents NaN: any operation on it yields NaN. Any number with high bits counts as NaN.
inline constexpr uint64_t kNotANumber = ~uint64_t{0};
inline constexpr uint64_t kNegativeNotANumber = kNotANumber - 1;  // below all in order_key
constexpr bool is_number(uint64_t x) { return x < kPrime; }

/// Sums, products and opposites of elements, which are below the modulus.
constexpr uint64_t add(uint64_t x, uint64_t y) {
  return is_number(x) && is_number(y) ? reduced(x + y) : kNotANumber;
}
constexpr uint64_t negate(uint64_t x) {
  return !is_number(x) ? kNotANumber : x == 0 ? 0 : kPrime - x;
}
constexpr uint64_t subtract(uint64_t x, uint64_t y) { return add(x, negate(y)); }
constexpr uint64_t multiply(uint64_t x, uint64_t y) {
  if (!is_number(x) || !is_number(y)) return kNotANumber;
  const detail::Wide product = static_cast<detail::Wide>(x) * y;
  return reduced((static_cast<uint64_t>(product) & kPrime) + static_cast<uint64_t>(product >> 61U));
}
constexpr uint64_t power(uint64_t x, uint64_t exponent) {
  uint64_t result = 1;
  for (; exponent != 0; exponent >>= 1U, x = multiply(x, x)) {
    if ((exponent & 1U) != 0) result = multiply(result, x);
  }
  return result;
}
/// 1 / x; that of 0 is 0.
constexpr uint64_t inverse(uint64_t x) {
  if (x == 0) return 0;
  return is_number(x) ? power(x, kPrime - 2) : kNotANumber;
}

/// Writes the inverses of many elements, with one inverse and three products for each: the inverse
/// of a product is that of its prefix without the last factor, times that of the factor. Requires:
/// `x` and `inverses` do not overlap.
constexpr void invert_all(const uint64_t* x, uint64_t* inverses, std::size_t count) {
  const auto is_factor = [&](std::size_t at) { return is_number(x[at]) && x[at] != 0; };
  uint64_t product = 1;
  for (std::size_t at = 0; at < count; ++at) {
    inverses[at] = product;
    if (is_factor(at)) product = multiply(product, x[at]);
  }
  uint64_t inverted = inverse(product);
  for (std::size_t at = count; at-- > 0;) {
    if (is_factor(at)) {
      inverses[at] = multiply(inverses[at], inverted);
      inverted = multiply(inverted, x[at]);
    } else {
      inverses[at] = inverse(x[at]);
    }
  }
}

/// Mixes all 64 bits of x into all bits of the result; different numbers have different results.
constexpr uint64_t mixed(uint64_t x) {
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31U);
}
/// The part of mixed(x, y) that depends on x only.
constexpr uint64_t mixing_start(uint64_t x) { return mixed(x + 0x9E3779B97F4A7C15ULL); }
/// A fixed pseudo-random function of two numbers.
constexpr uint64_t mixed(uint64_t x, uint64_t y) { return mixed(mixing_start(x) + y); }

/// The element that represents infinity; minus infinity is its negation.
inline constexpr uint64_t kInfinity = reduced(mixed(1));

constexpr uint64_t image(uint64_t x) { return reduced(x); }
constexpr uint64_t image(int64_t x) {
  return x >= 0 ? reduced(static_cast<uint64_t>(x))
                : negate(reduced(~static_cast<uint64_t>(x) + 1));
}
/// Image of m * 2^e among the elements of the field: 2^61 is 1.
inline uint64_t image(double x) {
  if (std::isnan(x)) return std::signbit(x) ? kNegativeNotANumber : kNotANumber;
  if (std::isinf(x)) return x > 0 ? kInfinity : negate(kInfinity);
  int exponent = 0;
  const auto mantissa = static_cast<int64_t>(std::ldexp(std::frexp(x, &exponent), 53));
  const auto shift = static_cast<uint64_t>(((exponent - 53) % 61 + 61) % 61);
  return multiply(image(mantissa), uint64_t{1} << shift);
}

/// The integer in (-2^60, 2^60) that represents the element.
constexpr int64_t centered(uint64_t x) {
  return x <= kPrime / 2 ? static_cast<int64_t>(x) : -static_cast<int64_t>(kPrime - x);
}

/// Integers below this magnitude are ordered as numbers, so that programs can count with floats.
inline constexpr int64_t kSmall = int64_t{1} << 32U;
constexpr bool is_small(uint64_t x) {
  return is_number(x) && centered(x) < kSmall && centered(x) > -kSmall;
}

namespace detail {

inline constexpr uint64_t kMiddle = uint64_t{1} << 63U;  // position of 0
inline constexpr uint64_t kUnit = uint64_t{1} << 60U;    // from 0 to 1
inline constexpr uint64_t kOctaveBits = 57;              // from 2^k to 2^(k + 1)

/// Returns the distance of an integer below kSmall from 0. Any two integers have elements between
/// them, half as many from one octave to the next.
constexpr uint64_t distance(uint64_t x) {
  if (x == 0) return 0;
  const auto octave = static_cast<uint64_t>(std::bit_width(x)) - 1;
  const uint64_t above = x - (uint64_t{1} << octave);
  return kUnit + (octave << kOctaveBits) + (above << (kOctaveBits - octave));
}

/// The steps between integers below kSmall are multiples of it.
inline constexpr uint64_t kLeastStep = uint64_t{1} << (kOctaveBits - 31);

/// Checks whether the element at this position is an integer.
constexpr bool is_integer_at(uint64_t distance) {
  if (distance < kUnit) return distance == 0;
  const uint64_t octave = (distance - kUnit) >> kOctaveBits;
  if (octave >= 32) return false;
  const uint64_t step = uint64_t{1} << (kOctaveBits - octave);
  return ((distance - kUnit) & (step - 1)) == 0;
}

}  // namespace detail

/// Orders the elements: minus infinity first, infinity last, small integers as numbers. All others
/// have random positions, some between any two integers, so that comparisons matter. NaN is at both
/// ends.
constexpr uint64_t order_key(uint64_t x) {
  using detail::kMiddle;
  if (!is_number(x)) return x == kNegativeNotANumber ? 0 : ~uint64_t{0};
  if (x == kInfinity) return ~uint64_t{1};
  if (x == negate(kInfinity)) return 1;
  if (is_small(x)) {
    const int64_t number = centered(x);
    return number >= 0 ? kMiddle + detail::distance(static_cast<uint64_t>(number))
                       : kMiddle - detail::distance(static_cast<uint64_t>(-number));
  }
  const uint64_t key = mixed(x);
  // Almost always, and the signs of distances are hard to predict.
  if ((key & (detail::kLeastStep - 1)) > 1 && key < ~uint64_t{1}) return key;
  if (key < 2) return key + 2;
  if (key >= ~uint64_t{1}) return key - 2;
  return detail::is_integer_at(key > kMiddle ? key - kMiddle : kMiddle - key) ? key + 1 : key;
}

}  // namespace shardy::prime_field
