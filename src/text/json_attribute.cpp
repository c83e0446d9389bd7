#include "text/json_attribute.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "shardy/ir/op_definition.hpp"
#include "text/attribute_codec.hpp"
#include "text/json_fields.hpp"
#include "text/json_writer.hpp"

namespace shardy::text {

namespace {

using ir::Attribute;
using ir::AttributeKind;
using ir::ElementType;

// ---- Reading -----------------------------------------------------------------------------------

/// Reads an attribute of a kind. Requires: the kind is not Any.
Result<Attribute> read_kind(JsonNode node, const AttributeSlot& slot,
                            const AttributeContext& context) {
  return find_codec(slot.kind)->json.read(node, slot, context);
}

/// Returns the row of an object that has only the keys of a tag; null for other objects.
const AttributeCodec* tag_in(JsonNode object) {
  for (const AttributeCodec* const row : tagged_codecs()) {
    const bool has_tag = object.find(row->tag).has_value();
    const bool has_detail = !row->json.detail.empty() && object.find(row->json.detail).has_value();
    if (has_tag && object.size() == (has_detail ? 2U : 1U)) return row;
  }
  return nullptr;
}

Result<ElementType> read_element_type(JsonNode node) {
  const auto element = node.is_string() ? ir::parse_element_type(node.string()) : std::nullopt;
  if (element) return *element;
  return fail_at(node, "an element type is a string such as \"i32\", found " + node.description());
}

/// Reads `{"tag": payload, "detail": ..}` as an attribute for the slot `outer`.
Result<Attribute> read_tagged(JsonNode object, const AttributeCodec& row,
                              const AttributeSlot& outer, AttributeContext context) {
  AttributeSlot slot{.op = "", .name = "", .kind = row.kind};
  slot.element = ir::definition_of(row.kind).element;
  const JsonNode payload = *object.find(row.tag);
  const auto detail = row.json.detail.empty() ? std::nullopt : object.find(row.json.detail);
  if (row.kind == AttributeKind::Enum) {
    if (!detail && outer.enumeration.empty()) {
      return fail_at(object, "the \"kind\" of the enum is missing",
                     R"(for example "stablehlo.comparison_direction")");
    }
    if (detail && !detail->is_string()) {
      return fail_at(*detail, "\"kind\" is a string, found " + detail->description());
    }
    slot.enumeration = detail ? detail->string() : outer.enumeration;
  } else if (row.kind == AttributeKind::Literal && detail) {
    SHARDY_TRY(context.result_type, read_type(*detail));
  } else if (detail) {
    SHARDY_TRY(slot.element, read_element_type(*detail));
  }
  return read_kind(payload, slot, context);
}

/// Returns the error for a dictionary that probably has no tag by mistake.
tl::unexpected<Error> no_tag(JsonNode object) {
  std::string note = R"(a dictionary is {"dict": {..}}; tags:)";
  for (const AttributeCodec* const row : tagged_codecs()) note += " " + std::string(row->tag);
  return fail_at(object, "an object that is an attribute has a tag", std::move(note));
}

/// Reads an attribute whose kind the op does not determine.
Result<Attribute> read_plain(JsonNode node, const AttributeContext& context) {
  switch (node.kind()) {
    case JsonNode::JsonKind::Boolean:
      return node.boolean();
    case JsonNode::JsonKind::Integer:
      return ir::IntegerAttr{*node.integer(), ElementType::I64};
    case JsonNode::JsonKind::Float:
      return ir::FloatAttr{node.number(), ElementType::F64};
    case JsonNode::JsonKind::String:
      return std::string(node.string());
    case JsonNode::JsonKind::Array:
      return read_kind(node, {.op = "", .name = "", .kind = AttributeKind::Array}, context);
    case JsonNode::JsonKind::Object:
      return no_tag(node);
    case JsonNode::JsonKind::Unsigned:
      return fail_at(node, node.description() + " is out of range of i64",
                     R"(write {"integer": .., "type": "ui64"})");
    case JsonNode::JsonKind::Null:
      break;
  }
  return fail_at(node, "null is not an attribute", R"(write {"unit": true})");
}

/// Returns the attribute name of a key. The key `.x` is the name x, which the op's definition does
/// not have.
std::string_view name_of_key(std::string_view key, std::string_view op) {
  const bool is_literal = key.starts_with('.') && attribute_slot(op, key.substr(1)).is_foreign;
  return is_literal ? key.substr(1) : key;
}

tl::unexpected<Error> no_such_attribute(JsonNode member, std::string_view op) {
  std::vector<std::string_view> names = {"sdy.sharding", "sdy.sharding_rule"};
  std::string note = "it has:";
  for (const ir::AttributeDefinition& known : ir::definition_of(ir::find_op(op)).attributes) {
    names.push_back(known.name);
    note += " " + std::string(known.name);
  }
  constexpr std::size_t kLongestKey = 60;
  const std::string key(member.key().substr(0, kLongestKey));
  const std::string meant = suggestion(member.key(), names);
  if (note.ends_with(':')) note = "the op has no attributes";
  note +=
      "; a custom attribute is " + quoted_json("dialect." + key) + " or " + quoted_json("." + key);
  return fail_at(member, "'" + std::string(op) + "' op has no attribute " + quoted_json(key),
                 meant.empty() ? note : meant);
}

// ---- Writing -----------------------------------------------------------------------------------

/// Returns true for the four forms that are plain JSON without an expected kind.
bool is_plain_anywhere(const Attribute& attribute) {
  const auto* integer = attribute.as<ir::IntegerAttr>();
  return attribute.as<bool>() || attribute.as<std::string>() || attribute.as<ir::ArrayAttr>() ||
         (integer && integer->type == ElementType::I64);
}

/// Returns the row whose plain JSON reads back as the attribute; null if none exists.
const AttributeCodec* plain_codec(const Attribute& attribute, const AttributeSlot& slot,
                                  const AttributeContext& context) {
  if (slot.kind == AttributeKind::Any) {
    return is_plain_anywhere(attribute) ? &codec_of(attribute) : nullptr;
  }
  if (ir::definition_of(slot.kind).form != attribute.form()) return nullptr;
  const AttributeCodec* const codec = find_codec(slot.kind);
  const bool is_plain =
      codec->json.is_plain == nullptr || codec->json.is_plain(attribute, slot, context);
  return is_plain ? codec : nullptr;
}

}  // namespace

Result<Attribute> read_attribute(JsonNode node, const AttributeSlot& slot,
                                 const AttributeContext& context) {
  if (node.is_object()) {
    if (const AttributeCodec* row = tag_in(node)) return read_tagged(node, *row, slot, context);
  }
  if (slot.kind == AttributeKind::Any) return read_plain(node, context);
  return read_kind(node, slot, context);
}

Result<ir::AttributeMap> read_attributes(JsonNode object, std::string_view op,
                                         const AttributeContext& context) {
  if (!object.is_object()) {
    return fail_at(object, "attributes are an object, found " + object.description());
  }
  std::vector<JsonNode> members = object.children();
  std::ranges::stable_sort(members, {},
                           &JsonNode::key);  // a map is filled fastest in its own order
  ir::AttributeMap attributes;
  for (const JsonNode member : members) {
    const std::string_view name = name_of_key(member.key(), op);
    const AttributeSlot slot = attribute_slot(op, name);
    if (slot.is_foreign && name == member.key()) return no_such_attribute(member, op);
    SHARDY_TRY(Attribute attribute, read_attribute(member, slot, context));
    attributes.set(name, std::move(attribute));
  }
  return attributes;
}

void write_attribute(JsonWriter& writer, const Attribute& attribute, const AttributeSlot& slot,
                     const AttributeContext& context) {
  const Attribute text = unresolved(attribute);
  if (const AttributeCodec* const plain = plain_codec(text, slot, context)) {
    return plain->json.write({writer, slot, context}, text);
  }
  const AttributeCodec& codec = codec_of(text);
  const AttributeSlot tagged{.op = "", .name = "", .kind = codec.kind};
  writer.begin_object();
  codec.json.write({writer.key(codec.tag), tagged, context}, text);
  if (codec.json.detail_of != nullptr)
    writer.key(codec.json.detail).string(codec.json.detail_of(text));
  writer.end_object();
}

}  // namespace shardy::text
