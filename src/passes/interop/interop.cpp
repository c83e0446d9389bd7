// Entry points of the import and export of foreign shardings. Spec: interop.
//
//   {mhlo.sharding = "{devices=[2,1]<=[2]}"}   -- import -->   [<@mesh, [{"_axis_0"}, {}]>]
//   {mhlo.sharding = "{devices=[2,1]<=[2]}"}   <-- export --   [<@mesh, [{"_axis_0"}, {}]>]
//   module { module @a { func.func @main } }   -- enter -->    module @a { func.func @main }
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "passes/common/ir_names.hpp"
#include "passes/common/sharding_walker.hpp"
#include "passes/import/import_passes.hpp"
#include "passes/interop/foreign_export.hpp"
#include "passes/interop/imports.hpp"
#include "passes/interop/sharding_attributes.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/support/detail/quote.hpp"

namespace shardy::passes {

// ---- Detection ----------------------------------------------------------------------------------

namespace {

bool has_round_trip_key(const ir::AttributeMap& attributes) {
  const ir::AttributeMap* entries = frontend(attributes);
  return entries != nullptr && std::ranges::any_of(*entries, [](const ir::NamedAttribute& entry) {
           return entry.name.view().starts_with(key::kPrefix);
         });
}

/// Checks whether `mhlo.sharding` is a text with axis names. The text is validated later.
bool has_named_text(const ir::AttributeMap& attributes) {
  const ir::Attribute* attribute = mhlo_sharding(attributes);
  const auto* text = attribute != nullptr ? attribute->as<std::string>() : nullptr;
  if (text == nullptr) return false;
  return text->find("mesh[") != std::string::npos || text->find("mesh [") != std::string::npos ||
         text->find("single_device[") != std::string::npos;
}

bool is_round_trip_place(const Module& module, const AttributePlace& place) {
  const ir::AttributeMap& attributes = attributes_at(module, place);
  if (has_round_trip_key(attributes) || has_named_text(attributes)) return true;
  if (place.kind != AttributePlace::Kind::Op) return false;
  if (call_target(module, place.op).starts_with(key::kPrefix)) return true;
  return module.is(place.op, OpKind::Func) &&
         module.symbol_name(place.op).find(kManualBody) != std::string_view::npos;
}

bool is_gspmd_place(const Module& module, const AttributePlace& place) {
  if (mhlo_sharding(attributes_at(module, place)) != nullptr) return true;
  if (place.kind != AttributePlace::Kind::Op) return false;
  const std::string_view name = call_target(module, place.op);
  return name == target::kSharding || name == target::kFullToShard || name == target::kShardToFull;
}

}  // namespace

bool carries_round_trip(const Module& module) {
  if (has_round_trip_key(module.module_attributes())) return true;
  return std::ranges::any_of(all_places(module), [&](const AttributePlace& place) {
    return is_round_trip_place(module, place);
  });
}

bool carries_gspmd(const Module& module) {
  return std::ranges::any_of(all_places(module), [&](const AttributePlace& place) {
    return is_gspmd_place(module, place);
  });
}

// ---- The note -----------------------------------------------------------------------------------

namespace {

void add_count(std::string& text, int64_t count, std::string_view one, std::string_view many = "") {
  if (count == 0) return;
  text += text.empty() ? "" : ", ";
  text += std::to_string(count) + " " + std::string(one);
  if (count != 1) text += many.empty() ? "s" : std::string(many);
}

}  // namespace

std::string ImportedShardings::note() const {
  if (left > 0) {
    return "left " + std::to_string(left) +
           " foreign shardings as they are; values count as unsharded";
  }
  const int64_t texts = arguments + results + ops;
  std::string text = "imported ";
  if (texts > 0) {
    text += std::to_string(texts) + " mhlo.sharding" + (mesh.empty() ? "" : " on " + mesh) + ": ";
  }
  std::string list;
  add_count(list, arguments, "argument");
  add_count(list, results, "result");
  add_count(list, ops, "op");
  add_count(list, keys, "xla.sdy.sharding", " ");
  if (!list.empty() && list.back() == ' ') list.pop_back();
  add_count(list, constraints, "constraint");
  std::string others;
  add_count(others, shard_maps, "shard_map");
  add_count(others, groups, "sharding group");
  add_count(others, barriers, "barrier");
  add_count(others, placeholders, "placeholder dropped", " ");
  if (!others.empty() && others.back() == ' ') {
    others = others.substr(0, others.size() - 1);
  }
  if (likes > 0) {
    others += (others.empty() ? "" : ", ") + std::to_string(likes) +
              " shard_like (a hint without counterpart)";
  }
  if (reconstructed > 0) {
    others += (others.empty() ? "" : ", ") + std::to_string(reconstructed) +
              " in_shardings reconstructed from shapes";
  }
  if (list.empty() && others.empty()) return "";
  if (list.empty()) return text + others;
  return text + list + (others.empty() ? "" : "; " + others);
}

// ---- Import -------------------------------------------------------------------------------------

namespace {

/// Makes the inlined meshes of texts mesh ops and folds them with the meshes of the program.
Diagnostics lift_and_fold(Module& module) {
  constexpr std::string_view kStablehloMesh = "stablehlo.mesh";
  std::set<OpId> had;
  for (const OpId op : module.meshes()) {
    if (module.attributes(op).contains(kStablehloMesh)) had.insert(op);
  }
  Diagnostics errors = lift_inlined_meshes(module);
  if (!errors.empty()) return errors;
  for (const OpId op : module.meshes()) {
    if (!had.contains(op)) module.attributes(op).erase(kStablehloMesh);
  }
  return fold_meshes(module);
}

Diagnostics import_round_trip(Module& module, ImportedShardings& counts) {
  flatten_tuples(module);
  Diagnostics errors = import_round_trip_attrs(module, {}, counts);
  if (errors.empty()) errors = import_round_trip_manual(module, counts);
  if (errors.empty()) errors = import_round_trip_calls(module, counts);
  return errors;
}

/// Removes the attribute by which a program requests the import of `mhlo.sharding` only. Returns
/// whether the program had it.
bool take_mhlo_wish(Module& module) {
  const bool has = frontend_entry(module.module_attributes(), key::kImportMhlo) != nullptr;
  if (has) erase_frontend(module.module_attributes(), key::kImportMhlo);
  return has;
}

int64_t count_sharding_places(const Module& module) {
  const std::vector<AttributePlace> places = all_places(module);
  return std::ranges::count_if(places, [&](const AttributePlace& place) {
    return is_gspmd_place(module, place) || is_round_trip_place(module, place);
  });
}

}  // namespace

DiagnosedResult<ImportedShardings> import_shardings(Module& module, ImportForm form) {
  ImportedShardings counts;
  Diagnostics errors = tuples_to_values(module);
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  if (form == ImportForm::None) {
    counts.left = count_sharding_places(module);
    return counts;
  }
  if (Diagnostics unknown = expect_known_attributes(module); !unknown.empty()) {
    return tl::unexpected(std::move(unknown));
  }
  if (Status status = place_module_lists(module); !status) {
    return tl::unexpected(Diagnostics{std::move(status).error()});
  }
  const bool wants_mhlo = take_mhlo_wish(module) || form == ImportForm::Gspmd;
  const bool is_round_trip = !wants_mhlo && carries_round_trip(module);
  if (is_round_trip) errors = import_round_trip(module, counts);
  const bool is_gspmd = errors.empty() && carries_gspmd(module);
  if (is_gspmd) {
    const Status status = import_gspmd(module, {.has_placeholders = is_round_trip}, counts);
    if (!status) errors = {status.error()};
  }
  if (errors.empty() && is_round_trip) errors = lift_and_fold(module);
  if (errors.empty()) errors = expect_none_left(module, !wants_mhlo);
  if (errors.empty() && (is_round_trip || is_gspmd)) errors = ir::verify(module);
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return counts;
}

// ---- Nested modules -----------------------------------------------------------------------------

namespace {

/// Erases all other top-level modules, and symbols whose names the chosen module defines, too.
void erase_around(Module& module, OpId chosen) {
  const auto is_hidden = [&](OpId op) {
    if (module.is(op, OpKind::BuiltinModule)) return true;
    return std::ranges::any_of(module.ops(module.block(chosen)), [&](OpId inner) {
      return !module.symbol_name(op).empty() && module.symbol_name(inner) == module.symbol_name(op);
    });
  };
  std::vector<OpId> others;
  for (const OpId op : module.ops(module.body())) {
    if (op != chosen && is_hidden(op)) others.push_back(op);
  }
  for (const OpId op : others) module.erase(op);
}

/// Checks whether the module or a module nested in it has a function.
bool has_function(const Module& module, OpId nested) {
  const auto ops = ir::pre_order(module, module.block(nested));
  return std::ranges::any_of(ops, [&](OpId op) { return module.is(op, OpKind::Func); });
}

/// Replaces the module by the first nested module, at any depth, that has functions.
std::optional<Diagnostic> enter_first(Module& module) {
  std::vector<OpId> nested;
  for (const OpId op : module.ops(module.body())) {
    if (module.is(op, OpKind::BuiltinModule) && has_function(module, op)) nested.push_back(op);
  }
  if (nested.empty()) return std::nullopt;
  const OpId chosen = nested.front();
  const std::string name(module.symbol_name(chosen));
  erase_around(module, chosen);
  module.module_attributes() = module.attributes(chosen);
  module.remove(chosen);
  module.splice(module.block(chosen), module.body());
  module.erase(chosen);
  return Diagnostic{.message = "the program is the module " +
                               (name.empty() ? "without a name" : symbol_text(name)) +
                               ", the first of " + std::to_string(nested.size()) +
                               " that have functions",
                    .severity = Severity::Note};
}

}  // namespace

std::optional<Diagnostic> enter_module(Module& module) {
  std::optional<Diagnostic> note;
  while (module.functions().empty()) {
    std::optional<Diagnostic> entered = enter_first(module);
    if (!entered) break;
    note = std::move(entered);
  }
  return note;
}

// ---- Export -------------------------------------------------------------------------------------

namespace {

/// Exports sharding rules, which sharding texts do not contain.
void export_rules(Module& module, bool as_keys) {
  for (const OpId op : ir::pre_order(module)) {
    ir::AttributeMap& attributes = module.attributes(op);
    const auto* rule = attributes.get<OpShardingRule>(ir::kShardingRuleAttr);
    if (rule == nullptr) continue;
    std::string text = attribute_text(*rule);
    if (as_keys) set_frontend(attributes, key::kRule, std::move(text));
    attributes.erase(ir::kShardingRuleAttr);
  }
}

/// Exports the shardings of a per-device program's arguments and results.
Diagnostics export_device_lists(Module& module, const ShardingStrings& strings) {
  if (Status status = export_device_program(module, strings); !status) {
    return {std::move(status).error()};
  }
  erase_unused_meshes(module);
  return {};
}

Diagnostics export_gspmd(Module& module, bool with_names) {
  export_rules(module, with_names);
  const ShardingStrings strings{.with_names = with_names};
  if (is_device_program(module)) return export_device_lists(module, strings);
  Diagnostics errors = export_gspmd_ops(module, true);
  if (errors.empty()) errors = export_gspmd_manual(module, true, strings);
  if (errors.empty()) {
    errors = export_gspmd_strings(module, {.strings = strings, .adds_missing = false});
  }
  return errors;
}

Diagnostics export_round_trip(Module& module, bool with_names) {
  Diagnostics errors = lift_and_fold(module);
  if (errors.empty()) errors = export_round_trip_ops(module);
  if (errors.empty()) errors = export_round_trip_manual(module);
  const bool is_per_device = is_device_program(module);
  if (errors.empty()) errors = export_round_trip_attrs(module, with_names && !is_per_device);
  if (!errors.empty()) return errors;
  if (!is_per_device) {
    return export_gspmd_strings(module,
                                {.strings = {.with_names = with_names}, .adds_missing = false});
  }
  // Without this, other tools would treat local shapes as global ones.
  erase_device_shardings(module);
  erase_unused_meshes(module);
  return {};
}

}  // namespace

DiagnosedResult<Diagnostics> export_shardings(Module& module, ExportForm form) {
  Diagnostics warnings = unsupported_features(module, form);
  Diagnostics errors;
  if (form == ExportForm::Gspmd) errors = export_gspmd(module, false);
  if (form == ExportForm::GspmdNamed) errors = export_gspmd(module, true);
  if (form == ExportForm::RoundTrip) errors = export_round_trip(module, false);
  if (form == ExportForm::RoundTripNamed) errors = export_round_trip(module, true);
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return warnings;
}

}  // namespace shardy::passes
