// Attributes in JSON, both ways.
//
// An attribute of the kind that the op expects is plain JSON; so are booleans, 64-bit integers,
// strings and lists without an expected kind. Any other is a tagged object: `{"symbol": "f"}`,
// `{"integer": 3, "type": "i32"}`.
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

/// The surroundings of an attribute. A view; for parameters only.
struct AttributeContext {
  const NamedMeshes* meshes;
  std::optional<ir::Type> result_type = std::nullopt;  // of the op: the type of plain literals
  int64_t max_elements = 0;                            // of a literal that is written as lists
  ImpliedMesh implied_mesh = nullptr;                  // of shardings that are written
  int depth = 0;                                       // of the lists and dictionaries around it
};

Result<ir::Attribute> read_attribute(JsonNode node, const AttributeSlot& slot,
                                     const AttributeContext& context);
/// The members of an object as attributes of `op`.
Result<ir::AttributeMap> read_attributes(JsonNode object, std::string_view op,
                                         const AttributeContext& context);

void write_attribute(JsonWriter& writer, const ir::Attribute& attribute, const AttributeSlot& slot,
                     const AttributeContext& context);

}  // namespace shardy::text
