#include "text/mlir_attribute_reader.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/support/scanner.hpp"
#include "text/mlir_form.hpp"

namespace shardy::text {

using ir::Attribute;
using ir::ElementType;

void MlirAttributeReader::fail_like(const Error& error) {
  std::size_t position = 0;
  for (uint32_t line = error.location.line(); line > 1; --line) {
    position = cursor_.text().find('\n', position) + 1;
  }
  const uint32_t column = std::max(error.location.column(), 1U);
  cursor_.fail(position + column - 1, error.message, error.notes);
}

std::optional<Attribute> MlirAttributeReader::attribute() {
  if (depth_ >= kMaxDepth) {
    cursor_.fail("attribute is nested too deeply");
    return std::nullopt;
  }
  ++depth_;
  const std::size_t begin = cursor_.position();
  std::optional<Attribute> value = nested_attribute();
  --depth_;
  return value ? shared(cursor_.slice(begin), *std::move(value)) : value;
}

std::optional<Attribute> MlirAttributeReader::nested_attribute() {
  switch (cursor_.peek()) {
    case '"':
      return text_attribute();
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

// ---- Repeated attributes -----------------------------------------------------------------------

namespace {

constexpr std::size_t kCacheSize = 256;
constexpr std::size_t kLongestCached = 32;

}  // namespace

const Attribute* MlirAttributeReader::cached(std::string_view text) const {
  if (attribute_cache_.empty() || text.size() > kLongestCached) return nullptr;
  const CachedAttribute& slot = attribute_cache_[hash_of_text(text) % kCacheSize];
  return slot.text == text ? &slot.value : nullptr;
}

/// Returns one shared attribute for all occurrences of a short text, because programs repeat
/// attributes.
Attribute MlirAttributeReader::shared(std::string_view text, Attribute value) {
  if (text.size() > kLongestCached) return value;
  attribute_cache_.resize(kCacheSize);
  CachedAttribute& slot = attribute_cache_[hash_of_text(text) % kCacheSize];
  if (slot.text != text) slot = {text, std::move(value)};
  return slot.value;
}

/// Reads `"a"` or `"a" : T`.
std::optional<Attribute> MlirAttributeReader::text_attribute() {
  const std::size_t begin = cursor_.position();
  std::optional<std::string> text = cursor_.string();
  if (!text) return std::nullopt;
  const std::string_view spelled = cursor_.slice(begin);
  if (!cursor_.eat(':')) {
    const Attribute* const known = cached(spelled);
    return known ? *known : Attribute(*std::move(text));
  }
  if (!type()) return std::nullopt;
  return opaque_from(begin);
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
  if (!cursor_.expect('{') || !entries(map)) return std::nullopt;
  return map;
}

/// Reads `name = value` or `name`.
bool MlirAttributeReader::entry(ir::NamedAttribute& entry) {
  const std::size_t begin = cursor_.position();
  if (cursor_.peek() == '"') {
    std::optional<std::string> text = cursor_.string();
    if (!text) return false;
    entry.name = *std::move(text);
  } else {
    entry.name = cursor_.ident();
    if (entry.name.empty()) return cursor_.expected("attribute name");
  }
  if (is_reserved_name(entry.name)) {
    return cursor_.fail(begin, "attribute name '" + entry.name + "' is reserved");
  }
  if (!cursor_.eat('=')) return true;
  std::optional<Attribute> given = attribute();
  if (!given) return false;
  entry.value = *std::move(given);
  return true;
}

bool MlirAttributeReader::entries(ir::AttributeMap& attributes) {
  if (cursor_.eat('}')) return true;
  std::vector<ir::NamedAttribute> list;
  bool ascends = true;
  const std::size_t begin = cursor_.position();
  do {
    ir::NamedAttribute each;
    if (!entry(each)) return false;
    ascends = ascends && (list.empty() || list.back().name < each.name);
    list.push_back(std::move(each));
  } while (cursor_.eat(','));
  if (!cursor_.expect('}')) return false;
  if (!ascends) {
    std::ranges::sort(list, {}, &ir::NamedAttribute::name);
    const auto twice = std::ranges::adjacent_find(list, {}, &ir::NamedAttribute::name);
    if (twice != list.end()) return duplicate_key(begin, twice->name);
  }
  if (list.capacity() - list.size() > list.size() / 4) list.shrink_to_fit();
  attributes = ir::AttributeMap::from_sorted(std::move(list));
  return true;
}

/// Reports an error at the second valid entry with the name.
bool MlirAttributeReader::duplicate_key(std::size_t begin, const std::string& name) {
  std::size_t place = begin;
  cursor_.seek(begin);
  int count = 0;
  do {
    place = cursor_.position();
    ir::NamedAttribute each;
    if (entry(each) && each.name == name) ++count;
  } while (count < 2 && cursor_.eat(','));
  return cursor_.fail(place, "duplicate key '" + name + "' in dictionary attribute");
}

std::optional<std::vector<int64_t>> MlirAttributeReader::integer_list() {
  std::vector<int64_t> values;
  if (!cursor_.expect('[')) return std::nullopt;
  if (cursor_.eat(']')) return values;
  values.reserve(3);  // the smallest block of memory has room for three
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

/// Returns the text from `begin` to the current position as an opaque attribute.
std::optional<Attribute> MlirAttributeReader::opaque_from(std::size_t begin) {
  if (cursor_.failed()) return std::nullopt;
  const std::string_view slice = cursor_.slice(begin);
  if (slice.starts_with("loc")) return location_attribute(collapsed_text(slice), begin);
  std::optional<std::string> text = without_aliases(collapsed_text(slice), begin);
  if (!text) return std::nullopt;
  return Attribute(ir::OpaqueAttr{*std::move(text)});
}

/// Reads a word, the brackets after it, and an optional type as an opaque attribute.
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

/// Reads `affine_set<(d0) : (d0 - 1 >= 0)>`. The `>` of a comparison closes no bracket.
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
  if (!begins_type(word)) {
    cursor_.fail(begin, "expected attribute value");
    return std::nullopt;
  }
  std::optional<ir::Type> value = type();
  if (!value) return std::nullopt;
  return Attribute(ir::TypeAttr{*std::move(value)});
}

/// Reads `true`, `false` or a number of the type.
std::optional<int64_t> MlirAttributeReader::array_element(ElementType element) {
  if (ir::is_boolean(element) && cursor_.at_ident()) {
    const bool value = cursor_.eat_word("true");
    if (!value && !cursor_.expect("false")) return std::nullopt;
    return value ? 1 : 0;
  }
  const std::size_t begin = cursor_.position();
  const std::optional<int64_t> value = cursor_.integer();
  if (value && ir::decode_int(ir::encode_int(*value, element), element) != *value) {
    cursor_.fail(begin, "integer constant out of range for attribute");
    return std::nullopt;
  }
  return value;
}

/// Reads the rest of an array after `array`.
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
    const std::optional<int64_t> value = array_element(*element);
    if (!value) return std::nullopt;
    values.values.push_back(*value);
  } while (cursor_.eat(','));
  if (!cursor_.expect('>')) return std::nullopt;
  return Attribute(std::move(values));
}

// Converts attributes in dictionaries by the table of forms. Spec: stablehlo 4, 9, 11.

namespace {

bool is_literal_of_rank_one(const ir::Literal& literal) { return literal.type().rank() == 1; }

/// Converts `dense<[1, 2]> : tensor<2xi64>` to an array, the form of newer text.
std::optional<Attribute> array_of_literal(const ir::Literal& literal, ElementType element) {
  constexpr int64_t kMost = 1 << 16;  // a splat of a few bytes must not fill the memory
  if (!is_literal_of_rank_one(literal) || literal.type().element() != element) return std::nullopt;
  if (literal.num_elements() > kMost) return std::nullopt;
  ir::DenseArrayAttr array{element, {}};
  for (int64_t index = 0; index < literal.num_elements(); ++index) {
    array.values.push_back(element == ElementType::I1 ? literal.at<int8_t>(index)
                                                      : literal.at<int64_t>(index));
  }
  return Attribute(std::move(array));
}

std::optional<Attribute> wanted_array(const Attribute& value, ElementType element) {
  if (const auto* array = value.as<ir::DenseArrayAttr>()) {
    if (array->element == element) return value;
    if (array->values.empty()) return Attribute(ir::DenseArrayAttr{element, {}});
  }
  if (const auto* literal = value.as<ir::Literal>()) return array_of_literal(*literal, element);
  return std::nullopt;
}

std::optional<Attribute> wanted_integer(const Attribute& value, ElementType type) {
  const auto* integer = value.as<ir::IntegerAttr>();
  return integer && integer->type == type ? std::optional(value) : std::nullopt;
}

std::optional<Attribute> wanted_float(const Attribute& value, ElementType type) {
  const auto* number = value.as<ir::FloatAttr>();
  return number && number->type == type ? std::optional(value) : std::nullopt;
}

std::optional<Attribute> wanted_enum(const Attribute& value, const EnumDefinition& row) {
  const auto word_of = [&](std::string_view word) -> std::optional<Attribute> {
    if (ir::enum_number(row, word) < 0) return std::nullopt;
    return Attribute(ir::EnumAttr{std::string(row.kind), std::string(word)});
  };
  if (const auto* word = value.as<ir::EnumAttr>()) {
    return word->kind == row.kind ? std::optional(value) : std::nullopt;
  }
  if (const auto* text = value.as<std::string>()) return word_of(*text);
  const auto* number = value.as<ir::IntegerAttr>();
  return number ? word_of(ir::enum_word(row, number->value)) : std::nullopt;
}

}  // namespace

std::optional<Attribute> wanted_attribute(const Attribute& value, const AttributeDefinition& row) {
  const ir::KindDefinition& kind = ir::definition_of(row.kind);
  switch (kind.base) {
    case ir::AttributeBase::Integer:
      return wanted_integer(value, kind.element);
    case ir::AttributeBase::Float:
      return wanted_float(value, kind.element);
    case ir::AttributeBase::Array:
      return wanted_array(value, kind.element);
    case ir::AttributeBase::Other:
      break;
  }
  if (row.words != nullptr && row.kind != AttributeKind::EnumList) {
    return wanted_enum(value, *row.words);
  }
  const bool holds = kind.form == ir::kAnyForm || kind.form == value.form() ||
                     (kind.may_be_opaque && value.as<ir::OpaqueAttr>() != nullptr);
  return holds ? std::optional(value) : std::nullopt;
}

std::string wanted_text(const AttributeDefinition& row) {
  return "attribute '" + std::string(row.name) + "' must be " +
         std::string(ir::definition_of(row.kind).text);
}

std::optional<Attribute> MlirAttributeReader::as_wanted(const Attribute& value,
                                                        const AttributeDefinition& row,
                                                        std::size_t position) {
  std::optional<Attribute> wanted = wanted_attribute(value, row);
  if (!wanted) cursor_.fail(position, wanted_text(row));
  return wanted;
}

}  // namespace shardy::text
