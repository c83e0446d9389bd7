#include "text/json_fields.hpp"

#include <algorithm>

#include "shardy/support/quote.hpp"
#include "text/json_string.hpp"

namespace shardy::text {

std::string suggestion(std::string_view word, const std::vector<std::string_view>& candidates) {
  const std::optional<std::string> meant = closest(word, candidates);
  return meant ? "did you mean " + quoted_json(*meant) + "?" : "";
}

Status expect_object(JsonNode node, std::string_view what,
                     const std::vector<std::string_view>& keys) {
  if (!node.is_object()) {
    return fail_at(node, std::string(what) + " is an object, found " + node.description());
  }
  for (const JsonNode member : node) {
    if (std::ranges::find(keys, member.key()) != keys.end()) continue;
    std::string note = suggestion(member.key(), keys);
    if (note.empty()) {
      note = "known keys:";
      for (const std::string_view key : keys) note += " " + std::string(key);
    }
    constexpr std::size_t kLongestKey = 60;
    return fail_at(
        member,
        std::string(what) + " has no key " + quoted_json(member.key().substr(0, kLongestKey)),
        std::move(note));
  }
  return {};
}

Result<JsonNode> required(JsonNode object, std::string_view key) {
  const std::optional<JsonNode> member = object.find(key);
  if (!member) return fail_at(object, "the key \"" + std::string(key) + "\" is missing");
  return *member;
}

Status expect_array(JsonNode node, std::string_view what) {
  if (node.is_array()) return {};
  return fail_at(node, std::string(what) + " is a list, found " + node.description());
}

Result<std::string> read_string(JsonNode node, std::string_view what) {
  if (node.is_string()) return std::string(node.string());
  return fail_at(node, std::string(what) + " is a string, found " + node.description());
}

Result<bool> read_boolean(JsonNode node, std::string_view what) {
  if (node.is_boolean()) return node.boolean();
  return fail_at(node, std::string(what) + " is true or false, found " + node.description());
}

Result<int64_t> read_integer(JsonNode node, std::string_view what) {
  if (const std::optional<int64_t> value = node.integer()) return *value;
  if (node.is_integer()) {
    return fail_at(node, node.description() + " does not fit 64 bits with sign");
  }
  return fail_at(node, std::string(what) + " is an integer, found " + node.description());
}

Result<std::vector<int64_t>> read_integers(JsonNode node, std::string_view what) {
  return read_list_of<int64_t>(
      node, what, [](JsonNode element) { return read_integer(element, "an element"); });
}

Result<std::vector<std::string>> read_strings(JsonNode node, std::string_view what) {
  return read_list_of<std::string>(
      node, what, [](JsonNode element) { return read_string(element, "an element"); });
}

Error in_text_of(JsonNode node, Error error) {
  if (!error.location.empty()) {
    const std::string place =
        error.location.starts_with("1:") ? "column " + error.location.substr(2) : error.location;
    error.notes.insert(error.notes.begin(),
                       "at " + place + " of " + quoted_json(node.string().substr(0, 200)));
  }
  error.location = node.pointer();
  return error;
}

}  // namespace shardy::text
