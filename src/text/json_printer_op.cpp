// Ops as JSON.
#include <algorithm>

#include "shardy/algebra/spelled.hpp"
#include "shardy/ir/reducer.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "text/json_attribute.hpp"
#include "text/json_printer.hpp"
#include "text/json_type.hpp"
#include "text/op_draft.hpp"
#include "text/spelled_attribute.hpp"

namespace shardy::text {

using ir::OpId;
using ir::OpKind;
using ir::ValueId;
using Layout = JsonWriter::Layout;

namespace {

/// Takes the shardings of the results out of the attributes, if the results can show them: one for
/// each.
std::vector<SpelledSharding> take_shardings(ir::AttributeMap& attributes, std::string_view op_name,
                                            std::size_t num_results) {
  const std::string_view own = own_sharding_attribute(op_name);
  const std::string_view name = own.empty() ? ir::kShardingAttr : own;
  const ir::Attribute* const found = attributes.find(name);
  if (!found || num_results == 0) return {};
  const ir::Attribute text = spelled(*found);
  std::vector<SpelledSharding> shardings;
  if (const auto* one = text.as<SpelledSharding>(); one && !own.empty()) shardings = {*one};
  if (const auto* list = text.as<ir::SpelledShardingList>(); list && own.empty()) {
    shardings = list->shardings;
  }
  if (shardings.size() != num_results) return {};
  attributes.erase(name);
  return shardings;
}

/// Returns a scalar of the element type of the first operand; std::nullopt if that is not a tensor.
std::optional<ir::Type> scalar_of_operand(const ir::Module& module, OpId op) {
  if (module.num_operands(op) == 0) return std::nullopt;
  const ir::Type& type = module.type(module.operand(op, 0));
  if (!type.is_tensor()) return std::nullopt;
  return ir::Type::tensor({}, type.element());
}

bool has_types(const ir::Module& module, std::span<const ValueId> values, const ir::Type& type) {
  return std::ranges::all_of(values, [&](ValueId value) { return module.type(value) == type; });
}

/// Other ops may have results that depend on text that follows: a callee, a sharding.
bool never_has_results(OpKind kind) {
  return ir::has_trait(kind, ir::kReturnLike) || kind == OpKind::SdyMesh ||
         kind == OpKind::SdyShardingGroup;
}

/// No attributes and no regions, and these operands.
bool is_bare(const ir::Module& module, OpId op, const std::vector<ValueId>& operands) {
  return module.attributes(op).empty() && module.regions(op).empty() &&
         module.operands(op) == operands;
}

}  // namespace

/// Returns true if the op has no regions, or one that the key "reducer" describes.
bool JsonPrinter::is_flat(OpId op) const {
  return !module_.is(op, OpKind::Func) && (module_.regions(op).empty() || reducer(op));
}

/// Returns the op of the key "reducer" if the only region consists of that op and its return.
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
  writer_.begin_object(flat ? Layout::Fit : Layout::Broken);
  print_op_parts(op);
  if (!flat) return print_regions(op);
  if (const std::optional<OpKind> kind = reducer(op)) {
    print_reducer(op, op_name_text(*kind, ir::info(*kind).name));
  }
  print_location(op);
  writer_.end_object();
}

/// The name of the one op, with those of the values if the source gave any.
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

/// All but regions and location.
void JsonPrinter::print_op_parts(OpId op) {
  const std::vector<ValueId> results = module_.results(op);
  const bool names_each = names_.names_each_result(op);
  if (!results.empty() && !names_each) writer_.key("name").string(names_.name_results(results));
  writer_.key("op").string(op_name_text(module_.kind(op), module_.name(op)));
  if (module_.num_operands(op) != 0) print_operands("operands", op);
  ir::AttributeMap others = module_.attributes(op);
  const std::vector<SpelledSharding> shardings =
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

/// "regions" and what comes after them, to the end of the op.
void JsonPrinter::print_regions(OpId op) {
  writer_.key("regions").begin_array(Layout::Broken);
  std::vector<Task> tasks;
  for (const ir::RegionId region : module_.regions(op)) {
    tasks.emplace_back([this, op, region] {
      writer_.begin_object(Layout::Broken);
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
    writer_.key(slot.is_foreign ? "." + entry.name : entry.name);
    write_attribute(writer_, entry.value, slot, context);
  }
  writer_.end_object();
}

void JsonPrinter::print_location(OpId op) {
  if (shows_location(op)) writer_.key("location").string(module_.location_text(op));
}

}  // namespace shardy::text
