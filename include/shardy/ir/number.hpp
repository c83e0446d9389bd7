// One element of a tensor as bytes, and the literals made of such elements.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "shardy/ir/element_type.hpp"
#include "shardy/ir/literal.hpp"
#include "shardy/ir/type.hpp"
#include "shardy/support/result.hpp"

namespace shardy::ir {

/// Where a float format keeps its infinities and NaNs. Spec: stablehlo 16.3.
enum class FloatSpecials : uint8_t {
  Ieee,         // all exponent bits set: infinity with mantissa 0, else NaN
  NanAllOnes,   // all bits but the sign set: NaN; no infinity
  NanNegZero,   // only the sign set: NaN; no infinity, no -0
  None,         // neither
  ExponentOnly  // f8E8M0FNU: a power of two; no sign, no zero; all bits set: NaN
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
  /// All exponent and mantissa bits.
  constexpr uint64_t magnitude_mask() const { return (uint64_t{1} << sign_shift()) - 1; }
  constexpr uint64_t mantissa_mask() const { return (uint64_t{1} << mantissa_bits) - 1; }
  /// Bits of the largest finite value.
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

/// The format of a float type other than f32 and f64, which the host has. Requires: it is one.
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

/// value * 2^exponent, exactly. The sign stands apart because of -0.
struct Magnitude {
  uint64_t value = 0;
  int exponent = 0;
  bool negative = false;
};

/// Requires: `value` is finite.
inline Magnitude magnitude_of(double value) {
  const auto bits = std::bit_cast<uint64_t>(value);
  const auto field = static_cast<int>((bits >> 52U) & 0x7FFU);
  const uint64_t fraction = bits & ((uint64_t{1} << 52U) - 1);
  const uint64_t hidden = field == 0 ? 0 : uint64_t{1} << 52U;
  return {fraction | hidden, std::max(field, 1) - 1075, (bits >> 63U) != 0};
}

/// value / 2^shift, to nearest, ties to even.
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
  return format.sign_bit();  // a format without NaN takes -0
}

/// What stands for a value beyond the largest finite one.
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

/// The nearest value of the format, ties to even, in one rounding. Spec: stablehlo 16.4.
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
    // The hidden bit is not stored; a mantissa that rounds up carries into the exponent by itself.
    const int field = leading + format.bias;
    bits += (static_cast<uint64_t>(field) << static_cast<unsigned>(format.mantissa_bits)) -
            (uint64_t{1} << static_cast<unsigned>(format.mantissa_bits));
  }
  if (bits > format.max_finite()) return overflow_bits(format, exact.negative);
  return bits == 0 && format.specials == FloatSpecials::NanNegZero ? 0 : sign | bits;
}

inline uint64_t nan_to(double value, const FloatFormat& format) {
  if (format.specials != FloatSpecials::Ieee) {
    const bool signed_nan = format.specials == FloatSpecials::NanAllOnes && std::signbit(value);
    return nan_bits(format) | (signed_nan ? format.sign_bit() : 0);
  }
  const auto payload =
      std::bit_cast<uint64_t>(value) >> static_cast<unsigned>(52 - format.mantissa_bits);
  return (std::signbit(value) ? format.sign_bit() : 0) | nan_bits(format) |
         (payload & format.mantissa_mask());
}

}  // namespace detail

/// Bits of the value of `format` nearest to `value`. Spec: stablehlo 16.3, 16.4.
inline uint64_t encode_bits(double value, const FloatFormat& format) {
  if (std::isnan(value)) return detail::nan_to(value, format);
  if (std::isinf(value)) {
    const bool negative = std::signbit(value);
    if (negative && format.sign_bit() == 0) return detail::nan_bits(format);
    return detail::overflow_bits(format, negative);
  }
  return detail::round_to(detail::magnitude_of(value), format);
}

