// Conversions between numbers and the bytes of tensor elements, and literals made of numbers.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <shardy/ir/attribute.hpp>
#include <shardy/ir/detail/float_format.hpp>
#include <shardy/ir/type.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <utility>
#include <vector>

namespace shardy::ir {

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

/// Stores the low bytes of `bits` in `out`. Requires a little-endian host.
void store_bits(std::span<std::byte> out, uint64_t bits);
uint64_t load_bits(std::span<const std::byte> bytes);

/// Returns the low `width` bits of `value` as a two's complement number: sign-extended if
/// `is_signed`, else zero-extended.
constexpr int64_t wrap(int64_t value, int width, bool is_signed) {
  const auto unused = static_cast<unsigned>(64 - width);
  const uint64_t shifted = static_cast<uint64_t>(value) << unused;
  if (is_signed) return static_cast<int64_t>(shifted) >> unused;
  return static_cast<int64_t>(shifted >> unused);
}

/// Returns `value` rounded towards zero. NaN becomes 0; values out of range become the nearest
/// limit of the type. Spec: stablehlo 19.
int64_t truncate(double value, int width, bool is_signed);

constexpr bool is_unsigned(ElementType type) { return info(type).kind == ElementClass::Unsigned; }

}  // namespace detail

/// Writes `value` as one element. Floats round to nearest even; integers truncate towards zero and
/// saturate; i1 is `value != 0`; complex numbers get imaginary part +0. Requires: `out` has
/// size_bytes(type) bytes. Spec: stablehlo 16.4, 19.
void encode_into(std::span<std::byte> out, double value, ElementType type);

/// Writes an integer as one element. Integers keep their low bits; floats round once; i1 is `value
/// != 0`. `as_unsigned` reinterprets the 64 bits of `value` as unsigned. Requires: `out` has
/// size_bytes(type) bytes.
void encode_int_into(std::span<std::byte> out, int64_t value, ElementType type,
                     bool as_unsigned = false);

/// Returns the bytes of `value` as one element, see encode_into.
inline std::vector<std::byte> encode(double value, ElementType type) {
  std::vector<std::byte> bytes(size_bytes(type));
  encode_into(bytes, value, type);
  return bytes;
}
/// Returns the bytes of `value` as one element, see encode_int_into.
inline std::vector<std::byte> encode_int(int64_t value, ElementType type) {
  std::vector<std::byte> bytes(size_bytes(type));
  encode_int_into(bytes, value, type);
  return bytes;
}

/// Returns an integer, i1 or index element as int64_t; ui64 keeps its bits. Floats and the real
/// parts of complex numbers truncate towards zero and saturate. Requires: `bytes` has
/// size_bytes(type) bytes.
int64_t decode_int(std::span<const std::byte> bytes, ElementType type);

/// Returns one element as a double: exact for floats, rounded to nearest for 64-bit integers, the
/// real part for complex numbers. Requires: `bytes` has size_bytes(type) bytes.
double decode_double(std::span<const std::byte> bytes, ElementType type);

/// Returns the initial value of a minimum: 1 for i1, the greatest finite value for floats without
/// infinity, else infinity. encode_into converts infinity to the greatest value of an integer type.
double greatest_value(ElementType type);
/// Returns the initial value of a maximum: the least value, by the rules of greatest_value.
inline double least_value(ElementType type) {
  if (is_boolean(type)) return 0;
  if (type == ElementType::F8E8M0FNU) return decode_bits(0, float_format(type));
  return -greatest_value(type);
}

/// Returns whether the type can represent zero.
constexpr bool has_zero(ElementType type) { return type != ElementType::F8E8M0FNU; }

/// Returns a literal whose elements are all `value`. Requires: a static tensor type.
Literal splat_literal(const Type& type, double value);
/// Returns a literal whose elements are all `value`, including integers that a double cannot
/// represent. Requires: a static tensor type.
Literal int_splat_literal(const Type& type, int64_t value);

/// Returns a literal of `values`, row-major, converted as by encode or encode_int. Requires: a
/// static tensor type with values.size() elements.
template <typename T>
requires std::integral<T> || std::floating_point<T> Literal
literal_from(const Type& type, std::span<const T> values) {
  SHARDY_EXPECTS(type.num_elements() == static_cast<int64_t>(values.size()));
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
  SHARDY_EXPECTS(literal.has_value());
  return *std::move(literal);
}
/// Returns a literal of `values`, as the overload for spans. Requires: a static tensor type with
/// values.size() elements.
template <typename T>
Literal literal_from(const Type& type, const std::vector<T>& values) {
  return literal_from(type, std::span<const T>(values));
}

}  // namespace shardy::ir

