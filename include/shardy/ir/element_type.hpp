// Element types of tensors: names, widths, classes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace shardy::ir {

/// The number format of one tensor element, spelled as StableHLO text does. Spec: stablehlo part 1.
enum class ElementType : uint8_t {
  I1,
  I2,
  I4,
  I8,
  I16,
  I32,
  I64,
  UI2,
  UI4,
  UI8,
  UI16,
  UI32,
  UI64,
  F4E2M1FN,
  F6E2M3FN,
  F6E3M2FN,
  F8E3M4,
  F8E4M3,
  F8E4M3FN,
  F8E4M3FNUZ,
  F8E4M3B11FNUZ,
  F8E5M2,
  F8E5M2FNUZ,
  F8E8M0FNU,
  BF16,
  F16,
  F32,
  F64,
  Complex64,   // pair of f32
  Complex128,  // pair of f64
  Index,
  // Element types of floats and complex numbers in exact checks; they have no readable text.
  Exact,         // modulo 2^61 - 1
  ExactComplex,  // pair of them
};

/// Class of the elements of a type.
enum class ElementClass : uint8_t { Boolean, Signed, Unsigned, Float, Complex, Index };

/// Properties of an element type.
struct ElementInfo {
  std::string_view name;  // as MLIR writes it
  ElementClass kind;      // what its elements are
  int bits;               // significant bits of one element
  std::size_t bytes;      // bytes of one element in a buffer; sub-byte types take a whole byte
};

/// Properties of the element types of programs.
inline constexpr std::array<ElementInfo, 31> kElementTypes = {{
    {"i1", ElementClass::Boolean, 1, 1},
    {"i2", ElementClass::Signed, 2, 1},
    {"i4", ElementClass::Signed, 4, 1},
    {"i8", ElementClass::Signed, 8, 1},
    {"i16", ElementClass::Signed, 16, 2},
    {"i32", ElementClass::Signed, 32, 4},
    {"i64", ElementClass::Signed, 64, 8},
    {"ui2", ElementClass::Unsigned, 2, 1},
    {"ui4", ElementClass::Unsigned, 4, 1},
    {"ui8", ElementClass::Unsigned, 8, 1},
    {"ui16", ElementClass::Unsigned, 16, 2},
    {"ui32", ElementClass::Unsigned, 32, 4},
    {"ui64", ElementClass::Unsigned, 64, 8},
    {"f4E2M1FN", ElementClass::Float, 4, 1},
    {"f6E2M3FN", ElementClass::Float, 6, 1},
    {"f6E3M2FN", ElementClass::Float, 6, 1},
    {"f8E3M4", ElementClass::Float, 8, 1},
    {"f8E4M3", ElementClass::Float, 8, 1},
    {"f8E4M3FN", ElementClass::Float, 8, 1},
    {"f8E4M3FNUZ", ElementClass::Float, 8, 1},
    {"f8E4M3B11FNUZ", ElementClass::Float, 8, 1},
    {"f8E5M2", ElementClass::Float, 8, 1},
    {"f8E5M2FNUZ", ElementClass::Float, 8, 1},
    {"f8E8M0FNU", ElementClass::Float, 8, 1},
    {"bf16", ElementClass::Float, 16, 2},
    {"f16", ElementClass::Float, 16, 2},
    {"f32", ElementClass::Float, 32, 4},
    {"f64", ElementClass::Float, 64, 8},
    {"complex<f32>", ElementClass::Complex, 64, 8},
    {"complex<f64>", ElementClass::Complex, 128, 16},
    {"index", ElementClass::Index, 64, 8},
}};

/// Properties of the element types of exact checks.
inline constexpr std::array<ElementInfo, 2> kExactElementTypes = {{
    {"exact", ElementClass::Float, 64, 8},
    {"complex<exact>", ElementClass::Complex, 128, 16},
}};

/// Returns whether only exact checks have it.
constexpr bool is_exact(ElementType type) { return type >= ElementType::Exact; }

/// The row of a type.
constexpr const ElementInfo& info(ElementType type) {
  const auto index = static_cast<std::size_t>(type);
  return is_exact(type) ? kExactElementTypes[index - kElementTypes.size()] : kElementTypes[index];
}
/// As MLIR writes it.
constexpr std::string_view to_string(ElementType type) { return info(type).name; }
/// Bytes of one element in a buffer.
constexpr std::size_t size_bytes(ElementType type) { return info(type).bytes; }

/// Returns whether elements are real floats.
constexpr bool is_float(ElementType type) { return info(type).kind == ElementClass::Float; }
/// Returns whether elements are pairs of floats.
constexpr bool is_complex(ElementType type) { return info(type).kind == ElementClass::Complex; }
/// Returns the element type of the parts of a complex type.
constexpr ElementType part_of(ElementType complex) {
  if (complex == ElementType::ExactComplex) return ElementType::Exact;
  return complex == ElementType::Complex128 ? ElementType::F64 : ElementType::F32;
}
/// Returns whether elements are `i1`.
constexpr bool is_boolean(ElementType type) { return type == ElementType::I1; }
/// Returns whether elements are signed integers.
constexpr bool is_signed_integer(ElementType type) {
  return info(type).kind == ElementClass::Signed;
}
/// Returns whether elements are unsigned integers.
constexpr bool is_unsigned_integer(ElementType type) {
  return info(type).kind == ElementClass::Unsigned;
}
/// Signed or unsigned; neither booleans nor `index`.
constexpr bool is_integer(ElementType type) {
  return is_signed_integer(type) || is_unsigned_integer(type);
}

/// The element type of that spelling, or nullopt.
constexpr std::optional<ElementType> parse_element_type(std::string_view name) {
  for (std::size_t index = 0; index < kElementTypes.size(); ++index) {
    if (kElementTypes[index].name == name) return static_cast<ElementType>(index);
  }
  return std::nullopt;
}

}  // namespace shardy::ir
