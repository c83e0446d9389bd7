// Import (interop 6.2, 6.3, 6.7) and export (7.2) of XLA's round trip of sdy: frontend attributes
// and custom calls. round_trip_manual.cpp has the import of manual computations.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "passes/common/functions.hpp"
#include "passes/common/ops.hpp"
#include "passes/import/import_passes.hpp"
#include "passes/interop/foreign_export.hpp"
#include "passes/interop/imports.hpp"
#include "passes/interop/sharding_attributes.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/algebra/unresolved.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/type_shape.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/support/detail/quote.hpp"

namespace shardy::passes {

// ---- Frontend attributes ------------------------------------------------------------------------
// Import of the frontend attributes of the round trip. Spec: interop 6.2.
//
//   module {xla.sdy.meshes = "{mesh = #sdy.mesh<["x"=2]>}"}        ->  sdy.mesh @mesh = <["x"=2]>
//   %a {xla.sdy.sharding = "#sdy.sharding<@mesh, [{"x"}p1]>"}      ->  %a [<@mesh, [{"x"}p1]>]
//   {xla.sdy.sharding_rule = "#sdy.op_sharding_rule<([i])->([i])"} ->  {sdy.sharding_rule = ..}

namespace {

/// Returns true for custom calls whose purpose is to have a sharding.
bool is_sharding_call(const Module& module, OpId op) {
  const OpKind kind = module.kind(op);
  if (kind == OpKind::Send || kind == OpKind::Recv || kind == OpKind::AfterAll) return true;
  const std::string_view name = call_target(module, op);
  return name == target::kSharding || name == target::kFuncResult || is_callback(name);
}

class AttrsImporter {
 public:
  AttrsImporter(Module& module, const RoundTripAttrsOptions& options, ImportedShardings& counts)
      : module_(module), options_(options), counts_(counts) {}

  Status run() {
    SHARDY_TRY_STATUS(import_meshes());
    SHARDY_TRY_STATUS(import_tuple(key::kTupleArgs, AttributePlace::Kind::Argument));
    SHARDY_TRY_STATUS(import_tuple(key::kTupleResults, AttributePlace::Kind::Result));
    for (const AttributePlace& place : all_places(module_)) {
      if (frontend(attributes_at(std::as_const(module_), place)) == nullptr) continue;
      SHARDY_TRY_STATUS(import_place(place));
    }
    return {};
  }

 private:
  // ---- The module -------------------------------------------------------------------------------

  /// Removes a frontend attribute of the module and returns its text; std::nullopt without the
  /// attribute.
  Result<std::optional<std::string>> take_module_text(std::string_view name) {
    const ir::Attribute* entry = frontend_entry(module_.module_attributes(), name);
    if (entry == nullptr) return std::nullopt;
    const auto* text = entry->as<std::string>();
    if (text == nullptr) return fail(std::string(name) + " of the module is not a string");
    std::string plain = unescaped_once(*text);
    erase_frontend(module_.module_attributes(), name);
    return plain;
  }

  Status import_meshes() {
    SHARDY_TRY(const auto text, take_module_text(key::kMeshes));
    if (!text) return {};
    auto meshes = parse_mesh_dictionary(*text);
    if (!meshes) {
      return fail(std::string(key::kMeshes) + " of the module: " + meshes.error().message +
                  (meshes.error().location.empty() ? "" : " at " + meshes.error().location.text()) +
                  " in \"" + *text + "\"");
    }
    std::ranges::sort(*meshes, {}, &std::pair<std::string, Mesh>::first);
    OpId last;
    for (const auto& [name, mesh] : *meshes) {
      const std::optional<OpId> known = module_.find_symbol(name);
      const auto* own = known ? module_.attribute<Mesh>(*known, ir::attr::kMesh) : nullptr;
      if (own != nullptr && *own == mesh) continue;
      if (known) {
        return fail(std::string(key::kMeshes) + " of the module: " + symbol_text(name) +
                    " differs in \"" + *text + "\"");
      }
      last = insert_mesh(module_, last, name, mesh);
    }
    return {};
  }