#ifdef SHARDY_BODIES
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <shardy/support/detail/prime_field.hpp>

namespace shardy::ir::detail {

SHARDY_INLINE void store_bits(std::span<std::byte> out, uint64_t bits) {
  static_assert(std::endian::native == std::endian::little);
  std::memcpy(out.data(), &bits, std::min(out.size(), sizeof(bits)));
}

SHARDY_INLINE uint64_t load_bits(std::span<const std::byte> bytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data(), std::min(bytes.size(), sizeof(bits)));
  return bits;
}

SHARDY_INLINE int64_t truncate(double value, int width, bool is_signed) {
  if (std::isnan(value)) return 0;
  const double limit = std::ldexp(1.0, is_signed ? width - 1 : width);
  const auto largest = static_cast<int64_t>(
      is_signed ? (uint64_t{1} << static_cast<unsigned>(width - 1)) - 1
                : std::numeric_limits<uint64_t>::max() >> static_cast<unsigned>(64 - width));
  if (value >= limit) return largest;
  if (is_signed) return value <= -limit ? -largest - 1 : static_cast<int64_t>(value);
  return value <= 0 ? 0 : static_cast<int64_t>(static_cast<uint64_t>(value));
}

}  // namespace shardy::ir::detail

namespace shardy::ir {

SHARDY_INLINE void encode_into(std::span<std::byte> out, double value, ElementType type) {
  SHARDY_EXPECTS(out.size() == size_bytes(type));
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
      const ElementType part = part_of(type);
      encode_into(out.first(half), value, part);
      return encode_into(out.subspan(half), 0.0, part);
    }
    case ElementClass::Float:
      break;
  }
  if (type == ElementType::Exact) return detail::store(out, prime_field::image(value));
  if (type == ElementType::F64) return detail::store(out, value);
  if (type == ElementType::F32) return detail::store(out, static_cast<float>(value));
  detail::store_bits(out, encode_bits(value, float_format(type)));
}

SHARDY_INLINE void encode_int_into(std::span<std::byte> out, int64_t value, ElementType type,
                                   bool as_unsigned) {
  SHARDY_EXPECTS(out.size() == size_bytes(type));
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
      const ElementType part = part_of(type);
      encode_int_into(out.first(half), value, part, as_unsigned);
      return encode_into(out.subspan(half), 0.0, part);
    }
  }
  if (type == ElementType::Exact) {
    return detail::store(out, negative ? prime_field::image(value) : prime_field::image(bits));
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

SHARDY_INLINE double decode_double(std::span<const std::byte> bytes, ElementType type) {
  SHARDY_EXPECTS(bytes.size() == size_bytes(type));
  if (is_exact(type)) return static_cast<double>(detail::load_bits(bytes));
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

SHARDY_INLINE int64_t decode_int(std::span<const std::byte> bytes, ElementType type) {
  SHARDY_EXPECTS(bytes.size() == size_bytes(type));
  if (is_float(type) || is_complex(type)) {
    return detail::truncate(decode_double(bytes, type), 64, true);
  }
  const auto bits = static_cast<int64_t>(detail::load_bits(bytes));
  if (is_boolean(type)) return bits != 0 ? 1 : 0;
  return detail::wrap(bits, info(type).bits, !detail::is_unsigned(type));
}

SHARDY_INLINE double greatest_value(ElementType type) {
  if (is_boolean(type)) return 1;
  const bool has_small_format =
      is_float(type) && type != ElementType::F32 && type != ElementType::F64 && !is_exact(type);
  if (has_small_format && float_format(type).specials != FloatSpecials::Ieee) {
    return decode_bits(float_format(type).max_finite(), float_format(type));
  }
  return std::numeric_limits<double>::infinity();  // integer types have a largest value instead
}

SHARDY_INLINE Literal splat_literal(const Type& type, double value) {
  Result<Literal> literal = Literal::make_splat(type, encode(value, type.element()));
  SHARDY_EXPECTS(literal.has_value());
  return *std::move(literal);
}

SHARDY_INLINE Literal int_splat_literal(const Type& type, int64_t value) {
  Result<Literal> literal = Literal::make_splat(type, encode_int(value, type.element()));
  SHARDY_EXPECTS(literal.has_value());
  return *std::move(literal);
}

}  // namespace shardy::ir
#endif  // SHARDY_BODIES
