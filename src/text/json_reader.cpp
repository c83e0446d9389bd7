#include "text/json_reader.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/text/json.hpp"
#include "text/error_places.hpp"
#include "text/json_attribute.hpp"
#include "text/json_document.hpp"
#include "text/json_writer.hpp"

namespace shardy::text {

namespace {

constexpr int64_t kVersion = 1;

}  // namespace

bool JsonReader::passes(Status status) {
  if (status) return true;
  errors_.push_back(std::move(status).error());
  return false;
}

// ---- The program --------------------------------------------------------------------------------

DiagnosedResult<ir::Module> JsonReader::read() {
  const JsonNode root = document_.root();
  const bool is_program =
      passes(expect_object(root, "a program",
                           {"shardy", "attributes", "meshes", "functions", "body", "comment"})) &&
      passes(check_version(root));
  if (is_program) read_program(root);
  if (errors_.size() > max_errors_) errors_.resize(max_errors_);
  if (!errors_.empty()) return tl::unexpected(std::move(errors_));
  return std::move(module_);
}

Status JsonReader::check_version(JsonNode root) {
  SHARDY_TRY(const JsonNode version, required(root, "shardy"));
  if (version.integer() == kVersion) return {};
  return fail_at(version, "\"shardy\" is the version of the format, " + std::to_string(kVersion) +
                              ", found " + version.description());
}

void JsonReader::read_program(JsonNode root) {
  read_meshes(root);
  if (const auto attributes = root.find("attributes")) {
    const std::string_view owner = ir::info(ir::OpKind::BuiltinModule).name;
    auto values = read_attributes(*attributes, owner, {&meshes_});
    if (passes(values)) module_.module_attributes() = *std::move(values);
  }
  if (const auto functions = root.find("functions")) read_functions(*functions);
  const auto body = root.find("body");
  if (!body || !passes(expect_array(*body, "\"body\""))) return;
  names_.open_scope(false);
  tasks_.emplace_back(BlockTask{module_.body(), "", "", body->children()});
  run_tasks();
}

void JsonReader::read_functions(JsonNode list) {
  if (!passes(expect_array(list, "\"functions\""))) return;
  // All functions are declared before the first body is read, because calls may refer to later
  // functions.
  std::vector<OpTask> tasks;
  std::size_t index = 0;
  for (const JsonNode node : list) {
    if (full()) return;
    start_function(node, module_.body(), "/functions/" + std::to_string(index++), tasks);
  }
  for (OpTask& task : tasks) {
    task.num_broken = num_broken_;
    tasks_.emplace_back(std::move(task));
    run_tasks();
  }
}

void JsonReader::run_tasks() {
  while (!tasks_.empty() && !full()) {
    if (auto* const block = std::get_if<BlockTask>(&tasks_.back())) {
      if (block->next < block->items.size()) {
        const std::size_t index = block->next++;
        read_item(block->items[index], block->block,
                  block->pointer + "/body/" + std::to_string(index));
        continue;
      }
      const BlockTask done = std::move(*block);
      tasks_.pop_back();
      finish_block(done);
      continue;
    }
    auto* const op = std::get_if<OpTask>(&tasks_.back());
    if (op->next < op->blocks.size()) {
      const BlockDraft draft = op->blocks[op->next++];
      start_block(draft, *op);
      continue;
    }
    OpTask done = std::move(*op);
    tasks_.pop_back();
    finish_op(std::move(done));
  }
}

void JsonReader::read_item(JsonNode item, ir::BlockId block, const std::string& pointer) {
  const bool is_op = !item.is_object() || item.find("op");
  if (const auto mesh = is_op ? std::nullopt : item.find("mesh")) {
    if (passes(expect_object(item, "a mesh among ops", {"mesh"}))) {
      passes(add_mesh(*mesh, false, block, pointer));
    }
    return;
  }
  if (const auto function = is_op ? std::nullopt : item.find("function")) {
    std::vector<OpTask> tasks;
    if (passes(expect_object(item, "a function among ops", {"function"}))) {
      start_function(*function, block, pointer + "/function", tasks);
    }
    for (OpTask& task : tasks) tasks_.emplace_back(std::move(task));
    return;
  }
  Result<OpTask> task = start_op(item, pointer);
  if (!passes(task)) return leave_out(item);
  if (!task->blocks.empty()) {
    tasks_.emplace_back(*std::move(task));
    return;
  }
  finish_op(*std::move(task));
}

void JsonReader::locate(ir::OpId op, const std::string& pointer,
                        const std::optional<std::string>& given) {
  module_.set_location(op, module_.add_location(pointer));
  if (given) given_locations_.emplace_back(op, *given);
}

// ---- Blocks ----------------------------------------------------------------------------------

/// Returns the blocks of a region or function: the only block, or the blocks in "blocks".
Result<std::vector<JsonReader::BlockDraft>> JsonReader::blocks_of(JsonNode node,
                                                                  ir::RegionId region,
                                                                  const std::string& pointer,
                                                                  bool is_function) {
  const auto list = node.is_object() ? node.find("blocks") : std::nullopt;
  if (!list) return std::vector<BlockDraft>{{region, node, pointer}};
  for (const std::string_view key : {"body", "return", "args"}) {
    const auto other = is_function && key == "args" ? std::nullopt : node.find(key);
    if (!other) continue;
    return fail_at(*other, "\"blocks\" and \"" + std::string(key) + "\" exclude each other");
  }
  SHARDY_TRY_STATUS(expect_array(*list, "\"blocks\""));
  std::vector<BlockDraft> drafts;
  for (const JsonNode block : *list) {
    const std::size_t index = drafts.size();
    drafts.push_back({region, block, pointer + "/blocks/" + std::to_string(index)});
    drafts.back().is_first = index == 0;
    drafts.back().is_last = index + 1 == list->size();
  }
  if (!is_function) return drafts;
  if (drafts.empty()) return fail_at(*list, "a function has at least one block");
  // The entry block has the arguments of the function.
  SHARDY_TRY_STATUS(
      expect_object(drafts[0].node, "the entry block", {"body", "return", "comment"}));
  return drafts;
}

void JsonReader::start_block(const BlockDraft& draft, const OpTask& task) {
  const ir::OpKind kind = task.function ? ir::OpKind::Func : task.draft.spec.kind;
  BlockTask block{draft.is_entry ? module_.entry(*task.function) : module_.new_block(draft.region),
                  task.function ? std::string(ir::info(kind).name) : task.draft.op_name,
                  draft.pointer,
                  {}};
  block.ends_region = draft.is_last;
  // Names are visible in all later blocks, because the control flow between blocks is unknown.
  if (draft.is_first) names_.open_scope(ir::has_trait(kind, ir::kIsolated));
  if (!passes(start_arguments(draft, task, block.block))) ++num_broken_;
  if (draft.node.is_object()) {
    const auto body = draft.node.find("body");
    if (body && !body->is_array()) {
      passes(expect_array(*body, "\"body\""));
      ++num_broken_;
    } else if (body) {
      block.items = body->children();
    }
    block.returns = draft.node.find("return");
  }
  tasks_.emplace_back(std::move(block));
}

Status JsonReader::start_arguments(const BlockDraft& draft, const OpTask& task, ir::BlockId block) {
  if (draft.is_entry) return define_function_args(task.draft.node, block);
  SHARDY_TRY_STATUS(expect_object(draft.node, "a block", {"args", "body", "return", "comment"}));
  const auto args = draft.node.find("args");
  return args ? read_block_args(*args, block) : Status();
}

Status JsonReader::read_block_args(JsonNode list, ir::BlockId block) {
  SHARDY_TRY_STATUS(expect_array(list, "\"args\""));
  for (const JsonNode arg : list) {
    JsonNode type_node = arg;
    if (!arg.is_string()) {
      SHARDY_TRY_STATUS(expect_object(arg, "an argument", {"name", "type"}));
      SHARDY_TRY(type_node, required(arg, "type"));
    }
    SHARDY_TRY(ir::Type type, read_type(type_node));
    const ir::ValueId value = module_.add_argument(block, std::move(type));
    const auto name_node = arg.is_object() ? arg.find("name") : std::nullopt;
    if (!name_node) continue;
    SHARDY_TRY(const std::string name, read_value_name(*name_node));
    SHARDY_TRY_STATUS(names_.define(name, {*name_node, value, 1}));
  }
  return {};
}

void JsonReader::finish_block(const BlockTask& task) {
  if (task.returns && !passes(make_terminator(task))) ++num_broken_;
  if (task.ends_region) names_.close_scope();
}

Status JsonReader::make_terminator(const BlockTask& task) {
  const std::optional<ir::OpKind> kind = implied_terminator(task.owner);
  if (!kind) {
    return fail_at(*task.returns,
                   "\"return\" has no meaning in a region of " + quoted_json(task.owner),
                   "write the terminator as the last op of \"body\"");
  }
  ir::OpSpec spec{.kind = *kind};
  bool broken = false;
  SHARDY_TRY(spec.operands, read_operands(*task.returns, *task.returns, broken));
  if (broken) {
    ++num_broken_;
    return {};
  }
  const ir::OpId op = module_.create(std::move(spec));
  module_.append(task.block, op);
  locate(op, task.pointer + "/return", std::nullopt);
  return {};
}

// ---- Ops -------------------------------------------------------------------------------------

Result<JsonReader::OpTask> JsonReader::start_op(JsonNode node, const std::string& pointer) {
  SHARDY_TRY(OpDraft draft, read_op_draft(node, meshes_));
  OpTask task{.draft = std::move(draft), .pointer = pointer, .num_broken = num_broken_};
  if (const auto operands = node.find("operands")) {
    SHARDY_TRY(task.draft.spec.operands, read_operands(*operands, node, task.draft.broken));
  }
  const auto regions = node.find("regions");
  if (const auto reducer = node.find("reducer")) {
    if (regions) return fail_at(*reducer, R"("reducer" and "regions" exclude each other)");
    SHARDY_TRY_STATUS(build_reducer(*reducer, task));
  }
  if (!regions) return task;
  SHARDY_TRY_STATUS(expect_array(*regions, "\"regions\""));
  for (const JsonNode region : *regions) {
    std::vector<ir::RegionId>& made = task.draft.spec.regions;
    const std::string region_pointer = pointer + "/regions/" + std::to_string(made.size());
    made.push_back(module_.new_region());
    SHARDY_TRY(std::vector<BlockDraft> blocks,
               blocks_of(region, made.back(), region_pointer, false));
    for (BlockDraft& block : blocks) task.blocks.push_back(std::move(block));
  }
  return task;
}

void JsonReader::finish_op(OpTask task) {
  const bool broken =
      task.draft.broken || num_broken_ > task.num_broken || calls_broken(task.draft);
  if (task.function) {
    if (!broken) passes(finish_function(task));
    return;
  }
  const auto& around = std::get<BlockTask>(tasks_.back());
  if (broken || !passes(make_op(task.draft, around.block, task.pointer))) {
    leave_out(task.draft.node);
  }
}

Status JsonReader::make_op(OpDraft& draft, ir::BlockId block, const std::string& pointer) {
  SHARDY_TRY_STATUS(check_callee(draft));
  SHARDY_TRY_STATUS(resolve_types(draft, module_, meshes_));
  SHARDY_TRY_STATUS(set_result_shardings(draft, meshes_));
  SHARDY_TRY_STATUS(convert_attributes(draft));
  const ir::OpId op = module_.create(std::move(draft.spec));
  module_.append(block, op);
  locate(op, pointer, draft.location);
  return define_results(draft, op);
}

/// Checks whether the callee has an error that was already reported.
bool JsonReader::calls_broken(const OpDraft& draft) const {
  const auto* const callee = draft.spec.attributes.get<ir::SymbolAttr>(ir::attr::kCallee);
  return callee && broken_functions_.contains(callee->name);
}

/// Checks the callee, which determines the result types of a call.
Status JsonReader::check_callee(const OpDraft& draft) const {
  const auto* const callee = draft.spec.attributes.get<ir::SymbolAttr>(ir::attr::kCallee);
  if (draft.spec.kind != ir::OpKind::FuncCall || draft.results || !callee) return {};
  if (!pending_functions_.contains(callee->name)) return {};
  return fail_at(draft.node, "the result types of @" + callee->name + " are not known yet",
                 "give them in the \"results\" of the function");
}

// Names of values: their definitions, and errors for unknown names.

namespace {

bool has_name(JsonNode node, const std::string& name) {
  const auto given = node.is_object() ? node.find("name") : std::nullopt;
  if (!given) return false;
  const Result<std::string> read = read_value_name(*given);
  return read && *read == name;
}

/// Returns true if the item defines the name.
bool defines(JsonNode item, const std::string& name) {
  if (has_name(item, name)) return true;
  const auto results = item.is_object() ? item.find("results") : std::nullopt;
  if (!results || !results->is_array()) return false;
  const std::vector<JsonNode> nodes = results->children();
  return std::ranges::any_of(nodes, [&](JsonNode node) { return has_name(node, name); });
}

}  // namespace

/// Returns the values with the names in the list. Sets `broken` if one of them belongs to a dropped
/// op.
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
                               " values, found #" + std::to_string(use.index));
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
                     "; write ops in the order of execution"};
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

