// Import of the frontend attributes of the round trip. Spec: interop 6.2.
//
//   module {xla.sdy.meshes = "{mesh = #sdy.mesh<["x"=2]>}"}        ->  sdy.mesh @mesh = <["x"=2]>
//   %a {xla.sdy.sharding = "#sdy.sharding<@mesh, [{"x"}p1]>"}      ->  %a [<@mesh, [{"x"}p1]>]
//   {xla.sdy.sharding_rule = "#sdy.op_sharding_rule<([i])->([i])"} ->  {sdy.sharding_rule = ..}
#include <algorithm>
#include <string>
#include <utility>

#include "passes/common/ops.hpp"
#include "passes/common/symbols.hpp"
#include "passes/interop/frontend_text.hpp"
#include "passes/interop/round_trip_import.hpp"
#include "passes/interop/unknown_attributes.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/support/quote.hpp"

namespace shardy::passes {

using ir::Module;
using ir::OpId;
using ir::OpKind;

namespace {

/// Checks for ops whose purpose is to carry a sharding.
bool is_carrier(const Module& module, OpId op) {
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

  /// Removes a frontend attribute of the module and returns its text; std::nullopt without it.
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
                  (meshes.error().location.empty() ? "" : " at " + meshes.error().location) +
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

  /// Imports the original name, which XLA writes as a frontend attribute or an attribute of the
  /// function.
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
    if (!options_.keep_ops && !is_carrier(module_, place.op)) {
      if (options_.dropped != nullptr) options_.dropped->push_back(place.op);
      return {};
    }
    // Both halves of a 64-bit number share one sharding.
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

PassErrors import_round_trip_attrs(Module& module, const RoundTripAttrsOptions& options,
                                   ImportedShardings& counts) {
  if (Status status = AttrsImporter(module, options, counts).run(); !status) {
    return {std::move(status).error()};
  }
  PassErrors errors = ir::resolve(module);
  if (!errors.empty()) return errors;
  if (Status status = import_func_results(module, counts); !status) {
    return {std::move(status).error()};
  }
  return {};
}

}  // namespace shardy::passes
