// Text forms of attributes: one row for each kind, with its readers and printers of JSON and of
// MLIR text. The rows are in plain_codecs.cpp, dims_codecs.cpp and sharding_codecs.cpp.
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

/// The attribute that an op expects under a name.
struct AttributeSlot {
  std::string_view op;                              // empty: any op
  std::string_view name;                            // empty: any name
  ir::AttributeKind kind = ir::AttributeKind::Any;  // Any: plain JSON does not determine the kind
  ir::ElementType element = ir::ElementType::I64;   // of integers and arrays
  std::string_view enumeration = {};                // of enums
  std::string_view words = {};                      // of enums: all of them, separated by blanks
  std::size_t columns = 0;                          // of rows; 0: any number
  bool is_foreign = false;                          // an unknown name without dialect
};

/// Returns the slot of that attribute of the op; kind Any if it has none.
AttributeSlot attribute_slot(std::string_view op, std::string_view name);

/// The place of an attribute in JSON.
struct JsonSink {
  JsonWriter& writer;
  const AttributeSlot& slot;
  const AttributeContext& context;
};

/// The place of an attribute in MLIR text.
struct MlirSink {
  MlirAttributePrinter& print;
  std::string& out;
  bool legacy = false;                           // older text, without properties
  bool in_array = false;                         // an element of a list
  const ir::AttributeDefinition* row = nullptr;  // its definition in a custom form

  /// Prints an attribute of a dialect.
  void put(const std::string& text) const;
};

/// Attributes of one kind in JSON: `[1, 0]` where an op expects it, `{"array": [1, 0], "type":
/// "i64"}` elsewhere.
struct JsonCodec {
  Result<ir::Attribute> (*read)(JsonNode, const AttributeSlot&, const AttributeContext&) = nullptr;
  void (*write)(const JsonSink&, const ir::Attribute&) = nullptr;
  /// Checks whether the written form reads back without a tag; null: always.
  bool (*is_plain)(const ir::Attribute&, const AttributeSlot&, const AttributeContext&) = nullptr;
  std::string_view detail = {};  // a second key beside the tag, or empty
  std::string (*detail_of)(const ir::Attribute&) = nullptr;  // its value
};

/// Attributes of one kind in MLIR text: `array<i64: 1, 0>` in dictionaries, `[1, 0]` in custom
/// forms, which are bare.
struct MlirCodec {
  void (*print)(const MlirSink&, const ir::Attribute&) = nullptr;
  /// Null: read as in dictionaries.
  std::optional<ir::Attribute> (*read_bare)(MlirAttributeReader&,
                                            const ir::AttributeDefinition&) = nullptr;
  std::string_view mnemonic = {};  // `d.x` of `#d<x body>`, which `read_body` reads
  std::optional<ir::Attribute> (*read_body)(MlirAttributeReader&) = nullptr;
};

/// Differences of a kind from others.
struct CodecTraits {
  ir::AttributeKind also = ir::AttributeKind::Any;  // another kind of the same text, or Any
  bool needs_tag = false;  // the rows of the ops do not determine the kind for plain JSON
  bool bare_only = false;  // custom forms show no attribute of another form under its name
  ir::Attribute (*spell)(const ir::Attribute&) =
      nullptr;  // converts to names of axes; null: no conversion
};

/// Text forms of the attributes of one kind. They are written with the names of axes, as
/// `unresolved` has them.
struct AttributeCodec {
  ir::AttributeKind kind;  // which kind it is
  std::string_view tag;    // of JSON; empty: that of another kind with values of the same form
  JsonCodec json;
  MlirCodec mlir;
  CodecTraits traits;
};

/// A row of the table.
constexpr AttributeCodec codec(ir::AttributeKind kind, std::string_view tag, JsonCodec json,
                               MlirCodec mlir, CodecTraits traits = {}) {
  return {kind, tag, json, mlir, traits};
}

/// Converts a function of a value to one of the attribute that holds the value.
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

/// The rows of each file.
std::span<const AttributeCodec> plain_codecs();
std::span<const AttributeCodec> dims_codecs();
std::span<const AttributeCodec> sharding_codecs();

/// All rows with a tag, in the order of the files.
std::span<const AttributeCodec* const> tagged_codecs();
/// The row of a kind; null for Any and for those of custom forms only.
const AttributeCodec* find_codec(ir::AttributeKind kind);
/// The row of `#dialect<name ..>`, or null; attributes other than chlo's match any dialect name.
const AttributeCodec* find_codec(std::string_view dialect, std::string_view name);
/// The row with a tag for the form of the attribute.
const AttributeCodec& codec_of(const ir::Attribute& attribute);

/// Returns the attribute with names instead of axes of a mesh, also inside lists and dictionaries,
/// as a reader makes it from text before meshes are known.
ir::Attribute unresolved(const ir::Attribute& attribute);

}  // namespace shardy::text
