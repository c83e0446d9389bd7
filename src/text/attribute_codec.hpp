// The text forms of attributes: one row per kind, with its readers and printers of JSON and of MLIR
// text. The rows are in plain_codecs.cpp, dims_codecs.cpp and sharding_codecs.cpp.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "shardy/ir/attribute.hpp"
#include "shardy/ir/op_definition.hpp"
#include "shardy/ir/type.hpp"
#include "shardy/support/result.hpp"
#include "text/json_document.hpp"

namespace shardy::text {

struct AttributeContext;
class JsonWriter;
class MlirAttributePrinter;
class MlirAttributeReader;

/// The form of attribute that an op expects under a name.
struct AttributeSlot {
  std::string_view op;                              // name of the op; empty: any op
  std::string_view name;                            // name of the attribute; empty: any name
  ir::AttributeKind kind = ir::AttributeKind::Any;  // Any if plain JSON does not determine the kind
  ir::ElementType element = ir::ElementType::I64;   // element type of integers and arrays
  std::string_view enumeration = {};                // for enums: name of the enumeration
  std::string_view words = {};  // for enums: all enumerators, separated by blanks
  std::size_t columns = 0;      // for rows: number of columns; 0: any number
  bool is_foreign = false;      // the name is unknown and has no dialect prefix
};

/// Returns the slot of an attribute of the op; its kind is Any if the op does not list the
/// attribute.
AttributeSlot attribute_slot(std::string_view op, std::string_view name);

/// The JSON writer and the context of an attribute to be written.
struct JsonSink {
  JsonWriter& writer;
  const AttributeSlot& slot;
  const AttributeContext& context;
};

/// The MLIR printer and the context of an attribute to be printed.
struct MlirSink {
  MlirAttributePrinter& print;
  std::string& out;
  bool legacy = false;    // prints older text, which has no properties
  bool in_array = false;  // the attribute is an element of a list
  // The attribute's definition, if a custom form prints it.
  const ir::AttributeDefinition* row = nullptr;

  /// Prints the text of a dialect attribute.
  void put(const std::string& text) const;
};

/// The readers and writers of a kind in JSON. An op that expects the kind has plain JSON such as
/// `[1, 0]`; elsewhere the form is tagged, such as `{"array": [1, 0], "type": "i64"}`.
struct JsonCodec {
  Result<ir::Attribute> (*read)(JsonNode, const AttributeSlot&, const AttributeContext&) = nullptr;
  void (*write)(const JsonSink&, const ir::Attribute&) = nullptr;
  /// Checks whether plain JSON of the attribute reads back as the same attribute. Null: it always
  /// does.
  bool (*is_plain)(const ir::Attribute&, const AttributeSlot&, const AttributeContext&) = nullptr;
  std::string_view detail = {};  // second key of the tagged form; may be empty
  std::string (*detail_of)(const ir::Attribute&) = nullptr;  // returns the value of `detail`
};

/// The readers and printers of a kind in MLIR text: `array<i64: 1, 0>` in dictionaries, and the
/// bare form `[1, 0]` in custom forms of ops.
struct MlirCodec {
  void (*print)(const MlirSink&, const ir::Attribute&) = nullptr;
  /// Reads the bare form. Null: equal to the form in dictionaries.
  std::optional<ir::Attribute> (*read_bare)(MlirAttributeReader&,
                                            const ir::AttributeDefinition&) = nullptr;
  std::string_view mnemonic = {};  // `d.x` for text `#d<x body>`, whose body `read_body` reads
  std::optional<ir::Attribute> (*read_body)(MlirAttributeReader&) = nullptr;
};

/// Properties in which a kind differs from most others.
struct CodecTraits {
  ir::AttributeKind also = ir::AttributeKind::Any;  // another kind with the same text, or Any
  // JSON always has a tag, because the rows of the ops do not determine the kind.
  bool needs_tag = false;
  // Custom forms print only the bare form: an op whose attribute is not of this kind is printed in
  // generic form.
  bool bare_only = false;
  ir::Attribute (*spell)(const ir::Attribute&) =
      nullptr;  // replaces axes by their names; null: has no axes
};

/// The text forms of one kind of attribute. They use names of axes, as returned by `unresolved`.
struct AttributeCodec {
  ir::AttributeKind kind;  // the kind of attribute
  // Tag in JSON; empty: the kind uses the tag of another kind with an equal form.
  std::string_view tag;
  JsonCodec json;
  MlirCodec mlir;
  CodecTraits traits;
};

/// Returns a row of the table.
constexpr AttributeCodec codec(ir::AttributeKind kind, std::string_view tag, JsonCodec json,
                               MlirCodec mlir, CodecTraits traits = {}) {
  return {kind, tag, json, mlir, traits};
}

/// Converts a function of a value of type T to a function of the attribute that contains the value.
template <auto kFunction, class To, class T>
constexpr auto call_with_held(void (*)(To, const T&)) {
  return +[](To to, const ir::Attribute& attribute) { kFunction(to, *attribute.as<T>()); };
}
template <auto kFunction, class To, class T>
constexpr auto call_with_held(To (*)(const T&)) {
  return +[](const ir::Attribute& attribute) -> To { return kFunction(*attribute.as<T>()); };
}
template <auto kFunction>
inline constexpr auto kHeld = call_with_held<kFunction>(kFunction);

/// Returns the rows of plain_codecs.cpp; the other files have similar functions.
std::span<const AttributeCodec> plain_codecs();
std::span<const AttributeCodec> dims_codecs();
std::span<const AttributeCodec> sharding_codecs();

/// Returns all rows with a tag, in the order of the files.
std::span<const AttributeCodec* const> tagged_codecs();
/// Returns the row of a kind; null for Any and for kinds that occur only in custom forms.
const AttributeCodec* find_codec(ir::AttributeKind kind);
/// Returns the row of `#dialect<name ..>`; null if none exists. Attributes of dialects other
/// than chlo match any dialect name.
const AttributeCodec* find_codec(std::string_view dialect, std::string_view name);
/// Returns the row with a tag for the form of the attribute.
const AttributeCodec& codec_of(const ir::Attribute& attribute);

/// Replaces axes of a mesh by their names, also inside lists and dictionaries. A reader returns
/// attributes in this form before the meshes are known.
ir::Attribute unresolved(const ir::Attribute& attribute);

}  // namespace shardy::text
