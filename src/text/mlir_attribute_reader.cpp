#include "text/mlir_attribute_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <utility>

#include "shardy/ir/number.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/support/scanner.hpp"
#include "text/mlir_float_text.hpp"

namespace shardy::text {

using ir::Attribute;
using ir::ElementType;

void MlirAttributeReader::fail_like(const Error& error) {
  std::size_t line = 1;
  std::size_t column = 1;
  const char* const end = error.at.data() + error.at.size();
  const auto [rest, failure] = std::from_chars(error.at.data(), end, line);
  if (failure == std::errc() && rest != end) std::from_chars(rest + 1, end, column);
  std::size_t position = 0;
  for (; line > 1; --line) position = cursor_.text().find('\n', position) + 1;
  cursor_.fail(position + column - 1, error.message);
}

std::optional<Attribute> MlirAttributeReader::attribute() {
  if (depth_ >= kMaxDepth) {
    cursor_.fail("attribute is nested too deeply");
    return std::nullopt;
  }
  ++depth_;
  std::optional<Attribute> value = nested_attribute();
  --depth_;
  return value;
}

std::optional<Attribute> MlirAttributeReader::nested_attribute() {
  switch (cursor_.peek()) {
    case '"': {
      const std::size_t begin = cursor_.position();
      std::optional<std::string> text = cursor_.string();
      if (!text) return std::nullopt;
      if (!cursor_.eat(':')) return Attribute(*std::move(text));
      if (!type()) return std::nullopt;
      return opaque_from(begin);
    }
    case '[':
      return array();
    case '{': {
      std::optional<ir::AttributeMap> map = dictionary();
      if (!map) return std::nullopt;
      return Attribute(*std::move(map));
    }
    case '@':
      return symbol();
    case '#':
      return hash_attribute();
    case '(':
    case '!': {
      std::optional<ir::Type> value = type();
      if (!value) return std::nullopt;
      return Attribute(ir::TypeAttr{*std::move(value)});
    }
    default:
      break;
  }
  if (cursor_.at_integer()) return number();
  if (cursor_.at_ident()) return keyword();
  cursor_.expected("an attribute");
  return std::nullopt;
}

// ---- Numbers -----------------------------------------------------------------------------------

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
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  const bool is_hex = text.starts_with("0x");
  if (is_hex) text.remove_prefix(2);
  uint64_t magnitude = 0;
  const auto result =
      std::from_chars(text.data(), text.data() + text.size(), magnitude, is_hex ? 16 : 10);
  const ir::ElementInfo& info = ir::info(type);
  const auto width = static_cast<unsigned>(info.bits);
  const uint64_t most = width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  const uint64_t half = uint64_t{1} << (width - 1);
  const bool is_unsigned = info.kind == ir::ElementClass::Unsigned;
  const bool is_index = info.kind == ir::ElementClass::Index;
  const bool fits = result.ec == std::errc() &&
                    (is_negative ? magnitude <= half : magnitude <= most) &&
                    !(width == 64 && !is_hex && !is_unsigned && !is_negative && magnitude >= half);
  if (is_negative && is_unsigned) {
    cursor_.fail(begin, "negative integer literal not valid for unsigned integer type");
    return std::nullopt;
  }
  if (!fits || ir::is_complex(type)) {
    cursor_.fail(begin, "integer constant out of range for attribute");
    return std::nullopt;
  }
  const uint64_t bits = is_negative ? ~magnitude + 1 : magnitude;
  if (ir::is_boolean(type)) return Attribute((bits & 1U) != 0);
  const int64_t value = ir::detail::wrap(static_cast<int64_t>(bits), info.bits, !is_unsigned);
  return Attribute(ir::IntegerAttr{is_index ? static_cast<int64_t>(bits) : value, type});
}

// ---- Arrays and dictionaries -------------------------------------------------------------------

std::optional<Attribute> MlirAttributeReader::array() {
  ir::ArrayAttr list;
  if (!cursor_.expect('[')) return std::nullopt;
  if (cursor_.eat(']')) return Attribute(std::move(list));
  do {
    std::optional<Attribute> element = attribute();
    if (!element) return std::nullopt;
    list.elements.push_back(*std::move(element));
  } while (cursor_.eat(','));
  if (!cursor_.expect("]")) return std::nullopt;
  return Attribute(std::move(list));
}

std::optional<ir::AttributeMap> MlirAttributeReader::dictionary() {
  ir::AttributeMap map;
  if (!cursor_.expect('{') || !entries(map, '}')) return std::nullopt;
  return map;
}

