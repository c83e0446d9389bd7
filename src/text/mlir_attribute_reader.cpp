#include "text/mlir_attribute_reader.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "ir/float_text.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/support/detail/quote.hpp"
#include "shardy/support/scanner.hpp"
#include "text/attribute_codec.hpp"
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
    return cursor_.fail(begin, "attribute name '" + std::string(entry.name) + "' is reserved");
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
    if (twice != list.end()) return duplicate_key(begin, twice->name.view());
  }
  attributes = ir::AttributeMap::from_sorted(std::move(list));
  return true;
}

/// Reports an error at the second valid entry with the name.
bool MlirAttributeReader::duplicate_key(std::size_t begin, std::string_view name) {
  std::size_t place = begin;
  cursor_.seek(begin);
  int count = 0;
  do {
    place = cursor_.position();
    ir::NamedAttribute each;
    if (entry(each) && each.name == name) ++count;
  } while (count < 2 && cursor_.eat(','));
  return cursor_.fail(place, "duplicate key '" + std::string(name) + "' in dictionary attribute");
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

using ir::Attribute;
using ir::ElementType;

// `#dialect` attributes. Spec: stablehlo 8, algebra 10.3.

/// Returns the attribute with that alias.
std::optional<Attribute> MlirAttributeReader::aliased(std::string_view name, std::size_t begin) {
  const auto alias = attribute_aliases_.find(name);
  if (alias != attribute_aliases_.end()) return alias->second;
  if (locations_.find(name)) return location_attribute("loc(#" + std::string(name) + ")", begin);
  cursor_.fail(begin, "undefined symbol alias id '" + std::string(name) + "'");
  return std::nullopt;
}

std::optional<Attribute> MlirAttributeReader::hash_attribute() {
  const std::size_t begin = cursor_.position();
  cursor_.seek(begin + 1);
  const std::string_view name = cursor_.suffix();
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos && cursor_.raw_peek() != '<') return aliased(name, begin);
  const std::string_view dialect = name.substr(0, dot);
  if (dialect == "sdy") return sdy_attribute(begin);
  if (name == "shardy.array") return dense_array();
  if (name == "shardy.wrapped") return wrapped_attribute();
  const bool is_wrapped = dot == std::string_view::npos;
  std::string_view mnemonic;
  if (is_wrapped) {
    cursor_.eat('<');
    mnemonic = cursor_.ident();
  } else {
    mnemonic = name.substr(dot + 1);
  }
  const bool is_known = dialect == "stablehlo" || dialect == "chlo" || dialect == "spmd";
  if (is_known && (is_wrapped || cursor_.raw_peek() == '<')) {
    if (std::optional<Attribute> known = known_attribute(dialect, mnemonic, begin)) return known;
    if (cursor_.failed()) return std::nullopt;
  }
  cursor_.seek(begin + 1);
  cursor_.suffix();
  if (cursor_.raw_peek() == '<' && !cursor_.skip_balanced()) return std::nullopt;
  return opaque_from(begin);
}

/// Reads `<d<name body>>`, which represents `#d<name body>` in generic forms of older text.
std::optional<Attribute> MlirAttributeReader::wrapped_attribute() {
  if (!cursor_.expect('<')) return std::nullopt;
  const std::size_t begin = cursor_.position();
  cursor_.suffix();
  if (cursor_.raw_peek() != '<' || !cursor_.skip_balanced()) {
    cursor_.expected("'<'");
    return std::nullopt;
  }
  std::string text = "#" + collapsed_text(cursor_.slice(begin));
  if (!cursor_.expect('>')) return std::nullopt;
  return Attribute(ir::OpaqueAttr{std::move(text)});
}

