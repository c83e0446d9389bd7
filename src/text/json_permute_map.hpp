// Permute maps in JSON. Spec: partitioning 4.3.
#pragma once

#include "shardy/ir/attribute.hpp"
#include "shardy/support/result.hpp"
#include "text/json_document.hpp"
#include "text/json_sharding.hpp"

namespace shardy::text {

/// `{"kind": "shift", "d": -1}`; a mesh is one of `meshes`, by its name, or written out.
Result<ir::PermuteMap> read_permute_map(JsonNode node, const NamedMeshes& meshes);

}  // namespace shardy::text
