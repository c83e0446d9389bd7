// Bodies of float_format.hpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <shardy/ir/detail/float_format.hpp>
#include <shardy/support/inline.hpp>

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