/// Reads a sharding or similar value. These repeat, so the text is looked up before it is parsed.
std::optional<Attribute> MlirAttributeReader::sdy_attribute(std::size_t begin) {
  if (cursor_.raw_peek() != '<' || !cursor_.skip_balanced()) {
    cursor_.expected("'<'");
    return std::nullopt;
  }
  const std::string_view text = cursor_.slice(begin);
  const auto known = sdy_cache_.find(text);
  if (known != sdy_cache_.end()) return known->second;
  Scanner scanner(cursor_.text());
  scanner.seek(begin);
  Result<SdyAttribute> value = read_attribute(scanner, &alias_texts_);
  if (!value) {
    fail_like(value.error());
    return std::nullopt;
  }
  Attribute attribute = attribute_of(*std::move(value));
  sdy_cache_.emplace(text, attribute);
  return attribute;
}

/// Returns the reader of the body after a name; null if the name is unknown.
MlirAttributeReader::ReadBody MlirAttributeReader::body_named(std::string_view dialect,
                                                              std::string_view name) {
  if (const auto* const codec = find_codec(dialect, name)) return codec->mlir.read_body;
  if (dialect == "chlo") return nullptr;
  if (name == ir::attr::kChannelHandle) return &MlirAttributeReader::channel_handle;
  if (name == ir::attr::kResultAccuracy) return &MlirAttributeReader::result_accuracy;
  return nullptr;
}

/// Reads the rest of an attribute after `#d.name` or after `#d<name`. Returns std::nullopt without
/// an error for an unknown name.
std::optional<Attribute> MlirAttributeReader::known_attribute(std::string_view dialect,
                                                              std::string_view name,
                                                              std::size_t begin) {
  const EnumDefinition* words = ir::find_enum(std::string(dialect) + "." + std::string(name));
  const ReadBody body = words != nullptr ? nullptr : body_named(dialect, name);
  if (words == nullptr && body == nullptr) return std::nullopt;
  const bool is_wrapped = cursor_.text()[begin + 1 + dialect.size()] == '<';
  if (!is_wrapped && !cursor_.expect('<')) return std::nullopt;
  std::optional<Attribute> value = words != nullptr ? enum_attribute(*words) : body(*this);
  if (!value) return std::nullopt;
  const bool closes_itself = name == "dot_algorithm";
  if (!closes_itself && !cursor_.expect('>')) return std::nullopt;
  return value;
}

/// Returns one shared attribute for all occurrences of the enumerator.
const Attribute& MlirAttributeReader::enumerator(const EnumDefinition& row, int64_t number) {
  const auto known = std::ranges::find_if(enumerators_, [&](const KnownEnumerator& each) {
    return each.row == &row && each.number == number;
  });
  if (known != enumerators_.end()) return known->value;
  ir::EnumAttr value{std::string(row.kind), std::string(ir::enum_word(row, number))};
  return enumerators_.emplace_back(KnownEnumerator{&row, number, std::move(value)}).value;
}

std::optional<Attribute> MlirAttributeReader::enum_attribute(const EnumDefinition& row) {
  const std::size_t begin = cursor_.position();
  const std::string_view word = cursor_.ident();
  if (const int64_t number = ir::enum_number(row, word); number >= 0)
    return enumerator(row, number);
  cursor_.seek(begin);
  cursor_.expected("one of " + std::string(row.words), notes_on_word(row, word));
  return std::nullopt;
}

std::vector<std::string> notes_on_word(const EnumDefinition& row, std::string_view word) {
  std::vector<std::string_view> words;
  for (std::string_view rest = row.words; !rest.empty();) {
    words.push_back(rest.substr(0, rest.find(' ')));
    rest.remove_prefix(std::min(rest.size(), words.back().size() + 1));
  }
  const auto meant = word.empty() ? std::nullopt : closest(word, words);
  if (!meant) return {};
  return {"did you mean " + *meant + "?"};
}

// ---- Structures --------------------------------------------------------------------------------

std::optional<Attribute> MlirAttributeReader::channel_handle(MlirAttributeReader& reader) {
  MlirCursor& cursor = reader.cursor_;
  int64_t handle = 0;
  int64_t type = 0;
  do {
    const bool is_handle = cursor.eat_word("handle");
    if (!is_handle && !cursor.expect("type")) return std::nullopt;
    if (!cursor.expect('=')) return std::nullopt;
    const std::optional<int64_t> value = cursor.integer();
    if (!value) return std::nullopt;
    (is_handle ? handle : type) = *value;
  } while (cursor.eat(','));
  return Attribute(ir::OpaqueAttr{"#stablehlo.channel_handle<handle = " + std::to_string(handle) +
                                  ", type = " + std::to_string(type) + ">"});
}

