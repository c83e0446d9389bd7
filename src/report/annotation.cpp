#include "shardy/report/annotation.hpp"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "shardy/algebra/partition_spec.hpp"
#include "shardy/algebra/resolve.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/builder.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/type_shape.hpp"
#include "shardy/support/contract.hpp"
#include "shardy/support/quote.hpp"

namespace shardy::report {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;
using Place = AnnotationPlace;
using Site = AnnotationSite;

const ir::Type& type_of(const Module& module, const Place& place) {
  if (place.kind == Place::Kind::Result) {
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

/// The one constraint that all readers of a value go through, where there is one.
OpId constraint_behind(const Module& module, ValueId value) {
  if (module.num_uses(value) != 1) return {};
  const OpId reader = module.uses(value).front().op;
  return module.is(reader, OpKind::SdyShardingConstraint) ? reader : OpId();
}

bool is_open_without_axes(const TensorSharding& sharding) {
  return sharding.is_fully_replicated_and_open() && sharding.empty_axes();
}

}  // namespace

Site site_of(const Module& module, const Place& place) {
  if (place.kind == Place::Kind::Argument) return {Site::Kind::Argument, place.function};
  if (place.kind == Place::Kind::Result) return {Site::Kind::Result, place.function};
  const OpId op = module.defining_op(place.value);
  if (op.valid() && is_constraint(module, op)) return {Site::Kind::Constraint, op};
  if (op.valid() && module.attributes(op).contains(ir::kShardingAttr)) return {Site::Kind::Op, op};
  const OpId behind = constraint_behind(module, place.value);
  if (behind.valid()) return {Site::Kind::Constraint, behind};
  return {Site::Kind::None, op};
}

std::optional<TensorSharding> annotation(const Module& module, const Place& place) {
  const Site site = site_of(module, place);
  switch (site.kind) {
    case Site::Kind::Argument:
      return ir::arg_sharding(module, place.function, place.index);
    case Site::Kind::Result:
      return ir::result_sharding(module, place.function, place.index);
    case Site::Kind::Constraint:
      return ir::get_sharding(module, module.result(site.op));
    case Site::Kind::Op:
      return ir::get_sharding(module, place.value);
    case Site::Kind::None:
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

void add_meant_mesh(const Module& module, const SpelledSharding& spelled, Error& error) {
  const auto* const name = std::get_if<std::string>(&spelled.mesh);
  std::vector<std::string_view> names;
  for (const OpId mesh : module.meshes()) names.push_back(module.symbol_name(mesh));
  if (const auto meant = name == nullptr ? std::nullopt : closest(*name, names)) {
    error.notes.push_back("did you mean " + symbol_text(*meant) + "?");
  }
}

/// Of an annotation that says no mesh: that of the one there, else the only one of the program.
Result<MeshOrRef> mesh_meant(const Module& module, const Place& place) {
  if (const auto old = annotation(module, place)) return spell(*old).mesh;
  const std::vector<OpId> meshes = module.meshes();
  if (meshes.size() == 1) return MeshOrRef(std::string(module.symbol_name(meshes.front())));
  return tl::unexpected(Error{.message = "the sharding names no mesh",
                              .notes = {known_meshes(module), "for example: <@mesh, [{}, {}]>"}});
}

Status fits(const Module& module, const Place& place, const TensorSharding& sharding) {
  const ir::TypeShape shape(type_of(module, place));
  return resolve(spell(sharding), sharding.mesh(), shape.view()).map([](const auto&) {});
}

}  // namespace

Result<std::optional<TensorSharding>> parse_annotation(const Module& module, const Place& place,
                                                       std::string_view text) {
  text = trimmed(text);
  if (text == "none") return std::nullopt;
  MeshOrRef meant;
  if (!names_mesh(text)) {
    SHARDY_TRY(meant, mesh_meant(module, place));
  }
  SHARDY_TRY(const SpelledSharding spelled,
             parse_any_sharding(text, meant, ir::sharding_rank(type_of(module, place))));
  const auto lookup = [&](const std::string& name) { return module.find_mesh(name); };
  SHARDY_TRY(const Mesh mesh, mesh_of(spelled, lookup).map_error([&](Error error) {
    add_meant_mesh(module, spelled, error);
    error.notes.push_back(known_meshes(module));
    return error;
  }));
  const ir::TypeShape shape(type_of(module, place));
  SHARDY_TRY(TensorSharding sharding, resolve(spelled, mesh, shape.view()));
  return std::optional(std::move(sharding));
}

// ---- Changes ------------------------------------------------------------------------------------

namespace {

void erase_in(std::vector<ir::AttributeMap>& all, std::size_t index) {
  if (index < all.size()) all[index].erase(ir::kShardingAttr);
}

/// The other results of the op keep what they have; what says nothing of any of them goes.
void erase_in_list(Module& module, OpId op, ValueId value) {
  const auto old = ir::get_sharding(module, value);
  if (old) ir::set_sharding(module, value, old->fully_open_like());
  const std::vector<ValueId> results = module.results(op);
  const bool says_nothing = std::ranges::all_of(results, [&](ValueId result) {
    const auto sharding = ir::get_sharding(module, result);
    return !sharding || is_open_without_axes(*sharding);
  });
  if (says_nothing) module.attributes(op).erase(ir::kShardingAttr);
}

void remove_annotation(Module& module, const Place& place, const Site& site) {
  switch (site.kind) {
    case Site::Kind::Argument:
      return erase_in(module.function(site.op).arg_attributes, place.index);
    case Site::Kind::Result:
      return erase_in(module.function(site.op).result_attributes, place.index);
    case Site::Kind::Constraint:
      module.replace_all_uses(module.result(site.op), module.operand(site.op, 0));
      return module.erase(site.op);
    case Site::Kind::Op:
      return erase_in_list(module, site.op, place.value);
    case Site::Kind::None:
      break;
  }
}

/// Right behind the op that makes the value, or at the start of its block.
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

}  // namespace

Status annotate(Module& module, const Place& place, const std::optional<TensorSharding>& sharding) {
  const Site site = site_of(module, place);
  if (!sharding) {
    remove_annotation(module, place, site);
    return {};
  }
  SHARDY_TRY_STATUS(fits(module, place, *sharding));
  switch (site.kind) {
    case Site::Kind::Argument:
      ir::set_arg_sharding(module, site.op, place.index, *sharding);
      break;
    case Site::Kind::Result:
      ir::set_result_sharding(module, site.op, place.index, *sharding);
      break;
    case Site::Kind::Constraint:
      ir::set_sharding(module, module.result(site.op), *sharding);
      break;
    case Site::Kind::Op:
      ir::set_sharding(module, place.value, *sharding);
      break;
    case Site::Kind::None:
      insert_constraint(module, place.value, *sharding);
      break;
  }
  return {};
}

}  // namespace shardy::report