bool MlirAttributeReader::entries(ir::AttributeMap& attributes, char close) {
  if (cursor_.eat(close)) return true;
  do {
    const std::size_t begin = cursor_.position();
    std::string quoted;
    std::string_view name;
    if (cursor_.peek() == '"') {
      std::optional<std::string> text = cursor_.string();
      if (!text) return false;
      quoted = *std::move(text);
      name = quoted;
    } else {
      name = cursor_.ident();
      if (name.empty()) return cursor_.expected("attribute name");
    }
    if (is_reserved_name(name)) {
      return cursor_.fail(begin, "attribute name '" + std::string(name) + "' is reserved");
    }
    if (attributes.contains(name)) {
      return cursor_.fail(begin,
                          "duplicate key '" + std::string(name) + "' in dictionary attribute");
    }
    Attribute value;
    if (cursor_.eat('=')) {
      std::optional<Attribute> given = attribute();
      if (!given) return false;
      value = *std::move(given);
    }
    attributes.set(name, std::move(value));
  } while (cursor_.eat(','));
  return cursor_.expect(close);
}

std::optional<std::vector<int64_t>> MlirAttributeReader::integer_list() {
  std::vector<int64_t> values;
  if (!cursor_.expect('[')) return std::nullopt;
  if (cursor_.eat(']')) return values;
  do {
    const std::optional<int64_t> value = cursor_.integer();
    if (!value) return std::nullopt;
    values.push_back(*value);
  } while (cursor_.eat(','));
  if (!cursor_.expect(']')) return std::nullopt;
  return values;
}

// ---- Words -------------------------------------------------------------------------------------

std::optional<Attribute> MlirAttributeReader::symbol() {
  const std::size_t begin = cursor_.position();
  std::optional<std::string> name = cursor_.symbol();
  if (!name) return std::nullopt;
  if (!cursor_.eat("::")) return Attribute(ir::SymbolAttr{*std::move(name)});
  do {
    if (!cursor_.symbol()) return std::nullopt;
  } while (cursor_.eat("::"));
  return opaque_from(begin);
}

/// The text from `begin` to here.
std::optional<Attribute> MlirAttributeReader::opaque_from(std::size_t begin) {
  if (cursor_.failed()) return std::nullopt;
  return Attribute(ir::OpaqueAttr{collapsed_text(cursor_.slice(begin))});
}

/// A word with brackets behind it, and a type behind them if there is one.
std::optional<Attribute> MlirAttributeReader::opaque_call(std::size_t begin) {
  while (cursor_.raw_peek() == '<' || cursor_.raw_peek() == '[' || cursor_.raw_peek() == '(') {
    if (!cursor_.skip_balanced()) return std::nullopt;
  }
  const std::size_t end = cursor_.raw_position();
  if (const char last = cursor_.text()[end - 1]; last != '>' && last != ']' && last != ')') {
    cursor_.expected("an opening bracket");
    return std::nullopt;
  }
  if (!cursor_.eat(':')) {
    cursor_.seek(end);
    return opaque_from(begin);
  }
  if (!type()) return std::nullopt;
  return opaque_from(begin);
}

/// `affine_set<(d0) : (d0 - 1 >= 0)>`: the `>` of comparisons closes nothing.
std::optional<Attribute> MlirAttributeReader::affine(std::size_t begin) {
  if (!cursor_.expect('<')) return std::nullopt;
  while (!cursor_.eat('>') || cursor_.raw_peek() == '=') {
    if (cursor_.eat("->")) continue;
    if (cursor_.at_end()) {
      cursor_.expected("'>'");
      return std::nullopt;
    }
    cursor_.seek(cursor_.position() + 1);
  }
  return opaque_from(begin);
}

std::optional<Attribute> MlirAttributeReader::keyword() {
  const std::size_t begin = cursor_.position();
  const std::string_view word = cursor_.ident();
  if (word == "true") return Attribute(true);
  if (word == "false") return Attribute(false);
  if (word == "unit") return Attribute();
  if (word == "dense") return dense();
  if (word == "array" && cursor_.peek() == '<') return dense_array();
  if (word == "affine_map" || word == "affine_set") return affine(begin);
  constexpr std::string_view kOpaque[] = {"loc", "dense_resource", "sparse", "distinct", "opaque"};
  if (std::ranges::find(kOpaque, word) != std::end(kOpaque)) return opaque_call(begin);
  cursor_.seek(begin);
  std::optional<ir::Type> value = type();
  if (!value) return std::nullopt;
  return Attribute(ir::TypeAttr{*std::move(value)});
}