  Status import_tuple(std::string_view name, AttributePlace::Kind kind) {
    SHARDY_TRY(const auto text, take_module_text(name));
    if (!text) return {};
    SHARDY_TRY(const OpId main, require_main_function(module_));
    SHARDY_TRY(const SdyAttribute attribute, parse_frontend(module_, {main}, name, *text));
    const auto* list = std::get_if<UnresolvedShardings>(&attribute);
    if (list == nullptr) {
      return fail_at_place(module_, {main},
                           std::string(name) + ": expected shardings in \"" + *text + "\"");
    }
    const std::size_t expected = kind == AttributePlace::Kind::Argument
                                     ? module_.arg_types(main).size()
                                     : module_.function(main).result_types.size();
    if (list->size() != expected) {
      return fail_at_place(module_, {main},
                           "Number of actual shardings (" + std::to_string(list->size()) +
                               ") does not match number of expected shardings (" +
                               std::to_string(expected) + " for " + std::string(name) +
                               ") for function.");
    }
    for (std::size_t index = 0; index < expected; ++index) {
      ir::AttributeMap& attributes = attributes_at(module_, {main, kind, index});
      attributes.set(ir::kShardingAttr, (*list)[index]);
      erase_mhlo_sharding(attributes);
      ++counts_.keys;
    }
    return {};
  }

  // ---- Arguments and ops ------------------------------------------------------------------------

  bool has(const AttributePlace& place, std::string_view name) const {
    return frontend_entry(attributes_at(std::as_const(module_), place), name) != nullptr;
  }

  Status import_place(const AttributePlace& place) {
    SHARDY_TRY_STATUS(expect_known_keys(module_, place));
    ir::AttributeMap& attributes = attributes_at(module_, place);
    if (has(place, key::kHasUnreduced)) erase_frontend(attributes, key::kHasUnreduced);
    if (place.kind == AttributePlace::Kind::Op && module_.is(place.op, OpKind::Func)) {
      return import_original_name(place);
    }
    if (has(place, key::kRule)) {
      SHARDY_TRY(OpShardingRule rule,
                 frontend_value<OpShardingRule>(module_, place, key::kRule, "a sharding rule"));
      erase_frontend(attributes, key::kRule);
      attributes.set(ir::kShardingRuleAttr, std::move(rule));
    }
    if (!has(place, key::kSharding)) return {};
    return place.kind == AttributePlace::Kind::Op ? import_op_sharding(place)
                                                  : import_sharding(place);
  }

  /// Imports the original function name, which XLA writes as a frontend attribute or as an
  /// attribute of the function.
  Status import_original_name(const AttributePlace& place) {
    ir::AttributeMap& attributes = attributes_at(module_, place);
    if (const auto* own = attributes.get<std::string>(key::kOriginalName)) {
      std::string name = *own;
      attributes.erase(key::kOriginalName);
      attributes.set(kOriginalFuncNameAttr, std::move(name));
    }
    if (!has(place, key::kOriginalName)) return {};
    SHARDY_TRY(std::string name, frontend_text(module_, place, key::kOriginalName));
    erase_frontend(attributes, key::kOriginalName);
    attributes.set(kOriginalFuncNameAttr, std::move(name));
    return {};
  }

  Status import_sharding(const AttributePlace& place) {
    SHARDY_TRY(UnresolvedSharding sharding,
               frontend_value<UnresolvedSharding>(module_, place, key::kSharding, "#sdy.sharding"));
    ir::AttributeMap& attributes = attributes_at(module_, place);
    erase_frontend(attributes, key::kSharding);
    erase_mhlo_sharding(attributes);
    attributes.set(ir::kShardingAttr, std::move(sharding));
    ++counts_.keys;
    return {};
  }

  Status import_op_sharding(const AttributePlace& place) {
    SHARDY_TRY(UnresolvedShardings list,
               frontend_value<UnresolvedShardings>(module_, place, key::kSharding,
                                                   "#sdy.sharding_per_value"));
    ir::AttributeMap& attributes = module_.attributes(place.op);
    erase_frontend(attributes, key::kSharding);
    const bool is_infeed =
        module_.is(place.op, OpKind::Infeed) || module_.is(place.op, OpKind::Outfeed);
    if (!is_infeed) erase_mhlo_sharding(attributes);
    if (!options_.keep_ops && !is_sharding_call(module_, place.op)) {
      if (options_.dropped != nullptr) options_.dropped->push_back(place.op);
      return {};
    }
    // The two halves of a 64-bit number have one sharding.
    const bool is_split = calls_target(module_, place.op, target::kFuncResult) &&
                          module_.num_results(place.op) == 2 && list.size() == 1;
    if (is_split) list.push_back(list.front());
    attributes.set(ir::kShardingAttr, ir::UnresolvedShardingList{std::move(list)});
    const std::string_view name = call_target(module_, place.op);
    if (name != target::kSharding && name != target::kFuncResult) ++counts_.keys;
    return {};
  }

