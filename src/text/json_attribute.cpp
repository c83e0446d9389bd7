#include "text/json_attribute.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "shardy/algebra/partition_spec.hpp"
#include "shardy/algebra/unresolved.hpp"
#include "shardy/ir/op_definition.hpp"
#include "shardy/support/detail/quote.hpp"
#include "shardy/support/scanner.hpp"
#include "text/attribute_codec.hpp"
#include "text/dim_numbers.hpp"
#include "text/json_writer.hpp"

namespace shardy::text {

namespace {

constexpr std::string_view kOpenMark = "?";

// ---- Meshes ----------------------------------------------------------------------------------

Result<MeshAxis> read_mesh_axis(JsonNode node) {
  const std::vector<JsonNode> parts = node.is_array() ? node.children() : std::vector<JsonNode>();
  if (parts.size() != 2) {
    return fail_at(node, "a mesh axis is [name, size], found " + node.description());
  }
  SHARDY_TRY(std::string name, read_string(parts[0], "the name of a mesh axis"));
  SHARDY_TRY(const int64_t size, read_integer(parts[1], "the size of a mesh axis"));
  return MeshAxis{std::move(name), size};
}

Result<std::vector<MeshAxis>> read_mesh_axes(JsonNode node) {
  if (!node.is_object()) {
    return read_list_of<MeshAxis>(node, "\"axes\" of a mesh", read_mesh_axis);
  }
  std::vector<MeshAxis> axes;
  for (const JsonNode member : node) {
    SHARDY_TRY(const int64_t size, read_integer(member, "the size of a mesh axis"));
    axes.push_back({std::string(member.key()), size});
  }
  return axes;
}

Result<Mesh> make_mesh(JsonNode node, std::vector<MeshAxis> axes, std::vector<int64_t> ids) {
  return Mesh::make(std::move(axes), std::move(ids)).map_error([&](Error error) {
    error.location = node.pointer();
    return error;
  });
}

/// Returns true for `{"x": 2}` as opposed to `{"axes": ..}`. A size that is not an integer is then
/// an error of that size.
bool maps_names_to_sizes(JsonNode node) {
  if (!node.is_object()) return false;
  const std::vector<JsonNode> members = node.children();
  const auto is_number = [](JsonNode member) { return member.is_number(); };
  const auto is_list = [](JsonNode member) { return member.is_array(); };
  return std::ranges::any_of(members, is_number) || std::ranges::none_of(members, is_list);
}

// ---- Axes ------------------------------------------------------------------------------------

/// Returns text such as `x:(1)2` as a sub-axis, and any other text as an axis name.
UnresolvedAxisRef axis_of_text(std::string_view text) {
  const std::size_t colon = text.rfind(":(");
  if (colon != std::string_view::npos) {
    Scanner scanner(text.substr(colon + 2));
    const Result<int64_t> pre = scanner.decimal();
    const bool closed = pre && scanner.eat(')');
    const Result<int64_t> size = closed ? scanner.decimal() : Result<int64_t>(0);
    if (closed && size && scanner.raw_position() == scanner.text().size()) {
      return {std::string(text.substr(0, colon)), SubAxis{*pre, *size}};
    }
  }
  return {std::string(text), std::nullopt};
}

std::string text_of_axis(const UnresolvedAxisRef& axis) {
  return axis.sub ? axis.name + ":" + to_string(*axis.sub) : axis.name;
}

Result<UnresolvedAxisRef> read_axis_object(JsonNode node) {
  SHARDY_TRY_STATUS(expect_object(node, "an axis", {"axis", "pre", "size"}));
  SHARDY_TRY(const JsonNode name, required(node, "axis"));
  UnresolvedAxisRef axis;
  SHARDY_TRY(axis.name, read_string(name, "\"axis\""));
  if (node.size() == 1) return axis;
  SHARDY_TRY(const JsonNode pre, required(node, "pre"));
  SHARDY_TRY(const JsonNode size, required(node, "size"));
  axis.sub.emplace();
  SHARDY_TRY(axis.sub->pre, read_integer(pre, "\"pre\""));
  SHARDY_TRY(axis.sub->size, read_integer(size, "\"size\""));
  return axis;
}

// ---- Shardings -------------------------------------------------------------------------------

Result<MeshOrRef> only_mesh(JsonNode node, const NamedMeshes& meshes) {
  if (meshes.size() == 1) return MeshOrRef(meshes.front().first);
  return fail_at(
      node, "the sharding has no mesh name and the module has " + std::to_string(meshes.size()),
      R"(write {"mesh": "name", "dims": [..]} or "<@name, [..]>")");
}

Result<UnresolvedSharding> read_sharding_text(JsonNode node, const NamedMeshes& meshes,
                                              std::optional<std::size_t> rank) {
  const std::string_view text = node.string();
  MeshOrRef mesh;
  if (!names_mesh(text)) {
    SHARDY_TRY(mesh, only_mesh(node, meshes));
  }
  return parse_any_sharding(text, mesh, rank).map_error([&](Error error) {
    return in_text_of(node, std::move(error));
  });
}

bool is_open_mark(JsonNode node) { return node.is_string() && node.string() == kOpenMark; }

/// Reads a list of axes whose last element may be `"?"`.
Result<UnresolvedDim> read_dim_list(JsonNode node) {
  UnresolvedDim dim{.axes = {}, .is_closed = true};
  for (const JsonNode element : node) {
    if (!dim.is_closed) return fail_at(element, "\"?\" is the last element of a dim");
    if (is_open_mark(element)) {
      dim.is_closed = false;
      continue;
    }
    SHARDY_TRY(UnresolvedAxisRef axis, read_axis(element));
    dim.axes.push_back(std::move(axis));
  }
  return dim;
}

/// Reads a dim such as `{"axes": [..], "open": true, "priority": 1}`.
Result<UnresolvedDim> read_dim_object(JsonNode node) {
  SHARDY_TRY_STATUS(expect_object(node, "a dim", {"axes", "open", "priority"}));
  UnresolvedDim dim{.axes = {}, .is_closed = true};
  if (const auto axes = node.find("axes")) {
    SHARDY_TRY(dim.axes, read_axes(*axes));
  }
  if (const auto open = node.find("open")) {
    SHARDY_TRY(const bool is_open, read_boolean(*open, "\"open\""));
    dim.is_closed = !is_open;
  }
  if (const auto priority = node.find("priority")) {
    SHARDY_TRY(dim.priority, read_integer(*priority, "\"priority\""));
  }
  return dim;
}

Result<UnresolvedDim> read_dim(JsonNode node) {
  if (node.kind() == JsonNode::JsonKind::Null) return UnresolvedDim{.axes = {}, .is_closed = true};
  if (is_open_mark(node)) return UnresolvedDim{.axes = {}, .is_closed = false};
  if (node.is_array()) return read_dim_list(node);
  if (node.is_object() && !node.find("axis")) return read_dim_object(node);
  if (!node.is_string() && !node.is_object()) {
    return fail_at(
        node, "a dim is null, an axis, a list of axes or an object, found " + node.description());
  }
  SHARDY_TRY(UnresolvedAxisRef axis, read_axis(node));
  return UnresolvedDim{.axes = {std::move(axis)}, .is_closed = true};
}

Result<std::vector<UnresolvedDim>> read_dims(JsonNode node, std::optional<std::size_t> rank) {
  SHARDY_TRY(std::vector<UnresolvedDim> dims,
             read_list_of<UnresolvedDim>(node, "\"dims\" of a sharding", read_dim));
  while (rank && dims.size() < *rank) dims.push_back({.axes = {}, .is_closed = true});
  return dims;
}

constexpr std::array kReductionOps = {ReductionOp::Sum, ReductionOp::Max, ReductionOp::Min};

Result<ReductionOp> read_reduction(JsonNode node) {
  for (const ReductionOp op : kReductionOps) {
    if (node.is_string() && node.string() == to_string(op)) return op;
  }
  return fail_at(node, "\"reduction\" is \"sum\", \"max\" or \"min\", found " + node.description());
}

Result<UnresolvedSharding> read_sharding_object(JsonNode node, const NamedMeshes& meshes,
                                                std::optional<std::size_t> rank) {
  SHARDY_TRY_STATUS(
      expect_object(node, "a sharding", {"mesh", "dims", "replicated", "unreduced", "reduction"}));
  UnresolvedSharding sharding;
  const std::optional<JsonNode> mesh = node.find("mesh");
  if (!mesh) {
    SHARDY_TRY(sharding.mesh, only_mesh(node, meshes));
  } else if (mesh->is_string() && !mesh->string().starts_with('<')) {
    sharding.mesh = symbol_of_string(mesh->string());
  } else {
    SHARDY_TRY(sharding.mesh, read_mesh(*mesh));
  }
  SHARDY_TRY(const JsonNode dims, required(node, "dims"));
  SHARDY_TRY(sharding.dims, read_dims(dims, rank));
  if (const auto axes = node.find("replicated")) {
    SHARDY_TRY(sharding.replicated, read_axes(*axes));
  }
  if (const auto axes = node.find("unreduced")) {
    SHARDY_TRY(sharding.unreduced, read_axes(*axes));
  }
  if (const auto reduction = node.find("reduction")) {
    SHARDY_TRY(sharding.reduction_op, read_reduction(*reduction));
  }
  return sharding;
}

/// Checks whether canonical text can represent the sharding. It has neither a reduction without
/// unreduced axes nor negative priorities.
bool fits_text(const UnresolvedSharding& sharding) {
  if (sharding.unreduced.empty() && sharding.reduction_op != ReductionOp::Sum) return false;
  return std::ranges::none_of(
      sharding.dims, [](const UnresolvedDim& dim) { return dim.priority.value_or(0) < 0; });
}

void write_dim_list(JsonWriter& writer, const UnresolvedDim& dim) {
  writer.begin_array();
  for (const UnresolvedAxisRef& axis : dim.axes) write_axis(writer, axis);
  if (!dim.is_closed) writer.string(kOpenMark);
  writer.end_array();
}

void write_dim_object(JsonWriter& writer, const UnresolvedDim& dim) {
  writer.begin_object();
  write_axes(writer.key("axes"), dim.axes);
  if (!dim.is_closed) writer.key("open").boolean(true);
  writer.key("priority").integer(*dim.priority);
  writer.end_object();
}

/// Writes a dim: `null`, `"x"`, `["x", "y"]`, `"?"`, `["x", "?"]` or `{"axes": ["x"], "open": true,
/// "priority": 1}`.
void write_dim(JsonWriter& writer, const UnresolvedDim& dim) {
  if (dim.priority) return write_dim_object(writer, dim);
  if (dim.axes.empty()) return dim.is_closed ? writer.null() : writer.string(kOpenMark);
  if (dim.axes.size() == 1 && dim.is_closed) return write_axis(writer, dim.axes.front());
  write_dim_list(writer, dim);
}

void write_dims(JsonWriter& writer, const UnresolvedSharding& sharding) {
  writer.begin_array();
  for (const UnresolvedDim& dim : sharding.dims) write_dim(writer, dim);
  writer.end_array();
}

/// Returns the name of a mesh. A name that looks like the text of a mesh gets a leading `@`.
std::string mesh_name_text(const std::string& name) {
  return name.starts_with('<') ? "@" + name : symbol_string(name);
}

bool is_on(const UnresolvedSharding& sharding, ImpliedMesh mesh) {
  const auto* const name = std::get_if<std::string>(&sharding.mesh);
  return mesh != nullptr && name != nullptr && *name == mesh->first;
}

/// Checks whether the list of dims reads back with its length. On a mesh with axes, readers fill
/// shorter lists with nulls.
bool has_all_dims(const UnresolvedSharding& sharding, ImpliedMesh implied) {
  if (!sharding.dims.empty()) return true;
  return is_on(sharding, implied) && !implied->second.axes().empty();
}

void write_sharding_object(JsonWriter& writer, const UnresolvedSharding& sharding,
                           ImpliedMesh implied) {
  writer.begin_object();
  if (const auto* mesh = std::get_if<Mesh>(&sharding.mesh)) {
    write_mesh(writer.key("mesh"), *mesh);
  } else if (!is_on(sharding, implied)) {
    writer.key("mesh").string(mesh_name_text(*std::get_if<std::string>(&sharding.mesh)));
  }
  writer.key("dims");
  write_dims(writer, sharding);
  if (!sharding.replicated.empty()) write_axes(writer.key("replicated"), sharding.replicated);
  if (!sharding.unreduced.empty()) write_axes(writer.key("unreduced"), sharding.unreduced);
  if (sharding.reduction_op != ReductionOp::Sum) {
    writer.key("reduction").string(to_string(sharding.reduction_op));
  }
  writer.end_object();
}

}  // namespace

Result<Mesh> read_mesh_members(JsonNode object) {
  std::vector<MeshAxis> axes;
  std::vector<int64_t> ids;
  if (const auto node = object.find("axes")) {
    SHARDY_TRY(axes, read_mesh_axes(*node));
  }
  if (const auto node = object.find("device_ids")) {
    SHARDY_TRY(ids, read_integers(*node, "\"device_ids\""));
  }
  return make_mesh(object, std::move(axes), std::move(ids));
}

Result<Mesh> read_mesh(JsonNode node) {
  if (node.is_string()) {
    return parse_value<Mesh>(node.string()).map_error([&](Error error) {
      return in_text_of(node, std::move(error));
    });
  }
  if (node.is_array() || maps_names_to_sizes(node)) {
    SHARDY_TRY(std::vector<MeshAxis> axes, read_mesh_axes(node));
    return make_mesh(node, std::move(axes), {});
  }
  SHARDY_TRY_STATUS(expect_object(node, "a mesh", {"axes", "device_ids"}));
  return read_mesh_members(node);
}

void write_mesh_members(JsonWriter& writer, const Mesh& mesh) {
  writer.key("axes").begin_array();
  for (const MeshAxis& axis : mesh.axes()) {
    writer.begin_array();
    writer.string(axis.name);
    writer.integer(axis.size);
    writer.end_array();
  }
  writer.end_array();
  if (mesh.device_ids().empty()) return;
  writer.key("device_ids").begin_array();
  for (const int64_t id : mesh.device_ids()) writer.integer(id);
  writer.end_array();
}

void write_mesh(JsonWriter& writer, const Mesh& mesh) {
  writer.begin_object();
  write_mesh_members(writer, mesh);
  writer.end_object();
}

Result<UnresolvedAxisRef> read_axis(JsonNode node) {
  if (node.is_string()) return axis_of_text(node.string());
  if (node.is_object()) return read_axis_object(node);
  return fail_at(node, R"(an axis is "x" or "x:(1)2", found )" + node.description());
}

void write_axis(JsonWriter& writer, const UnresolvedAxisRef& axis) {
  const std::string text = text_of_axis(axis);
  if (text != kOpenMark && axis_of_text(text) == axis) return writer.string(text);
  writer.begin_object();
  writer.key("axis").string(axis.name);
  if (axis.sub) {
    writer.key("pre").integer(axis.sub->pre);
    writer.key("size").integer(axis.sub->size);
  }
  writer.end_object();
}

Result<UnresolvedAxisList> read_axes(JsonNode node) {
  if (!node.is_string()) return read_list_of<UnresolvedAxisRef>(node, "a list of axes", read_axis);
  return parse_value<UnresolvedAxisList>(node.string()).map_error([&](Error error) {
    return in_text_of(node, std::move(error));
  });
}

void write_axes(JsonWriter& writer, const UnresolvedAxisList& axes) {
  writer.begin_array();
  for (const UnresolvedAxisRef& axis : axes) write_axis(writer, axis);
  writer.end_array();
}

Result<UnresolvedSharding> read_sharding(JsonNode node, const NamedMeshes& meshes,
                                         std::optional<std::size_t> rank) {
  if (node.is_string()) return read_sharding_text(node, meshes, rank);
  if (node.is_object()) return read_sharding_object(node, meshes, rank);
  if (!node.is_array()) {
    return fail_at(node, "a sharding is a text, a list or an object, found " + node.description());
  }
  SHARDY_TRY(MeshOrRef mesh, only_mesh(node, meshes));
  SHARDY_TRY(std::vector<UnresolvedDim> dims, read_dims(node, rank));
  return UnresolvedSharding{std::move(mesh), std::move(dims)};
}

void write_sharding(JsonWriter& writer, const UnresolvedSharding& sharding, ImpliedMesh implied) {
  if (fits_text(sharding) && !has_all_dims(sharding, implied)) {
    return writer.string(to_string(sharding));
  }
  const bool has_more = !sharding.replicated.empty() || !sharding.unreduced.empty() ||
                        sharding.reduction_op != ReductionOp::Sum;
  if (is_on(sharding, implied) && !has_more) return write_dims(writer, sharding);
  write_sharding_object(writer, sharding, implied);
}

namespace {

/// Reads a mesh, or the name of a mesh of the module.
Result<Mesh> read_mesh_or_name(JsonNode node, const NamedMeshes& meshes) {
  if (!node.is_string() || node.string().starts_with('<')) return read_mesh(node);
  const std::string name = symbol_of_string(node.string());
  for (const auto& [known, mesh] : meshes) {
    if (known == name) return mesh;
  }
  return fail_at(node, "unknown mesh: @" + name);
}

/// Reads an axis order. Each axis is resolved separately, because adjacent sub-axes in an order
/// need not be merged.
Result<AxisList> read_order(JsonNode node, const Mesh& mesh) {
  SHARDY_TRY(const UnresolvedAxisList unresolved, read_axes(node));
  AxisList order;
  for (const UnresolvedAxisRef& axis : unresolved) {
    Result<AxisList> one = resolve_axis_list({axis}, mesh);
    if (!one) return fail_at(node, std::move(one).error());
    order.push_back(one->front());
  }
  return order;
}

/// Reads `[[source, target], ...]` as a flat list.
Result<std::vector<int64_t>> read_pairs(JsonNode node) {
  SHARDY_TRY_STATUS(expect_array(node, "\"pairs\""));
  std::vector<int64_t> numbers;
  for (const JsonNode pair : node) {
    SHARDY_TRY(const std::vector<int64_t> ids, read_integers(pair, "a pair of devices"));
    if (ids.size() != 2) return fail_at(pair, "a pair of devices is [source, target]");
    numbers.insert(numbers.end(), ids.begin(), ids.end());
  }
  return numbers;
}

/// Reads "numbers", "pairs", or one key per number of the kind.
Result<std::vector<int64_t>> read_permute_numbers(JsonNode node, const PermuteKind& kind) {
  if (const auto numbers = node.find("numbers")) return read_integers(*numbers, "\"numbers\"");
  if (const auto pairs = node.find("pairs")) return read_pairs(*pairs);
  std::vector<int64_t> values;
  for (const std::string_view name : kind.numbers) {
    SHARDY_TRY(const JsonNode number, required(node, name));
    SHARDY_TRY(const int64_t value, read_integer(number, name));
    values.push_back(value);
  }
  return values;
}

}  // namespace

Result<ir::PermuteMap> read_permute_map(JsonNode node, const NamedMeshes& meshes) {
  constexpr std::string_view kWhat = "a permute map";
  std::vector<std::string_view> keys = {"kind",         "numbers",        "pairs", "mesh",
                                        "source_order", "receiver_order", "d"};
  keys.insert(keys.end(), kAffine.begin(), kAffine.end());
  SHARDY_TRY_STATUS(expect_object(node, kWhat, keys));
  SHARDY_TRY(const JsonNode kind_node, required(node, "kind"));
  const auto* const kind = std::ranges::find_if(kPermuteKinds, [&](const PermuteKind& each) {
    return kind_node.is_string() && kind_node.string() == each.name;
  });
  if (kind == kPermuteKinds.end()) {
    return fail_at(kind_node, "unknown kind of permute map: " + kind_node.description(),
                   "one of shift rotate mirror affine relabel remesh pairs");
  }
  ir::PermuteMap map;
  map.kind = kind->kind;
  SHARDY_TRY(map.numbers, read_permute_numbers(node, *kind));
  if (const auto mesh = node.find("mesh")) {
    SHARDY_TRY(map.mesh, read_mesh_or_name(*mesh, meshes));
  }
  if (const auto order = node.find("source_order")) {
    SHARDY_TRY(map.source_order, read_order(*order, map.mesh));
  }
  if (const auto order = node.find("receiver_order")) {
    SHARDY_TRY(map.receiver_order, read_order(*order, map.mesh));
  }
  return map;
}

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
