// Checks of attributes by the table of forms, shared by all readers.
#pragma once

#include <optional>
#include <string>

#include "shardy/ir/attribute.hpp"
#include "text/mlir_form.hpp"

namespace shardy::text {

/// The attribute in the form that the row wants: `dense<[1]> : tensor<1xi64>` as an array. Nothing
/// if it is something else.
std::optional<ir::Attribute> wanted_attribute(const ir::Attribute& value,
                                              const AttributeDefinition& row);
/// `attribute 'dimension' must be a 64-bit integer attribute`.
std::string wanted_text(const AttributeDefinition& row);

}  // namespace shardy::text
