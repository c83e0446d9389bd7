// Names of values: what they stand for, and what is said when they stand for nothing.
#include <algorithm>

#include "text/json_fields.hpp"
#include "text/json_reader.hpp"
#include "text/json_string.hpp"

namespace shardy::text {

namespace {

bool has_name(JsonNode node, const std::string& name) {
  const auto given = node.is_object() ? node.find("name") : std::nullopt;
  if (!given) return false;
  const Result<std::string> read = read_value_name(*given);
  return read && *read == name;
}

/// The item gives a value that name.
bool defines(JsonNode item, const std::string& name) {
  if (has_name(item, name)) return true;
  const auto results = item.is_object() ? item.find("results") : std::nullopt;
  if (!results || !results->is_array()) return false;
  const std::vector<JsonNode> nodes = results->children();
  return std::ranges::any_of(nodes, [&](JsonNode node) { return has_name(node, name); });
}

}  // namespace

/// The values that the names of the list stand for; `broken` if one of them was left out.
Result<std::vector<ir::ValueId>> JsonReader::read_operands(JsonNode list, JsonNode op,
                                                           bool& broken) const {
  SHARDY_TRY_STATUS(expect_array(list, "\"" + std::string(list.key()) + "\""));
  std::vector<ir::ValueId> values;
  for (const JsonNode node : list) {
    SHARDY_TRY(const ValueUse use, read_value_use(node));
    const NamedValues* const named = names_.find(use.name);
    if (!named) return tl::unexpected(unknown_value(node, op, use.name));
    if (named->is_broken()) {
      broken = true;
    } else if (use.index >= named->count) {
      return fail_at(node, quoted_json("%" + use.name) + " has " + std::to_string(named->count) +
                               " values, there is no #" + std::to_string(use.index));
    } else {
      values.emplace_back(named->first.value + use.index);
    }
  }
  return values;
}

Error JsonReader::unknown_value(JsonNode node, JsonNode op, const std::string& name) const {
  const std::string quoted_name = quoted_json("%" + name);
  Error error{"unknown value " + quoted_name, node.pointer(), {}};
  if (defines(op, name)) {
    error.message = "the op uses its own result " + quoted_name;
    return error;
  }
  for (auto task = tasks_.rbegin(); task != tasks_.rend(); ++task) {
    const auto* const block = std::get_if<BlockTask>(&*task);
    for (std::size_t index = block ? block->next : 0; block && index < block->items.size();
         ++index) {
      if (!defines(block->items[index], name)) continue;
      error.message = "the value " + quoted_name + " is used before its definition";
      error.notes = {"it is defined at " + block->items[index].pointer() +
                     "; ops stand in the order in which they run"};
      return error;
    }
  }
  if (const NamedValues* const hidden = names_.find_hidden(name)) {
    error.message = "the value " + quoted_name + " is outside of an isolated region";
    error.notes = {"it is defined at " + hidden->node.pointer() +
                   "; make it an operand of the op that has the region"};
    return error;
  }
  if (std::string note = suggestion(name, names_.visible()); !note.empty()) {
    error.notes.push_back(std::move(note));
  }
  return error;
}

Status JsonReader::define_results(const OpDraft& draft, ir::OpId op) {
  const auto count = static_cast<uint32_t>(module_.num_results(op));
  if (const auto node = draft.node.find("name")) {
    if (count == 0) return fail_at(*node, "an op without results has no name");
    SHARDY_TRY_STATUS(names_.define(*draft.name, {*node, module_.result(op), count}));
  }
  for (uint32_t index = 0; draft.results && index < count; ++index) {
    const ResultDraft& result = (*draft.results)[index];
    if (!result.name) continue;
    SHARDY_TRY_STATUS(names_.define(*result.name, {result.node, module_.result(op, index), 1}));
  }
  return {};
}

/// Counts an op that is not made, and takes note of its names.
void JsonReader::leave_out(JsonNode op) {
  ++num_broken_;
  const auto define = [&](JsonNode node) {
    const auto given = node.is_object() ? node.find("name") : std::nullopt;
    if (!given) return;
    const Result<std::string> name = read_value_name(*given);
    if (name && !names_.find(*name)) static_cast<void>(names_.define(*name, {*given}));
  };
  define(op);
  const auto results = op.is_object() ? op.find("results") : std::nullopt;
  if (!results || !results->is_array()) return;
  for (const JsonNode result : *results) define(result);
}

}  // namespace shardy::text
