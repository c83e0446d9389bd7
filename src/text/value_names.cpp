#include "text/value_names.hpp"

#include <algorithm>
#include <charconv>

#include "text/json_string.hpp"

namespace shardy::text {

namespace {

/// Returns a name or use without `%`; std::nullopt if the node is not a name.
std::optional<std::string> name_text(JsonNode node) {
  if (const auto number = node.integer(); number && *number >= 0) return std::to_string(*number);
  if (!node.is_string()) return std::nullopt;
  std::string_view text = node.string();
  if (text.starts_with('%')) text.remove_prefix(1);
  if (text.empty()) return std::nullopt;
  return std::string(text);
}

}  // namespace

Result<std::string> read_value_name(JsonNode node) {
  std::optional<std::string> name = name_text(node);
  if (!name) {
    return fail_at(node,
                   "a name is a string such as \"x\" or a number, found " + node.description());
  }
  if (name->find('#') != std::string::npos) {
    return fail_at(node, "a name holds no '#', found " + node.description(),
                   "the results of an op named \"x\" are \"x#0\", \"x#1\", ...");
  }
  return *std::move(name);
}

Result<ValueUse> read_value_use(JsonNode node) {
  std::optional<std::string> name = name_text(node);
  if (!name) {
    return fail_at(node, "an operand is the name of a value, found " + node.description());
  }
  const std::size_t mark = name->find('#');
  if (mark == std::string::npos) return ValueUse{*std::move(name), 0};
  ValueUse use{name->substr(0, mark), 0};
  const char* const end = name->data() + name->size();
  const auto [rest, failure] = std::from_chars(name->data() + mark + 1, end, use.index);
  if (failure == std::errc() && rest == end) return use;
  return fail_at(node, "a number is wanted after '#', found " + node.description());
}

Status ValueNames::define(const std::string& name, NamedValues values) {
  if (const NamedValues* const old = find(name)) {
    return fail_at(values.node, "duplicate value name " + quoted_json("%" + name),
                   "it is the name of " + old->node.pointer() + " already");
  }
  scopes_.back().names.emplace(name, values);
  if (values.is_broken()) return {};
  module_.set_value_name(values.first, name, values.count);
  if (written_ != nullptr) written_->add(name, {values.first, values.count});
  return {};
}

const NamedValues* ValueNames::find_from(const std::string& name, bool everywhere) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto found = scope->names.find(name);
    if (found != scope->names.end()) return &found->second;
    if (scope->isolated && !everywhere) break;
  }
  return nullptr;
}

std::vector<std::string_view> ValueNames::visible() const {
  std::vector<std::string_view> names;
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    for (const auto& entry : scope->names) names.emplace_back(entry.first);
    if (scope->isolated) break;
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace shardy::text
