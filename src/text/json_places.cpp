#include "text/json_places.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

namespace shardy::text {

std::string_view quoted_word(std::string_view message) {
  constexpr std::array<std::string_view, 4> kBefore = {
      "unknown axis name: ", "unknown mesh: ", "duplicate axis ref: ", "sub-axis "};
  for (const std::string_view before : kBefore) {
    const std::size_t at = message.find(before);
    if (at == std::string_view::npos) continue;
    std::string_view word = message.substr(at + before.size());
    if (word.starts_with('"')) return word.substr(0, word.find('"', 1) + 1);
    if (word.starts_with('@')) return word.substr(0, word.find_first_of(" ,;"));
  }
  return {};
}

std::optional<FunctionPart> function_part(std::string_view message) {
  for (const auto& [word, is_result] : {std::pair<std::string_view, bool>{"arg ", false},
                                        {"argument ", false},
                                        {"result ", true}}) {
    const std::size_t at = message.find(word);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = message.substr(at + word.size());
    std::size_t index = 0;
    const auto [end, failure] = std::from_chars(rest.data(), rest.data() + rest.size(), index);
    if (failure == std::errc()) return FunctionPart{is_result, index};
  }
  return std::nullopt;
}

namespace {

std::string part_of(std::string_view message) {
  const std::optional<FunctionPart> part = function_part(message);
  if (!part) return {};
  return (part->is_result ? "/results/" : "/args/") + std::to_string(part->index);
}

/// Returns true if the string equals the word, with or without its quotes or sigil, or contains it.
bool holds(std::string_view text, std::string_view word) {
  return text == word || text == word.substr(1) ||
         (word.size() > 2 && text == word.substr(1, word.size() - 2)) ||
         text.find(word) != std::string_view::npos;
}

/// Returns the first or the last string below the node that holds the word, except names and
/// strings in regions.
std::optional<JsonNode> find_word(JsonNode node, std::string_view word, bool is_last) {
  std::optional<JsonNode> found;
  constexpr std::array<std::string_view, 6> kOthers = {"name", "op",      "operands",
                                                       "body", "regions", "comment"};
  std::vector<JsonNode> pending = {node};
  while (!pending.empty()) {
    const JsonNode next = pending.back();
    pending.pop_back();
    if (next.is_string()) {
      if (holds(next.string(), word)) found = next;
      if (found && !is_last) return found;
      continue;
    }
    if (!next.is_object() && !next.is_array()) continue;
    std::vector<JsonNode> children = next.children();
    std::ranges::reverse(children);  // the first is taken first
    for (const JsonNode child : children) {
      if (std::ranges::find(kOthers, child.key()) == kOthers.end()) pending.push_back(child);
    }
  }
  return found;
}

}  // namespace

std::string pointer_of_word(const JsonDocument& document, const Error& error) {
  if (!error.location.starts_with('/')) return error.location;
  const JsonNode whole = document.find(error.location);
  if (whole.pointer() != error.location) return error.location;
  const std::string part = error.location + part_of(error.message);
  const JsonNode named = document.find(part);
  const JsonNode inside = named.pointer() == part ? named : whole;
  const std::string_view word = quoted_word(error.message);
  if (word.size() >= 2) {
    const bool is_repeated = error.message.find("duplicate") != std::string::npos;
    const auto found = find_word(inside, word, is_repeated);
    return found ? found->pointer() : error.location;
  }
  const bool is_of_sharding = error.message.find("sharding") != std::string::npos;
  const auto sharding =
      is_of_sharding && inside.is_object() ? inside.find("sharding") : std::nullopt;
  return sharding ? sharding->pointer() : error.location;
}

}  // namespace shardy::text