  Module& module_;
  const RoundTripAttrsOptions& options_;
  ImportedShardings& counts_;
};

}  // namespace

Diagnostics import_round_trip_attrs(Module& module, const RoundTripAttrsOptions& options,
                                    ImportedShardings& counts) {
  if (Status status = AttrsImporter(module, options, counts).run(); !status) {
    return {std::move(status).error()};
  }
  Diagnostics errors = ir::resolve(module);
  if (!errors.empty()) return errors;
  if (Status status = import_func_results(module, counts); !status) {
    return {std::move(status).error()};
  }
  return {};
}

// ---- Custom calls -------------------------------------------------------------------------------
// Import of the custom calls of the round trip. Spec: interop 6.7.
//
//   custom_call @Sharding(%a) {sdy.sharding = ..}         ->  sdy.sharding_constraint %a
//   custom_call @xla.sdy.ShardingGroup(%a) {"12 : i64"}   ->  sdy.sharding_group %a group_id=12
//   custom_call @xla.sdy.PropagationBarrier(%a) {"2"}     ->  sdy.propagation_barrier %a
//                                                                allowed_direction=BACKWARD

// ---- Groups and barriers ------------------------------------------------------------------------

namespace {

Status import_group(Module& module, OpId call) {
  const auto& attributes = module.attributes(call);
  const std::string_view name =
      frontend_entry(attributes, key::kGroupId) != nullptr ? key::kGroupId : key::kOldGroupId;
  if (frontend_entry(attributes, name) == nullptr) {
    return fail_at_place(module, {call}, "expected CustomCallOp with a sharding group id.");
  }
  SHARDY_TRY(const std::string text, frontend_text(module, {call}, name));
  const Result<int64_t> id = parse_typed_integer(text);
  if (!id) return bad_entry(module, {call}, name, id.error(), text);
  const bool is_used = module.num_results(call) > 0 && module.num_uses(module.result(call)) > 0;
  if (is_used) {
    return fail_at_place(module, {call}, "xla.sdy.ShardingGroup CustomCallOp should have no uses.");
  }
  if (module.num_operands(call) != 1) {
    return fail_at_place(module, {call}, "xla.sdy.ShardingGroup takes one operand");
  }
  ir::OpSpec spec{.kind = OpKind::SdyShardingGroup, .operands = module.operands(call)};
  spec.attributes.set(ir::attr::kGroupId, ir::IntegerAttr{*id, ir::ElementType::I64});
  spec.location = module.location(call);
  module.insert_before(call, module.create(std::move(spec)));
  module.erase(call);
  return {};
}

Status import_barrier(Module& module, OpId call) {
  constexpr std::array<std::string_view, 4> kDirections = {"NONE", "FORWARD", "BACKWARD", "BOTH"};
  if (frontend_entry(module.attributes(call), key::kDirection) == nullptr) {
    return fail_at_place(module, {call},
                         "expected PropagationBarrier CustomCall Op with a propagation direction.");
  }
  SHARDY_TRY(const std::string text, frontend_text(module, {call}, key::kDirection));
  const Result<int64_t> number = parse_typed_integer(text);
  if (!number || *number < 0 || *number > 3) {
    return bad_entry(module, {call}, key::kDirection,
                     number ? Error{"expected 0 to 3"} : number.error(), text);
  }
  if (module.num_operands(call) != 1 || module.num_results(call) != 1) {
    return fail_at_place(module, {call},
                         "xla.sdy.PropagationBarrier takes one operand and gives one result");
  }
  ir::OpSpec spec = unary_op(module, OpKind::SdyPropagationBarrier, module.operand(call, 0));
  spec.attributes.set(ir::attr::kAllowedDirection,
                      ir::EnumAttr{"sdy.propagation_direction",
                                   std::string(kDirections[static_cast<std::size_t>(*number)])});
  replace_op(module, call, std::move(spec));
  return {};
}

/// Imports a `@Sharding` call with a round-trip sharding. Calls with GSPMD shardings are imported
/// elsewhere.
Status import_constraint(Module& module, OpId call, ImportedShardings& counts) {
  const auto* list = module.attribute<ir::ShardingList>(call, ir::kShardingAttr);
  if (list == nullptr) return {};
  if (module.num_results(call) != 1 || module.num_operands(call) != 1) {
    return fail_at_place(module, {call}, "expected CustomCallOp with exactly one result");
  }
  ++counts.constraints;
  if (module.type(module.result(call)).is_token()) {
    module.replace_all_uses(module.result(call), module.operand(call, 0));
    module.erase(call);
    return {};
  }
  ir::OpSpec spec = unary_op(module, OpKind::SdyShardingConstraint, module.operand(call, 0));
  spec.attributes.set(ir::attr::kSharding, list->shardings.front());
  replace_op(module, call, std::move(spec));
  return {};
}

}  // namespace

Diagnostics import_round_trip_calls(Module& module, ImportedShardings& counts) {
  for (const OpId op : ir::pre_order(module)) {
    const std::string name(call_target(module, op));
    Status status;
    if (name == target::kSharding) {
      status = import_constraint(module, op, counts);
    } else if (name == target::kGroup) {
      ++counts.groups;
      status = import_group(module, op);
    } else if (name == target::kBarrier) {
      ++counts.barriers;
      status = import_barrier(module, op);
    } else if (name.starts_with(key::kPrefix)) {
      const bool is_border = name == target::kGlobalToLocal || name == target::kLocalToGlobal;
      status =
          tl::unexpected(unknown_target(module, op,
                                        is_border ? "is not at a boundary of a manual computation"
                                                  : "does not carry a sharding"));
    }
    if (!status) return {std::move(status).error()};
  }
  return {};
}

// ---- Results of functions -----------------------------------------------------------------------
// Custom calls with the sharding of a function result are erased. Spec: interop 6.3, passes 4.15.
//
//   %1 = custom_call @xla.sdy.FuncResultSharding(%0)        func.func @main(..) -> (T [{"x"}])
//     {xla.sdy.sharding = "[<@mesh, [{"x"}]>]"}        ->     return %0
//   return %1
//
// In an inlined function, the sharding becomes an sdy.sharding_constraint.

namespace {

/// Checks that the results have the types of the operands: one value, or the halves of a 64-bit
/// number.
Status expect_identity(const Module& module, OpId call) {
  const std::size_t count = module.num_results(call);
  if (count == 0 || count > 2 || module.num_operands(call) != count) {
    return fail_at_place(module, {call},
                         place_text(module, {call}) + " has other operands than results");
  }
  for (std::size_t index = 0; index < count; ++index) {
    if (module.type(module.operand(call, index)) == module.type(module.result(call, index))) {
      continue;
    }
    return fail_at_place(module, {call},
                         place_text(module, {call}) + " changes the type of its operand");
  }
  return {};
}

Result<TensorSharding> resolved(const Module& module, OpId call,
                                const UnresolvedSharding& spelled) {
  const auto find = [&](const std::string& name) { return module.find_mesh(name); };
  const ir::TypeShape shape(module.type(module.result(call)));
  SHARDY_TRY(const Mesh mesh, mesh_of(spelled, find));
  return resolve(spelled, mesh, shape.view());
}

bool has_key(const Module& module, OpId call) {
  return frontend_entry(module.attributes(call), key::kSharding) != nullptr;
}

/// Returns the sharding in the frontend attribute. After an earlier import of keys, returns the
/// sharding in the op attribute.
Result<TensorSharding> carried(const Module& module, OpId call) {
  if (has_key(module, call)) {
    SHARDY_TRY(const UnresolvedShardings spelled,
               frontend_value<UnresolvedShardings>(module, {call}, key::kSharding,
                                                   "#sdy.sharding_per_value"));
    if (spelled.size() == 1) return resolved(module, call, spelled.front());
    return fail_at_place(module, {call}, "expected #sdy.sharding_per_value with one sharding");
  }
  const auto* list = module.attribute<ir::ShardingList>(call, ir::kShardingAttr);
  if (list != nullptr && !list->shardings.empty()) return list->shardings.front();
  return fail_at_place(module, {call}, "expected CustomCallOp with a sharding attribute");
}

class FuncResults {
 public:
  explicit FuncResults(Module& module) : module_(module) {}

