// Regions that are told in a word: "add", or {"op": "add", "args": ["a", "b"], "name": "sum"}.
#include <algorithm>
#include <array>

#include "shardy/ir/reducer.hpp"
#include "text/json_fields.hpp"
#include "text/json_reader.hpp"
#include "text/json_string.hpp"

namespace shardy::text {

namespace {

struct ReducerDraft {
  ir::OpKind kind = ir::OpKind::Unknown;
  std::vector<JsonNode> args = {};  // names of the two scalars, or none
  std::optional<JsonNode> name = std::nullopt;
};

Result<ir::OpKind> read_reducer_kind(JsonNode node) {
  std::string name;
  SHARDY_TRY(const ir::OpKind kind, read_op_kind(node, name));
  if (std::ranges::find(ir::kReducers, kind) != ir::kReducers.end()) return kind;
  return fail_at(node, quoted_json(name) + " is no reducer",
                 "one of add multiply maximum minimum and or xor; others are written as a region");
}

Result<ReducerDraft> read_reducer(JsonNode node) {
  ReducerDraft draft;
  if (!node.is_object()) {
    SHARDY_TRY(draft.kind, read_reducer_kind(node));
    return draft;
  }
  SHARDY_TRY_STATUS(expect_object(node, "a reducer", {"op", "args", "name"}));
  SHARDY_TRY(const JsonNode op, required(node, "op"));
  SHARDY_TRY(draft.kind, read_reducer_kind(op));
  draft.name = node.find("name");
  const auto args = node.find("args");
  if (!args) return draft;
  SHARDY_TRY_STATUS(expect_array(*args, "\"args\""));
  draft.args = args->children();
  if (draft.args.size() == 2) return draft;
  return fail_at(*args,
                 "a reducer has 2 arguments, \"args\" lists " + std::to_string(draft.args.size()));
}

Status define_value(ValueNames& names, JsonNode node, ir::ValueId value) {
  SHARDY_TRY(const std::string name, read_value_name(node));
  return names.define(name, {node, value, 1});
}

/// The names are visible in the region alone.
Status name_reducer_values(ValueNames& names, const ReducerDraft& draft,
                           std::span<const ir::ValueId> args, ir::ValueId result) {
  for (std::size_t index = 0; index < draft.args.size(); ++index) {
    SHARDY_TRY_STATUS(define_value(names, draft.args[index], args[index]));
  }
  return draft.name ? define_value(names, *draft.name, result) : Status();
}

}  // namespace

/// A region of one op that combines two scalars of the element type of the first operand.
Status JsonReader::build_reducer(JsonNode node, OpTask& task) {
  SHARDY_TRY(const ReducerDraft draft, read_reducer(node));
  if (task.draft.broken) return {};
  const std::vector<ir::ValueId>& operands = task.draft.spec.operands;
  if (operands.empty() || !module_.type(operands[0]).is_tensor()) {
    return fail_at(node, "a reducer needs a tensor as the first operand");
  }
  const ir::Type scalar = ir::Type::tensor({}, module_.type(operands[0]).element());
  const ir::RegionId region = module_.new_region();
  const ir::BlockId block = module_.new_block(region, std::vector<ir::Type>{scalar, scalar});
  const auto args = module_.args(block);
  const std::array both = {args[0], args[1]};
  const ir::OpId combine = module_.create(
      {.kind = draft.kind, .operands = {both[0], both[1]}, .result_types = {scalar}});
  const ir::ValueId result = module_.result(combine);
  const ir::OpId terminator =
      module_.create({.kind = ir::OpKind::StablehloReturn, .operands = {result}});
  for (const ir::OpId op : {combine, terminator}) {
    module_.append(block, op);
    locate(op, task.pointer + "/reducer", std::nullopt);
  }
  task.draft.spec.regions.push_back(region);
  names_.open_scope(false);
  Status named = name_reducer_values(names_, draft, both, result);
  names_.close_scope();
  return named;
}

}  // namespace shardy::text
