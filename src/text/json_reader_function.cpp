// Reads the meshes and functions of a document.
#include <algorithm>

#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/type_shape.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "text/json_attribute.hpp"
#include "text/json_reader.hpp"
#include "text/json_writer.hpp"

namespace shardy::text {

namespace {

constexpr std::string_view kFunctionOp = "func.func";
constexpr std::string_view kValueOwner = "func.arg";  // name in the table of attribute forms

// ---- Parts -----------------------------------------------------------------------------------

Result<std::string> read_symbol_name(JsonNode object, std::string_view what) {
  SHARDY_TRY(const JsonNode node, required(object, "name"));
  SHARDY_TRY(const std::string text, read_string(node, what));
  return symbol_of_string(text);
}

Result<std::optional<std::string>> read_location(JsonNode node) {
  const auto location = node.find("location");
  if (!location) return std::optional<std::string>();
  SHARDY_TRY(std::string text, read_string(*location, "\"location\""));
  return std::optional(std::move(text));
}

/// Sets an attribute that has a separate key. Error: the other attributes contain it, too.
Status set_once(ir::AttributeMap& attributes, JsonNode node, std::string_view name,
                ir::Attribute value) {
  if (attributes.contains(name)) {
    return fail_at(node, "given twice, also as the attribute \"" + std::string(name) + "\"");
  }
  attributes.set(name, std::move(value));
  return {};
}

struct MeshItem {
  std::string name;
  Mesh mesh;
};

/// Reads a mesh. In an object, the key is the name of the mesh; in a list, each item has a member
/// with the name.
Result<MeshItem> read_mesh_item(JsonNode node, bool is_keyed) {
  MeshItem item;
  if (is_keyed) {
    item.name = symbol_of_string(node.key());
    SHARDY_TRY(item.mesh, read_mesh(node));
    return item;
  }
  SHARDY_TRY_STATUS(expect_object(
      node, "a mesh", {"name", "axes", "device_ids", "attributes", "location", "comment"}));
  SHARDY_TRY(item.name, read_symbol_name(node, "the name of a mesh"));
  SHARDY_TRY(item.mesh, read_mesh_members(node));
  return item;
}

/// Returns the name of a mesh, even if its other members are invalid.
std::optional<std::string> name_of_mesh(JsonNode node, bool is_keyed) {
  if (is_keyed) return symbol_of_string(node.key());
  const auto name = node.is_object() ? node.find("name") : std::nullopt;
  return name && name->is_string() ? std::optional(symbol_of_string(name->string())) : std::nullopt;
}

bool has_body(JsonNode function) {
  return function.find("body") || function.find("return") || function.find("blocks");
}

/// Returns true if the text has all result types, or no body from which to infer them.
bool declares_results(JsonNode function) {
  if (!has_body(function)) return true;
  const auto results = function.find("results");
  if (!results || !results->is_array()) return false;
  const std::vector<JsonNode> nodes = results->children();
  return std::ranges::all_of(nodes,
                             [](JsonNode node) { return !node.is_object() || node.find("type"); });
}

std::vector<JsonNode> list_of(JsonNode object, std::string_view key) {
  const auto list = object.find(key);
  return list ? list->children() : std::vector<JsonNode>();
}

/// Returns the operand types of the terminator of the first block that returns.
std::optional<std::vector<ir::Type>> returned_types(const ir::Module& module, ir::OpId function) {
  for (const ir::BlockId block : module.blocks(module.regions(function)[0])) {
    const ir::OpId last = module.last_op(block);
    if (!last.valid() || !module.has_trait(last, ir::kReturnLike)) continue;
    std::vector<ir::Type> types;
    for (const ir::ValueId value : module.operands(last)) types.push_back(module.type(value));
    return types;
  }
  return std::nullopt;
}

}  // namespace

// ---- Meshes ----------------------------------------------------------------------------------

void JsonReader::read_meshes(JsonNode root) {
  const auto meshes = root.find("meshes");
  const bool is_keyed = meshes && meshes->is_object();
  if (meshes && !is_keyed && !meshes->is_array()) {
    passes(Status(
        fail_at(*meshes, "\"meshes\" is a list or an object, found " + meshes->description())));
    return;
  }
  // All meshes are read before the first sharding, wherever they are in the text.
  const auto collect = [&](JsonNode node, bool keyed) {
    Result<MeshItem> item = read_mesh_item(node, keyed);
    if (item) {
      meshes_.emplace_back(std::move(item->name), std::move(item->mesh));
    } else if (std::optional<std::string> name = name_of_mesh(node, keyed)) {
      // Further uses of the mesh cause no errors.
      meshes_.emplace_back(*std::move(name), Mesh());
    }
  };
  const std::vector<JsonNode> listed = list_of(root, "meshes");
  for (const JsonNode node : listed) collect(node, is_keyed);
  for (const JsonNode item : list_of(root, "body")) {
    const auto mesh = item.is_object() && !item.find("op") ? item.find("mesh") : std::nullopt;
    if (mesh) collect(*mesh, false);
  }
  for (std::size_t index = 0; index < listed.size() && !full(); ++index) {
    const std::string token =
        is_keyed ? escaped_pointer_token(listed[index].key()) : std::to_string(index);
    passes(add_mesh(listed[index], is_keyed, module_.body(), "/meshes/" + token));
  }
}

Status JsonReader::add_mesh(JsonNode node, bool is_keyed, ir::BlockId block,
                            const std::string& pointer) {
  SHARDY_TRY(MeshItem item, read_mesh_item(node, is_keyed));
  ir::OpSpec spec{.kind = ir::OpKind::SdyMesh};
  std::optional<std::string> location;
  if (!is_keyed) {
    if (const auto attributes = node.find("attributes")) {
      SHARDY_TRY(spec.attributes, read_attributes(*attributes, "sdy.mesh", {&meshes_}));
    }
    SHARDY_TRY(location, read_location(node));
  }
  SHARDY_TRY_STATUS(set_once(spec.attributes, node, ir::attr::kSymName, std::move(item.name)));
  SHARDY_TRY_STATUS(set_once(spec.attributes, node, ir::attr::kMesh, std::move(item.mesh)));
  const ir::OpId op = module_.create(std::move(spec));
  module_.append(block, op);
  locate(op, pointer, location);
  return {};
}

// ---- Functions -------------------------------------------------------------------------------

/// Creates the function and adds its body to `tasks`.
void JsonReader::start_function(JsonNode node, ir::BlockId block, const std::string& pointer,
                                std::vector<OpTask>& tasks) {
  Result<OpTask> task = make_function(node, block, pointer);
  if (passes(task)) {
    tasks.push_back(*std::move(task));
    return;
  }
  ++num_broken_;
  const auto name = node.is_object() ? node.find("name") : std::nullopt;
  if (name && name->is_string()) broken_functions_.insert(symbol_of_string(name->string()));
}

Result<JsonReader::OpTask> JsonReader::make_function(JsonNode node, ir::BlockId block,
                                                     const std::string& pointer) {
  SHARDY_TRY_STATUS(expect_object(node, "a function",
                                  {"name", "visibility", "args", "results", "attributes", "body",
                                   "return", "blocks", "location", "comment"}));
  ir::OpSpec spec{.kind = ir::OpKind::Func, .regions = {module_.new_region()}};
  const ir::RegionId region = spec.regions.front();
  SHARDY_TRY(spec.attributes, function_attributes(node));
  SHARDY_TRY(const std::optional<std::string> location, read_location(node));
  OpTask task{.draft = {.node = node, .op_name = std::string(kFunctionOp)}, .pointer = pointer};
  if (has_body(node)) {
    SHARDY_TRY(task.blocks, blocks_of(node, region, pointer, true));
    task.blocks.front().is_entry = true;
    module_.new_block(region);
  }
  const ir::OpId function = module_.create(std::move(spec));
  module_.append(block, function);
  locate(function, pointer, location);
  task.function = function;
  task.num_broken = num_broken_;
  SHARDY_TRY_STATUS(read_function_args(node, function));
  if (declares_results(node)) {
    SHARDY_TRY_STATUS(read_function_results(node, function, nullptr));
  } else {
    pending_functions_.insert(std::string(module_.symbol_name(function)));
  }
  return task;
}

Result<ir::AttributeMap> JsonReader::function_attributes(JsonNode node) const {
  ir::AttributeMap attributes;
  if (const auto given = node.find("attributes")) {
    SHARDY_TRY(attributes, read_attributes(*given, kFunctionOp, {&meshes_}));
  }
  SHARDY_TRY(std::string name, read_symbol_name(node, "the name of a function"));
  SHARDY_TRY_STATUS(set_once(attributes, node, ir::attr::kSymName, std::move(name)));
  if (const auto visibility = node.find("visibility")) {
    SHARDY_TRY(std::string word, read_string(*visibility, "\"visibility\""));
    SHARDY_TRY_STATUS(set_once(attributes, *visibility, "sym_visibility", std::move(word)));
  }
  return attributes;
}

/// Reads the attributes of an argument or result, including "sharding".
Result<ir::AttributeMap> JsonReader::value_attributes(JsonNode node, const ir::Type& type) const {
  ir::AttributeMap attributes;
  if (!node.is_object()) return attributes;
  if (const auto given = node.find("attributes")) {
    SHARDY_TRY(attributes, read_attributes(*given, kValueOwner, {&meshes_}));
  }
  if (const auto sharding = node.find("sharding")) {
    SHARDY_TRY(UnresolvedSharding unresolved,
               read_sharding(*sharding, meshes_, ir::sharding_rank(type)));
    SHARDY_TRY_STATUS(set_once(attributes, *sharding, ir::kShardingAttr, std::move(unresolved)));
  }
  return attributes;
}

Status JsonReader::read_function_args(JsonNode node, ir::OpId function) {
  const auto list = node.find("args");
  if (!list) return {};
  SHARDY_TRY_STATUS(expect_array(*list, "\"args\""));
  for (const JsonNode arg : *list) {
    JsonNode type_node = arg;
    if (!arg.is_string()) {
      // If the type is valid, the body can be read in spite of other errors.
      Status known = expect_object(arg, "an argument", {"name", "type", "sharding", "attributes"});
      if (!arg.is_object()) return known;
      passes(std::move(known));
      SHARDY_TRY(type_node, required(arg, "type"));
    }
    SHARDY_TRY(const ir::Type type, read_type(type_node));
    Result<ir::AttributeMap> attributes = value_attributes(arg, type);
    ir::FunctionData& data = module_.function(function);
    data.arg_attributes.push_back(passes(attributes) ? *std::move(attributes) : ir::AttributeMap());
    if (module_.is_external(function)) {
      data.declared_arg_types.push_back(type);
    } else {
      module_.add_argument(module_.entry(function), type);
    }
  }
  return {};
}

/// Reads the result types from the text or, without them, from the returned values of the body.
Status JsonReader::read_function_results(JsonNode node, ir::OpId function,
                                         const std::vector<ir::Type>* returned) {
  ir::FunctionData& data = module_.function(function);
  const auto list = node.find("results");
  if (!list) {
    if (returned) data.result_types = *returned;
    data.result_attributes.resize(data.result_types.size());
    return {};
  }
  SHARDY_TRY_STATUS(expect_array(*list, "\"results\""));
  if (returned && returned->size() != list->size()) {
    return fail_at(*list, "the function returns " + std::to_string(returned->size()) +
                              " values, \"results\" lists " + std::to_string(list->size()));
  }
  for (const JsonNode result : *list) {
    if (!result.is_string()) {
      SHARDY_TRY_STATUS(expect_object(result, "a result", {"type", "sharding", "attributes"}));
    }
    const auto type_node = result.is_string() ? std::optional(result) : result.find("type");
    if (!type_node && !returned) return fail_at(result, "the key \"type\" is missing");
    Result<ir::Type> type =
        type_node ? read_type(*type_node) : (*returned)[data.result_types.size()];
    if (!type) return tl::unexpected(std::move(type).error());
    SHARDY_TRY(ir::AttributeMap attributes, value_attributes(result, *type));
    data.result_types.push_back(*std::move(type));
    data.result_attributes.push_back(std::move(attributes));
  }
  return {};
}

/// Names the arguments. An argument without a name gets arg0, arg1, ... by its position.
Status JsonReader::define_function_args(JsonNode node, ir::BlockId entry) {
  const std::vector<JsonNode> args = list_of(node, "args");
  for (std::size_t index = 0; index < args.size(); ++index) {
    const auto given = args[index].is_object() ? args[index].find("name") : std::nullopt;
    std::string name = "arg" + std::to_string(index);
    if (given) {
      SHARDY_TRY(name, read_value_name(*given));
    }
    SHARDY_TRY_STATUS(
        names_.define(name, {given.value_or(args[index]), module_.args(entry)[index], 1}));
  }
  return {};
}

Status JsonReader::finish_function(const OpTask& task) {
  const JsonNode node = task.draft.node;
  if (declares_results(node)) return {};
  const std::optional<std::vector<ir::Type>> returned = returned_types(module_, *task.function);
  if (!returned) {
    return fail_at(node, "the function has no return, so its result types are unknown",
                   R"(add "return": [..] after "body")");
  }
  pending_functions_.erase(std::string(module_.symbol_name(*task.function)));
  return read_function_results(node, *task.function, &*returned);
}

}  // namespace shardy::text
