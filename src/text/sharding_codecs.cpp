// Codecs of meshes, shardings, axes and rules. Spec: algebra 10, dialect 3, 4; partitioning 4.3.

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "shardy/algebra/detail/text_form.hpp"
#include "shardy/algebra/op_sharding_rule.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/algebra/unresolved.hpp"
#include "text/attribute_codec.hpp"
#include "text/dim_numbers.hpp"
#include "text/json_attribute.hpp"
#include "text/json_writer.hpp"
#include "text/mlir_attribute_reader.hpp"
#include "text/mlir_printer.hpp"

namespace shardy::text {

// ---- Values of the algebra and of the IR -------------------------------------------------------

namespace {

using ir::Attribute;

// Conversions of parsed values to attributes.

Attribute to_attribute(Mesh mesh) { return mesh; }
Attribute to_attribute(UnresolvedSharding sharding) { return sharding; }
Attribute to_attribute(UnresolvedShardings list) {
  return ir::UnresolvedShardingList{std::move(list)};
}
Attribute to_attribute(OpShardingRule rule) { return rule; }
Attribute to_attribute(ManualAxes names) { return ir::ManualAxesAttr{std::move(names)}; }
Attribute to_attribute(UnresolvedAxisList axes) { return ir::UnresolvedAxesAttr{std::move(axes)}; }
Attribute to_attribute(UnresolvedAxisLists lists) {
  return ir::UnresolvedAxesListsAttr{std::move(lists)};
}
Attribute to_attribute(UnresolvedAllToAlls params) {
  ir::UnresolvedAllToAllAttr attribute;
  for (UnresolvedAllToAll& param : params) {
    attribute.params.push_back({std::move(param.axes), param.source_dim, param.target_dim});
  }
  return attribute;
}
/// Converts a value. A value of an unknown kind keeps its text.
template <class T>
Attribute to_attribute(const T& other) {
  return ir::OpaqueAttr{attribute_text(other)};
}

const Mesh& value_of(const Mesh& mesh) { return mesh; }
const UnresolvedSharding& value_of(const UnresolvedSharding& sharding) { return sharding; }
const UnresolvedAxisList& value_of(const ir::UnresolvedAxesAttr& attr) { return attr.axes; }
const UnresolvedAxisLists& value_of(const ir::UnresolvedAxesListsAttr& attr) { return attr.lists; }
UnresolvedAllToAlls value_of(const ir::UnresolvedAllToAllAttr& attribute) {
  UnresolvedAllToAlls params;
  for (const ir::UnresolvedAllToAllParam& param : attribute.params) {
    params.push_back({param.axes, param.source_dim, param.target_dim});
  }
  return params;
}

// Conversions of values to forms in which names replace axes of a mesh.

Attribute spell_sharding(const TensorSharding& sharding) { return spell(sharding); }
Attribute spell_sharding_list(const ir::ShardingList& list) {
  ir::UnresolvedShardingList result;
  for (const TensorSharding& sharding : list.shardings) result.shardings.push_back(spell(sharding));
  return result;
}
Attribute spell_axes(const ir::AxesAttr& attr) {
  return ir::UnresolvedAxesAttr{spell(attr.mesh, attr.axes)};
}
Attribute spell_axes_lists(const ir::AxesListsAttr& attr) {
  ir::UnresolvedAxesListsAttr result;
  for (const AxisList& axes : attr.lists) result.lists.push_back(spell(attr.mesh, axes));
  return result;
}
Attribute spell_all_to_all(const ir::AllToAllAttr& attr) {
  ir::UnresolvedAllToAllAttr result;
  for (const ir::AllToAllParam& param : attr.params) {
    result.params.push_back({spell(attr.mesh, param.axes), param.source_dim, param.target_dim});
  }
  return result;
}

// ---- JSON: reading -----------------------------------------------------------------------------

Result<Attribute> read_mesh_attribute(JsonNode node, const AttributeSlot&,
                                      const AttributeContext&) {
  return read_mesh(node);
}

Result<Attribute> read_sharding_attribute(JsonNode node, const AttributeSlot&,
                                          const AttributeContext& context) {
  return read_sharding(node, *context.meshes);
}

Result<Attribute> read_sharding_list(JsonNode node, const AttributeSlot&,
                                     const AttributeContext& context) {
  ir::UnresolvedShardingList list;
  SHARDY_TRY(list.shardings,
             read_list_of<UnresolvedSharding>(node, "a list of shardings", [&](JsonNode each) {
               return read_sharding(each, *context.meshes);
             }));
  return list;
}

Result<Attribute> read_axes_attribute(JsonNode node, const AttributeSlot&,
                                      const AttributeContext&) {
  SHARDY_TRY(UnresolvedAxisList axes, read_axes(node));
  return ir::UnresolvedAxesAttr{std::move(axes)};
}

Result<Attribute> read_axes_lists(JsonNode node, const AttributeSlot&, const AttributeContext&) {
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

Result<Attribute> read_all_to_all(JsonNode node, const AttributeSlot&, const AttributeContext&) {
  ir::UnresolvedAllToAllAttr attr;
  SHARDY_TRY(attr.params, read_list_of<ir::UnresolvedAllToAllParam>(node, "a list of params",
                                                                    read_all_to_all_param));
  return attr;
}

Result<Attribute> read_permute(JsonNode node, const AttributeSlot&,
                               const AttributeContext& context) {
  return read_permute_map(node, *context.meshes);
}

Result<Attribute> read_manual_axes(JsonNode node, const AttributeSlot&, const AttributeContext&) {
  ir::ManualAxesAttr attr;
  SHARDY_TRY(attr.names, read_strings(node, "a list of manual axes"));
  return attr;
}

Result<Attribute> read_rule(JsonNode node, const AttributeSlot& /*slot*/, const AttributeContext&) {
  SHARDY_TRY(const std::string text, read_string(node, "a sharding rule"));
  // An einsum becomes a rule with the shapes of the op.
  const bool is_einsum =
      text.find("->") != std::string::npos && text.find('<') == std::string::npos;
  if (is_einsum) return ir::Attribute(text);
  return parse_value<OpShardingRule>(text).map_error(
      [&](Error error) { return in_text_of(node, std::move(error)); });
}

// ---- JSON: writing -----------------------------------------------------------------------------

/// Writes a list; `write` writes each element.
template <class List, class Write>
void write_each(JsonWriter& writer, const List& list, Write write) {
  writer.begin_array();
  for (const auto& each : list) write(each);
  writer.end_array();
}

void write_mesh_attribute(const JsonSink& to, const Mesh& mesh) { write_mesh(to.writer, mesh); }
void write_sharding_attribute(const JsonSink& to, const UnresolvedSharding& sharding) {
  write_sharding(to.writer, sharding, to.context.implied_mesh);
}
void write_sharding_list(const JsonSink& to, const ir::UnresolvedShardingList& list) {
  write_each(to.writer, list.shardings, [&](const UnresolvedSharding& sharding) {
    write_sharding(to.writer, sharding, to.context.implied_mesh);
  });
}
void write_axes_attribute(const JsonSink& to, const ir::UnresolvedAxesAttr& attr) {
  write_axes(to.writer, attr.axes);
}
void write_axes_lists(const JsonSink& to, const ir::UnresolvedAxesListsAttr& attr) {
  write_each(to.writer, attr.lists,
             [&](const UnresolvedAxisList& axes) { write_axes(to.writer, axes); });
}
void write_all_to_all(const JsonSink& to, const ir::UnresolvedAllToAllAttr& attr) {
  write_each(to.writer, attr.params, [&](const ir::UnresolvedAllToAllParam& param) {
    to.writer.begin_object();
    write_axes(to.writer.key("axes"), param.axes);
    to.writer.key("source").integer(param.source_dim);
    to.writer.key("target").integer(param.target_dim);
    to.writer.end_object();
  });
}
void write_manual_axes(const JsonSink& to, const ir::ManualAxesAttr& attr) {
  write_each(to.writer, attr.names, [&](const std::string& name) { to.writer.string(name); });
}
void write_rule(const JsonSink& to, const OpShardingRule& rule) {
  to.writer.string(to_string(rule));
}

void write_permute_numbers(JsonWriter& writer, const ir::PermuteMap& map, const PermuteKind& kind) {
  if (map.kind == ir::PermuteMap::Kind::Pairs && map.numbers.size() % 2 == 0) {
    writer.key("pairs").begin_array();
    for (std::size_t index = 0; index < map.numbers.size(); index += 2) {
      write_integers(writer, {map.numbers[index], map.numbers[index + 1]});
    }
    return writer.end_array();
  }
  if (map.numbers.size() != kind.numbers.size()) {
    return write_integers(writer.key("numbers"), map.numbers);
  }
  for (std::size_t index = 0; index < map.numbers.size(); ++index) {
    writer.key(kind.numbers[index]).integer(map.numbers[index]);
  }
}

void write_mesh_or_name(const JsonSink& to, const Mesh& mesh) {
  for (const auto& [name, known] : *to.context.meshes) {
    if (known == mesh) return to.writer.string("@" + name);
  }
  write_mesh(to.writer, mesh);
}

void write_permute(const JsonSink& to, const ir::PermuteMap& map) {
  const auto* const kind = std::ranges::find(kPermuteKinds, map.kind, &PermuteKind::kind);
  to.writer.begin_object();
  to.writer.key("kind").string(kind->name);
  write_permute_numbers(to.writer, map, *kind);
  const bool has_orders = !map.source_order.empty() || !map.receiver_order.empty();
  if (has_orders || !map.mesh.empty()) {
    to.writer.key("mesh");
    write_mesh_or_name(to, map.mesh);
  }
  if (has_orders) {
    write_axes(to.writer.key("source_order"), spell(map.mesh, map.source_order));
    write_axes(to.writer.key("receiver_order"), spell(map.mesh, map.receiver_order));
  }
  to.writer.end_object();
}

// ---- MLIR text: printing -----------------------------------------------------------------------

// Prints `{"x"}` in a custom form and `#sdy<axis_ref_list{"x"}>` in a dictionary.

template <class T>
void print_sdy(const MlirSink& to, const T& attr) {
  if (to.row == nullptr) return to.put(attribute_text(value_of(attr)));
  to.out += to_string(value_of(attr));
}
void print_sharding_list(const MlirSink& to, const ir::UnresolvedShardingList& list) {
  if (to.row == nullptr) return to.put(attribute_text(list.shardings));
  const std::string all = to_string(list.shardings);  // includes `<[...]>`
  to.out.append(all, 1, all.size() - 2);
}
void print_manual_axes(const MlirSink& to, const ir::ManualAxesAttr& attr) {
  if (to.row == nullptr) return to.put(attribute_text(attr.names));
  to.out += manual_axes_text(attr.names);
}
void print_rule(const MlirSink& to, const OpShardingRule& rule) { to.put(attribute_text(rule)); }

void print_permute(const MlirSink& to, const ir::PermuteMap& map) {
  const auto* const kind = std::ranges::find(kPermuteKinds, map.kind, &PermuteKind::kind);
  to.out.append("#spmd.permute_map<").append(kind->name).append(", ");
  to.print.integers(map.numbers);
  const bool has_orders = !map.source_order.empty() || !map.receiver_order.empty();
  if (has_orders || !map.mesh.empty()) to.out += ", " + to_string(map.mesh);
  if (has_orders) {
    to.out += ", " + to_string(map.mesh, map.source_order);
    to.out += ", " + to_string(map.mesh, map.receiver_order);
  }
  to.out += '>';
}

// ---- MLIR text: reading ------------------------------------------------------------------------

/// Reads the next value in its short form, its long form, or as an alias.
template <class T>
std::optional<T> read_sdy(MlirAttributeReader& reader) {
  MlirCursor& cursor = reader.cursor();
  Scanner scanner(cursor.text());
  scanner.seek(cursor.position());
  Result<T> value = read_value<T>(scanner, &reader.aliases());
  if (value) {
    cursor.seek(scanner.raw_position());
    return *std::move(value);
  }
  reader.fail_like(value.error());
  return std::nullopt;
}

template <class T>
std::optional<Attribute> read_bare_sdy(MlirAttributeReader& reader,
                                       const AttributeDefinition& /*row*/) {
  std::optional<T> value = read_sdy<T>(reader);
  if (!value) return std::nullopt;
  return to_attribute(*std::move(value));
}

/// Reads a mesh. All occurrences of a mesh share one attribute, because modules have few meshes.
std::optional<Attribute> read_bare_mesh(MlirAttributeReader& reader,
                                        const AttributeDefinition& /*row*/) {
  const std::size_t begin = reader.cursor().position();
  std::optional<Mesh> mesh = read_sdy<Mesh>(reader);
  if (!mesh) return std::nullopt;
  return reader.shared(reader.cursor().slice(begin), *std::move(mesh));
}

/// Reads `[<..>, <..>]` of in_shardings and out_shardings.
std::optional<Attribute> read_bare_sharding_list(MlirAttributeReader& reader,
                                                 const AttributeDefinition& /*row*/) {
  MlirCursor& cursor = reader.cursor();
  ir::UnresolvedShardingList list;
  if (!cursor.expect('[')) return std::nullopt;
  if (cursor.eat(']')) return Attribute(std::move(list));
  do {
    std::optional<UnresolvedSharding> sharding = read_sdy<UnresolvedSharding>(reader);
    if (!sharding) return std::nullopt;
    list.shardings.push_back(*std::move(sharding));
  } while (cursor.eat(','));
  if (!cursor.expect(']')) return std::nullopt;
  return Attribute(std::move(list));
}

/// Reads `rotate, [1], <["x"=2]>, {"x"}, {"y"}`: kind, numbers, mesh and orders.
std::optional<Attribute> read_permute_body(MlirAttributeReader& reader) {
  MlirCursor& cursor = reader.cursor();
  ir::PermuteMap map;
  const std::size_t begin = cursor.position();
  const std::string_view name = cursor.ident();
  const auto* const kind = std::ranges::find(kPermuteKinds, name, &PermuteKind::name);
  if (kind == kPermuteKinds.end()) {
    cursor.fail(begin, "unknown kind of permute map");
    return std::nullopt;
  }
  map.kind = kind->kind;
  if (!cursor.expect(',')) return std::nullopt;
  std::optional<std::vector<int64_t>> numbers = reader.integer_list();
  if (!numbers) return std::nullopt;
  map.numbers = *std::move(numbers);
  if (!cursor.eat(',')) return Attribute(std::move(map));
  std::optional<Mesh> mesh = read_sdy<Mesh>(reader);
  if (!mesh) return std::nullopt;
  map.mesh = *std::move(mesh);
  for (AxisList* order : {&map.source_order, &map.receiver_order}) {
    if (!cursor.eat(',')) break;
    const std::optional<UnresolvedAxisList> axes = read_sdy<UnresolvedAxisList>(reader);
    if (!axes) return std::nullopt;
    // Checks each axis separately, because adjacent sub-axes in an order need not be merged.
    for (const UnresolvedAxisRef& axis : *axes) {
      const Result<AxisList> resolved = resolve_axis_list({axis}, map.mesh);
      if (!resolved) {
        cursor.fail(begin, resolved.error().message, resolved.error().notes);
        return std::nullopt;
      }
      order->push_back(resolved->front());
    }
  }
  return Attribute(std::move(map));
}

// ---- The rows ----------------------------------------------------------------------------------

// The tags are the names of algebra 10.3.
constexpr AttributeCodec kShardingCodecs[] = {
    codec(AttributeKind::Mesh, "mesh", {&read_mesh_attribute, kHeld<&write_mesh_attribute>},
          {kHeld<&print_sdy<Mesh>>, &read_bare_mesh}),
    codec(AttributeKind::Sharding, "sharding",
          {&read_sharding_attribute, kHeld<&write_sharding_attribute>},
          {kHeld<&print_sdy<UnresolvedSharding>>, &read_bare_sdy<UnresolvedSharding>},
          {.spell = kHeld<&spell_sharding>}),
    codec(AttributeKind::ShardingList, "sharding_per_value",
          {&read_sharding_list, kHeld<&write_sharding_list>},
          {kHeld<&print_sharding_list>, &read_bare_sharding_list},
          {.spell = kHeld<&spell_sharding_list>}),
    codec(AttributeKind::Axes, "axis_ref_list",
          {&read_axes_attribute, kHeld<&write_axes_attribute>},
          {kHeld<&print_sdy<ir::UnresolvedAxesAttr>>, &read_bare_sdy<UnresolvedAxisList>},
          {.spell = kHeld<&spell_axes>}),
    codec(AttributeKind::AxesLists, "list_of_axis_ref_lists",
          {&read_axes_lists, kHeld<&write_axes_lists>},
          {kHeld<&print_sdy<ir::UnresolvedAxesListsAttr>>, &read_bare_sdy<UnresolvedAxisLists>},
          {.spell = kHeld<&spell_axes_lists>}),
    codec(AttributeKind::AllToAll, "all_to_all_param_list",
          {&read_all_to_all, kHeld<&write_all_to_all>},
          {kHeld<&print_sdy<ir::UnresolvedAllToAllAttr>>, &read_bare_sdy<UnresolvedAllToAlls>},
          {.spell = kHeld<&spell_all_to_all>}),
    codec(AttributeKind::ManualAxes, "manual_axes", {&read_manual_axes, kHeld<&write_manual_axes>},
          {kHeld<&print_manual_axes>, &read_bare_sdy<ManualAxes>}),
    codec(AttributeKind::Rule, "op_sharding_rule", {&read_rule, kHeld<&write_rule>},
          {kHeld<&print_rule>}),
    codec(AttributeKind::Permute, "permute_map", {&read_permute, kHeld<&write_permute>},
          {kHeld<&print_permute>, nullptr, "spmd.permute_map", &read_permute_body}),
};

}  // namespace

std::span<const AttributeCodec> sharding_codecs() { return kShardingCodecs; }

Attribute attribute_of(SdyAttribute value) {
  return std::visit([](auto& held) { return to_attribute(std::move(held)); }, value);
}

}  // namespace shardy::text