  /// Replaces the call by its operand. The sharding becomes a function result sharding or a
  /// constraint.
  void import_call(OpId call, const std::optional<TensorSharding>& sharding) {
    if (sharding) {
      const OpId combine = combine_of(call);
      if (combine.valid()) {
        module_.attributes(combine).set(ir::kShardingAttr, ir::ShardingList{{*sharding}});
      }
      place(call, combine, *sharding);
    }
    keep_for_collective(call);
    for (std::size_t index = 0; index < module_.num_results(call); ++index) {
      module_.replace_all_uses(module_.result(call, index), module_.operand(call, index));
    }
    module_.erase(call);
  }

  int64_t num_results() const { return num_results_; }
  int64_t num_constraints() const { return num_constraints_; }

 private:
  using Target = std::pair<OpId, std::size_t>;

  /// Returns the op that joins the halves of a 64-bit number if it is the only user of both
  /// results; else invalid.
  OpId combine_of(OpId call) const {
    if (module_.num_results(call) != 2) return {};
    const std::vector<Use> low = module_.uses(module_.result(call, 0));
    const std::vector<Use> high = module_.uses(module_.result(call, 1));
    if (low.size() != 1 || high.size() != 1 || low[0].op != high[0].op) return {};
    return calls_target(module_, low[0].op, "X64Combine") ? low[0].op : OpId();
  }

