// The numbers of JSON: floats, elements of tensors, dense literals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "shardy/ir/element_type.hpp"
#include "shardy/ir/literal.hpp"
#include "shardy/ir/type.hpp"
#include "shardy/support/result.hpp"
#include "text/json_document.hpp"
#include "text/json_writer.hpp"

namespace shardy::text {

/// A value of a float attribute: a number, "nan" or "NaN", "inf" or "Infinity", "-inf" or
/// "-Infinity", or bits as in "0x7FC00001": of a double when there are 16 digits, else of `type`.
Result<double> read_float(JsonNode node, ir::ElementType type);
void write_float(JsonWriter& writer, double value);

/// The elements of a literal of type `type`: one element for all, nested lists, a flat list,
/// `{"splat": element}`, or bytes as `{"hex": ".."}` or `{"base64": ".."}`.
Result<ir::Literal> read_literal(JsonNode node, const ir::Type& type);
/// The same as nested lists, or as one flat list, and nothing else.
Result<ir::Literal> read_elements(JsonNode node, const ir::Type& type);
/// As one element if all are the same, as lists up to `max_elements` of them, else as base64.
void write_literal(JsonWriter& writer, const ir::Literal& literal, int64_t max_elements);

}  // namespace shardy::text
