// Binary floating-point formats of at most 16 bits, and rounding to them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <shardy/ir/type.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/result.hpp>

namespace shardy::ir {

/// Encoding of infinities and NaNs in a float format. Spec: stablehlo 16.3.
enum class FloatSpecials : uint8_t {
  Ieee,         // all exponent bits set: infinity if the mantissa is 0, else NaN
  NanAllOnes,   // all bits but the sign bit set: NaN; the format has no infinity
  NanNegZero,   // only the sign bit set: NaN; the format has no infinity and no -0
  None,         // the format has no infinity and no NaN
  ExponentOnly  // f8E8M0FNU: only powers of two, without sign and zero; all bits set: NaN
};

/// A binary float format of at most 16 bits: sign, exponent, mantissa.
struct FloatFormat {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  FloatSpecials specials;

  constexpr int sign_shift() const { return exponent_bits + mantissa_bits; }
  constexpr uint64_t sign_bit() const {
    return specials == FloatSpecials::ExponentOnly ? 0 : uint64_t{1} << sign_shift();
  }
  /// Returns the mask of the exponent and mantissa bits.
  constexpr uint64_t magnitude_mask() const { return (uint64_t{1} << sign_shift()) - 1; }
  constexpr uint64_t mantissa_mask() const { return (uint64_t{1} << mantissa_bits) - 1; }
  /// Returns the bits of the largest finite value.
  constexpr uint64_t max_finite() const {
    switch (specials) {
      case FloatSpecials::Ieee:
        return (magnitude_mask() ^ mantissa_mask()) - 1;
      case FloatSpecials::NanAllOnes:
      case FloatSpecials::ExponentOnly:
        return magnitude_mask() - 1;
      case FloatSpecials::NanNegZero:
      case FloatSpecials::None:
        break;
    }
    return magnitude_mask();
  }
};

/// Returns the format of a float type. Requires: a float type of at most 16 bits.
constexpr FloatFormat float_format(ElementType type) {
  using enum ElementType;
  switch (type) {
    case BF16:
      return {8, 7, 127, FloatSpecials::Ieee};
    case F16:
      return {5, 10, 15, FloatSpecials::Ieee};
    case F8E5M2:
      return {5, 2, 15, FloatSpecials::Ieee};
    case F8E4M3:
      return {4, 3, 7, FloatSpecials::Ieee};
    case F8E3M4:
      return {3, 4, 3, FloatSpecials::Ieee};
    case F8E4M3FN:
      return {4, 3, 7, FloatSpecials::NanAllOnes};
    case F8E4M3FNUZ:
      return {4, 3, 8, FloatSpecials::NanNegZero};
    case F8E5M2FNUZ:
      return {5, 2, 16, FloatSpecials::NanNegZero};
    case F8E4M3B11FNUZ:
      return {4, 3, 11, FloatSpecials::NanNegZero};
    case F8E8M0FNU:
      return {8, 0, 127, FloatSpecials::ExponentOnly};
    case F6E2M3FN:
      return {2, 3, 1, FloatSpecials::None};
    case F6E3M2FN:
      return {3, 2, 3, FloatSpecials::None};
    default:
      SHARDY_ASSERT(type == F4E2M1FN);
      return {2, 1, 1, FloatSpecials::None};
  }
}

namespace detail {

/// The exact number value * 2^exponent. The sign is a separate member, so that -0 can be
/// represented.
struct Magnitude {
  uint64_t value = 0;
  int exponent = 0;
  bool negative = false;
};

/// Returns the sign, mantissa and exponent of `value`. Requires: `value` is finite.
Magnitude magnitude_of(double value);

/// Returns value / 2^shift, rounded to nearest, ties to even.
constexpr uint64_t shift_right_to_even(uint64_t value, int shift) {
  if (shift <= 0) return value << static_cast<unsigned>(-shift);
  if (shift > 64) return 0;
  const uint64_t kept = shift == 64 ? 0 : value >> static_cast<unsigned>(shift);
  const uint64_t half = uint64_t{1} << static_cast<unsigned>(shift - 1);
  const uint64_t rest = shift == 64 ? value : value & ((half << 1U) - 1);
  const bool up = rest > half || (rest == half && (kept & 1U) != 0);
  return kept + (up ? 1 : 0);
}

constexpr uint64_t nan_bits(const FloatFormat& format) {
  switch (format.specials) {
    case FloatSpecials::Ieee:
      return format.magnitude_mask() ^ (format.mantissa_mask() >> 1U);
    case FloatSpecials::NanAllOnes:
    case FloatSpecials::ExponentOnly:
      return format.magnitude_mask();
    case FloatSpecials::NanNegZero:
    case FloatSpecials::None:
      break;
  }
  return format.sign_bit();  // a format without NaN returns the bits of -0
}

/// Returns the bits for numbers whose absolute value exceeds the largest finite value.
constexpr uint64_t overflow_bits(const FloatFormat& format, bool negative) {
  const uint64_t sign = negative ? format.sign_bit() : 0;
  switch (format.specials) {
    case FloatSpecials::Ieee:
      return sign | (format.magnitude_mask() ^ format.mantissa_mask());
    case FloatSpecials::None:
      return sign | format.max_finite();
    case FloatSpecials::NanNegZero:
      return nan_bits(format);
    case FloatSpecials::NanAllOnes:
    case FloatSpecials::ExponentOnly:
      break;
  }
  return sign | nan_bits(format);
}

/// Returns the bits of the nearest value of `format`, ties to even, rounded once. Spec: stablehlo
/// 16.4.
constexpr uint64_t round_to(const Magnitude& exact, const FloatFormat& format) {
  const bool powers_only = format.specials == FloatSpecials::ExponentOnly;
  if (powers_only && exact.negative && exact.value != 0) return nan_bits(format);
  const uint64_t sign = exact.negative ? format.sign_bit() : 0;
  if (exact.value == 0) return format.specials == FloatSpecials::NanNegZero ? 0 : sign;
  const int leading = exact.exponent + 63 - std::countl_zero(exact.value);
  const int smallest = (powers_only ? 0 : 1) - format.bias;  // exponent of the least normal value
  if (powers_only && leading < smallest) return 0;
  const int unit = std::max(leading, smallest) - format.mantissa_bits;
  uint64_t bits = shift_right_to_even(exact.value, unit - exact.exponent);
  if (leading >= smallest) {
    // The leading bit of the mantissa is not stored. If rounding overflows the mantissa, the carry
    // increments the exponent field.
    const int field = leading + format.bias;
    bits += (static_cast<uint64_t>(field) << static_cast<unsigned>(format.mantissa_bits)) -
            (uint64_t{1} << static_cast<unsigned>(format.mantissa_bits));
  }
  if (bits > format.max_finite()) return overflow_bits(format, exact.negative);
  return bits == 0 && format.specials == FloatSpecials::NanNegZero ? 0 : sign | bits;
}

}  // namespace detail

/// Returns the bits of the value of `format` that is nearest to `value`. Spec: stablehlo 16.3,
/// 16.4.
uint64_t encode_bits(double value, const FloatFormat& format);

/// Returns the exact value that `bits` represent in `format`.
double decode_bits(uint64_t bits, const FloatFormat& format);

}  // namespace shardy::ir

