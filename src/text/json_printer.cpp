#include "text/json_printer.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>

#include "shardy/algebra/spelled.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "text/json_attribute.hpp"
#include "text/json_string.hpp"
#include "text/json_type.hpp"
#include "text/op_draft.hpp"
#include "text/spelled_attribute.hpp"

namespace shardy::text {

using ir::BlockId;
using ir::OpId;
using ir::OpKind;
using ir::RegionId;
using ir::ValueId;
using Layout = JsonWriter::Layout;

// ---- The whole -------------------------------------------------------------------------------

std::string JsonPrinter::print() {
  writer_.begin_object(Layout::Broken);
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

/// Meshes, functions after them, and the rest have a list each.
void JsonPrinter::print_program() {
  OpId op = module_.first_op(module_.body());
  const OpId first_mesh = op;
  while (op.valid() && is_plain_mesh(op)) op = module_.next(op);
  if (first_mesh != op) print_meshes(first_mesh, op);
  const OpId first = op;
  while (op.valid() && module_.is(op, OpKind::Func)) op = module_.next(op);
  if (first != op) {
    writer_.key("functions").begin_array(Layout::Broken);
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
  writer_.key("body").begin_array(Layout::Broken);
  later({[this, op] { print_items(op, OpId()); }, [this] { writer_.end_array(); }});
}

bool JsonPrinter::is_plain_mesh(OpId op) const {
  return module_.is(op, OpKind::SdyMesh) && module_.attribute<Mesh>(op, ir::attr::kMesh) &&
         module_.attribute<std::string>(op, ir::attr::kSymName) && module_.num_operands(op) == 0 &&
         module_.num_results(op) == 0 && module_.regions(op).empty();
}

/// Returns true if the only mesh of the module, nested ones included, is its first op.
bool JsonPrinter::has_one_mesh() const {
  const OpId first = module_.first_op(module_.body());
  if (meshes_.size() != 1 || !is_plain_mesh(first)) return false;
  const std::vector<OpId> ops = ir::pre_order(module_);
  return std::ranges::count_if(ops, [&](OpId op) { return module_.is(op, OpKind::SdyMesh); }) == 1;
}

/// `{"m": {"x": 2}}` says all of these meshes. Requires: plain meshes.
bool JsonPrinter::fit_short_form(OpId first, OpId end) const {
  std::set<std::string_view> names = {"comment"};  // which is not kept
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
    writer_.key("meshes").begin_array(Layout::Broken);
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
  writer_.begin_object(Layout::Broken);
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

/// Arguments or results of a function. Names: of all of them, or none.
void JsonPrinter::print_values(std::string_view key, const std::vector<ir::Type>& types,
                               const std::vector<ir::AttributeMap>& attributes,
                               const std::vector<std::string>& names) {
  if (types.empty() && key == "args") return;
  writer_.key(key).begin_array(types.empty() ? Layout::Fit : Layout::Broken);
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
    const ir::Attribute text = spelled(*found);
    if (const auto* sharding = text.as<SpelledSharding>()) {
      write_sharding(writer_.key("sharding"), *sharding, implied_mesh_);
      others.erase(ir::kShardingAttr);
    }
  }
  print_attributes(others, "func.arg");
  writer_.end_object();
}

/// The parts of a region or function that hold its blocks.
void JsonPrinter::print_blocks(RegionId region, const std::string& owner, bool of_function) {
  const auto blocks = module_.blocks(region);
  if (blocks.size() == 1) {
    if (!of_function) print_block_args(blocks[0]);
    return print_body(blocks[0], owner);
  }
  writer_.key("blocks").begin_array(Layout::Broken);
  std::vector<Task> tasks;
  for (const BlockId block : blocks) {
    const bool is_entry = of_function && block == blocks[0];
    tasks.emplace_back([this, block, owner, is_entry] { print_block(block, owner, !is_entry); });
  }
  tasks.emplace_back([this] { writer_.end_array(); });
  later(std::move(tasks));
}

void JsonPrinter::print_block(BlockId block, const std::string& owner, bool with_args) {
  writer_.begin_object(Layout::Broken);
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

/// "body" and "return".
void JsonPrinter::print_body(BlockId block, const std::string& owner) {
  const OpId last = module_.last_op(block);
  const bool returns = last.valid() && is_implied_terminator(last, owner);
  const OpId end = returns ? last : OpId();
  const OpId first = module_.first_op(block);
  if (!returns || first != end) {
    writer_.key("body").begin_array(Layout::Broken);
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

/// Prints the ops from `first` to the one before `end`; an invalid `end` is after the last op.
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
  writer_.begin_object(Layout::Broken);
  writer_.key("function");
  later({[this, op] { print_function(op); }, [this] { writer_.end_object(); }});
}

std::string to_json(const ir::Module& module, const JsonPrintOptions& options) {
  return JsonPrinter(module, options).print();
}

}  // namespace shardy::text