/// Reads a result accuracy. Printers omit fields that are zero but always print the mode.
std::optional<Attribute> MlirAttributeReader::result_accuracy(MlirAttributeReader& reader) {
  MlirCursor& cursor = reader.cursor_;
  struct Field {
    std::string_view name;
    std::string text = {};
  };
  Field fields[] = {{"atol"}, {"rtol"}, {"ulps"}, {"mode"}};
  do {
    const std::size_t begin = cursor.position();
    const std::string_view name = cursor.ident();
    auto* const field = std::ranges::find(fields, name, &Field::name);
    if (field == std::end(fields)) {
      cursor.fail(begin, "expected atol, rtol, ulps or mode");
      return std::nullopt;
    }
    if (!cursor.expect('=')) return std::nullopt;
    const std::optional<std::string> text =
        name == "mode" ? reader.accuracy_mode() : reader.accuracy_number(name == "ulps");
    if (!text) return std::nullopt;
    field->text = *text;
  } while (cursor.eat(','));
  if (fields[3].text.empty()) {
    cursor.fail("expected the mode of a result accuracy");
    return std::nullopt;
  }
  std::string all;
  for (const Field& field : fields) {
    if (field.text.empty()) continue;
    if (!all.empty()) all += ", ";
    all += std::string(field.name) + " = " + field.text;
  }
  return Attribute(ir::OpaqueAttr{"#stablehlo.result_accuracy<" + all + ">"});
}

/// Reads `#stablehlo.result_accuracy_mode<HIGHEST>` or `HIGHEST`.
std::optional<std::string> MlirAttributeReader::accuracy_mode() {
  const EnumDefinition& row = *ir::find_enum("stablehlo.result_accuracy_mode");
  const std::size_t begin = cursor_.position();
  const std::optional<Attribute> value = cursor_.peek() == '#' ? attribute() : enum_attribute(row);
  if (!value) return std::nullopt;
  const auto* word = value->as<ir::EnumAttr>();
  if (word && word->kind == row.kind) return "#" + word->kind + "<" + word->value + ">";
  cursor_.fail(begin, "expected the mode of a result accuracy");
  return std::nullopt;
}

/// Returns a number in printed form; empty for zero.
std::optional<std::string> MlirAttributeReader::accuracy_number(bool is_integer) {
  if (is_integer) {
    const std::optional<int64_t> ulps = cursor_.integer();
    if (!ulps) return std::nullopt;
    return *ulps == 0 ? "" : std::to_string(*ulps);
  }
  const std::size_t begin = cursor_.position();
  const std::string_view text = cursor_.number();
  if (text.empty()) {
    cursor_.expected("a number");
    return std::nullopt;
  }
  const std::optional<Attribute> value = float_attribute(text, ir::ElementType::F64, begin);
  if (!value) return std::nullopt;
  const std::vector<std::byte> bytes =
      float_bytes(value->as<ir::FloatAttr>()->value, ir::ElementType::F64);
  const std::string printed = float_text(bytes, ir::ElementType::F64);
  return printed == "0.000000e+00" ? "" : printed;
}

// ---- Custom forms ------------------------------------------------------------------------------

std::optional<Attribute> MlirAttributeReader::bare_attribute(const AttributeDefinition& row) {
  const AttributeCodec* const codec = find_codec(row.kind);
  if (codec != nullptr && codec->mlir.read_bare != nullptr)
    return codec->mlir.read_bare(*this, row);
  const std::size_t begin = cursor_.position();
  std::optional<Attribute> value = attribute();
  if (!value) return std::nullopt;
  return as_wanted(*value, row, begin);
}

}  // namespace shardy::text