  /// Returns the users of the results. If the call is dead, returns the users of its operand.
  std::vector<Use> users(OpId call, OpId combine) const {
    if (combine.valid()) return module_.uses(module_.result(combine));
    std::vector<Use> uses = module_.uses(module_.result(call));
    if (!uses.empty() || !module_.defining_op(module_.operand(call, 0)).valid()) return uses;
    uses = module_.uses(module_.operand(call, 0));
    std::erase_if(uses, [&](const Use& use) { return !module_.is(use.op, OpKind::FuncReturn); });
    return uses;
  }

  /// Checks whether the function result has no other sharding.
  bool accepts(const Use& use, const TensorSharding& sharding) const {
    if (!module_.is(use.op, OpKind::FuncReturn)) return false;
    const Target target{module_.parent_op(use.op), use.operand};
    const auto own = ir::result_sharding(module_, target.first, target.second);
    return placed_.contains(target) || !own || *own == sharding;
  }

  void place(OpId call, OpId combine, const TensorSharding& sharding) {
    bool has_others = false;
    for (const Use& use : users(call, combine)) {
      if (!accepts(use, sharding)) {
        has_others = true;
        continue;
      }
      const Target target{module_.parent_op(use.op), use.operand};
      // Calls are visited in reverse, so the last call before the return determines the sharding.
      if (!placed_.insert(target).second) continue;
      ir::set_result_sharding(module_, target.first, target.second, sharding);
      erase_mhlo_sharding(
          attributes_at(module_, {target.first, AttributePlace::Kind::Result, target.second}));
      ++num_results_;
    }
    if (has_others && !combine.valid()) constrain(call, sharding);
  }

  /// Adds a constraint. Used if the function was inlined or its result has another sharding.
  void constrain(OpId call, const TensorSharding& sharding) {
    ir::OpSpec spec = unary_op(module_, OpKind::SdyShardingConstraint, module_.operand(call, 0));
    spec.attributes.set(ir::attr::kSharding, sharding.open_like());
    spec.location = module_.location(call);
    const OpId constraint = module_.create(std::move(spec));
    module_.insert_before(call, constraint);
    module_.set_operand(call, 0, module_.result(constraint));
    ++num_constraints_;
  }

  /// Keeps the sharding that a collective expects for its operand.
  void keep_for_collective(OpId call) {
    const auto whole = whole_for_collective(module_, module_.result(call));
    if (!whole) return;
    const TensorSharding had = ir::get_sharding(module_, module_.result(call)).value_or(*whole);
    if (ir::get_sharding(module_, module_.operand(call, 0)) == had) return;
    insert_before_use(module_, {call, 0}, reshard_op(module_, module_.operand(call, 0), had));
  }

