// One C++ type per element type, and the arithmetic that all kernels share: exact widening,
// wrapping integers, rounding to f16, bf16 and f32. Spec: stablehlo 16.
#pragma once

#include <bit>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/type.hpp"

namespace shardy::simulation {

struct Bool {
  uint8_t raw = 0;  // 0 or 1
};
struct F16 {
  uint16_t raw = 0;
};
struct BF16 {
  uint16_t raw = 0;
};
/// An integer of 2 or 4 bits, stored in one byte with sign or zero extension.
template <int kBits, bool kSigned>
struct Narrow {
  std::conditional_t<kSigned, int8_t, uint8_t> raw = 0;
};

/// An element of the prime field, less than the modulus. A PrimePair (x, y) represents x + y r,
/// where r is a root of -1.
struct Prime {
  uint64_t raw = 0;
  friend bool operator==(const Prime&, const Prime&) = default;
};
struct PrimePair {
  Prime real;
  Prime imag;
  friend bool operator==(const PrimePair&, const PrimePair&) = default;
};

template <class T>
struct IntegerTraits {};
template <class T>
requires(std::integral<T> && !std::same_as<T, bool>) struct IntegerTraits<T> {
  static constexpr int kBits = 8 * sizeof(T);
  static constexpr bool kSigned = std::is_signed_v<T>;
};
template <int kWidth, bool kIsSigned>
struct IntegerTraits<Narrow<kWidth, kIsSigned>> {
  static constexpr int kBits = kWidth;
  static constexpr bool kSigned = kIsSigned;
};

template <class T>
concept Integer = requires {
  IntegerTraits<T>::kBits;
};
template <class T>
concept Small = std::same_as<T, F16> || std::same_as<T, BF16>;
template <class T>
concept Float = Small<T> || std::same_as<T, float> || std::same_as<T, double>;
template <class T>
concept Complex = std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>;
template <class T>
concept Exactly = std::same_as<T, Prime> || std::same_as<T, PrimePair>;
template <class T>
concept Element = std::same_as<T, Bool> || Integer<T> || Float<T> || Complex<T> || Exactly<T>;

// ---- Integers --------------------------------------------------------------------------------

template <Integer T>
constexpr int kBits = IntegerTraits<T>::kBits;
template <Integer T>
constexpr bool kSigned = IntegerTraits<T>::kSigned;
/// The 64-bit integer type with the signedness of T.
template <Integer T>
using Wide = std::conditional_t<kSigned<T>, int64_t, uint64_t>;

template <Integer T>
constexpr Wide<T> widen(T x) {
  if constexpr (requires { x.raw; }) {
    return static_cast<Wide<T>>(x.raw);
  } else {
    return static_cast<Wide<T>>(x);
  }
}

/// Returns the value modulo 2^bits.
template <Integer T>
constexpr T wrap(uint64_t bits) {
  if constexpr (requires(T x) { x.raw; }) {
    constexpr int kUnused = 64 - kBits<T>;
    const auto value = static_cast<Wide<T>>(bits << kUnused) >> kUnused;
    return T{static_cast<decltype(T::raw)>(value)};
  } else {
    return static_cast<T>(bits);
  }
}
template <Integer T>
constexpr T wrap(int64_t value) {
  return wrap<T>(static_cast<uint64_t>(value));
}

/// Returns the bit pattern, zero-extended.
template <Integer T>
constexpr uint64_t pattern(T x) {
  constexpr int kUnused = 64 - kBits<T>;
  return static_cast<uint64_t>(widen(x)) << kUnused >> kUnused;
}

template <Integer T>
constexpr Wide<T> min_value() {
  if constexpr (!kSigned<T>) return 0;
  return static_cast<Wide<T>>(~uint64_t{0} << (kBits<T> - 1));
}
template <Integer T>
constexpr Wide<T> max_value() {
  return static_cast<Wide<T>>(~uint64_t{0} >> (64 - kBits<T> + (kSigned<T> ? 1 : 0)));
}

// ---- Floats ----------------------------------------------------------------------------------

constexpr double to_double(double x) { return x; }
constexpr double to_double(float x) { return static_cast<double>(x); }
namespace detail {

/// Returns the float nearest to x, except that an inexact result gets an odd mantissa. Rounding the
/// result to a format with fewer bits is then equal to rounding x directly.
inline float round_to_odd(double x) {
  const auto nearest = static_cast<float>(x);
  const auto back = static_cast<double>(nearest);
  if (back == x || std::isnan(x)) return nearest;
  const bool outside = x < 0 ? back < x : back > x;
  return std::bit_cast<float>((std::bit_cast<uint32_t>(nearest) - (outside ? 1U : 0U)) | 1U);
}

// The functions below use masks instead of branches, so that compilers vectorize loops over these
// functions.

template <std::unsigned_integral Bits>
constexpr Bits select(bool condition, Bits yes, Bits no) {
  return no ^ ((yes ^ no) & (Bits{0} - static_cast<Bits>(condition)));
}
constexpr double select(bool condition, double yes, double no) {
  return std::bit_cast<double>(
      select(condition, std::bit_cast<uint64_t>(yes), std::bit_cast<uint64_t>(no)));
}

/// Requires: bits < 2^31, so that one signed comparison is enough.
constexpr bool below(uint32_t bits, int32_t limit) { return static_cast<int32_t>(bits) < limit; }

constexpr uint16_t nearest_bf16(float x) {
  const auto bits = std::bit_cast<uint32_t>(x);
  const uint32_t rounded = bits + 0x7FFFU + (bits >> 16U & 1U);
  const uint32_t nan = bits | 0x400000U;  // the quiet bit
  return static_cast<uint16_t>(select(std::isnan(x), nan, rounded) >> 16U);
}

constexpr uint16_t nearest_f16(float x) {
  const auto bits = std::bit_cast<uint32_t>(x);
  const uint32_t magnitude = bits & 0x7FFFFFFFU;
  // The least bit of a float in [0.5, 1) is 2^-24, which is also the least bit of a subnormal f16.
  const float raised = std::bit_cast<float>(magnitude) + 0.5F;
  const uint32_t subnormal = std::bit_cast<uint32_t>(raised) - std::bit_cast<uint32_t>(0.5F);
  const uint32_t normal = (magnitude + 0xFFFU + (magnitude >> 13U & 1U) - 0x38000000U) >> 13U;
  const uint32_t nan = 0x7E00U | (magnitude >> 13U & 0x3FFU);
  uint32_t nearest = select(below(magnitude, 0x38800000), subnormal, normal);
  // From 65520, the middle between the largest f16 and 2^16, the result is infinity.
  nearest = select(below(magnitude, 0x477FF000), nearest, 0x7C00U);
  nearest = select(below(magnitude, 0x7F800001), nearest, nan);
  return static_cast<uint16_t>((bits >> 16U & 0x8000U) | nearest);
}

constexpr float float_of(BF16 x) {
  return std::bit_cast<float>(static_cast<uint32_t>(x.raw) << 16U);
}
/// The bits of the f16 are moved to the top of an f32, whose exponent is then too small by 112. A
/// product with 2^112 corrects the exponent, also for subnormal numbers.
constexpr float float_of(F16 x) {
  const uint32_t magnitude = static_cast<uint32_t>(x.raw & 0x7FFF) << 13U;
  const auto scaled = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112F);
  const uint32_t value = select(below(magnitude, 0x0F800000), scaled, magnitude | 0x7F800000U);
  return std::bit_cast<float>(value | static_cast<uint32_t>(x.raw & 0x8000) << 16U);
}

}  // namespace detail

