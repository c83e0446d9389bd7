// Reads and writes meshes, axes and shardings in JSON.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shardy/algebra/detail/text_form.hpp"
#include "shardy/algebra/mesh.hpp"
#include "shardy/algebra/unresolved.hpp"
#include "shardy/ir/attribute.hpp"
#include "shardy/support/result.hpp"
#include "text/json_document.hpp"
#include "text/json_writer.hpp"

namespace shardy::text {

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

}  // namespace shardy::text
