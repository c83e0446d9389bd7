// Reads attributes of dialects, by name and in custom forms. Spec: stablehlo 8 to 10.

#include <algorithm>

#include "ir/float_text.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/support/detail/quote.hpp"
#include "text/attribute_codec.hpp"
#include "text/mlir_attribute_reader.hpp"

namespace shardy::text {

using ir::Attribute;
using ir::ElementType;

// `#dialect` attributes. Spec: stablehlo 8, algebra 10.3.

std::optional<Attribute> MlirAttributeReader::hash_attribute() {
  const std::size_t begin = cursor_.position();
  cursor_.seek(begin + 1);
  const std::string_view name = cursor_.suffix();
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos && cursor_.raw_peek() != '<') {
    const auto alias = attribute_aliases_.find(name);
    if (alias != attribute_aliases_.end()) return alias->second;
    if (locations_.find(name)) {
      return location_attribute("loc(#" + std::string(name) + ")", begin);
    }
    cursor_.fail(begin, "undefined symbol alias id '" + std::string(name) + "'");
    return std::nullopt;
  }
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
