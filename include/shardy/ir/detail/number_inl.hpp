// Bodies of number.hpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <shardy/ir/detail/float_format.hpp>
#include <shardy/ir/element_type.hpp>
#include <shardy/ir/literal.hpp>
#include <shardy/ir/number.hpp>
#include <shardy/ir/type.hpp>
#include <shardy/support/inline.hpp>
#include <shardy/support/prime_field.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <utility>

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
  return std::numeric_limits<double>::infinity();  // integers stop at their end
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
