// Reading the members of JSON objects and the plain lists inside, with their errors.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shardy/support/result.hpp"
#include "text/json_document.hpp"

namespace shardy::text {

/// `did you mean "x"?`, or empty.
std::string suggestion(std::string_view word, const std::vector<std::string_view>& candidates);

/// Errors: no object, a key that is not in `keys`.
Status expect_object(JsonNode node, std::string_view what,
                     const std::vector<std::string_view>& keys);
/// The member of that key. Errors: there is none.
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
Result<std::vector<std::string>> read_strings(JsonNode node, std::string_view what);

/// `error`, found in the text that `node` holds, as an error of the node.
Error in_text_of(JsonNode node, Error error);

}  // namespace shardy::text