#ifdef SHARDY_BODIES
#include <cmath>
#include <limits>

namespace shardy::ir::detail {

SHARDY_INLINE Magnitude magnitude_of(double value) {
  const auto bits = std::bit_cast<uint64_t>(value);
  const auto field = static_cast<int>((bits >> 52U) & 0x7FFU);
  const uint64_t fraction = bits & ((uint64_t{1} << 52U) - 1);
  const uint64_t hidden = field == 0 ? 0 : uint64_t{1} << 52U;
  return {fraction | hidden, std::max(field, 1) - 1075, (bits >> 63U) != 0};
}

SHARDY_INLINE uint64_t nan_to(double value, const FloatFormat& format) {
  if (format.specials != FloatSpecials::Ieee) {
    const bool signed_nan = format.specials == FloatSpecials::NanAllOnes && std::signbit(value);
    return nan_bits(format) | (signed_nan ? format.sign_bit() : 0);
  }
  const auto payload =
      std::bit_cast<uint64_t>(value) >> static_cast<unsigned>(52 - format.mantissa_bits);
  return (std::signbit(value) ? format.sign_bit() : 0) | nan_bits(format) |
         (payload & format.mantissa_mask());
}

}  // namespace shardy::ir::detail

namespace shardy::ir {

SHARDY_INLINE uint64_t encode_bits(double value, const FloatFormat& format) {
  if (std::isnan(value)) return detail::nan_to(value, format);
  if (std::isinf(value)) {
    const bool negative = std::signbit(value);
    if (negative && format.sign_bit() == 0) return detail::nan_bits(format);
    return detail::overflow_bits(format, negative);
  }
  return detail::round_to(detail::magnitude_of(value), format);
}

SHARDY_INLINE double decode_bits(uint64_t bits, const FloatFormat& format) {
  const bool negative = (bits & format.sign_bit()) != 0;
  const uint64_t magnitude = bits & format.magnitude_mask();
  const uint64_t mantissa = bits & format.mantissa_mask();
  const auto field = static_cast<int>(magnitude >> static_cast<unsigned>(format.mantissa_bits));
  const double sign = negative ? -1.0 : 1.0;
  if (format.specials == FloatSpecials::NanNegZero && negative && magnitude == 0) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (magnitude > format.max_finite()) {
    const bool infinite = format.specials == FloatSpecials::Ieee && mantissa == 0;
    if (infinite) return sign * std::numeric_limits<double>::infinity();
    const uint64_t payload = mantissa << static_cast<unsigned>(52 - format.mantissa_bits);
    return std::bit_cast<double>((negative ? uint64_t{1} << 63U : 0) | 0x7FF8000000000000ULL |
                                 payload);
  }
  if (format.specials == FloatSpecials::ExponentOnly) return std::ldexp(1.0, field - format.bias);
  const uint64_t hidden =
      field == 0 ? 0 : uint64_t{1} << static_cast<unsigned>(format.mantissa_bits);
  return sign * std::ldexp(static_cast<double>(mantissa | hidden),
                           std::max(field, 1) - format.bias - format.mantissa_bits);
}

}  // namespace shardy::ir
#endif  // SHARDY_BODIES