template <Small T>
constexpr double to_double(T x) {
  return static_cast<double>(detail::float_of(x));
}

/// Returns the nearest T, ties to even. Keeps the sign of zero; NaNs become quiet. Spec: stablehlo
/// 16.4.
template <Float T>
constexpr T round_to(float x) {
  if constexpr (std::same_as<T, BF16>) {
    return T{detail::nearest_bf16(x)};
  } else if constexpr (std::same_as<T, F16>) {
    return T{detail::nearest_f16(x)};
  } else {
    return static_cast<T>(x);
  }
}
template <Float T>
T round_to(double x) {
  if constexpr (Small<T>) {
    return round_to<T>(detail::round_to_odd(x));
  } else {
    return static_cast<T>(x);
  }
}

/// The unsigned integer type with the size of T.
template <Float T>
using BitsOf = std::conditional_t<sizeof(T) == 2, uint16_t,
                                  std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>;
template <Float T>
constexpr BitsOf<T> kSignMask = static_cast<BitsOf<T>>(BitsOf<T>{1} << (8 * sizeof(T) - 1));
template <Float T>
constexpr int kMantissaBits = std::same_as<T, F16>    ? 10
                              : std::same_as<T, BF16> ? 7
                              : sizeof(T) == 4        ? 23
                                                      : 52;
template <Float T>
constexpr int kExponentBits = static_cast<int>(8 * sizeof(T)) - 1 - kMantissaBits<T>;
template <Float T>
constexpr BitsOf<T> kInfinityOf = static_cast<BitsOf<T>>(((BitsOf<T>{1} << kExponentBits<T>)-1)
                                                         << kMantissaBits<T>);

/// The type in which + - * / and sqrt of T are computed. Rounding its result to T gives the
/// correctly rounded result.
template <Float T>
using Exact = std::conditional_t<std::same_as<T, double>, double, float>;
template <Float T>
constexpr Exact<T> to_exact(T x) {
  if constexpr (Small<T>) {
    return detail::float_of(x);
  } else {
    return x;
  }
}

template <Float T>
T from_exact(Exact<T> x) {
  if constexpr (Small<T>) {
    return round_to<T>(x);
  } else {
    return x;
  }
}

template <Float T>
constexpr bool is_nan(T x) {
  return (std::bit_cast<BitsOf<T>>(x) & static_cast<BitsOf<T>>(~kSignMask<T>)) > kInfinityOf<T>;
}
template <Float T>
constexpr bool is_negative(T x) {
  return (std::bit_cast<BitsOf<T>>(x) & kSignMask<T>) != 0;
}