  Module& module_;
  std::set<Target> placed_;
  int64_t num_results_ = 0, num_constraints_ = 0;
};

/// Returns the FuncResultSharding calls in reverse program order.
std::vector<OpId> func_result_calls(const Module& module) {
  std::vector<OpId> calls = ir::pre_order(module);
  std::erase_if(calls, [&](OpId op) { return !calls_target(module, op, target::kFuncResult); });
  std::ranges::reverse(calls);
  return calls;
}

}  // namespace

Status import_func_results(Module& module, ImportedShardings& counts) {
  FuncResults importer(module);
  for (const OpId call : func_result_calls(module)) {
    SHARDY_TRY_STATUS(expect_identity(module, call));
    SHARDY_TRY(const TensorSharding sharding, carried(module, call));
    importer.import_call(call, sharding);
  }
  counts.keys += importer.num_results();
  counts.constraints += importer.num_constraints();
  return {};
}

Diagnostics import_func_result_shardings(Module& module,
                                         const FuncResultShardingsOptions& options) {
  FuncResults importer(module);
  for (const OpId call : func_result_calls(module)) {
    if (!expect_identity(module, call)) continue;
    std::optional<TensorSharding> sharding;
    if (has_key(module, call)) {
      const Result<TensorSharding> read = carried(module, call);
      if (read) sharding = *read;
      if (!read && options.warn) {
        options.warn(
            {.message =
                 "the sharding of a function result that a custom call carries is left out: " +
                 read.error().message,
             .location = module.source_location(call),
             .notes = {"write the sharding of the result at the function, or mend xla.sdy.sharding "
                       "of the custom call"},
             .severity = Severity::Warning,
             .subject = read.error().subject});
      }
    }
    importer.import_call(call, sharding);
  }
  return {};
}

// ---- Export -------------------------------------------------------------------------------------
// Spec: interop 7.2.
//
//   sdy.mesh @mesh = <["x"=2]>           ->  {xla.sdy.meshes = "{mesh = #sdy.mesh<["x"=2]>}"}
//   %a [<@mesh, [{"x"}p1]>]              ->  %a {xla.sdy.sharding = "#sdy.sharding<@mesh, ..>"}
//   %1 = sdy.sharding_constraint %0      ->  %1 = custom_call @Sharding(%0)
//   func.func -> (T [{"x"}])             ->  %2 = custom_call @xla.sdy.FuncResultSharding(%1)
//     return %1                                return %2
//   %1 = sdy.manual_computation(%0)          %1 = custom_call @xla.sdy.GlobalToLocalShape(%0)
//     manual_axes={"x"} (%x) { body }    ->  %2 = call @xla.sdy.manual_computation_body(%1)
//                                            %3 = custom_call @xla.sdy.LocalToGlobalShape(%2)

namespace {

std::string list_text(const ir::ShardingList& list) {
  UnresolvedShardings unresolved;
  for (const TensorSharding& sharding : list.shardings) unresolved.push_back(spell(sharding));
  return attribute_text(SdyAttribute(unresolved));
}

/// Returns a custom call with side effects, so that other compilers do not remove it.
ir::OpSpec effect_call(const Module& module, std::string_view target, OpId like) {
  ir::OpSpec spec{.kind = OpKind::CustomCall};
  spec.attributes.set(ir::attr::kCallTargetName, std::string(target));
  spec.attributes.set(ir::attr::kHasSideEffect, true);
  spec.location = module.location(like);
  return spec;
}

// ---- Exported ops -------------------------------------------------------------------------------

void export_constraint(Module& module, OpId op) {
  const auto* sharding = module.attribute<TensorSharding>(op, ir::attr::kSharding);
  ir::OpSpec spec =
      marker_call(module, target::kSharding, module.operand(op, 0), module.type(module.result(op)));
  ir::AttributeMap others = module.attributes(op);
  others.erase(ir::attr::kSharding);
  for (const ir::NamedAttribute& other : others) spec.attributes.set(other.name, other.value);
  if (sharding != nullptr) {
    spec.attributes.set(ir::kShardingAttr, ir::ShardingList{{*sharding}});
    keep_unreduced(spec, *sharding);
  }
  spec.location = module.location(op);
  replace_op(module, op, std::move(spec));
}

void export_group(Module& module, OpId op) {
  const auto* id = module.attribute<ir::IntegerAttr>(op, ir::attr::kGroupId);
  ir::OpSpec spec = effect_call(module, target::kGroup, op);
  spec.operands = module.operands(op);
  set_frontend(spec.attributes, key::kGroupId,
               std::to_string(id != nullptr ? id->value : 0) + " : i64");
  replace_op(module, op, std::move(spec));
}

void export_barrier(Module& module, OpId op) {
  constexpr std::array<std::string_view, 4> kDirections = {"NONE", "FORWARD", "BACKWARD", "BOTH"};
  const auto* direction = module.attribute<ir::EnumAttr>(op, ir::attr::kAllowedDirection);
  int number = 0;
  for (std::size_t index = 0; index < kDirections.size(); ++index) {
    if (direction != nullptr && direction->value == kDirections[index]) {
      number = static_cast<int>(index);
    }
  }
  ir::OpSpec spec = effect_call(module, target::kBarrier, op);
  spec.operands = module.operands(op);
  spec.result_types = {module.type(module.result(op))};
  set_frontend(spec.attributes, key::kDirection, std::to_string(number) + " : i32");
  replace_op(module, op, std::move(spec));
}

Status export_op(Module& module, OpId op) {
  switch (module.kind(op)) {
    case OpKind::SdyShardingConstraint:
      export_constraint(module, op);
      return {};
    case OpKind::SdyShardingGroup:
      export_group(module, op);
      return {};
    case OpKind::SdyPropagationBarrier:
      export_barrier(module, op);
      return {};
    case OpKind::SdyReshard:
    case OpKind::SdyNamedComputation:
    case OpKind::SdyDataFlowEdge:
    case OpKind::SdyFuncDataFlowEdge:
      break;
    default:
      if (!ir::is_sdy_collective(module.kind(op))) return {};
  }
  return fail_at_place(module, {op},
                       std::string(module.name(op)) + " is not part of the form of the round trip");
}

}  // namespace

Diagnostics export_round_trip_ops(Module& module) {
  export_constants(module);
  for (const OpId op : ir::pre_order(module)) {
    if (Status status = export_op(module, op); !status) return {std::move(status).error()};
  }
  return {};
}

// ---- Exported manual computations ---------------------------------------------------------------

namespace {

void export_computation(Module& module, OpId op, SymbolTable& symbols) {
  const auto* own = module.attribute<ir::ManualAxesAttr>(op, ir::attr::kManualAxes);
  const auto* in = module.attribute<ir::ShardingList>(op, ir::attr::kInShardings);
  const auto* out = module.attribute<ir::ShardingList>(op, ir::attr::kOutShardings);
  const std::string axes = attribute_text(SdyAttribute(own != nullptr ? own->names : ManualAxes()));
  const std::string ins = list_text(in != nullptr ? *in : ir::ShardingList());
  const std::string outs = list_text(out != nullptr ? *out : ir::ShardingList());
  const OpId function = outline_body(module, op, symbols, "xla.sdy.manual_computation_body");
  ir::OpSpec call{.kind = OpKind::FuncCall};
  if (module.num_operands(op) > 0) {
    ir::OpSpec enter = effect_call(module, target::kGlobalToLocal, op);
    enter.operands = module.operands(op);
    enter.result_types = module.arg_types(function);
    set_frontend(enter.attributes, key::kIn, ins);
    set_frontend(enter.attributes, key::kManualAxes, axes);
    const OpId made = module.create(std::move(enter));
    module.insert_before(op, made);
    call.operands = module.results(made);
  }
  call.result_types = module.function(function).result_types;
  call.attributes.set(ir::attr::kCallee, ir::SymbolAttr{std::string(module.symbol_name(function))});
  set_frontend(call.attributes, "inlineable", "false");
  const bool is_alone = module.num_operands(op) == 0 && module.num_results(op) == 0;
  if (is_alone) set_frontend(call.attributes, key::kManualAxes, axes);
  call.location = module.location(op);
  const OpId made = module.create(std::move(call));
  module.insert_before(op, made);
  if (module.num_results(op) > 0) {
    ir::OpSpec leave = effect_call(module, target::kLocalToGlobal, op);
    leave.operands = module.results(made);
    leave.result_types = ir::detail::result_types(module, op);
    set_frontend(leave.attributes, key::kOut, outs);
    set_frontend(leave.attributes, key::kManualAxes, axes);
    replace_op(module, op, std::move(leave));
  } else {
    module.erase(op);
  }
}

}  // namespace

Diagnostics export_round_trip_manual(Module& module) {
  SymbolTable symbols(module);
  for (const OpId op : manual_computations(module)) export_computation(module, op, symbols);
  return {};
}

// ---- Exported attributes ------------------------------------------------------------------------

namespace {

void export_module_meshes(Module& module) {
  std::map<std::string, Mesh> meshes;
  for (const OpId op : module.meshes()) {
    const auto* mesh = module.attribute<Mesh>(op, ir::attr::kMesh);
    if (mesh != nullptr) meshes.emplace(module.symbol_name(op), *mesh);
  }
  std::string text;
  for (const auto& [name, mesh] : meshes) {
    text += text.empty() ? "{" : ", ";
    const bool is_bare = is_ident(name) && name.find('$') == std::string::npos;
    text += (is_bare ? name : in_quotes(name)) + " = " + attribute_text(mesh);
  }
  if (!text.empty()) set_frontend(module.module_attributes(), key::kMeshes, text + "}");
}

void export_op_attrs(Module& module, OpId op, bool with_names) {
  ir::AttributeMap& attributes = module.attributes(op);
  if (const auto* rule = attributes.get<OpShardingRule>(ir::kShardingRuleAttr)) {
    set_frontend(attributes, key::kRule, attribute_text(*rule));
    attributes.erase(ir::kShardingRuleAttr);
  }
  const auto* list = attributes.get<ir::ShardingList>(ir::kShardingAttr);
  if (list != nullptr && !with_names) set_frontend(attributes, key::kSharding, list_text(*list));
}

/// Inserts FuncResultSharding calls before the return.
void export_results(Module& module, OpId function) {
  if (module.is_external(function)) return;
  const OpId last = module.last_op(module.entry(function));
  for (std::size_t index = 0; index < module.num_operands(last); ++index) {
    const auto sharding = ir::result_sharding(module, function, index);
    if (!sharding) continue;
    const ValueId value = module.operand(last, index);
    ir::OpSpec spec = effect_call(module, target::kFuncResult, last);
    spec.operands = {value};
    spec.result_types = {module.type(value)};
    set_frontend(spec.attributes, key::kSharding, list_text({{*sharding}}));
    const OpId made = module.create(std::move(spec));
    module.insert_before(last, made);
    module.set_operand(last, index, module.result(made));
  }
}

void export_signature_attrs(Module& module, OpId function, bool with_names) {
  ir::FunctionData& data = module.function(function);
  for (ir::AttributeMap& attributes : data.arg_attributes) {
    const auto* sharding = attributes.get<TensorSharding>(ir::kShardingAttr);
    if (sharding == nullptr || with_names) continue;
    set_frontend(attributes, key::kSharding, attribute_text(*sharding));
  }
  if (const auto* name = module.attribute<std::string>(function, kOriginalFuncNameAttr)) {
    set_frontend(module.attributes(function), key::kOriginalName, std::string(*name));
    module.attributes(function).erase(kOriginalFuncNameAttr);
  }
  if (!with_names) export_results(module, function);
}

/// Checks whether the module has a call of a manual computation. Its attributes name a mesh, even
/// if the shardings of other ops are written with axis names only.
bool names_meshes(const Module& module) {
  return std::ranges::any_of(ir::pre_order(module), [&](OpId op) {
    const ir::AttributeMap& attributes = module.attributes(op);
    return frontend_entry(attributes, key::kIn) != nullptr ||
           frontend_entry(attributes, key::kOut) != nullptr;
  });
}

}  // namespace

Diagnostics export_round_trip_attrs(Module& module, bool with_names) {
  for (const OpId op : ir::pre_order(module)) {
    if (module.is(op, OpKind::Func)) {
      export_signature_attrs(module, op, with_names);
    } else {
      export_op_attrs(module, op, with_names);
    }
  }
  if (!with_names || names_meshes(module)) export_module_meshes(module);
  return {};
}

}  // namespace shardy::passes