/// Counts a dropped op and records the names of its results.
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

// Regions in short form: "add", or {"op": "add", "args": ["a", "b"], "name": "sum"}.

namespace {

struct ReducerDraft {
  ir::OpKind kind = ir::OpKind::Unknown;
  std::vector<JsonNode> args = {};  // names of the two scalars; may be empty
  std::optional<JsonNode> name = std::nullopt;
};

Result<ir::OpKind> read_reducer_kind(JsonNode node) {
  std::string name;
  SHARDY_TRY(const ir::OpKind kind, read_op_kind(node, name));
  if (std::ranges::find(ir::kReducers, kind) != ir::kReducers.end()) return kind;
  return fail_at(node, quoted_json(name) + " is not a reducer",
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

/// Names the values. The names are visible only in the region.
Status name_reducer_values(ValueNames& names, const ReducerDraft& draft,
                           std::span<const ir::ValueId> args, ir::ValueId result) {
  for (std::size_t index = 0; index < draft.args.size(); ++index) {
    SHARDY_TRY_STATUS(define_value(names, draft.args[index], args[index]));
  }
  return draft.name ? define_value(names, *draft.name, result) : Status();
}

}  // namespace

/// Builds a region with one op, which combines two scalars of the first operand's element type.
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

namespace {

/// Adds the line to the location of each error. An error of the whole program, which has an empty
/// pointer, gets only the line.
Diagnostics with_lines(Diagnostics errors, const JsonDocument& document) {
  for (Error& error : errors) {
    if (error.location.empty()) {
      error.location = {static_cast<uint32_t>(document.root().line()), 1};
    } else if (error.location.is_pointer()) {
      error.notes.push_back(line_note(document.find(error.location.text())));
    }
  }
  return errors;
}

}  // namespace

DiagnosedResult<ir::Module> parse_json(std::string_view text, const JsonOptions& options) {
  const std::size_t max_errors = std::max<std::size_t>(options.max_errors, 1);
  const DiagnosedResult<JsonDocument> document =
      JsonDocument::parse(text, {options.max_depth, max_errors});
  if (!document) return tl::unexpected(document.error());
  JsonReader reader(*document, max_errors, options.names);
  DiagnosedResult<ir::Module> module = reader.read();
  const auto failed = [&](Diagnostics errors) {
    if (errors.size() > max_errors) errors.resize(max_errors);
    return tl::unexpected(with_lines(std::move(errors), *document));
  };
  if (!module) return failed(std::move(module).error());
  Diagnostics errors = ir::resolve(*module);
  if (errors.empty() && options.verify) errors = ir::verify(*module, max_errors);
  for (Error& error : errors) error.location = pointer_of_subject(*document, error);
  if (!errors.empty()) return failed(std::move(errors));
  for (const auto& [op, location] : reader.given_locations()) {
    module->set_location(op, module->add_location(location));
  }
  return module;
}

}  // namespace shardy::text
