// Codecs of scalars, words, lists and attributes that this library does not model. Spec: stablehlo
// 4, 5, 9, 10.

#include <algorithm>
#include <iterator>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ir/float_text.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/support/detail/quote.hpp"
#include "text/attribute_codec.hpp"
#include "text/json_attribute.hpp"
#include "text/json_writer.hpp"
#include "text/mlir_attribute_reader.hpp"
#include "text/mlir_printer.hpp"

namespace shardy::text {

namespace {

using ir::Attribute;
using ir::ElementType;
using AttributeResult = Result<Attribute>;
using MaybeAttribute = std::optional<Attribute>;

// ---- JSON: scalars -----------------------------------------------------------------------------

/// Reads an integer that fits the element type; returns the bits of an unsigned type.
Result<int64_t> read_integer_of(JsonNode node, ElementType type) {
  if (ir::is_float(type) || ir::is_complex(type)) {
    return fail_at(node, "an integer has no type " + std::string(to_string(type)));
  }
  if (ir::is_boolean(type) && node.is_boolean()) return node.boolean() ? 1 : 0;
  if (!node.is_integer()) return fail_at(node, "expected an integer, found " + node.description());
  const auto unused = static_cast<unsigned>(64 - ir::info(type).bits);
  const bool is_unsigned = ir::is_unsigned_integer(type) || ir::is_boolean(type);
  const std::optional<int64_t> value = node.integer();
  const int64_t largest = std::numeric_limits<int64_t>::max() >> unused;
  const bool fits = is_unsigned
                        ? value.value_or(0) >= 0 &&
                              node.integer_bits() <= std::numeric_limits<uint64_t>::max() >> unused
                        : value && *value <= largest && *value >= -largest - 1;
  if (fits) return static_cast<int64_t>(node.integer_bits());
  return fail_at(node, node.description() + " is out of range of " + std::string(to_string(type)));
}

AttributeResult read_unit(JsonNode node, const AttributeSlot&, const AttributeContext&) {
  if (node.is_boolean() && node.boolean()) return ir::UnitAttr{};
  return fail_at(node, "\"unit\" is true, found " + node.description());
}

AttributeResult read_boolean_attribute(JsonNode node, const AttributeSlot&,
                                       const AttributeContext&) {
  return read_boolean(node, "a boolean");
}

AttributeResult read_integer_attribute(JsonNode node, const AttributeSlot& slot,
                                       const AttributeContext&) {
  SHARDY_TRY(const int64_t value, read_integer_of(node, slot.element));
  return ir::IntegerAttr{value, slot.element};
}

AttributeResult read_float_attribute(JsonNode node, const AttributeSlot& slot,
                                     const AttributeContext&) {
  if (!ir::is_float(slot.element)) {
    return fail_at(node, "a float has no type " + std::string(to_string(slot.element)));
  }
  SHARDY_TRY(const double value, read_float(node, slot.element));
  return ir::FloatAttr{value, slot.element};
}

AttributeResult read_string_attribute(JsonNode node, const AttributeSlot&,
                                      const AttributeContext&) {
  return read_string(node, "a string attribute");
}

AttributeResult read_symbol(JsonNode node, const AttributeSlot&, const AttributeContext&) {
  SHARDY_TRY(const std::string text, read_string(node, "a symbol"));
  return ir::SymbolAttr{symbol_of_string(text)};
}

AttributeResult read_type_attribute(JsonNode node, const AttributeSlot&, const AttributeContext&) {
  SHARDY_TRY(ir::Type type, read_type(node));
  return ir::TypeAttr{std::move(type)};
}

AttributeResult read_opaque(JsonNode node, const AttributeSlot&, const AttributeContext&) {
  SHARDY_TRY(std::string text, read_string(node, "the text of an attribute"));
  return ir::OpaqueAttr{std::move(text)};
}

void write_integer_of(JsonWriter& writer, int64_t value, ElementType type) {
  if (ir::is_unsigned_integer(type)) return writer.unsigned_integer(static_cast<uint64_t>(value));
  writer.integer(value);
}

void write_unit(const JsonSink& to, const ir::UnitAttr& /*unit*/) { to.writer.boolean(true); }
void write_bool(const JsonSink& to, const bool& value) { to.writer.boolean(value); }
void write_integer(const JsonSink& to, const ir::IntegerAttr& attr) {
  write_integer_of(to.writer, attr.value, attr.type);
}
void write_float_attribute(const JsonSink& to, const ir::FloatAttr& attr) {
  write_float(to.writer, attr.value);
}
void write_text(const JsonSink& to, const std::string& text) { to.writer.string(text); }
void write_symbol(const JsonSink& to, const ir::SymbolAttr& attr) {
  to.writer.string(symbol_string(attr.name));
}
void write_type(const JsonSink& to, const ir::TypeAttr& attr) {
  to.writer.string(type_text(attr.type));
}
void write_opaque(const JsonSink& to, const ir::OpaqueAttr& attr) { to.writer.string(attr.text); }

template <class T>
std::string type_of_number(const T& number) {
  return std::string(to_string(number.type));
}
template <class T>
bool has_type_of_slot(const Attribute& number, const AttributeSlot& slot,
                      const AttributeContext& /*context*/) {
  return number.as<T>()->type == slot.element;
}

// ---- JSON: enums and lists ---------------------------------------------------------------------

std::vector<std::string_view> split(std::string_view words) {
  std::vector<std::string_view> result;
  while (!words.empty()) {
    result.push_back(words.substr(0, words.find(' ')));
    words.remove_prefix(std::min(words.size(), result.back().size() + 1));
  }
  return result;
}

AttributeResult read_enum(JsonNode node, const AttributeSlot& slot, const AttributeContext&) {
  SHARDY_TRY(std::string word, read_string(node, slot.words.empty() ? "an enum" : slot.name));
  const std::vector<std::string_view> words = split(slot.words);
  if (!words.empty() && std::ranges::find(words, word) == words.end()) {
    const std::string meant = suggestion(word, words);
    return fail_at(node, std::string(slot.name) + " has no value " + quoted_json(word),
                   meant.empty() ? "one of " + std::string(slot.words) : meant);
  }
  return ir::EnumAttr{std::string(slot.enumeration), std::move(word)};
}

AttributeResult read_enum_list(JsonNode node, const AttributeSlot& slot,
                               const AttributeContext& context) {
  AttributeSlot element = slot;
  element.kind = AttributeKind::Enum;
  ir::ArrayAttr list;
  SHARDY_TRY(list.elements, read_list_of<Attribute>(node, slot.name, [&](JsonNode each) {
               return read_attribute(each, element, context);
             }));
  return list;
}

AttributeResult read_dense_array(JsonNode node, const AttributeSlot& slot,
                                 const AttributeContext&) {
  ir::DenseArrayAttr array{slot.element, {}};
  const auto read_one = [&](JsonNode each) { return read_integer_of(each, slot.element); };
  SHARDY_TRY(array.values,
             read_list_of<int64_t>(node, slot.name.empty() ? "an array" : slot.name, read_one));
  return array;
}

/// Limits nesting, because nested attributes are read, compared and freed by recursion.
constexpr int kMaxDepth = 200;

Result<AttributeContext> inside_of(JsonNode node, AttributeContext context) {
  if (++context.depth <= kMaxDepth) return context;
  return fail_at(node,
                 "attributes are nested more than " + std::to_string(kMaxDepth) + " levels deep");
}

AttributeResult read_list_attribute(JsonNode node, const AttributeSlot&,
                                    const AttributeContext& outer) {
  SHARDY_TRY(const AttributeContext context, inside_of(node, outer));
  ir::ArrayAttr list;
  SHARDY_TRY(list.elements, read_list_of<Attribute>(node, "a list", [&](JsonNode each) {
               return read_attribute(each, AttributeSlot{"", ""}, context);
             }));
  return list;
}

AttributeResult read_dictionary(JsonNode node, const AttributeSlot&,
                                const AttributeContext& outer) {
  SHARDY_TRY(const AttributeContext context, inside_of(node, outer));
  SHARDY_TRY(ir::AttributeMap map, read_attributes(node, "", context));
  return map;
}

AttributeResult read_literal_attribute(JsonNode node, const AttributeSlot&,
                                       const AttributeContext& context) {
  if (context.result_type) return read_literal(node, *context.result_type);
  return fail_at(node, "the type of the literal is missing",
                 R"(give the op a "type", or write {"dense": .., "type": ".."})");
}

/// Reads `[[0, 1], [2, 3]]` as a literal whose type the lists determine.
AttributeResult read_rows(JsonNode node, const AttributeSlot& slot, const AttributeContext&) {
  SHARDY_TRY_STATUS(expect_array(node, slot.name));
  std::size_t columns = slot.columns;
  bool is_first = true;
  std::vector<int64_t> elements;
  for (const JsonNode each : node) {
    SHARDY_TRY(const std::vector<int64_t> row, read_integers(each, "a row"));
    if (is_first && slot.columns == 0) columns = row.size();
    is_first = false;
    if (row.size() != columns) {
      return fail_at(each, std::string(slot.name) + " is a list of lists of " +
                               std::to_string(columns) + " integers, found one of " +
                               std::to_string(row.size()));
    }
    elements.insert(elements.end(), row.begin(), row.end());
  }
  const auto bytes = std::as_bytes(std::span(elements));
  SHARDY_TRY(ir::Type type, ir::Type::make_tensor(
                                {static_cast<int64_t>(node.size()), static_cast<int64_t>(columns)},
                                ElementType::I64));
  return ir::Literal::make(std::move(type), {bytes.begin(), bytes.end()});
}

void write_enum(const JsonSink& to, const ir::EnumAttr& attr) { to.writer.string(attr.value); }
std::string enumeration_of(const ir::EnumAttr& attr) { return attr.kind; }

/// Checks whether the slot has the word, so that it reads back.
bool is_word_of_slot(const Attribute& attribute, const AttributeSlot& slot,
                     const AttributeContext& /*context*/) {
  const auto& word = *attribute.as<ir::EnumAttr>();
  const std::string words = " " + std::string(slot.words) + " ";
  return word.kind == slot.enumeration && word.value.find(' ') == std::string::npos &&
         words.find(" " + word.value + " ") != std::string::npos;
}

bool holds_words_of_slot(const Attribute& attribute, const AttributeSlot& slot,
                         const AttributeContext& /*context*/) {
  return std::ranges::all_of(attribute.as<ir::ArrayAttr>()->elements, [&](const auto& element) {
    const auto* word = element.template as<ir::EnumAttr>();
    return word && word->kind == slot.enumeration;
  });
}

void write_list(const JsonSink& to, const ir::ArrayAttr& list) {
  AttributeSlot element{"", ""};
  if (to.slot.kind == AttributeKind::EnumList) {
    element = to.slot;
    element.kind = AttributeKind::Enum;
  }
  to.writer.begin_array();
  for (const Attribute& each : list.elements) write_attribute(to.writer, each, element, to.context);
  to.writer.end_array();
}

void write_dictionary(const JsonSink& to, const ir::AttributeMap& map) {
  to.writer.begin_object();
  for (const ir::NamedAttribute& entry : map) {
    const AttributeSlot slot = attribute_slot("", entry.name);
    write_attribute(to.writer.key(entry.name), entry.value, slot, to.context);
  }
  to.writer.end_object();
}

void write_dense_array(const JsonSink& to, const ir::DenseArrayAttr& attr) {
  to.writer.begin_array();
  for (const int64_t value : attr.values) {
    if (ir::is_boolean(attr.element) && (value == 0 || value == 1)) {
      to.writer.boolean(value != 0);
    } else {
      write_integer_of(to.writer, value, attr.element);
    }
  }
  to.writer.end_array();
}
std::string type_of_array(const ir::DenseArrayAttr& array) {
  return std::string(to_string(array.element));
}
bool has_elements_of_slot(const Attribute& array, const AttributeSlot& slot,
                          const AttributeContext& /*context*/) {
  return array.as<ir::DenseArrayAttr>()->element == slot.element;
}

void write_literal_attribute(const JsonSink& to, const ir::Literal& literal) {
  write_literal(to.writer, literal, to.context.max_elements);
}
std::string type_of_literal(const ir::Literal& literal) { return type_text(literal.type()); }
bool has_type_of_result(const Attribute& literal, const AttributeSlot& /*slot*/,
                        const AttributeContext& context) {
  return context.result_type && *context.result_type == literal.as<ir::Literal>()->type();
}

void write_rows(const JsonSink& to, const ir::Literal& literal) {
  const std::span<const int64_t> dims = literal.type().dims();
  to.writer.begin_array();
  for (int64_t row = 0; row < dims[0]; ++row) {
    to.writer.begin_array();
    for (int64_t column = 0; column < dims[1]; ++column) {
      to.writer.integer(literal.at<int64_t>(row * dims[1] + column));
    }
    to.writer.end_array();
  }
  to.writer.end_array();
}
/// Checks whether lists of rows determine the type and are not too long.
bool implies_type(const Attribute& rows, const AttributeSlot& slot,
                  const AttributeContext& context) {
  const ir::Type& type = rows.as<ir::Literal>()->type();
  if (type.element() != ElementType::I64 || type.rank() != 2) return false;
  const auto columns = static_cast<std::size_t>(type.dims()[1]);
  const bool fits = columns == slot.columns || (slot.columns == 0 && type.dims()[0] > 0);
  return fits && std::max(type.dims()[0], type.num_elements()) <= context.max_elements;
}

Attribute spell_list(const ir::ArrayAttr& list) {
  ir::ArrayAttr result;
  for (const Attribute& element : list.elements) result.elements.push_back(unresolved(element));
  return result;
}
Attribute spell_dictionary(const ir::AttributeMap& map) {
  ir::AttributeMap result;
  for (const ir::NamedAttribute& entry : map) result.set(entry.name, unresolved(entry.value));
  return result;
}

// ---- MLIR text: printing -----------------------------------------------------------------------

void print_unit(const MlirSink& to, const ir::UnitAttr& /*unit*/) { to.out += "unit"; }
void print_bool(const MlirSink& to, const bool& value) { to.out += value ? "true" : "false"; }
void print_integer(const MlirSink& to, const ir::IntegerAttr& attr) {
  append_integer_of(to.out, attr.value, attr.type);
  if (to.row != nullptr || (to.in_array && attr.type == ElementType::I64)) return;
  if (!ir::is_boolean(attr.type)) to.out.append(" : ").append(to_string(attr.type));
}
void print_float(const MlirSink& to, const ir::FloatAttr& attr) {
  const std::string text = float_text(float_bytes(attr.value, attr.type), attr.type);
  to.out += text;
  const bool is_usual = to.in_array && attr.type == ElementType::F64 && !text.starts_with("0x");
  if (to.row != nullptr || is_usual) return;
  to.out.append(" : ").append(to_string(attr.type));
}
void print_string(const MlirSink& to, const std::string& text) {
  const bool is_symbol = to.row != nullptr && to.row->kind == AttributeKind::StringSymbol;
  to.out += is_symbol ? symbol_text(text) : in_quotes(text);
}
void print_symbol(const MlirSink& to, const ir::SymbolAttr& attr) {
  to.out += symbol_text(attr.name);
}
void print_type(const MlirSink& to, const ir::TypeAttr& attr) { to.print.type(attr.type); }
void print_opaque(const MlirSink& to, const ir::OpaqueAttr& attr) {
  constexpr std::string_view kAlgorithm = "#stablehlo.dot_algorithm";
  if (to.row == nullptr) {
    to.out += to.legacy ? legacy_opaque_text(attr.text) : attr.text;
    return;
  }
  const bool is_algorithm =
      to.row->kind == AttributeKind::DotAlgorithm && attr.text.starts_with(kAlgorithm);
  to.out += std::string_view(attr.text).substr(is_algorithm ? kAlgorithm.size() : 0);
}

void print_enum(const MlirSink& to, const ir::EnumAttr& attr) {
  const EnumDefinition* row = ir::find_enum(attr.kind);
  if (to.row != nullptr) {
    to.out += attr.value;
  } else if (row && row->is_number) {
    to.out += std::to_string(ir::enum_number(*row, attr.value)) + " : i32";
  } else if (attr.kind == "stablehlo.result_accuracy_mode") {
    to.out += "#" + attr.kind + "<" + attr.value + ">";
  } else {
    const std::size_t dot = attr.kind.find('.');
    const std::string name = dot == std::string::npos ? attr.kind : attr.kind.substr(dot + 1);
    to.put("#" + attr.kind.substr(0, dot) + "<" + name + " " + attr.value + ">");
  }
}
void print_dense_array(const MlirSink& to, const ir::DenseArrayAttr& array) {
  if (to.row != nullptr) return to.print.integers(array.values);
  if (to.legacy) to.out += "#shardy.";
  to.out.append("array<").append(to_string(array.element));
  if (!array.values.empty()) to.out += ": ";
  for (std::size_t index = 0; index < array.values.size(); ++index) {
    if (index > 0) to.out += ", ";
    append_integer_of(to.out, array.values[index], array.element);
  }
  to.out += '>';
}
void print_list(const MlirSink& to, const ir::ArrayAttr& list) {
  to.out += '[';
  for (std::size_t index = 0; index < list.elements.size(); ++index) {
    if (index > 0) to.out += ", ";
    if (to.row != nullptr) {
      to.print.bare(list.elements[index], *to.row);
    } else {
      to.print.element_of_list(list.elements[index]);
    }
  }
  to.out += ']';
}
void print_dictionary(const MlirSink& to, const ir::AttributeMap& map) { to.print.braces(map); }
void print_literal(const MlirSink& to, const ir::Literal& literal) { to.print.literal(literal); }

// ---- MLIR text: reading custom forms -----------------------------------------------------------

MaybeAttribute read_bare_bool(MlirAttributeReader& reader, const AttributeDefinition& /*row*/) {
  const bool value = reader.cursor().eat_word("true");
  if (!value && !reader.cursor().expect("false")) return std::nullopt;
  return Attribute(value);
}

MaybeAttribute read_bare_integer(MlirAttributeReader& reader, const AttributeDefinition& row) {
  MlirCursor& cursor = reader.cursor();
  const std::size_t begin = cursor.position();
  const std::string_view number = cursor.number();
  if (!number.empty() && number.find('.') == std::string_view::npos) {
    return reader.integer_attribute(number, ir::definition_of(row.kind).element, begin);
  }
  cursor.seek(begin);
  cursor.expected("an integer");
  return std::nullopt;
}

MaybeAttribute read_bare_float(MlirAttributeReader& reader, const AttributeDefinition& row) {
  MlirCursor& cursor = reader.cursor();
  const std::size_t begin = cursor.position();
  const std::string_view number = cursor.number();
  if (!number.empty()) {
    return reader.float_attribute(number, ir::definition_of(row.kind).element, begin);
  }
  cursor.expected("a number");
  return std::nullopt;
}

/// Reads a string. In contrast to a dictionary, no type follows.
MaybeAttribute read_bare_string(MlirAttributeReader& reader, const AttributeDefinition& row) {
  std::optional<std::string> text =
      row.kind == AttributeKind::StringSymbol ? reader.cursor().symbol() : reader.cursor().string();
  if (!text) return std::nullopt;
  return Attribute(*std::move(text));
}

MaybeAttribute read_bare_integers(MlirAttributeReader& reader, const AttributeDefinition& /*row*/) {
  std::optional<std::vector<int64_t>> values = reader.integer_list();
  if (!values) return std::nullopt;
  return Attribute(ir::DenseArrayAttr{ElementType::I64, *std::move(values)});
}

MaybeAttribute read_bare_enum(MlirAttributeReader& reader, const AttributeDefinition& row) {
  MlirCursor& cursor = reader.cursor();
  if (cursor.peek() == '"') {
    const std::size_t begin = cursor.position();
    const std::optional<std::string> text = cursor.string();
    if (!text) return std::nullopt;
    if (ir::enum_number(*row.words, *text) >= 0) {
      return Attribute(ir::EnumAttr{std::string(row.words->kind), *text});
    }
    cursor.fail(begin, "expected one of " + std::string(row.words->words),
                notes_on_word(*row.words, *text));
    return std::nullopt;
  }
  if (cursor.peek() != '#') return reader.enum_attribute(*row.words);
  const std::size_t begin = cursor.position();
  MaybeAttribute value = reader.attribute();
  if (!value) return std::nullopt;
  return reader.as_wanted(*value, row, begin);
}

MaybeAttribute read_bare_words(MlirAttributeReader& reader, const AttributeDefinition& row) {
  MlirCursor& cursor = reader.cursor();
  ir::ArrayAttr list;
  if (!cursor.expect('[')) return std::nullopt;
  if (cursor.eat(']')) return Attribute(std::move(list));
  list.elements.reserve(2);  // one per operand of a dot
  do {
    MaybeAttribute element = read_bare_enum(reader, row);
    if (!element) return std::nullopt;
    list.elements.push_back(*std::move(element));
  } while (cursor.eat(','));
  if (!cursor.expect(']')) return std::nullopt;
  return Attribute(std::move(list));
}

/// Reads `<lhs_precision_type = bf16, ...>`. After `#stablehlo.dot_algorithm`, the `<` is already
/// read.
MaybeAttribute read_algorithm(MlirAttributeReader& reader) {
  MlirCursor& cursor = reader.cursor();
  struct Field {
    std::string_view name;
    std::string value;
  };
  Field fields[] = {{"lhs_precision_type", ""},          {"rhs_precision_type", ""},
                    {"accumulation_type", ""},           {"lhs_component_count", ""},
                    {"rhs_component_count", ""},         {"num_primitive_operations", ""},
                    {"allow_imprecise_accumulation", ""}};
  cursor.eat('<');
  do {
    const std::size_t begin = cursor.position();
    const std::string_view name = cursor.ident();
    auto* const field = std::ranges::find(fields, name, &Field::name);
    if (field == std::end(fields)) {
      cursor.fail(begin, "unexpected field '" + std::string(name) + "' of a dot algorithm");
      return std::nullopt;
    }
    if (!cursor.expect('=')) return std::nullopt;
    const std::size_t value = cursor.position();
    if (cursor.at_integer() ? cursor.number().empty() : cursor.ident().empty()) {
      cursor.expected("a value");
      return std::nullopt;
    }
    field->value = cursor.slice(value);
  } while (cursor.eat(','));
  if (!cursor.expect('>')) return std::nullopt;
  std::string text = "#stablehlo.dot_algorithm<";
  for (const Field& field : fields) {
    if (field.value.empty()) {
      cursor.fail("missing field '" + std::string(field.name) + "' of the dot algorithm");
      return std::nullopt;
    }
    if (&field != fields) text += ", ";
    text += std::string(field.name) + " = " + field.value;
  }
  return Attribute(ir::OpaqueAttr{text + ">"});
}

MaybeAttribute read_bare_algorithm(MlirAttributeReader& reader,
                                   const AttributeDefinition& /*row*/) {
  if (reader.cursor().peek() == '#') return reader.attribute();
  if (reader.cursor().peek() == '<') return read_algorithm(reader);
  reader.cursor().expected("'<'");
  return std::nullopt;
}

// ---- The rows ----------------------------------------------------------------------------------

constexpr AttributeCodec kPlainCodecs[] = {
    codec(AttributeKind::Unit, "unit", {&read_unit, kHeld<&write_unit>}, {kHeld<&print_unit>}),
    codec(AttributeKind::Bool, "boolean", {&read_boolean_attribute, kHeld<&write_bool>},
          {kHeld<&print_bool>, &read_bare_bool}),
    codec(AttributeKind::I64, "integer",
          {&read_integer_attribute, kHeld<&write_integer>, &has_type_of_slot<ir::IntegerAttr>,
           "type", kHeld<&type_of_number<ir::IntegerAttr>>},
          {kHeld<&print_integer>, &read_bare_integer}),
    codec(AttributeKind::F64, "float",
          {&read_float_attribute, kHeld<&write_float_attribute>, &has_type_of_slot<ir::FloatAttr>,
           "type", kHeld<&type_of_number<ir::FloatAttr>>},
          {kHeld<&print_float>, &read_bare_float}),
    codec(AttributeKind::String, "string", {&read_string_attribute, kHeld<&write_text>},
          {kHeld<&print_string>, &read_bare_string},
          {.also = AttributeKind::StringSymbol, .bare_only = true}),
    codec(AttributeKind::Symbol, "symbol", {&read_symbol, kHeld<&write_symbol>},
          {kHeld<&print_symbol>}),
    codec(AttributeKind::Type, "type", {&read_type_attribute, kHeld<&write_type>},
          {kHeld<&print_type>}),
    codec(AttributeKind::Enum, "enum",
          {&read_enum, kHeld<&write_enum>, &is_word_of_slot, "kind", kHeld<&enumeration_of>},
          {kHeld<&print_enum>, &read_bare_enum},
          {.also = AttributeKind::I32Enum, .bare_only = true}),
    codec(AttributeKind::EnumList, "", {&read_enum_list, kHeld<&write_list>, &holds_words_of_slot},
          {kHeld<&print_list>, &read_bare_words}),
    codec(AttributeKind::I64Array, "array",
          {&read_dense_array, kHeld<&write_dense_array>, &has_elements_of_slot, "type",
           kHeld<&type_of_array>},
          {kHeld<&print_dense_array>, &read_bare_integers}, {.bare_only = true}),
    codec(AttributeKind::BoolArray, "",
          {&read_dense_array, kHeld<&write_dense_array>, &has_elements_of_slot},
          {kHeld<&print_dense_array>}),
    codec(AttributeKind::Array, "list", {&read_list_attribute, kHeld<&write_list>},
          {kHeld<&print_list>}, {.spell = kHeld<&spell_list>}),
    codec(AttributeKind::Dictionary, "dict", {&read_dictionary, kHeld<&write_dictionary>},
          {kHeld<&print_dictionary>}, {.needs_tag = true, .spell = kHeld<&spell_dictionary>}),
    codec(AttributeKind::Literal, "dense",
          {&read_literal_attribute, kHeld<&write_literal_attribute>, &has_type_of_result, "type",
           kHeld<&type_of_literal>},
          {kHeld<&print_literal>}, {.needs_tag = true}),
    codec(AttributeKind::Pairs, "", {&read_rows, kHeld<&write_rows>, &implies_type},
          {kHeld<&print_literal>}, {.also = AttributeKind::Groups}),
    codec(AttributeKind::Opaque, "opaque", {&read_opaque, kHeld<&write_opaque>},
          {kHeld<&print_opaque>}, {.needs_tag = true}),
    codec(AttributeKind::DotAlgorithm, "", {},
          {kHeld<&print_opaque>, &read_bare_algorithm, "stablehlo.dot_algorithm", &read_algorithm},
          {.needs_tag = true}),
};

}  // namespace

std::span<const AttributeCodec> plain_codecs() { return kPlainCodecs; }

}  // namespace shardy::text
