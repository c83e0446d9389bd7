#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "shardy/algebra/detail/text_form.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/op_definition.hpp"
#include "text/dim_numbers.hpp"
#include "text/json_attribute.hpp"
#include "text/json_fields.hpp"
#include "text/json_sharding.hpp"
#include "text/json_writer.hpp"

namespace shardy::text {

namespace {

using ir::Attribute;
using ir::ElementType;
using AttributeResult = Result<Attribute>;

constexpr AttributeSlot kAnySlot = {"", ""};

// ---- Scalars ---------------------------------------------------------------------------------

/// An integer that fits the element type; of unsigned types the bits.
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

// ---- Enums and lists -------------------------------------------------------------------------

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
  return ir::EnumAttr{std::string(slot.kind), std::move(word)};
}

AttributeResult read_enum_list(JsonNode node, const AttributeSlot& slot,
                               const AttributeContext& context) {
  AttributeSlot element = slot;
  element.form = AttributeForm::Enum;
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

/// Attributes are values that hold each other: reading, comparing and freeing them recurses.
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
               return read_attribute(each, kAnySlot, context);
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

/// `[[0, 1], [2, 3]]`: a literal whose type its lists tell.
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

// ---- Structures ------------------------------------------------------------------------------

template <class T>
AttributeResult read_dim_numbers(JsonNode node, const AttributeSlot&, const AttributeContext&) {
  std::vector<std::string_view> names;
  names.reserve(std::size(DimNumbers<T>::kMembers));
  for (const auto& member : DimNumbers<T>::kMembers) names.push_back(member.name);
  SHARDY_TRY_STATUS(expect_object(node, DimNumbers<T>::kName, names));
  T dims;
  for (const auto& member : DimNumbers<T>::kMembers) {
    const std::optional<JsonNode> value = node.find(member.name);
    if (value && member.list) {
      SHARDY_TRY(dims.*member.list, read_integers(*value, member.name));
    } else if (value) {
      SHARDY_TRY(dims.*member.number, read_integer(*value, member.name));
    }
  }
  return dims;
}

AttributeResult read_mesh_attribute(JsonNode node, const AttributeSlot&, const AttributeContext&) {
  return read_mesh(node);
}

AttributeResult read_sharding_attribute(JsonNode node, const AttributeSlot&,
                                        const AttributeContext& context) {
  return read_sharding(node, *context.meshes);
}

AttributeResult read_sharding_list(JsonNode node, const AttributeSlot&,
                                   const AttributeContext& context) {
  ir::UnresolvedShardingList list;
  SHARDY_TRY(list.shardings,
             read_list_of<UnresolvedSharding>(node, "a list of shardings", [&](JsonNode each) {
               return read_sharding(each, *context.meshes);
             }));
  return list;
}

AttributeResult read_axes_attribute(JsonNode node, const AttributeSlot&, const AttributeContext&) {
  SHARDY_TRY(UnresolvedAxisList axes, read_axes(node));
  return ir::UnresolvedAxesAttr{std::move(axes)};
}

AttributeResult read_axes_lists(JsonNode node, const AttributeSlot&, const AttributeContext&) {
  ir::UnresolvedAxesListsAttr attr;
  SHARDY_TRY(attr.lists, read_list_of<UnresolvedAxisList>(node, "a list of axis lists", read_axes));
  return attr;
}

Result<ir::UnresolvedAllToAllParam> read_all_to_all_param(JsonNode node) {
  SHARDY_TRY_STATUS(expect_object(node, "an all-to-all param", {"axes", "source", "target"}));
  ir::UnresolvedAllToAllParam param;
  SHARDY_TRY(const JsonNode axes, required(node, "axes"));
  SHARDY_TRY(param.axes, read_axes(axes));
  SHARDY_TRY(const JsonNode source, required(node, "source"));
  SHARDY_TRY(param.source_dim, read_integer(source, "\"source\""));
  SHARDY_TRY(const JsonNode target, required(node, "target"));
  SHARDY_TRY(param.target_dim, read_integer(target, "\"target\""));
  return param;
}

AttributeResult read_all_to_all(JsonNode node, const AttributeSlot&, const AttributeContext&) {
  ir::UnresolvedAllToAllAttr attr;
  SHARDY_TRY(attr.params, read_list_of<ir::UnresolvedAllToAllParam>(node, "a list of params",
                                                                    read_all_to_all_param));
  return attr;
}

AttributeResult read_permute(JsonNode node, const AttributeSlot&, const AttributeContext& context) {
  return read_permute_map(node, *context.meshes);
}

AttributeResult read_manual_axes(JsonNode node, const AttributeSlot&, const AttributeContext&) {
  ir::ManualAxesAttr attr;
  SHARDY_TRY(attr.names, read_strings(node, "a list of manual axes"));
  return attr;
}

AttributeResult read_rule(JsonNode node, const AttributeSlot& slot, const AttributeContext&) {
  SHARDY_TRY(const std::string text, read_string(node, "a sharding rule"));
  // An einsum, which the shapes of the op make a rule.
  const bool is_einsum = slot.form == AttributeForm::Rule && text.find("->") != std::string::npos &&
                         text.find('<') == std::string::npos;
  if (is_einsum) return ir::Attribute(text);
  return parse_value<OpShardingRule>(text).map_error(
      [&](Error error) { return in_text_of(node, std::move(error)); });
}

// ---- Which form ------------------------------------------------------------------------------

struct FormReader {
  AttributeForm form;
  AttributeResult (*read)(JsonNode, const AttributeSlot&, const AttributeContext&);
};

constexpr FormReader kReaders[] = {
    {AttributeForm::Unit, read_unit},
    {AttributeForm::Boolean, read_boolean_attribute},
    {AttributeForm::Integer, read_integer_attribute},
    {AttributeForm::Float, read_float_attribute},
    {AttributeForm::String, read_string_attribute},
    {AttributeForm::Symbol, read_symbol},
    {AttributeForm::Type, read_type_attribute},
    {AttributeForm::Enum, read_enum},
    {AttributeForm::EnumList, read_enum_list},
    {AttributeForm::DenseArray, read_dense_array},
    {AttributeForm::List, read_list_attribute},
    {AttributeForm::Dictionary, read_dictionary},
    {AttributeForm::Literal, read_literal_attribute},
    {AttributeForm::Rows, read_rows},
    {AttributeForm::Opaque, read_opaque},
    {AttributeForm::Dot, read_dim_numbers<ir::DotDims>},
    {AttributeForm::RaggedDot, read_dim_numbers<ir::RaggedDotDims>},
    {AttributeForm::Gather, read_dim_numbers<ir::GatherDims>},
    {AttributeForm::Scatter, read_dim_numbers<ir::ScatterDims>},
    {AttributeForm::Convolution, read_dim_numbers<ir::ConvolutionDims>},
    {AttributeForm::Mesh, read_mesh_attribute},
    {AttributeForm::Sharding, read_sharding_attribute},
    {AttributeForm::ShardingList, read_sharding_list},
    {AttributeForm::Axes, read_axes_attribute},
    {AttributeForm::AxesLists, read_axes_lists},
    {AttributeForm::AllToAll, read_all_to_all},
    {AttributeForm::ManualAxes, read_manual_axes},
    {AttributeForm::Rule, read_rule},
    {AttributeForm::Permute, read_permute},
};

/// Requires: a form other than Any.
AttributeResult read_form(JsonNode node, const AttributeSlot& slot,
                          const AttributeContext& context) {
  const FormReader* const reader = std::ranges::find(kReaders, slot.form, &FormReader::form);
  return reader->read(node, slot, context);
}

/// The tag of an object that has its keys and no other.
const AttributeTag* tag_in(JsonNode object) {
  for (const AttributeTag& tag : attribute_tags()) {
    const bool has_tag = object.find(tag.name).has_value();
    const bool has_detail = !tag.detail.empty() && object.find(tag.detail).has_value();
    if (has_tag && object.size() == (has_detail ? 2U : 1U)) return &tag;
  }
  return nullptr;
}

Result<ElementType> read_element_type(JsonNode node) {
  const auto element = node.is_string() ? ir::parse_element_type(node.string()) : std::nullopt;
  if (element) return *element;
  return fail_at(node, "an element type is a string such as \"i32\", found " + node.description());
}

/// `{"tag": payload, "detail": ..}` where the op expects `outer`.
AttributeResult read_tagged(JsonNode object, const AttributeTag& tag, const AttributeSlot& outer,
                            AttributeContext context) {
  AttributeSlot slot{.op = "", .name = "", .form = tag.form};
  if (tag.form == AttributeForm::Float) slot.element = ElementType::F64;
  const JsonNode payload = *object.find(tag.name);
  const auto detail = tag.detail.empty() ? std::nullopt : object.find(tag.detail);
  if (tag.form == AttributeForm::Enum) {
    const bool same_form =
        outer.form == AttributeForm::Enum || outer.form == AttributeForm::EnumList;
    if (!detail && !same_form) {
      return fail_at(object, "the \"kind\" of the enum is missing",
                     R"(for example "stablehlo.comparison_direction")");
    }
    if (detail && !detail->is_string()) {
      return fail_at(*detail, "\"kind\" is a string, found " + detail->description());
    }
    slot.kind = detail ? detail->string() : outer.kind;
  } else if (tag.form == AttributeForm::Literal && detail) {
    SHARDY_TRY(context.result_type, read_type(*detail));
  } else if (detail) {
    SHARDY_TRY(slot.element, read_element_type(*detail));
  }
  return read_form(payload, slot, context);
}

/// A dictionary without its tag, most likely.
tl::unexpected<Error> no_tag(JsonNode object) {
  std::string note = R"(a dictionary is {"dict": {..}}; tags:)";
  for (const AttributeTag& tag : attribute_tags()) note += " " + std::string(tag.name);
  return fail_at(object, "an object that is an attribute has a tag", std::move(note));
}

/// An attribute that no op expects.
AttributeResult read_plain(JsonNode node, const AttributeContext& context) {
  AttributeSlot slot{.op = "", .name = ""};
  switch (node.kind()) {
    case JsonNode::Kind::Boolean:
      return node.boolean();
    case JsonNode::Kind::Integer:
      return ir::IntegerAttr{*node.integer(), ElementType::I64};
    case JsonNode::Kind::Float:
      return ir::FloatAttr{node.number(), ElementType::F64};
    case JsonNode::Kind::String:
      return std::string(node.string());
    case JsonNode::Kind::Array:
      return read_list_attribute(node, slot, context);
    case JsonNode::Kind::Object:
      return no_tag(node);
    case JsonNode::Kind::Unsigned:
      return fail_at(node, node.description() + " is out of range of i64",
                     R"(write {"integer": .., "type": "ui64"})");
    case JsonNode::Kind::Null:
      break;
  }
  return fail_at(node, "null is not an attribute", R"(write {"unit": true})");
}

/// `.x` is a name x that the op has no use for.
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

}  // namespace

Result<Attribute> read_attribute(JsonNode node, const AttributeSlot& slot,
                                 const AttributeContext& context) {
  if (node.is_object()) {
    if (const AttributeTag* tag = tag_in(node)) return read_tagged(node, *tag, slot, context);
  }
  if (slot.form == AttributeForm::Any) return read_plain(node, context);
  return read_form(node, slot, context);
}

Result<ir::AttributeMap> read_attributes(JsonNode object, std::string_view op,
                                         const AttributeContext& context) {
  if (!object.is_object()) {
    return fail_at(object, "attributes are an object, found " + object.description());
  }
  std::vector<JsonNode> members = object.children();
  std::ranges::stable_sort(members, {}, &JsonNode::key);  // a map is filled fastest in its order
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

}  // namespace shardy::text
