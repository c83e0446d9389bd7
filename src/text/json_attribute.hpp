// Reads and writes attributes in JSON.
//
// An attribute of the kind that the op expects is plain JSON. Without an expected kind, booleans,
// 64-bit integers, strings and lists are plain JSON. Any other attribute is a tagged object, such
// as `{"symbol": "f"}` or `{"integer": 3, "type": "i32"}`.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "shardy/ir/attribute.hpp"
#include "shardy/ir/type.hpp"
#include "shardy/support/result.hpp"
#include "text/attribute_codec.hpp"
#include "text/json_document.hpp"
#include "text/json_sharding.hpp"
#include "text/json_writer.hpp"

namespace shardy::text {

/// The context of an attribute. A view; for parameters only.
struct AttributeContext {
  const NamedMeshes* meshes;
  // Result type of the op, which plain literals have.
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
