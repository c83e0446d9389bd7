// Numbers as attributes of MLIR text. Spec: stablehlo 4.
#include <charconv>
#include <cstdlib>
#include <vector>

#include "shardy/ir/number.hpp"
#include "text/integer_text.hpp"
#include "text/mlir_attribute_reader.hpp"
#include "text/mlir_float_text.hpp"

namespace shardy::text {

using ir::Attribute;
using ir::ElementType;

std::optional<Attribute> MlirAttributeReader::number() {
  const std::size_t begin = cursor_.position();
  const std::string_view text = cursor_.number();
  const bool is_hex = text.find('x') != std::string_view::npos;
  const bool is_float = !is_hex && text.find('.') != std::string_view::npos;
  ElementType element = is_float ? ElementType::F64 : ElementType::I64;
  if (cursor_.eat(':')) {
    const std::size_t type_begin = cursor_.position();
    const std::optional<ir::Type> given = type();
    if (!given) return std::nullopt;
    const auto* scalar = given->as<ir::ScalarType>();
    if (!scalar) return opaque_from(begin);
    element = scalar->element;
    if (is_float && !ir::is_float(element)) {
      cursor_.fail(type_begin, "floating point value not valid for specified type");
      return std::nullopt;
    }
  }
  if (ir::is_float(element)) return float_attribute(text, element, begin);
  if (element != ElementType::I64) return integer_attribute(text, element, begin);
  if (const Attribute* known = cached(text)) return *known;
  return integer_attribute(text, element, begin);
}

std::optional<Attribute> MlirAttributeReader::float_attribute(std::string_view text,
                                                              ElementType type, std::size_t begin) {
  const bool is_hex = text.starts_with("0x");
  if (!is_hex && text.find('.') == std::string_view::npos) {
    cursor_.fail(begin, "unexpected decimal integer literal for a floating point attribute");
    return std::nullopt;
  }
  double value = 0;
  if (!is_hex) {
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (result.ec == std::errc::result_out_of_range)
      value = std::strtod(std::string(text).c_str(), nullptr);
    return Attribute(ir::FloatAttr{ir::decode_double(ir::encode(value, type), type), type});
  }
  uint64_t bits = 0;
  const auto result = std::from_chars(text.data() + 2, text.data() + text.size(), bits, 16);
  const int width = ir::info(type).bits;
  if (result.ec != std::errc() || (width < 64 && (bits >> static_cast<unsigned>(width)) != 0)) {
    cursor_.fail(begin, "hexadecimal float constant out of range for type");
    return std::nullopt;
  }
  std::vector<std::byte> bytes(ir::size_bytes(type));
  ir::detail::store_bits(bytes, bits);
  return Attribute(ir::FloatAttr{float_value(bytes, type), type});
}

std::optional<Attribute> MlirAttributeReader::integer_attribute(std::string_view text,
                                                                ElementType type,
                                                                std::size_t begin) {
  const IntegerText number = read_integer_text(text);
  const ir::ElementInfo& info = ir::info(type);
  const auto width = static_cast<unsigned>(info.bits);
  const uint64_t most = width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  const uint64_t half = uint64_t{1} << (width - 1);
  const bool is_unsigned = info.kind == ir::ElementClass::Unsigned;
  const bool is_index = info.kind == ir::ElementClass::Index;
  // Signless integers take all their bits, whatever the sign that they print with.
  const uint64_t most_positive = is_index ? half - 1 : most;
  const bool fits = number.fits && number.magnitude <= (number.is_negative ? half : most_positive);
  if (number.is_negative && is_unsigned) {
    cursor_.fail(begin, "negative integer literal not valid for unsigned integer type");
    return std::nullopt;
  }
  if (!fits || ir::is_complex(type)) {
    cursor_.fail(begin, "integer constant out of range for attribute");
    return std::nullopt;
  }
  const uint64_t bits = number.is_negative ? ~number.magnitude + 1 : number.magnitude;
  if (ir::is_boolean(type)) return Attribute((bits & 1U) != 0);
  const int64_t value = ir::detail::wrap(static_cast<int64_t>(bits), info.bits, !is_unsigned);
  return Attribute(ir::IntegerAttr{is_index ? static_cast<int64_t>(bits) : value, type});
}

}  // namespace shardy::text
