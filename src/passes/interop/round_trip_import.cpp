// Import of XLA's round trip of sdy: frontend attributes and custom calls. Spec: interop 6.2, 6.3,
// 6.7.
#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "passes/common/functions.hpp"
#include "passes/common/ops.hpp"
#include "passes/import/import_passes.hpp"
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

}  // namespace shardy::passes