/// The exact value of bits of a format.
inline double decode_bits(uint64_t bits, const FloatFormat& format) {
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

namespace detail {

template <typename T>
void store(std::span<std::byte> out, T value) {
  std::memcpy(out.data(), &value, sizeof(T));
}
template <typename T>
T load(std::span<const std::byte> bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

/// The low bytes of `bits`: little-endian hosts only, as everything that shares buffers here.
inline void store_bits(std::span<std::byte> out, uint64_t bits) {
  static_assert(std::endian::native == std::endian::little);
  std::memcpy(out.data(), &bits, std::min(out.size(), sizeof(bits)));
}
inline uint64_t load_bits(std::span<const std::byte> bytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data(), std::min(bytes.size(), sizeof(bits)));
  return bits;
}

/// The low `width` bits of a two's complement number, sign- or zero-extended.
constexpr int64_t wrap(int64_t value, int width, bool is_signed) {
  const auto unused = static_cast<unsigned>(64 - width);
  const uint64_t shifted = static_cast<uint64_t>(value) << unused;
  if (is_signed) return static_cast<int64_t>(shifted) >> unused;
  return static_cast<int64_t>(shifted >> unused);
}

/// Towards zero; NaN is 0, what is out of range goes to the nearest end. Spec: stablehlo 19.
inline int64_t truncate(double value, int width, bool is_signed) {
  if (std::isnan(value)) return 0;
  const double limit = std::ldexp(1.0, is_signed ? width - 1 : width);
  const auto largest = static_cast<int64_t>(
      is_signed ? (uint64_t{1} << static_cast<unsigned>(width - 1)) - 1
                : std::numeric_limits<uint64_t>::max() >> static_cast<unsigned>(64 - width));
  if (value >= limit) return largest;
  if (is_signed) return value <= -limit ? -largest - 1 : static_cast<int64_t>(value);
  return value <= 0 ? 0 : static_cast<int64_t>(static_cast<uint64_t>(value));
}

constexpr bool is_unsigned(ElementType type) { return info(type).kind == ElementClass::Unsigned; }

}  // namespace detail

/// Writes `value` as one element: floats rounded to nearest even, integers truncated towards zero
/// and kept in range, i1 `value != 0`, complex with imaginary part +0. Requires: `out` holds
/// size_bytes(type) bytes. Spec: stablehlo 16.4, 19.
inline void encode_into(std::span<std::byte> out, double value, ElementType type) {
  SHARDY_ASSERT(out.size() == size_bytes(type));
  const ElementInfo& element = info(type);
  switch (element.kind) {
    case ElementClass::Boolean:
      return detail::store_bits(out, value != 0 ? 1 : 0);
    case ElementClass::Signed:
    case ElementClass::Unsigned:
    case ElementClass::Index:
      return detail::store_bits(out, static_cast<uint64_t>(detail::truncate(
                                         value, element.bits, !detail::is_unsigned(type))));
    case ElementClass::Complex: {
      const std::size_t half = out.size() / 2;
      const ElementType part = half == 4 ? ElementType::F32 : ElementType::F64;
      encode_into(out.first(half), value, part);
      return encode_into(out.subspan(half), 0.0, part);
    }
    case ElementClass::Float:
      break;
  }
  if (type == ElementType::F64) return detail::store(out, value);
  if (type == ElementType::F32) return detail::store(out, static_cast<float>(value));
  detail::store_bits(out, encode_bits(value, float_format(type)));
}

/// Writes an integer as one element: integers keep their low bits, floats round once, i1 `value !=
/// 0`. With `as_unsigned` the 64 bits of `value` are read as an unsigned number.
inline void encode_int_into(std::span<std::byte> out, int64_t value, ElementType type,
                            bool as_unsigned = false) {
  SHARDY_ASSERT(out.size() == size_bytes(type));
  const ElementInfo& element = info(type);
  const auto bits = static_cast<uint64_t>(value);
  const bool negative = value < 0 && !as_unsigned;
  switch (element.kind) {
    case ElementClass::Boolean:
      return detail::store_bits(out, value != 0 ? 1 : 0);
    case ElementClass::Signed:
    case ElementClass::Unsigned:
    case ElementClass::Index:
      return detail::store_bits(out, static_cast<uint64_t>(detail::wrap(
                                         value, element.bits, !detail::is_unsigned(type))));
    case ElementClass::Float:
      break;
    case ElementClass::Complex: {
      const std::size_t half = out.size() / 2;
      const ElementType part = half == 4 ? ElementType::F32 : ElementType::F64;
      encode_int_into(out.first(half), value, part, as_unsigned);
      return encode_into(out.subspan(half), 0.0, part);
    }
  }
  if (type == ElementType::F64) {
    return detail::store(out, negative ? static_cast<double>(value) : static_cast<double>(bits));
  }
  if (type == ElementType::F32) {
    return detail::store(out, negative ? static_cast<float>(value) : static_cast<float>(bits));
  }
  const uint64_t magnitude = negative ? ~bits + 1 : bits;
  detail::store_bits(out, detail::round_to({magnitude, 0, negative}, float_format(type)));
}

/// `value` as one element; see encode_into.
inline std::vector<std::byte> encode(double value, ElementType type) {
  std::vector<std::byte> bytes(size_bytes(type));
  encode_into(bytes, value, type);
  return bytes;
}
/// `value` as one element; see encode_int_into.
inline std::vector<std::byte> encode_int(int64_t value, ElementType type) {
  std::vector<std::byte> bytes(size_bytes(type));
  encode_int_into(bytes, value, type);
  return bytes;
}

/// An integer, i1 or index element as int64; ui64 keeps its bits. Floats and the real parts of
/// complex numbers are truncated towards zero and kept in range.
inline int64_t decode_int(std::span<const std::byte> bytes, ElementType type);

/// One element as a double: exact for floats, nearest for 64-bit integers, the real part of complex
/// numbers. Requires: `bytes` holds one element.
inline double decode_double(std::span<const std::byte> bytes, ElementType type) {
  SHARDY_ASSERT(bytes.size() == size_bytes(type));
  if (type == ElementType::F64 || type == ElementType::Complex128) {
    return detail::load<double>(bytes);
  }
  if (type == ElementType::F32 || type == ElementType::Complex64) {
    return static_cast<double>(detail::load<float>(bytes));
  }
  if (is_float(type)) return decode_bits(detail::load_bits(bytes), float_format(type));
  const int64_t value = decode_int(bytes, type);
  return detail::is_unsigned(type) ? static_cast<double>(static_cast<uint64_t>(value))
                                   : static_cast<double>(value);
}

inline int64_t decode_int(std::span<const std::byte> bytes, ElementType type) {
  SHARDY_ASSERT(bytes.size() == size_bytes(type));
  if (is_float(type) || is_complex(type)) {
    return detail::truncate(decode_double(bytes, type), 64, true);
  }
  const auto bits = static_cast<int64_t>(detail::load_bits(bytes));
  if (is_boolean(type)) return bits != 0 ? 1 : 0;
  return detail::wrap(bits, info(type).bits, !detail::is_unsigned(type));
}

/// The value from which a minimum starts: what no element exceeds. Infinity if the type has it.
inline double greatest_value(ElementType type) {
  if (is_boolean(type)) return 1;
  const bool has_small_format =
      is_float(type) && type != ElementType::F32 && type != ElementType::F64;
  if (has_small_format && float_format(type).specials != FloatSpecials::Ieee) {
    return decode_bits(float_format(type).max_finite(), float_format(type));
  }
  return std::numeric_limits<double>::infinity();  // integers stop at their end
}
/// The value from which a maximum starts: what no element goes below.
inline double least_value(ElementType type) {
  if (is_boolean(type)) return 0;
  if (type == ElementType::F8E8M0FNU) return decode_bits(0, float_format(type));
  return -greatest_value(type);
}

/// A literal all of whose elements are `value`. Requires: a static tensor type.
inline Literal splat_literal(const Type& type, double value) {
  Result<Literal> literal = Literal::make_splat(type, encode(value, type.element()));
  SHARDY_ASSERT(literal.has_value());
  return *std::move(literal);
}
/// The same for a value that need not fit a double.
inline Literal int_splat_literal(const Type& type, int64_t value) {
  Result<Literal> literal = Literal::make_splat(type, encode_int(value, type.element()));
  SHARDY_ASSERT(literal.has_value());
  return *std::move(literal);
}

/// A literal of these elements, row-major, each converted as by encode or encode_int.
/// Requires: a static tensor type of as many elements.
template <typename T>
requires std::integral<T> || std::floating_point<T> Literal
literal_from(const Type& type, std::span<const T> values) {
  SHARDY_ASSERT(type.num_elements() == static_cast<int64_t>(values.size()));
  const std::size_t size = size_bytes(type.element());
  std::vector<std::byte> bytes(values.size() * size);
  for (std::size_t index = 0; index < values.size(); ++index) {
    const std::span<std::byte> out = std::span(bytes).subspan(index * size, size);
    if constexpr (std::integral<T>) {
      encode_int_into(out, static_cast<int64_t>(values[index]), type.element(),
                      std::unsigned_integral<T>);
    } else {
      encode_into(out, static_cast<double>(values[index]), type.element());
    }
  }
  Result<Literal> literal = Literal::make(type, std::move(bytes));
  SHARDY_ASSERT(literal.has_value());
  return *std::move(literal);
}
template <typename T>
Literal literal_from(const Type& type, const std::vector<T>& values) {
  return literal_from(type, std::span<const T>(values));
}

}  // namespace shardy::ir