/// After `array`.
std::optional<Attribute> MlirAttributeReader::dense_array() {
  const std::size_t begin = cursor_.position();
  if (!cursor_.expect('<')) return std::nullopt;
  const std::string_view name = cursor_.ident();
  const std::optional<ElementType> element = ir::parse_element_type(name);
  const bool is_integer = element && !ir::is_float(*element) && !ir::is_complex(*element);
  if (!is_integer) {
    cursor_.seek(begin);
    if (!cursor_.skip_balanced()) return std::nullopt;
    return Attribute(ir::OpaqueAttr{"array" + collapsed_text(cursor_.slice(begin))});
  }
  ir::DenseArrayAttr values{*element, {}};
  if (cursor_.eat('>')) return Attribute(std::move(values));
  if (!cursor_.expect(':')) return std::nullopt;
  do {
    if (ir::is_boolean(*element) && cursor_.at_ident()) {
      const bool value = cursor_.eat_word("true");
      if (!value && !cursor_.expect("false")) return std::nullopt;
      values.values.push_back(value ? 1 : 0);
      continue;
    }
    const std::size_t value_begin = cursor_.position();
    const std::optional<int64_t> value = cursor_.integer();
    if (!value) return std::nullopt;
    if (ir::decode_int(ir::encode_int(*value, *element), *element) != *value) {
      cursor_.fail(value_begin, "integer constant out of range for attribute");
      return std::nullopt;
    }
    values.values.push_back(*value);
  } while (cursor_.eat(','));
  if (!cursor_.expect('>')) return std::nullopt;
  return Attribute(std::move(values));
}

// ---- Locations and aliases ---------------------------------------------------------------------

std::optional<std::string> MlirAttributeReader::location() {
  if (!cursor_.expect("loc")) return std::nullopt;
  const std::size_t begin = cursor_.position();
  if (cursor_.peek() != '(' || !cursor_.skip_balanced()) {
    cursor_.expected("'('");
    return std::nullopt;
  }
  return "loc" + without_aliases(collapsed_text(cursor_.slice(begin)));
}

/// The text of a location with what its aliases stand for.
std::string MlirAttributeReader::without_aliases(const std::string& text) const {
  constexpr std::size_t kLongest = std::size_t{1} << 16U;  // aliases of aliases can grow fast
  std::string result;
  std::vector<std::string> pending = {text};
  while (!pending.empty() && result.size() < kLongest) {
    const std::string part = std::move(pending.back());
    pending.pop_back();
    MlirCursor cursor(part);
    while (!cursor.at_end() && cursor.raw_peek() != '#') {
      const std::size_t begin = cursor.raw_position();
      if (cursor.raw_peek() != '"' || !cursor.skip_balanced()) cursor.seek(begin + 1);
      cursor.skip_space();
    }
    result += part.substr(0, cursor.raw_position());
    if (cursor.at_end()) continue;
    const std::size_t hash = cursor.raw_position();
    cursor.seek(hash + 1);
    const std::string_view name = cursor.suffix();
    const auto alias = location_aliases_.find(name);
    pending.push_back(part.substr(cursor.raw_position()));
    if (alias == location_aliases_.end()) {
      result += "#" + std::string(name);
    } else {
      pending.push_back(alias->second.substr(1, alias->second.size() - 2));
    }
  }
  return result;
}

/// Looks for `#name = loc` at the beginning of lines.
void MlirAttributeReader::collect_location_aliases() {
  const std::string_view text = cursor_.text();
  for (std::size_t at = text.find('#'); at != std::string_view::npos; at = text.find("\n#", at)) {
    if (text[at] == '\n') ++at;
    const bool at_line_start = at == 0 || text[at - 1] == '\n';
    MlirCursor cursor(text);
    cursor.seek(at + 1);
    const std::string_view name = cursor.suffix();
    if (!at_line_start || !cursor.eat('=') || !cursor.eat_word("loc")) continue;
    const std::size_t begin = cursor.position();
    if (cursor.peek() == '(' && cursor.skip_balanced()) {
      location_aliases_.emplace(name, collapsed_text(cursor.slice(begin)));
    }
  }
}

bool MlirAttributeReader::alias_definition() {
  const std::size_t begin = cursor_.position();
  const bool is_type = cursor_.peek() == '!';
  cursor_.seek(begin + 1);
  const std::string_view name = cursor_.suffix();
  if (name.empty()) return cursor_.expected("the name of an alias");
  if (name.find('.') != std::string_view::npos) {
    return cursor_.fail(begin, "names with a '.' are reserved for dialect-defined names");
  }
  if (!cursor_.expect('=')) return false;
  const std::size_t value_begin = cursor_.position();
  if (is_type) {
    const std::optional<ir::Type> value = type();
    if (!value) return false;
    const auto [at, is_new] = type_aliases_.emplace(name, to_string(*value));
    return is_new || cursor_.fail(begin, "redefinition of type alias id '" + at->first + "'");
  }
  std::optional<Attribute> value = attribute();
  if (!value) return false;
  alias_texts_.emplace(name, std::string(cursor_.slice(value_begin)));
  const auto [at, is_new] = attribute_aliases_.emplace(name, *std::move(value));
  return is_new || cursor_.fail(begin, "redefinition of attribute alias id '" + at->first + "'");
}

}  // namespace shardy::text
