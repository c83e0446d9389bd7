// Reads members of JSON objects: plain lists, types, numbers and literals.
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

#include "shardy/ir/attribute.hpp"
#include "shardy/ir/type.hpp"
#include "shardy/support/result.hpp"
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

}  // namespace shardy::text
