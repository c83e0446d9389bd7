// Reads members of JSON objects: plain lists, types, numbers and literals. Reads and writes
// attributes, meshes, axes and shardings in JSON.
//
// An attribute of the kind that the op expects is plain JSON. Without an expected kind, booleans,
// 64-bit integers, strings and lists are plain JSON. Any other attribute is a tagged object, such
// as `{"symbol": "f"}` or `{"integer": 3, "type": "i32"}`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shardy/algebra/detail/text_form.hpp"
#include "shardy/algebra/mesh.hpp"
#include "shardy/algebra/unresolved.hpp"
#include "shardy/ir/attribute.hpp"
#include "shardy/ir/type.hpp"
#include "shardy/support/result.hpp"
#include "text/attribute_codec.hpp"
#include "text/json_document.hpp"
#include "text/json_writer.hpp"

namespace shardy::text {

/// Returns `did you mean "x"?` with the most similar candidate; empty if none is similar.
std::string suggestion(std::string_view word, const std::vector<std::string_view>& candidates);

/// Returns an error if the node is not an object or has a key that is not in `keys`.
Status expect_object(JsonNode node, std::string_view what,
                     const std::vector<std::string_view>& keys);
/// Returns the member with the key. Error: the member is missing.
Result<JsonNode> required(JsonNode object, std::string_view key);

Status expect_array(JsonNode node, std::string_view what);
Result<std::string> read_string(JsonNode node, std::string_view what);
Result<bool> read_boolean(JsonNode node, std::string_view what);
Result<int64_t> read_integer(JsonNode node, std::string_view what);

/// Returns the results of `read(element) -> Result<T>` for each element of a list.
template <class T, class Read>
Result<std::vector<T>> read_list_of(JsonNode node, std::string_view what, Read read) {
  SHARDY_TRY_STATUS(expect_array(node, what));
  std::vector<T> values;
  values.reserve(node.size());
  for (const JsonNode element : node) {
    SHARDY_TRY(T value, read(element));
    values.push_back(std::move(value));
  }
  return values;
}

Result<std::vector<int64_t>> read_integers(JsonNode node, std::string_view what);
void write_integers(JsonWriter& writer, const std::vector<int64_t>& values);
Result<std::vector<std::string>> read_strings(JsonNode node, std::string_view what);

/// Converts `error`, which was found in the text of `node`, to an error of the node.
Error in_text_of(JsonNode node, Error error);

// Types in JSON: MLIR text, or the short form `f32[4,?]` of tensors.

Result<ir::Type> read_type(JsonNode node);
/// Returns the short form of the type if it has one; else MLIR text.
std::string type_text(const ir::Type& type);

// Numbers in JSON: floats, tensor elements, dense literals.

/// Reads a float: a number, "nan" or "NaN", "inf" or "Infinity", "-inf" or "-Infinity", or bits
/// such as "0x7FC00001". Sixteen digits are the bits of a double, others are bits of `type`.
Result<double> read_float(JsonNode node, ir::ElementType type);
void write_float(JsonWriter& writer, double value);

/// Reads a literal of the type: one element for all, nested lists, a flat list, `{"splat":
/// element}`, or bytes as `{"hex": ".."}` or `{"base64": ".."}`.
Result<ir::Literal> read_literal(JsonNode node, const ir::Type& type);
/// Reads a literal of the type from nested lists or one flat list.
Result<ir::Literal> read_elements(JsonNode node, const ir::Type& type);
/// Writes one element if all are equal, lists for up to `max_elements` elements, else base64.
void write_literal(JsonWriter& writer, const ir::Literal& literal, int64_t max_elements);

/// The meshes of the module in order, with their names.
using NamedMeshes = std::vector<std::pair<std::string, Mesh>>;

/// The mesh of shardings that have no mesh name. Null: each sharding has a mesh name.
using ImpliedMesh = const std::pair<std::string, Mesh>*;

/// Reads a mesh in one of three forms: `{"axes": A, "device_ids": [..]}`; A alone; or the text of a
/// mesh. A is `[["x", 2], ["y", 4]]` or `{"x": 2, "y": 4}`. The axes are ordered as in the JSON
/// text.
Result<Mesh> read_mesh(JsonNode node);
/// Reads a mesh whose "axes" and "device_ids" are members of a larger object.
Result<Mesh> read_mesh_members(JsonNode object);
void write_mesh_members(JsonWriter& writer, const Mesh& mesh);
void write_mesh(JsonWriter& writer, const Mesh& mesh);

/// Reads an axis: `"x"`, `"x:(1)2"`, or `{"axis": "x", "pre": 1, "size": 2}` for names that look
/// like sub-axes.
Result<UnresolvedAxisRef> read_axis(JsonNode node);
void write_axis(JsonWriter& writer, const UnresolvedAxisRef& axis);
/// Reads a list of axes, or its text such as `{"x", "y":(1)2}`.
Result<UnresolvedAxisList> read_axes(JsonNode node);
void write_axes(JsonWriter& writer, const UnresolvedAxisList& axes);

/// Reads a sharding: its text, the text without `<@mesh,` (`[{"x"}, {?}]`), a list as in algebra
/// 12.2 (`["x", null]`), or `{"mesh": "m", "dims": [..], "replicated": [..], ...}`. A form without
/// a mesh refers to the only mesh of the module. A list shorter than `rank` is filled with nulls.
Result<UnresolvedSharding> read_sharding(JsonNode node, const NamedMeshes& meshes,
                                         std::optional<std::size_t> rank = std::nullopt);
/// Writes a sharding in short form: `["x", null]` on the implied mesh, `{"mesh": "m", "dims":
/// [..]}` on another mesh or with more members. A sharding without dims, which fits any rank, is
/// written as text.
void write_sharding(JsonWriter& writer, const UnresolvedSharding& sharding, ImpliedMesh implied);

// Permute maps in JSON. Spec: partitioning 4.3.

/// Reads a permute map, such as `{"kind": "shift", "d": -1}`. The member `mesh`, if present, is a
/// name in `meshes` or a mesh.
Result<ir::PermuteMap> read_permute_map(JsonNode node, const NamedMeshes& meshes);

/// The context of an attribute. A view; for parameters only.
struct AttributeContext {
  const NamedMeshes* meshes;
  // Result type of the op. Literals that are written without a type have this type.
  std::optional<ir::Type> result_type = std::nullopt;
  int64_t max_elements = 0;            // limit of elements of a literal that is written as lists
  ImpliedMesh implied_mesh = nullptr;  // mesh that written shardings need not name
  int depth = 0;                       // number of lists and dictionaries around the attribute
};

Result<ir::Attribute> read_attribute(JsonNode node, const AttributeSlot& slot,
                                     const AttributeContext& context);
/// Reads the members of an object as attributes of `op`.
Result<ir::AttributeMap> read_attributes(JsonNode object, std::string_view op,
                                         const AttributeContext& context);

void write_attribute(JsonWriter& writer, const ir::Attribute& attribute, const AttributeSlot& slot,
                     const AttributeContext& context);

}  // namespace shardy::text