/// Converts the integer to a double that rounds to any narrower float format as the integer itself
/// does: one sticky bit represents all bits after the 53rd.
constexpr double to_sticky_double(uint64_t x) {
  if (x >> 53 == 0) return static_cast<double>(x);
  const uint64_t sticky = (x & 0x7ff) != 0 ? 1 : 0;
  return static_cast<double>(x >> 11 | sticky) * 2048.0;
}
constexpr double to_sticky_double(int64_t x) {
  if (x >= 0) return to_sticky_double(static_cast<uint64_t>(x));
  return -to_sticky_double(uint64_t{0} - static_cast<uint64_t>(x));
}

// ---- From element types to C++ types ---------------------------------------------------------

template <class T>
struct Tag {
  using type = T;
};

/// Calls `f(Tag<T>{})` with the C++ type of `type`; Tag<void> for formats without arithmetic.
template <class F>
constexpr auto with_element(ir::ElementType type, const F& f) {
  // clang-format off
  switch (type) {
    case ir::ElementType::I1: return f(Tag<Bool>{});
    case ir::ElementType::I2: return f(Tag<Narrow<2, true>>{});
    case ir::ElementType::I4: return f(Tag<Narrow<4, true>>{});
    case ir::ElementType::I8: return f(Tag<int8_t>{});
    case ir::ElementType::I16: return f(Tag<int16_t>{});
    case ir::ElementType::I32: return f(Tag<int32_t>{});
    case ir::ElementType::I64: return f(Tag<int64_t>{});
    case ir::ElementType::Index: return f(Tag<int64_t>{});
    case ir::ElementType::UI2: return f(Tag<Narrow<2, false>>{});
    case ir::ElementType::UI4: return f(Tag<Narrow<4, false>>{});
    case ir::ElementType::UI8: return f(Tag<uint8_t>{});
    case ir::ElementType::UI16: return f(Tag<uint16_t>{});
    case ir::ElementType::UI32: return f(Tag<uint32_t>{});
    case ir::ElementType::UI64: return f(Tag<uint64_t>{});
    case ir::ElementType::BF16: return f(Tag<BF16>{});
    case ir::ElementType::F16: return f(Tag<F16>{});
    case ir::ElementType::F32: return f(Tag<float>{});
    case ir::ElementType::F64: return f(Tag<double>{});
    case ir::ElementType::Complex64: return f(Tag<std::complex<float>>{});
    case ir::ElementType::Complex128: return f(Tag<std::complex<double>>{});
    case ir::ElementType::Exact: return f(Tag<Prime>{});
    case ir::ElementType::ExactComplex: return f(Tag<PrimePair>{});
    default: return f(Tag<void>{});
  }
  // clang-format on
}

constexpr bool is_tiny_float(ir::ElementType type) {
  return ir::is_float(type) && ir::size_bytes(type) == 1;
}

/// Returns the rank of a code of the type in the total order: -NaN is lowest, NaN is greatest.
/// Spec: stablehlo 20.
constexpr int8_t code_rank(ir::ElementType type, uint8_t code) {
  if (type == ir::ElementType::F8E8M0FNU) return static_cast<int8_t>(code - 128);
  const int sign = 1 << (ir::info(type).bits - 1);
  return static_cast<int8_t>(code < sign ? code : sign - code - 1);
}

/// A float of one byte, stored as its bits.
template <ir::ElementType kType>
struct Tiny {
  static constexpr ir::ElementType kElement = kType;
  uint8_t raw = 0;
};

template <class T>
concept TinyFloat = requires {
  requires is_tiny_float(T::kElement);
};

/// Calls `f` like with_element, but with Tag<Tiny<type>> for floats of one byte.
template <class F>
constexpr auto with_any_element(ir::ElementType type, const F& f) {
  using enum ir::ElementType;
  // clang-format off
  switch (type) {
    case F4E2M1FN: return f(Tag<Tiny<F4E2M1FN>>{});
    case F6E2M3FN: return f(Tag<Tiny<F6E2M3FN>>{});
    case F6E3M2FN: return f(Tag<Tiny<F6E3M2FN>>{});
    case F8E3M4: return f(Tag<Tiny<F8E3M4>>{});
    case F8E4M3: return f(Tag<Tiny<F8E4M3>>{});
    case F8E4M3FN: return f(Tag<Tiny<F8E4M3FN>>{});
    case F8E4M3FNUZ: return f(Tag<Tiny<F8E4M3FNUZ>>{});
    case F8E4M3B11FNUZ: return f(Tag<Tiny<F8E4M3B11FNUZ>>{});
    case F8E5M2: return f(Tag<Tiny<F8E5M2>>{});
    case F8E5M2FNUZ: return f(Tag<Tiny<F8E5M2FNUZ>>{});
    case F8E8M0FNU: return f(Tag<Tiny<F8E8M0FNU>>{});
    default: return with_element(type, f);
  }
  // clang-format on
}

}  // namespace shardy::simulation
