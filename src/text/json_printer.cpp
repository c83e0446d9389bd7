// Writes a module as JSON.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "shardy/algebra/unresolved.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/text/json.hpp"
#include "text/attribute_codec.hpp"
#include "text/chosen_names.hpp"
#include "text/json_attribute.hpp"
#include "text/json_writer.hpp"
#include "text/op_draft.hpp"

namespace shardy::text {

using ir::BlockId;
using ir::OpId;
using ir::OpKind;
using ir::RegionId;
using ir::ValueId;

namespace {

struct NameCounts {
  std::size_t args = 0;
  std::size_t ops = 0;
};

/// Assigns names: `arg0`, ... to arguments and `0`, ... to ops, numbered per function; or the
/// source names.
class NamePrinter {
 public:
  NamePrinter(const ir::Module& module, bool keeps_names) : module_(module) {
    if (keeps_names && module.has_value_names()) {
      chosen_.emplace(module, ChosenNames::Characters::Any);
    }
  }

  /// Sets the counters and returns the old counters. A later call restores them.
  NameCounts restart(NameCounts counts = {}) { return std::exchange(counts_, counts); }

  std::string name_argument(ir::ValueId value) {
    if (chosen_) return spelled_name(chosen_->name(value));
    return names_[value] = "arg" + std::to_string(counts_.args++);
  }
  /// Returns true if the value keeps its source name.
  bool keeps(ir::ValueId value) const { return chosen_ && module_.has_value_name(value); }
  /// Returns true if each result has a name of its own.
  bool names_each_result(ir::OpId op) const {
    return chosen_ && module_.num_results(op) > 1 && !chosen_->names_group(op);
  }
  /// Returns the common name of all results.
  std::string name_results(const std::vector<ir::ValueId>& results) {
    if (chosen_) return spelled_name(chosen_->group_name(results[0]));
    std::string name = std::to_string(counts_.ops++);
    for (std::size_t index = 0; index < results.size(); ++index) {
      names_[results[index]] = results.size() == 1 ? name : name + "#" + std::to_string(index);
    }
    return name;
  }
  /// Returns the name of a value. In invalid programs, a value without an earlier definition gets a
  /// name that no other value has.
  std::string name_of(ir::ValueId value) const {
    if (chosen_) return spelled_name(chosen_->name(value));
    const auto found = names_.find(value);
    return found == names_.end() ? "?" + std::to_string(value.value) : found->second;
  }

 private:
  /// Readers treat a leading `%` as the sign of MLIR text.
  static std::string spelled_name(const std::string& name) {
    return name.starts_with('%') ? "%" + name : name;
  }

  const ir::Module& module_;
  std::optional<ChosenNames> chosen_;
  std::unordered_map<ir::ValueId, std::string> names_;
  NameCounts counts_;
};

/// Prints a module with a stack of pending tasks instead of recursion.
class JsonPrinter {
 public:
  JsonPrinter(const ir::Module& module, const JsonPrintOptions& options)
      : module_(module), options_(options), writer_(options.width), names_(module, options.names) {
    for (const ir::OpId mesh : module.meshes()) {
      if (const auto* value = module.attribute<Mesh>(mesh, ir::attr::kMesh)) {
        meshes_.emplace_back(module.symbol_name(mesh), *value);
      }
    }
    if (has_one_mesh()) implied_mesh_ = &meshes_.front();
  }

  std::string print();

 private:
  using Task = std::function<void()>;

  void later(std::vector<Task> in_order);
  void run();

  void print_program();
  void print_items(ir::OpId first, ir::OpId end);
  void print_item(ir::OpId op);
  void print_meshes(ir::OpId first, ir::OpId end);
  void print_mesh(ir::OpId op);
  void print_function(ir::OpId op);
  void print_value(const ir::Type& type, const ir::AttributeMap& attributes,
                   const std::string& name);
  void print_values(std::string_view key, const std::vector<ir::Type>& types,
                    const std::vector<ir::AttributeMap>& attributes,
                    const std::vector<std::string>& names);
  void print_blocks(ir::RegionId region, const std::string& owner, bool of_function);
  void print_block(ir::BlockId block, const std::string& owner, bool with_args);
  void print_block_args(ir::BlockId block);
  void print_body(ir::BlockId block, const std::string& owner);

