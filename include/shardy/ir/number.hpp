// One element of a tensor as bytes, and the literals made of such elements.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <shardy/ir/detail/float_format.hpp>
#include <shardy/ir/element_type.hpp>
#include <shardy/ir/literal.hpp>
#include <shardy/ir/type.hpp>
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

/// The low bytes of `bits`: little-endian hosts only, as everything that shares buffers here.
void store_bits(std::span<std::byte> out, uint64_t bits);
uint64_t load_bits(std::span<const std::byte> bytes);

/// The low `width` bits of a two's complement number, sign- or zero-extended.
constexpr int64_t wrap(int64_t value, int width, bool is_signed) {
  const auto unused = static_cast<unsigned>(64 - width);
  const uint64_t shifted = static_cast<uint64_t>(value) << unused;
  if (is_signed) return static_cast<int64_t>(shifted) >> unused;
  return static_cast<int64_t>(shifted >> unused);
}

/// Towards zero; NaN is 0, what is out of range goes to the nearest end. Spec: stablehlo 19.
int64_t truncate(double value, int width, bool is_signed);

constexpr bool is_unsigned(ElementType type) { return info(type).kind == ElementClass::Unsigned; }

}  // namespace detail

/// Writes `value` as one element: floats rounded to nearest even, integers truncated towards zero
/// and kept in range, i1 `value != 0`, complex with imaginary part +0. Requires: `out` holds
/// size_bytes(type) bytes. Spec: stablehlo 16.4, 19.
void encode_into(std::span<std::byte> out, double value, ElementType type);

/// Writes an integer as one element: integers keep their low bits, floats round once, i1 `value !=
/// 0`. With `as_unsigned` the 64 bits of `value` are read as an unsigned number. Requires: out has
/// size_bytes(type) bytes.
void encode_int_into(std::span<std::byte> out, int64_t value, ElementType type,
                     bool as_unsigned = false);

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
/// complex numbers are truncated towards zero and kept in range. Requires: size_bytes(type) bytes.
int64_t decode_int(std::span<const std::byte> bytes, ElementType type);

/// One element as a double: exact for floats, nearest for 64-bit integers, the real part of complex
/// numbers. Requires: `bytes` holds one element.
double decode_double(std::span<const std::byte> bytes, ElementType type);

/// The value from which a minimum starts: what no element exceeds. Infinity if the type has it.
double greatest_value(ElementType type);
/// The value from which a maximum starts: what no element goes below.
inline double least_value(ElementType type) {
  if (is_boolean(type)) return 0;
  if (type == ElementType::F8E8M0FNU) return decode_bits(0, float_format(type));
  return -greatest_value(type);
}

/// Returns whether the type has a number that changes nothing when it is added.
constexpr bool has_zero(ElementType type) { return type != ElementType::F8E8M0FNU; }

/// A literal all of whose elements are `value`. Requires: a static tensor type.
Literal splat_literal(const Type& type, double value);
/// The same for a value that need not fit a double. Requires: a static tensor type.
Literal int_splat_literal(const Type& type, int64_t value);

/// A literal of these elements, row-major, each converted as by encode or encode_int.
/// Requires: a static tensor type of as many elements.
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
/// A literal of numbers, converted to the element type. Requires: as many as elements.
template <typename T>
Literal literal_from(const Type& type, const std::vector<T>& values) {
  return literal_from(type, std::span<const T>(values));
}

}  // namespace shardy::ir

#ifdef SHARDY_HEADER_ONLY
#include <shardy/ir/detail/number_inl.hpp>
#endif
