// The integers modulo 2^61 - 1. Exact checks use them instead of floats, because their sums do not
// depend on the order of additions.
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

/// Returns x modulo kPrime, the element that represents an integer.
constexpr uint64_t reduced(uint64_t x) {
  const uint64_t folded = (x & kPrime) + (x >> 61U);
  return folded >= kPrime ? folded - kPrime : folded;
}

/// Represents NaN: the result of any operation with it is NaN. All numbers from kPrime on count as
/// NaN.
inline constexpr uint64_t kNotANumber = ~uint64_t{0};
inline constexpr uint64_t kNegativeNotANumber = kNotANumber - 1;  // first in the order of order_key
constexpr bool is_number(uint64_t x) { return x < kPrime; }

/// Returns x + y. Arguments of arithmetic functions are elements, below kPrime, or NaN.
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
/// Returns 1 / x; inverse(0) is 0.
constexpr uint64_t inverse(uint64_t x) {
  if (x == 0) return 0;
  return is_number(x) ? power(x, kPrime - 2) : kNotANumber;
}

/// Writes the inverses of `count` elements, with one inverse in all and three products per element:
/// 1 / x_i = (x_0 * .. * x_(i-1)) * 1 / (x_0 * .. * x_i). Requires: `x` and `inverses` do not
/// overlap.
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

/// Returns a 64-bit hash of x. Different arguments have different results.
constexpr uint64_t mixed(uint64_t x) {
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31U);
}
/// Returns the part of mixed(x, y) that depends only on x.
constexpr uint64_t mixing_start(uint64_t x) { return mixed(x + 0x9E3779B97F4A7C15ULL); }
/// Returns a hash of x and y.
constexpr uint64_t mixed(uint64_t x, uint64_t y) { return mixed(mixing_start(x) + y); }

/// The element that represents infinity. Its negation represents minus infinity.
inline constexpr uint64_t kInfinity = reduced(mixed(1));

constexpr uint64_t image(uint64_t x) { return reduced(x); }
constexpr uint64_t image(int64_t x) {
  return x >= 0 ? reduced(static_cast<uint64_t>(x))
                : negate(reduced(~static_cast<uint64_t>(x) + 1));
}
/// Returns the element that represents a float m * 2^e; 2^61 is equal to 1.
inline uint64_t image(double x) {
  if (std::isnan(x)) return std::signbit(x) ? kNegativeNotANumber : kNotANumber;
  if (std::isinf(x)) return x > 0 ? kInfinity : negate(kInfinity);
  int exponent = 0;
  const auto mantissa = static_cast<int64_t>(std::ldexp(std::frexp(x, &exponent), 53));
  const auto shift = static_cast<uint64_t>(((exponent - 53) % 61 + 61) % 61);
  return multiply(image(mantissa), uint64_t{1} << shift);
}

/// Returns the integer in (-2^60, 2^60) that the element represents.
constexpr int64_t centered(uint64_t x) {
  return x <= kPrime / 2 ? static_cast<int64_t>(x) : -static_cast<int64_t>(kPrime - x);
}

/// Integers of smaller magnitude are ordered by value, so that programs can count with floats.
inline constexpr int64_t kSmall = int64_t{1} << 32U;
constexpr bool is_small(uint64_t x) {
  return is_number(x) && centered(x) < kSmall && centered(x) > -kSmall;
}

namespace detail {

inline constexpr uint64_t kMiddle = uint64_t{1} << 63U;  // order_key of 0
inline constexpr uint64_t kUnit = uint64_t{1} << 60U;    // distance between the keys of 0 and 1
/// Distance between the keys of 2^k and 2^(k + 1), as a power of two.
inline constexpr uint64_t kOctaveBits = 57;

/// Returns the distance of the key of an integer below kSmall from the key of 0. The keys of any
/// two integers have other elements between them; their number halves from one octave to the next.
constexpr uint64_t distance(uint64_t x) {
  if (x == 0) return 0;
  const auto octave = static_cast<uint64_t>(std::bit_width(x)) - 1;
  const uint64_t above = x - (uint64_t{1} << octave);
  return kUnit + (octave << kOctaveBits) + (above << (kOctaveBits - octave));
}

/// Keys of integers below kSmall differ by multiples of this step.
inline constexpr uint64_t kLeastStep = uint64_t{1} << (kOctaveBits - 31);

/// Checks whether an integer has a key at this distance from the key of 0.
constexpr bool is_integer_at(uint64_t distance) {
  if (distance < kUnit) return distance == 0;
  const uint64_t octave = (distance - kUnit) >> kOctaveBits;
  if (octave >= 32) return false;
  const uint64_t step = uint64_t{1} << (kOctaveBits - octave);
  return ((distance - kUnit) & (step - 1)) == 0;
}

}  // namespace detail

/// Returns the sort key of an element: minus infinity is first, infinity last, and small integers
/// are ordered by value. All other elements have pseudo-random positions, some of them between any
/// two integers, so that the results of comparisons vary. NaNs are at both ends.
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
