// Types in JSON: MLIR text, or the short form `f32[4,?]` of tensors.
#pragma once

#include <string>

#include "shardy/ir/type.hpp"
#include "shardy/support/result.hpp"
#include "text/json_document.hpp"

namespace shardy::text {

Result<ir::Type> read_type(JsonNode node);
/// The short form, if the type has one.
std::string type_text(const ir::Type& type);

}  // namespace shardy::text
