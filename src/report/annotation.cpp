#include <algorithm>
#include <charconv>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "report/program_analysis.hpp"
#include "shardy/algebra/partition_spec.hpp"
#include "shardy/algebra/unresolved.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/data_flow.hpp"
#include "shardy/ir/detail/type_shape.hpp"
#include "shardy/ir/graph_builder.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/report/hints.hpp"
#include "shardy/support/contract.hpp"
#include "shardy/support/detail/quote.hpp"

namespace shardy::report {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;
using text::WrittenValues;

// The names of annotated values.

namespace {

/// Returns the op around a block whose regions cannot contain shardings; invalid if none exists.
OpId without_shardings(const Module& module, ir::BlockId block) {
  for (OpId op = module.parent_op(block); op.valid(); op = module.parent_op(op)) {
    const bool takes = module.is(op, OpKind::Func) || module.is(op, OpKind::If) ||
                       module.has_trait(op, ir::kDataFlow) || ir::is_computation(module, op);
    if (!takes) return op;
  }
  return {};
}

Error no_tensor(const ir::Type& type) {
  return {.message = "only tensors have shardings, got: " + ir::to_string(type)};
}

bool is_shardable(const ir::Type& type) {
  return ir::TypeShape(type).kind() == ValueShape::Kind::Ranked;
}

std::string result_name(uint32_t index) { return "result " + std::to_string(index); }

}  // namespace

Result<AnnotationPlace> annotation_place(const Module& module, ValueId value) {
  if (!is_shardable(module.type(value))) return tl::unexpected(no_tensor(module.type(value)));
  const ir::ValueOwner owner = module.owner(value);
  const ir::BlockId block = owner.is_result() ? module.parent_block(owner.op) : owner.block;
  const OpId around = module.parent_op(block);
  if (!owner.is_result() && around.valid() && module.is(around, OpKind::Func) &&
      module.entry(around) == block) {
    return AnnotationPlace{AnnotationPlace::Kind::Argument, around, owner.index, value};
  }
  if (const OpId op = without_shardings(module, block); op.valid()) {
    return fail("values in the regions of " + std::string(module.name(op)) +
                " cannot be annotated; each device executes these regions unpartitioned");
  }
  return AnnotationPlace{.kind = AnnotationPlace::Kind::Value, .value = value};
}

namespace {

/// The name of a function result, such as `result 0`, `@main result 0` or `@main:result 0`.
struct ResultName {
  std::string_view function;  // without @; empty: main
  uint32_t index = 0;
};

std::optional<ResultName> read_result_name(std::string_view name) {
  constexpr std::string_view kWord = "result ";
  const std::size_t at = name.rfind(kWord);
  if (at == std::string_view::npos) return std::nullopt;
  ResultName read;
  const std::string_view digits = name.substr(at + kWord.size());
  const auto [end, failure] =
      std::from_chars(digits.data(), digits.data() + digits.size(), read.index);
  if (failure != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  std::string_view scope = name.substr(0, at);
  if (scope.empty()) return read;
  const bool is_scope = scope.starts_with('@') && (scope.ends_with(' ') || scope.ends_with(':'));
  if (!is_scope) return std::nullopt;
  read.function = scope.substr(1, scope.size() - 2);
  return read;
}

Result<AnnotationPlace> find_result(const WrittenValues& names, const ResultName& wanted) {
  const Module& module = names.module();
  std::optional<OpId> function = module.main_function();
  std::vector<std::string> known;
  for (const OpId each : module.functions()) {
    known.push_back("@" + std::string(module.symbol_name(each)));
    if (!wanted.function.empty() && module.symbol_name(each) == wanted.function) function = each;
  }
  const bool is_found =
      function && (wanted.function.empty() || module.symbol_name(*function) == wanted.function);
  if (!is_found) {
    const std::string name = "@" + std::string(wanted.function);
    return tl::unexpected(Error{"no such function: " + (wanted.function.empty() ? "@main" : name),
                                {},
                                text::known_names(name, "functions", known)});
  }
  const std::vector<ir::Type>& types = module.function(*function).result_types;
  const std::string name = symbol_text(module.symbol_name(*function));
  if (wanted.index >= types.size()) {
    return fail(name + " has " + std::to_string(types.size()) + " results, no " +
                result_name(wanted.index));
  }
  const ir::Type& type = types[wanted.index];
  if (!is_shardable(type)) return tl::unexpected(no_tensor(type));
  return AnnotationPlace{
      .kind = AnnotationPlace::Kind::Result, .function = *function, .index = wanted.index};
}

/// Returns the names of all values that can be annotated, and of the results of main.
std::vector<std::string> all_names(const WrittenValues& names) {
  const Module& module = names.module();
  std::vector<std::string> known;
  std::set<std::string> seen;
  for (const ValueId value : live_values(module)) {
    if (!module.has_value_name(value) || !annotation_place(module, value)) continue;
    std::string name = names(value);
    if (seen.insert(name).second) known.push_back(std::move(name));
  }
  const std::optional<OpId> main = module.main_function();
  const std::size_t results = main ? module.function(*main).result_types.size() : 0;
  known.reserve(known.size() + results);
  for (uint32_t index = 0; index < results; ++index) known.push_back(result_name(index));
  return known;
}

std::vector<std::string> full_names(const WrittenValues& names,
                                    const std::vector<WrittenValues::ValueGroup>& groups) {
  std::vector<std::string> full;
  full.reserve(groups.size());
  for (const WrittenValues::ValueGroup& group : groups) full.push_back(names.full_name(group));
  return full;
}

Error several(const WrittenValues& names, std::string_view name,
              const std::vector<WrittenValues::ValueGroup>& groups) {
  return {"several values are called " + std::string(name),
          {},
          text::shortened(full_names(names, groups))};
}

/// Keeps only values of @main if the name has no function.
void keep_those_of_main(const WrittenValues& names, std::string_view name,
                        std::vector<WrittenValues::ValueGroup>& groups) {
  if (groups.size() < 2 || name.starts_with('@')) return;
  const std::optional<std::string> meant = names.directly_in_main(full_names(names, groups));
  if (!meant) return;
  std::erase_if(groups, [&](const auto& group) { return names.full_name(group) != *meant; });
}

}  // namespace

namespace {

constexpr std::string_view kBefore = " before ";
constexpr std::string_view kUsers = "users";
constexpr std::string_view kAttribute = " attribute";

/// Returns the operands that read a value, directly or through sharding constraints.
std::vector<ir::Use> operands_of(const Module& module, ValueId value) {
  std::vector<ir::Use> found;
  std::vector<ValueId> values = {value};
  for (std::size_t next = 0; next < values.size(); ++next) {
    for (const ir::Use& use : module.uses(values[next])) {
      found.push_back(use);
      if (module.is(use.op, OpKind::SdyShardingConstraint)) {
        values.push_back(module.result(use.op));
      }
    }
  }
  return found;
}

/// Returns the name of an operand of a value's user: `%y`, `func.return`, `%y operand 1`.
std::string use_name(const WrittenValues& names, const std::vector<ir::Use>& uses,
                     const ir::Use& use) {
  const Module& module = names.module();
  const std::string name = module.num_results(use.op) > 0 ? names(module.result(use.op, 0))
                                                          : std::string(module.name(use.op));
  const auto is_of_op = [&](const ir::Use& each) { return each.op == use.op; };
  const bool is_only = std::ranges::count_if(uses, is_of_op) == 1;
  return is_only ? name : name + " operand " + std::to_string(use.operand);
}

Result<AnnotationPlace> find_use(const WrittenValues& names, const AnnotationPlace& of,
                                 std::string_view reader) {
  if (reader == kUsers)
    return AnnotationPlace{.kind = AnnotationPlace::Kind::Use, .value = of.value};
  const std::vector<ir::Use> uses = operands_of(names.module(), of.value);
  std::vector<std::string> known = {std::string(kUsers)};
  for (const ir::Use& use : uses) {
    const std::string name = use_name(names, uses, use);
    if (name == reader)
      return AnnotationPlace{AnnotationPlace::Kind::Use, use.op, use.operand, of.value};
    known.push_back(name);
  }
  return tl::unexpected(Error{names(of.value) + " is not an operand of " + std::string(reader),
                              {},
                              text::known_names(reader, "users", known)});
}

/// Finds `%x before %y`, `%x before users` and `%x attribute`; std::nullopt for other names.
std::optional<Result<AnnotationPlace>> find_part(const WrittenValues& names,
                                                 std::string_view name) {
  const std::size_t before = name.rfind(kBefore);
  const bool is_attribute = name.ends_with(kAttribute);
  if (before == std::string_view::npos && !is_attribute) return std::nullopt;
  const std::string_view value =
      name.substr(0, is_attribute ? name.size() - kAttribute.size() : before);
  auto of = find_annotation_place(names, value);
  if (!of || !of->value.valid()) return of;
  if (!is_attribute) return find_use(names, *of, name.substr(before + kBefore.size()));
  const OpId op = names.module().defining_op(of->value);
  if (op.valid())
    return AnnotationPlace{.kind = AnnotationPlace::Kind::Attribute, .value = of->value};
  return fail(std::string(value) + " is not a result of an op; name the argument itself");
}

}  // namespace

Result<AnnotationPlace> find_annotation_place(const WrittenValues& names, std::string_view name) {
  if (auto part = find_part(names, name)) return *std::move(part);
  std::vector<WrittenValues::ValueGroup> groups = names.find_meant(name);
  if (groups.empty()) {
    if (const auto result = read_result_name(name)) return find_result(names, *result);
    return tl::unexpected(Error{"no such value: " + std::string(name),
                                {},
                                text::known_names(name, "values", all_names(names))});
  }
  keep_those_of_main(names, name, groups);
  if (groups.size() > 1) return tl::unexpected(several(names, name, groups));
  const WrittenValues::ValueGroup& group = groups.front();
  if (group.count > 1) {
    std::vector<std::string> members;
    for (uint32_t index = 0; index < group.count; ++index) {
      members.push_back(names(ValueId(group.first.value + index)));
    }
    return tl::unexpected(Error{
        std::string(name) + " is " + std::to_string(group.count) + " values: name one of them",
        {},
        text::shortened(std::move(members))});
  }
  return annotation_place(names.module(), group.first).map_error([&](Error error) {
    return with_prefix(std::string(name) + ": ", std::move(error));
  });
}

std::string place_name(const WrittenValues& names, const AnnotationPlace& place) {
  const Module& module = names.module();
  std::string name =
      place.kind == AnnotationPlace::Kind::Result ? result_name(place.index) : names(place.value);
  if (place.kind == AnnotationPlace::Kind::Attribute) name += kAttribute;
  if (place.kind == AnnotationPlace::Kind::Use) {
    const ir::Use use{place.function, place.index};
    name += kBefore;
    name += use.op.valid() ? use_name(names, operands_of(module, place.value), use)
                           : std::string(kUsers);
  }
  const bool is_of_function =
      place.kind == AnnotationPlace::Kind::Argument || place.kind == AnnotationPlace::Kind::Result;
  const std::string function = is_of_function ? std::string(module.symbol_name(place.function))
                                              : names.function_of(place.value);
  const std::optional<OpId> main = module.main_function();
  const bool is_main = main && module.symbol_name(*main) == function;
  return is_main ? name : "@" + function + ":" + name;
}

const ir::Type& type_of(const Module& module, const AnnotationPlace& place) {
  if (place.kind == AnnotationPlace::Kind::Result) {
    const std::vector<ir::Type>& types = module.function(place.function).result_types;
    SHARDY_EXPECTS(place.index < types.size());
    return types[place.index];
  }
  return module.type(place.value);
}

namespace {

bool is_constraint(const Module& module, OpId op) {
  return module.is(op, OpKind::SdyShardingConstraint) || module.is(op, OpKind::SdyReshard);
}

/// Returns the constraint that is the only user of a value; else invalid.
OpId constraint_of(const Module& module, ValueId value) {
  if (module.num_uses(value) != 1) return {};
  const OpId reader = module.uses(value).front().op;
  return module.is(reader, OpKind::SdyShardingConstraint) ? reader : OpId();
}

bool is_open_without_axes(const TensorSharding& sharding) {
  return sharding.is_fully_replicated_and_open() && sharding.empty_axes();
}

}  // namespace

AnnotationSite site_of(const Module& module, const AnnotationPlace& place) {
  if (place.kind == AnnotationPlace::Kind::Argument)
    return {AnnotationSite::Kind::Argument, place.function};
  if (place.kind == AnnotationPlace::Kind::Result)
    return {AnnotationSite::Kind::Result, place.function};
  const OpId op = module.defining_op(place.value);
  if (place.kind == AnnotationPlace::Kind::Use) return {AnnotationSite::Kind::None, op};
  if (place.kind == AnnotationPlace::Kind::Attribute) return {AnnotationSite::Kind::Op, op};
  if (op.valid() && is_constraint(module, op)) return {AnnotationSite::Kind::Constraint, op};
  if (op.valid() && module.attributes(op).contains(ir::kShardingAttr))
    return {AnnotationSite::Kind::Op, op};
  const OpId constraint = constraint_of(module, place.value);
  if (constraint.valid()) return {AnnotationSite::Kind::Constraint, constraint};
  return {AnnotationSite::Kind::None, op};
}

std::optional<TensorSharding> annotation(const Module& module, const AnnotationPlace& place) {
  const AnnotationSite site = site_of(module, place);
  switch (site.kind) {
    case AnnotationSite::Kind::Argument:
      return ir::arg_sharding(module, place.function, place.index);
    case AnnotationSite::Kind::Result:
      return ir::result_sharding(module, place.function, place.index);
    case AnnotationSite::Kind::Constraint:
      return ir::get_sharding(module, module.result(site.op));
    case AnnotationSite::Kind::Op:
      return ir::get_sharding(module, place.value);
    case AnnotationSite::Kind::None:
      break;
  }
  return std::nullopt;
}

// ---- Text ---------------------------------------------------------------------------------------

namespace {

std::string_view trimmed(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::string known_meshes(const Module& module) {
  std::string list;
  for (const OpId mesh : module.meshes()) {
    list += (list.empty() ? "" : ", ") + symbol_text(module.symbol_name(mesh));
  }
  return list.empty() ? "the program has no mesh" : "the meshes of the program: " + list;
}

void add_meant_mesh(const Module& module, const UnresolvedSharding& unresolved, Error& error) {
  const auto* const name = std::get_if<std::string>(&unresolved.mesh);
  std::vector<std::string_view> names;
  for (const OpId mesh : module.meshes()) names.push_back(module.symbol_name(mesh));
  if (const auto meant = name == nullptr ? std::nullopt : closest(*name, names)) {
    error.notes.push_back("did you mean " + symbol_text(*meant) + "?");
  }
}

/// Returns the mesh for an annotation without a mesh: the mesh of the existing annotation, else the
/// only mesh of the program.
Result<MeshOrRef> mesh_meant(const Module& module, const AnnotationPlace& place) {
  if (const auto old = annotation(module, place)) return spell(*old).mesh;
  const std::vector<OpId> meshes = module.meshes();
  if (meshes.size() == 1) return MeshOrRef(std::string(module.symbol_name(meshes.front())));
  return tl::unexpected(Error{.message = "the sharding has no mesh name",
                              .notes = {known_meshes(module), "for example: <@mesh, [{}, {}]>"}});
}

Status fits(const Module& module, const AnnotationPlace& place, const TensorSharding& sharding) {
  const ir::TypeShape shape(type_of(module, place));
  return resolve(spell(sharding), sharding.mesh(), shape.view()).map([](const auto&) {});
}

}  // namespace

Result<std::optional<TensorSharding>> parse_annotation(const Module& module,
                                                       const AnnotationPlace& place,
                                                       std::string_view text) {
  text = trimmed(text);
  if (text == "none") return std::nullopt;
  MeshOrRef meant;
  if (!names_mesh(text)) {
    SHARDY_TRY(meant, mesh_meant(module, place));
  }
  SHARDY_TRY(const UnresolvedSharding unresolved,
             parse_any_sharding(text, meant, ir::sharding_rank(type_of(module, place))));
  const auto lookup = [&](const std::string& name) { return module.find_mesh(name); };
  SHARDY_TRY(const Mesh mesh, mesh_of(unresolved, lookup).map_error([&](Error error) {
    add_meant_mesh(module, unresolved, error);
    error.notes.push_back(known_meshes(module));
    return error;
  }));
  const ir::TypeShape shape(type_of(module, place));
  SHARDY_TRY(TensorSharding sharding, resolve(unresolved, mesh, shape.view()));
  return std::optional(std::move(sharding));
}

// ---- Changes ------------------------------------------------------------------------------------

namespace {

void erase_in(std::vector<ir::AttributeMap>& all, std::size_t index) {
  if (index < all.size()) all[index].erase(ir::kShardingAttr);
}

/// Removes the sharding of one result. Erases the attribute if no result has a sharding any more.
void erase_in_list(Module& module, OpId op, ValueId value) {
  const auto old = ir::get_sharding(module, value);
  if (old) ir::set_sharding(module, value, old->fully_open_like());
  const std::vector<ValueId> results = module.results(op);
  const bool all_unsharded = std::ranges::all_of(results, [&](ValueId result) {
    const auto sharding = ir::get_sharding(module, result);
    return !sharding || is_open_without_axes(*sharding);
  });
  if (all_unsharded) module.attributes(op).erase(ir::kShardingAttr);
}

void remove_annotation(Module& module, const AnnotationPlace& place, const AnnotationSite& site) {
  switch (site.kind) {
    case AnnotationSite::Kind::Argument:
      return erase_in(module.function(site.op).arg_attributes, place.index);
    case AnnotationSite::Kind::Result:
      return erase_in(module.function(site.op).result_attributes, place.index);
    case AnnotationSite::Kind::Constraint:
      module.replace_all_uses(module.result(site.op), module.operand(site.op, 0));
      return module.erase(site.op);
    case AnnotationSite::Kind::Op:
      return erase_in_list(module, site.op, place.value);
    case AnnotationSite::Kind::None:
      break;
  }
}

/// Inserts the constraint directly after the op that defines the value; for a block argument, at
/// the start of the block.
void insert_constraint(Module& module, ValueId value, const TensorSharding& sharding) {
  const ir::ValueOwner owner = module.owner(value);
  const std::vector<ir::Use> uses = module.uses(value);
  ir::AttributeMap attributes;
  attributes.set(ir::attr::kSharding, sharding);
  ir::Builder builder = owner.is_result() ? ir::Builder::after(module, owner.op)
                                          : ir::Builder::at_start(module, owner.block);
  const OpId around = owner.is_result() ? owner.op : module.parent_op(owner.block);
  builder.set_location(module.location(around));
  const ValueId constrained = builder.create_value(OpKind::SdyShardingConstraint, {value},
                                                   module.type(value), std::move(attributes));
  for (const ir::Use& use : uses) module.set_operand(use.op, use.operand, constrained);
}

/// Returns the first op of the block of the value that uses the value, itself or in its regions.
OpId first_user(const Module& module, ValueId value) {
  const ir::ValueOwner owner = module.owner(value);
  const ir::BlockId block = owner.is_result() ? module.parent_block(owner.op) : owner.block;
  std::set<OpId> users;
  for (const ir::Use& use : module.uses(value)) {
    OpId op = use.op;
    while (module.parent_block(op) != block) op = module.parent_op(module.parent_block(op));
    users.insert(op);
  }
  for (const OpId op : module.ops(block)) {
    if (users.contains(op)) return op;
  }
  return {};
}

/// Inserts a constraint for one operand, or for all users of a value.
void constrain_use(Module& module, const AnnotationPlace& place, const TensorSharding& sharding) {
  const bool is_shared = !place.function.valid();
  const OpId at = is_shared ? first_user(module, place.value) : place.function;
  if (!at.valid()) return;
  const ValueId value = is_shared ? place.value : module.operand(at, place.index);
  const std::vector<ir::Use> uses =
      is_shared ? module.uses(value) : std::vector<ir::Use>{{at, place.index}};
  ir::AttributeMap attributes;
  attributes.set(ir::attr::kSharding, sharding);
  ir::Builder builder = ir::Builder::before(module, at);
  builder.set_location(module.location(at));
  const ValueId constrained = builder.create_value(OpKind::SdyShardingConstraint, {value},
                                                   module.type(value), std::move(attributes));
  for (const ir::Use& use : uses) module.set_operand(use.op, use.operand, constrained);
}

}  // namespace

Status annotate(Module& module, const AnnotationPlace& place,
                const std::optional<TensorSharding>& sharding) {
  const AnnotationSite site = site_of(module, place);
  if (!sharding) {
    remove_annotation(module, place, site);
    return {};
  }
  SHARDY_TRY_STATUS(fits(module, place, *sharding));
  switch (site.kind) {
    case AnnotationSite::Kind::Argument:
      ir::set_arg_sharding(module, site.op, place.index, *sharding);
      break;
    case AnnotationSite::Kind::Result:
      ir::set_result_sharding(module, site.op, place.index, *sharding);
      break;
    case AnnotationSite::Kind::Constraint:
      ir::set_sharding(module, module.result(site.op), *sharding);
      break;
    case AnnotationSite::Kind::Op:
      ir::set_sharding(module, place.value, *sharding);
      break;
    case AnnotationSite::Kind::None:
      place.kind == AnnotationPlace::Kind::Use ? constrain_use(module, place, *sharding)
                                               : insert_constraint(module, place.value, *sharding);
      break;
  }
  return {};
}

}  // namespace shardy::report