  // Printing of ops.
  void print_op(ir::OpId op);
  void print_op_parts(ir::OpId op);
  void print_regions(ir::OpId op);
  bool is_flat(ir::OpId op) const;
  void print_operands(std::string_view key, ir::OpId op);
  void print_attributes(const ir::AttributeMap& attributes, std::string_view owner,
                        std::optional<ir::Type> result_type = std::nullopt);
  void print_location(ir::OpId op);

  std::optional<ir::OpKind> reducer(ir::OpId op) const;
  void print_reducer(ir::OpId op, const std::string& name);
  bool is_implied_terminator(ir::OpId op, std::string_view owner) const;
  bool is_plain_mesh(ir::OpId op) const;
  bool has_one_mesh() const;
  bool fit_short_form(ir::OpId first, ir::OpId end) const;
  bool shows_location(ir::OpId op) const {
    return options_.locations && !module_.location_text(op).empty();
  }

  const ir::Module& module_;
  const JsonPrintOptions& options_;
  JsonWriter writer_;
  NamedMeshes meshes_;
  ImpliedMesh implied_mesh_ = nullptr;
  NamePrinter names_;
  std::vector<Task> tasks_;
};

}  // namespace

// Printing of ops as JSON.

using JsonLayout = JsonWriter::JsonLayout;

namespace {

/// Removes the shardings of the results from the attributes and returns one per result. Returns
/// none if the results cannot have shardings in this form.
std::vector<UnresolvedSharding> take_shardings(ir::AttributeMap& attributes,
                                               std::string_view op_name, std::size_t num_results) {
  const std::string_view own = own_sharding_attribute(op_name);
  const std::string_view name = own.empty() ? ir::kShardingAttr : own;
  const ir::Attribute* const found = attributes.find(name);
  if (!found || num_results == 0) return {};
  const ir::Attribute text = unresolved(*found);
  std::vector<UnresolvedSharding> shardings;
  if (const auto* one = text.as<UnresolvedSharding>(); one && !own.empty()) shardings = {*one};
  if (const auto* list = text.as<ir::UnresolvedShardingList>(); list && own.empty()) {
    shardings = list->shardings;
  }
  if (shardings.size() != num_results) return {};
  attributes.erase(name);
  return shardings;
}

/// Returns a scalar type with the element type of the first operand; std::nullopt if that operand
/// is not a tensor.
std::optional<ir::Type> scalar_of_operand(const ir::Module& module, OpId op) {
  if (module.num_operands(op) == 0) return std::nullopt;
  const ir::Type& type = module.type(module.operand(op, 0));
  if (!type.is_tensor()) return std::nullopt;
  return ir::Type::tensor({}, type.element());
}

bool has_types(const ir::Module& module, std::span<const ValueId> values, const ir::Type& type) {
  return std::ranges::all_of(values, [&](ValueId value) { return module.type(value) == type; });
}

/// Returns true for op kinds without results. The results of other ops may depend on later text,
/// such as a callee or a sharding.
bool never_has_results(OpKind kind) {
  return ir::has_trait(kind, ir::kReturnLike) || kind == OpKind::SdyMesh ||
         kind == OpKind::SdyShardingGroup;
}

/// Returns true if the op has the given operands, no attributes and no regions.
bool is_bare(const ir::Module& module, OpId op, const std::vector<ValueId>& operands) {
  return module.attributes(op).empty() && module.regions(op).empty() &&
         module.operands(op) == operands;
}

}  // namespace

/// Returns true if the op has no regions, or one region that the key "reducer" describes.
bool JsonPrinter::is_flat(OpId op) const {
  return !module_.is(op, OpKind::Func) && (module_.regions(op).empty() || reducer(op));
}

/// Returns the op for the key "reducer" if the only region consists of this op and its return.
std::optional<OpKind> JsonPrinter::reducer(OpId op) const {
  const auto regions = module_.regions(op);
  const std::optional<ir::Type> scalar = scalar_of_operand(module_, op);
  if (regions.size() != 1 || module_.blocks(regions[0]).size() != 1 || !scalar) return std::nullopt;
  const auto args = module_.args(module_.block(op));
  const OpId combine = module_.first_op(module_.block(op));
  const OpId last = module_.last_op(module_.block(op));
  const bool two_ops = last.valid() && module_.prev(last) == combine;
  if (!two_ops || args.size() != 2 || shows_location(combine) || shows_location(last)) {
    return std::nullopt;
  }
  const bool known = std::ranges::find(ir::kReducers, module_.kind(combine)) != ir::kReducers.end();
  if (!known || !module_.is(last, OpKind::StablehloReturn) || module_.num_results(combine) != 1 ||
      module_.num_results(last) != 0) {
    return std::nullopt;
  }
  const bool bare = is_bare(module_, combine, {args.begin(), args.end()}) &&
                    is_bare(module_, last, module_.results(combine));
  const bool scalars =
      has_types(module_, args, *scalar) && has_types(module_, module_.results(combine), *scalar);
  return bare && scalars ? std::optional(module_.kind(combine)) : std::nullopt;
}

void JsonPrinter::print_op(OpId op) {
  const bool flat = is_flat(op);
  writer_.begin_object(flat ? JsonLayout::Fit : JsonLayout::Broken);
  print_op_parts(op);
  if (!flat) return print_regions(op);
  if (const std::optional<OpKind> kind = reducer(op)) {
    print_reducer(op, op_name_text(*kind, ir::info(*kind).name));
  }
  print_location(op);
  writer_.end_object();
}

/// Prints the name of the region's op, and the names of its values if the source has any.
void JsonPrinter::print_reducer(OpId op, const std::string& name) {
  const ir::BlockId block = module_.block(op);
  const auto args = module_.args(block);
  const ValueId result = module_.result(module_.first_op(block));
  writer_.key("reducer");
  if (!names_.keeps(args[0]) && !names_.keeps(args[1]) && !names_.keeps(result)) {
    return writer_.string(name);
  }
  writer_.begin_object();
  writer_.key("op").string(name);
  writer_.key("args").begin_array();
  for (const ValueId arg : args) writer_.string(names_.name_of(arg));
  writer_.end_array();
  writer_.key("name").string(names_.name_of(result));
  writer_.end_object();
}

/// Prints all members except regions and location.
void JsonPrinter::print_op_parts(OpId op) {
  const std::vector<ValueId> results = module_.results(op);
  const bool names_each = names_.names_each_result(op);
  if (!results.empty() && !names_each) writer_.key("name").string(names_.name_results(results));
  writer_.key("op").string(op_name_text(module_.kind(op), module_.name(op)));
  if (module_.num_operands(op) != 0) print_operands("operands", op);
  ir::AttributeMap others = module_.attributes(op);
  const std::vector<UnresolvedSharding> shardings =
      take_shardings(others, module_.name(op), results.size());
  const auto type = results.size() == 1 ? std::optional(module_.type(results[0])) : std::nullopt;
  print_attributes(others, module_.name(op), type);
  if (type) {
    writer_.key("type").string(type_text(*type));
    if (!shardings.empty()) write_sharding(writer_.key("sharding"), shardings[0], implied_mesh_);
    return;
  }
  if (results.empty() && never_has_results(module_.kind(op))) return;
  writer_.key("results").begin_array();
  for (std::size_t index = 0; index < results.size(); ++index) {
    const std::string text = type_text(module_.type(results[index]));
    if (shardings.empty() && !names_each) {
      writer_.string(text);
      continue;
    }
    writer_.begin_object();
    if (names_each) writer_.key("name").string(names_.name_of(results[index]));
    writer_.key("type").string(text);
    if (!shardings.empty()) {
      write_sharding(writer_.key("sharding"), shardings[index], implied_mesh_);
    }
    writer_.end_object();
  }
  writer_.end_array();
}

/// Prints "regions" and the members after them.
void JsonPrinter::print_regions(OpId op) {
  writer_.key("regions").begin_array(JsonLayout::Broken);
  std::vector<Task> tasks;
  for (const ir::RegionId region : module_.regions(op)) {
    tasks.emplace_back([this, op, region] {
      writer_.begin_object(JsonLayout::Broken);
      later({[this, op, region] { print_blocks(region, std::string(module_.name(op)), false); },
             [this] { writer_.end_object(); }});
    });
  }
  tasks.emplace_back([this, op] {
    writer_.end_array();
    print_location(op);
    writer_.end_object();
  });
  later(std::move(tasks));
}

void JsonPrinter::print_operands(std::string_view key, OpId op) {
  writer_.key(key).begin_array();
  for (const ValueId operand : module_.operands(op)) writer_.string(names_.name_of(operand));
  writer_.end_array();
}

void JsonPrinter::print_attributes(const ir::AttributeMap& attributes, std::string_view owner,
                                   std::optional<ir::Type> result_type) {
  if (attributes.empty()) return;
  const AttributeContext context{.meshes = &meshes_,
                                 .result_type = std::move(result_type),
                                 .max_elements = options_.max_list_elements,
                                 .implied_mesh = implied_mesh_};
  writer_.key("attributes").begin_object();
  for (const ir::NamedAttribute& entry : attributes) {
    const AttributeSlot slot = attribute_slot(owner, entry.name);
    writer_.key((slot.is_foreign ? "." : "") + std::string(entry.name));
    write_attribute(writer_, entry.value, slot, context);
  }
  writer_.end_object();
}

void JsonPrinter::print_location(OpId op) {
  if (shows_location(op)) writer_.key("location").string(module_.location_text(op));
}

using JsonLayout = JsonWriter::JsonLayout;

// ---- The program --------------------------------------------------------------------------------

std::string JsonPrinter::print() {
  writer_.begin_object(JsonLayout::Broken);
  writer_.key("shardy").integer(1);
  print_attributes(module_.module_attributes(), ir::info(OpKind::BuiltinModule).name);
  print_program();
  run();
  writer_.end_object();
  return writer_.take() + "\n";
}

void JsonPrinter::later(std::vector<Task> in_order) {
  std::move(in_order.rbegin(), in_order.rend(), std::back_inserter(tasks_));
}

void JsonPrinter::run() {
  while (!tasks_.empty()) {
    const Task task = std::move(tasks_.back());
    tasks_.pop_back();
    task();
  }
}

/// Prints the program. Meshes, the functions after them, and all other ops are separate lists.
void JsonPrinter::print_program() {
  OpId op = module_.first_op(module_.body());
  const OpId first_mesh = op;
  while (op.valid() && is_plain_mesh(op)) op = module_.next(op);
  if (first_mesh != op) print_meshes(first_mesh, op);
  const OpId first = op;
  while (op.valid() && module_.is(op, OpKind::Func)) op = module_.next(op);
  if (first != op) {
    writer_.key("functions").begin_array(JsonLayout::Broken);
    std::vector<Task> tasks;
    for (OpId function = first; function != op; function = module_.next(function)) {
      tasks.emplace_back([this, function] { print_function(function); });
    }
    later(std::move(tasks));
    run();
    writer_.end_array();
  }
  if (!op.valid()) return;
  names_.restart();
  writer_.key("body").begin_array(JsonLayout::Broken);
  later({[this, op] { print_items(op, OpId()); }, [this] { writer_.end_array(); }});
}

bool JsonPrinter::is_plain_mesh(OpId op) const {
  return module_.is(op, OpKind::SdyMesh) && module_.attribute<Mesh>(op, ir::attr::kMesh) &&
         module_.attribute<std::string>(op, ir::attr::kSymName) && module_.num_operands(op) == 0 &&
         module_.num_results(op) == 0 && module_.regions(op).empty();
}

/// Returns true if the module, with nested modules, has one mesh, which is its first op.
bool JsonPrinter::has_one_mesh() const {
  const OpId first = module_.first_op(module_.body());
  if (meshes_.size() != 1 || !is_plain_mesh(first)) return false;
  const std::vector<OpId> ops = ir::pre_order(module_);
  return std::ranges::count_if(ops, [&](OpId op) { return module_.is(op, OpKind::SdyMesh); }) == 1;
}

/// Checks whether `{"m": {"x": 2}}` represents the meshes completely. Requires: plain meshes.
bool JsonPrinter::fit_short_form(OpId first, OpId end) const {
  std::set<std::string_view> names = {"comment"};  // readers drop "comment"
  for (OpId op = first; op != end; op = module_.next(op)) {
    const Mesh& mesh = *module_.attribute<Mesh>(op, ir::attr::kMesh);
    const bool has_more = module_.attributes(op).size() != 2 || shows_location(op) ||
                          !mesh.device_ids().empty() || mesh.axes().empty();
    if (has_more || !names.insert(module_.symbol_name(op)).second) return false;
    if (std::ranges::find(mesh.axes(), "comment", &MeshAxis::name) != mesh.axes().end()) {
      return false;
    }
  }
  return true;
}

void JsonPrinter::print_meshes(OpId first, OpId end) {
  if (!fit_short_form(first, end)) {
    writer_.key("meshes").begin_array(JsonLayout::Broken);
    for (OpId op = first; op != end; op = module_.next(op)) print_mesh(op);
    return writer_.end_array();
  }
  writer_.key("meshes").begin_object();
  for (OpId op = first; op != end; op = module_.next(op)) {
    writer_.key(symbol_string(module_.symbol_name(op))).begin_object();
    for (const MeshAxis& axis : module_.attribute<Mesh>(op, ir::attr::kMesh)->axes()) {
      writer_.key(axis.name).integer(axis.size);
    }
    writer_.end_object();
  }
  writer_.end_object();
}

void JsonPrinter::print_mesh(OpId op) {
  ir::AttributeMap others = module_.attributes(op);
  others.erase(ir::attr::kSymName);
  others.erase(ir::attr::kMesh);
  writer_.begin_object();
  writer_.key("name").string(symbol_string(module_.symbol_name(op)));
  write_mesh_members(writer_, *module_.attribute<Mesh>(op, ir::attr::kMesh));
  print_attributes(others, module_.name(op));
  print_location(op);
  writer_.end_object();
}

// ---- Functions and blocks --------------------------------------------------------------------

void JsonPrinter::print_function(OpId op) {
  ir::AttributeMap others = module_.attributes(op);
  others.erase(ir::attr::kSymName);
  const auto* visibility = module_.attribute<std::string>(op, "sym_visibility");
  writer_.begin_object(JsonLayout::Broken);
  writer_.key("name").string(symbol_string(module_.symbol_name(op)));
  if (visibility) {
    writer_.key("visibility").string(*visibility);
    others.erase("sym_visibility");
  }
  print_attributes(others, module_.name(op));
  const ir::FunctionData& data = module_.function(op);
  const NameCounts outer = names_.restart();
  std::vector<std::string> names;
  if (!module_.is_external(op)) {
    for (const ValueId arg : module_.args(module_.entry(op))) {
      names.push_back(names_.name_argument(arg));
    }
  }
  print_values("args", module_.arg_types(op), data.arg_attributes, names);
  print_values("results", data.result_types, data.result_attributes, {});
  later({[this, op] {
           if (!module_.is_external(op)) {
             print_blocks(module_.regions(op)[0], std::string(module_.name(op)), true);
           }
         },
         [this, op, outer] {
           names_.restart(outer);
           print_location(op);
           writer_.end_object();
         }});
}

/// Prints arguments or results of a function. Either all or none have names.
void JsonPrinter::print_values(std::string_view key, const std::vector<ir::Type>& types,
                               const std::vector<ir::AttributeMap>& attributes,
                               const std::vector<std::string>& names) {
  if (types.empty() && key == "args") return;
  writer_.key(key).begin_array(types.empty() ? JsonLayout::Fit : JsonLayout::Broken);
  for (std::size_t index = 0; index < types.size(); ++index) {
    print_value(types[index], index < attributes.size() ? attributes[index] : ir::AttributeMap(),
                names.empty() ? "" : names[index]);
  }
  writer_.end_array();
}

void JsonPrinter::print_value(const ir::Type& type, const ir::AttributeMap& attributes,
                              const std::string& name) {
  ir::AttributeMap others = attributes;
  if (name.empty() && attributes.empty()) return writer_.string(type_text(type));
  writer_.begin_object();
  if (!name.empty()) writer_.key("name").string(name);
  writer_.key("type").string(type_text(type));
  if (const ir::Attribute* found = attributes.find(ir::kShardingAttr)) {
    const ir::Attribute text = unresolved(*found);
    if (const auto* sharding = text.as<UnresolvedSharding>()) {
      write_sharding(writer_.key("sharding"), *sharding, implied_mesh_);
      others.erase(ir::kShardingAttr);
    }
  }
  print_attributes(others, "func.arg");
  writer_.end_object();
}

/// Prints the members of a region or function that contain its blocks.
void JsonPrinter::print_blocks(RegionId region, const std::string& owner, bool of_function) {
  const auto blocks = module_.blocks(region);
  if (blocks.size() == 1) {
    if (!of_function) print_block_args(blocks[0]);
    return print_body(blocks[0], owner);
  }
  writer_.key("blocks").begin_array(JsonLayout::Broken);
  std::vector<Task> tasks;
  for (const BlockId block : blocks) {
    const bool is_entry = of_function && block == blocks[0];
    tasks.emplace_back([this, block, owner, is_entry] { print_block(block, owner, !is_entry); });
  }
  tasks.emplace_back([this] { writer_.end_array(); });
  later(std::move(tasks));
}

void JsonPrinter::print_block(BlockId block, const std::string& owner, bool with_args) {
  writer_.begin_object(JsonLayout::Broken);
  if (with_args) print_block_args(block);
  later({[this, block, owner] { print_body(block, owner); }, [this] { writer_.end_object(); }});
}

void JsonPrinter::print_block_args(BlockId block) {
  const auto args = module_.args(block);
  if (args.empty()) return;
  writer_.key("args").begin_array();
  for (const ValueId arg : args) {
    writer_.begin_object();
    writer_.key("name").string(names_.name_argument(arg));
    writer_.key("type").string(type_text(module_.type(arg)));
    writer_.end_object();
  }
  writer_.end_array();
}

/// Prints "body" and "return".
void JsonPrinter::print_body(BlockId block, const std::string& owner) {
  const OpId last = module_.last_op(block);
  const bool returns = last.valid() && is_implied_terminator(last, owner);
  const OpId end = returns ? last : OpId();
  const OpId first = module_.first_op(block);
  if (!returns || first != end) {
    writer_.key("body").begin_array(JsonLayout::Broken);
    later({[this, first, end] { print_items(first, end); },
           [this, end] {
             writer_.end_array();
             if (end.valid()) print_operands("return", end);
           }});
    return;
  }
  print_operands("return", end);
}

bool JsonPrinter::is_implied_terminator(OpId op, std::string_view owner) const {
  return module_.kind(op) == implied_terminator(owner).value_or(OpKind::Unknown) &&
         !module_.is(op, OpKind::Unknown) && module_.num_results(op) == 0 &&
         module_.attributes(op).empty() && module_.regions(op).empty() && !shows_location(op);
}

/// Prints the ops from `first` to the one before `end`. An invalid `end` means all remaining ops.
void JsonPrinter::print_items(OpId first, OpId end) {
  for (OpId op = first; op.valid() && op != end; op = module_.next(op)) {
    if (is_flat(op)) {
      print_item(op);
      continue;
    }
    const OpId next = module_.next(op);
    later({[this, op] { print_item(op); }, [this, next, end] { print_items(next, end); }});
    return;
  }
}

void JsonPrinter::print_item(OpId op) {
  if (is_plain_mesh(op)) {
    writer_.begin_object();
    writer_.key("mesh");
    print_mesh(op);
    return writer_.end_object();
  }
  if (!module_.is(op, OpKind::Func)) return print_op(op);
  writer_.begin_object(JsonLayout::Broken);
  writer_.key("function");
  later({[this, op] { print_function(op); }, [this] { writer_.end_object(); }});
}

std::string to_json(const ir::Module& module, const JsonPrintOptions& options) {
  return JsonPrinter(module, options).print();
}

}  // namespace shardy::text
