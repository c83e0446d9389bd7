// Registry rows of the passes for shardings of other forms than sdy. Spec: interop 8.
#include <string>
#include <utility>
#include <vector>

#include "passes/common/ops.hpp"
#include "passes/import/import_passes.hpp"
#include "passes/interop/foreign_export.hpp"
#include "passes/interop/imports.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/passes/pipeline.hpp"

namespace shardy::passes {

namespace {

// ---- Import -------------------------------------------------------------------------------------

std::vector<bool> flags_of(const std::vector<std::string>& texts) {
  std::vector<bool> flags;
  flags.reserve(texts.size());
  for (const std::string& text : texts) flags.push_back(text == "true" || text == "1");
  return flags;
}

/// Verifies bodies after the import, because the import determines manual axes and local shapes.
Diagnostics verify_bodies(const ir::Module& module, const ImportedShardings& counts) {
  return counts.shard_maps > 0 ? ir::verify(module) : Diagnostics();
}

Diagnostics run_import_shardings(ir::Module& module, PassContext& context) {
  GspmdImportOptions options;
  options.open_args = flags_of(context.options().list("allow-propagation-to-args"));
  options.open_results = flags_of(context.options().list("allow-propagation-to-results"));
  ImportedShardings counts;
  if (Status status = import_gspmd(module, options, counts); !status) {
    return {std::move(status).error()};
  }
  return verify_bodies(module, counts);
}

Diagnostics run_import_attrs(ir::Module& module, PassContext& context) {
  ImportedShardings counts;
  std::vector<ir::OpId> dropped;
  Diagnostics errors =
      import_round_trip_attrs(module, {.keep_ops = false, .dropped = &dropped}, counts);
  if (!dropped.empty()) {
    context.warn(module, dropped.front(),
                 "shardings of " + std::to_string(dropped.size()) +
                     " ops are dropped: only ops that carry them on purpose keep them",
                 "this is the first of them; shardy convert keeps them all");
  }
  return errors;
}

Diagnostics run_import_manual(ir::Module& module, PassContext& context) {
  ImportedShardings counts;
  Location reconstructed;
  Diagnostics errors = import_round_trip_manual(module, counts, &reconstructed);
  if (counts.reconstructed > 0) {
    context.diagnose({.message = "in_shardings reconstructed from shapes",
                      .location = std::move(reconstructed),
                      .notes = {"write xla.sdy.in_shardings, xla.sdy.out_shardings and "
                                "xla.sdy.manual_axes at the call of the body"},
                      .severity = Severity::Warning});
  }
  return errors.empty() ? verify_bodies(module, counts) : errors;
}

Diagnostics run_import_calls(ir::Module& module, PassContext&) {
  ImportedShardings counts;
  return import_round_trip_calls(module, counts);
}

Diagnostics run_flatten_tuples(ir::Module& module, PassContext&) {
  flatten_tuples(module);
  return {};
}

Diagnostics run_tuples_to_values(ir::Module& module, PassContext&) {
  return tuples_to_values(module);
}

std::vector<PassOption> propagation_options() {
  return {{"allow-propagation-to-args", OptionType::String, "",
           "per argument of main: true if propagation may shard it further; a single entry applies "
           "to all"},
          {"allow-propagation-to-results", OptionType::String, "",
           "per result of main: true if propagation may shard it further; a single entry applies "
           "to all"}};
}

std::vector<PassCall> round_trip_import(bool lifts, bool with_names = false) {
  std::vector<PassCall> calls = {{"symbol-dce"},
                                 {"xla-sdy-flatten-tuples"},
                                 {"xla-sdy-import-constants"},
                                 {"xla-sdy-round-trip-import-shardy-attrs"},
                                 {"xla-sdy-round-trip-shard-map-import"},
                                 {"xla-sdy-import-sdy-custom-calls"}};
  if (with_names) calls.push_back({"xla-sdy-import-shardings"});
  calls.push_back({"xla-sdy-open-while-free-vars-sharding"});
  if (lifts || with_names) {
    calls.push_back({"sdy-lift-inlined-meshes"});
    calls.push_back({"xla-sdy-round-trip-dedup-meshes"});
  }
  calls.push_back({"sdy-import-func-calls"});
  return calls;
}

std::vector<Pass> import_passes() {
  return {
      {.name = "xla-sdy-flatten-tuples",
       .summary = "removes tuples from operands and results of custom calls",
       .phase = PassPhase::Import,
       .run = &run_flatten_tuples,
       .is_hidden = true},
      {.name = "sdy-tuples-to-values",
       .summary = "splits tuples into several arguments, results and operands",
       .phase = PassPhase::Import,
       .run = &run_tuples_to_values},
      {.name = "xla-sdy-import-shardings",
       .aliases = {"xla-stablehlo-round-trip-shard-map-import",
                   "xla-mhlo-round-trip-shard-map-import"},
       .summary = "turns mhlo.sharding and the custom calls of GSPMD into sdy, on one mesh",
       .phase = PassPhase::Import,
       .options = propagation_options(),
       .run = &run_import_shardings},
      {.name = "xla-sdy-round-trip-import-shardy-attrs",
       .aliases = {"sdy-round-trip-import-shardy-attrs"},
       .summary = "turns frontend attributes into meshes, shardings and rules",
       .phase = PassPhase::Import,
       .run = &run_import_attrs},
      {.name = "xla-sdy-round-trip-shard-map-import",
       .aliases = {"sdy-round-trip-shard-map-import", "xla-sdy-shard-map-import"},
       .summary = "turns bodies between custom calls into manual computations",
       .phase = PassPhase::Import,
       .run = &run_import_manual},
      {.name = "xla-sdy-import-sdy-custom-calls",
       .aliases = {"sdy-import-sdy-custom-calls"},
       .summary = "turns custom calls into constraints, groups and barriers",
       .phase = PassPhase::Import,
       .run = &run_import_calls},
      {.name = "xla-sdy-import-constants",
       .summary = "turns StableHLO constants into sdy.constant",
       .phase = PassPhase::Import,
       .run = body(&import_constants)},
      {.name = "xla-sdy-open-while-free-vars-sharding",
       .summary = "lets propagation shard values that loops capture",
       .phase = PassPhase::Import,
       .run = body(&open_while_free_vars)},
      {.name = "xla-sdy-round-trip-clone-manual-computation-calls",
       .summary = "copies bodies that several manual computations share",
       .phase = PassPhase::Import,
       .run = body(&clone_manual_bodies)},
      {.name = "xla-sdy-round-trip-import-callback-custom-calls",
       .summary = "adds a dummy result, which can have a sharding, to Python calls without results",
       .phase = PassPhase::Import,
       .run = body(&import_callbacks)},
      {.name = "xla-sdy-round-trip-dedup-meshes",
       .aliases = {"sdy-round-trip-dedup-meshes"},
       .summary = "writes shardings over the same devices on one mesh",
       .phase = PassPhase::Import,
       .run = body(&fold_meshes)},
  };
}

// ---- Export -------------------------------------------------------------------------------------

ShardingStrings strings_of(PassContext& context) {
  return {.with_names = context.flag("enable-hlo-sharding-v3"),
          .simplifies_replicated = context.flag("simplify-replicated-shardings")};
}

PassOption names_option() {
  return {"enable-hlo-sharding-v3", OptionType::Bool, "false", "write the names of axes"};
}

std::vector<PassOption> string_options() {
  return {names_option(),
          {"simplify-replicated-shardings", OptionType::Bool, "false",
           "with names: leave out the mesh of shardings without axes"}};
}

PassOption missing_option() {
  return {"add-missing-sharding-to-control-flow", OptionType::Bool, "true",
          "make loops and branches without shardings replicated"};
}

PassOption reverse_option() {
  return {"clear-reverse-op-sharding", OptionType::Bool, "false",
          "remove the sharding of stablehlo.reverse"};
}

Diagnostics run_export_ops(ir::Module& module, PassContext& context) {
  return export_gspmd_ops(module, context.flag("keep-hlo-sharding-constraints"));
}

Diagnostics run_export_manual(ir::Module& module, PassContext& context) {
  if (context.flag("erase-manual-computations")) return erase_manual_computations(module);
  return export_gspmd_manual(module, context.flag("create-hlo-sharding-constraints"),
                             strings_of(context));
}

Diagnostics run_export_strings(ir::Module& module, PassContext& context) {
  return export_gspmd_strings(module,
                              {.strings = strings_of(context),
                               .adds_missing = context.flag("add-missing-sharding-to-control-flow"),
                               .clears_reverse = context.flag("clear-reverse-op-sharding")});
}

PassOption erase_option() {
  return {"erase-manual-computations", OptionType::Bool, "false",
          "convert manual computations over local shapes to functions and calls"};
}

std::vector<PassOption> gspmd_options() {
  std::vector<PassOption> options = string_options();
  options.push_back({"keep-hlo-sharding-constraints", OptionType::Bool, "false",
                     "convert constraints to custom calls instead of copies"});
  options.push_back(missing_option());
  options.push_back(erase_option());
  options.push_back(reverse_option());
  return options;
}

std::string given(const OptionValues& options, std::string_view name, std::string_view as = "") {
  return std::string(as.empty() ? name : as) + (options.flag(name) ? "=true " : "=false ");
}

std::vector<PassCall> gspmd_export(const OptionValues& options) {
  const std::string strings =
      given(options, "enable-hlo-sharding-v3") + given(options, "simplify-replicated-shardings");
  const std::string_view keep = "keep-hlo-sharding-constraints";
  return {{"sdy-export-named-computations"},
          {"xla-sdy-export-ops", given(options, keep)},
          {"xla-sdy-stablehlo-round-trip-shard-map-export",
           strings + given(options, keep, "create-hlo-sharding-constraints") +
               given(options, "erase-manual-computations")},
          {"symbol-dce"},
          {"xla-sdy-stablehlo-export-shardings",
           strings + given(options, "add-missing-sharding-to-control-flow") +
               given(options, "clear-reverse-op-sharding")},
          {"xla-sdy-stablehlo-round-trip-export-callback-custom-calls"}};
}

Diagnostics run_export_attrs(ir::Module& module, PassContext& context) {
  return export_round_trip_attrs(module, context.flag("enable-hlo-sharding-v3"));
}

std::vector<PassCall> round_trip_export(bool keeps_meshes, bool with_names = false) {
  const std::string names = with_names ? "enable-hlo-sharding-v3=true" : "";
  std::vector<PassCall> calls;
  if (!keeps_meshes) calls.push_back({"sdy-lift-inlined-meshes"});
  calls.push_back({"xla-sdy-round-trip-dedup-meshes"});
  calls.push_back({"sdy-export-named-computations"});
  calls.push_back({"xla-sdy-round-trip-export-ops"});
  calls.push_back({"xla-sdy-round-trip-shard-map-export"});
  calls.push_back({"xla-sdy-round-trip-export-shardy-attrs", names});
  calls.push_back({"xla-sdy-stablehlo-export-shardings",
                   "add-missing-sharding-to-control-flow=false " + names});
  return calls;
}

std::vector<Pass> export_passes() {
  std::vector<PassOption> manual_options = string_options();
  manual_options.push_back({"create-hlo-sharding-constraints", OptionType::Bool, "false",
                            "insert custom calls instead of copies at the borders"});
  manual_options.push_back(erase_option());
  std::vector<PassOption> all_strings = string_options();
  all_strings.push_back(missing_option());
  all_strings.push_back(reverse_option());
  return {
      {.name = "xla-sdy-export-ops",
       .summary = "turns constraints and reshards into copies or custom calls of GSPMD",
       .phase = PassPhase::Export,
       .options = {{"keep-hlo-sharding-constraints", OptionType::Bool, "false",
                    "convert constraints to custom calls instead of copies"}},
       .run = &run_export_ops},
      {.name = "xla-sdy-stablehlo-round-trip-shard-map-export",
       .aliases = {"xla-sdy-mhlo-round-trip-shard-map-export"},
       .summary = "turns manual computations into calls between custom calls of GSPMD",
       .phase = PassPhase::Export,
       .options = manual_options,
       .run = &run_export_manual},
      {.name = "xla-sdy-stablehlo-export-shardings",
       .aliases = {"xla-sdy-mhlo-export-shardings"},
       .summary = "writes all shardings as mhlo.sharding",
       .phase = PassPhase::Export,
       .options = all_strings,
       .run = &run_export_strings,
       .wants = {&require_no_sdy_collectives}},
      {.name = "xla-sdy-stablehlo-round-trip-export-callback-custom-calls",
       .summary = "returns the result of Python calls in a tuple, and drops it if it has no uses",
       .phase = PassPhase::Export,
       .run = body(&export_callbacks)},
      {.name = "xla-sdy-round-trip-export-ops",
       .summary = "turns constraints, groups and barriers into custom calls",
       .phase = PassPhase::Export,
       .run = body(&export_round_trip_ops)},
      {.name = "xla-sdy-round-trip-shard-map-export",
       .summary = "turns manual computations into calls between custom calls",
       .phase = PassPhase::Export,
       .run = body(&export_round_trip_manual)},
      {.name = "xla-sdy-round-trip-export-shardy-attrs",
       .aliases = {"xla-sdy-round-trip-export-shardings"},
       .summary = "writes meshes, shardings and rules as frontend attributes",
       .phase = PassPhase::Export,
       .options = {names_option()},
       .run = &run_export_attrs},
  };
}

// ---- Pipelines ----------------------------------------------------------------------------------

std::vector<Pass> import_pipelines() {
  return {
      {.name = "xla-sdy-stablehlo-import-pipeline",
       .aliases = {"xla-sdy-mhlo-import-pipeline"},
       .summary = "converts mhlo.sharding to sdy",
       .phase = PassPhase::Pipeline,
       .options = propagation_options(),
       .expand =
           [](const OptionValues& options) {
             const std::string given = "allow-propagation-to-args='" +
                                       options.text("allow-propagation-to-args") +
                                       "' allow-propagation-to-results='" +
                                       options.text("allow-propagation-to-results") + "'";
             std::vector<PassCall> calls = {{"xla-sdy-flatten-tuples"},
                                            {"xla-sdy-import-shardings", given}};
             for (PassCall& call : round_trip_import(false)) calls.push_back(std::move(call));
             return calls;
           }},
      {.name = "xla-sdy-round-trip-import-pipeline",
       .aliases = {"sdy-round-trip-import-pipeline"},
       .summary = "converts frontend attributes and custom calls to sdy",
       .phase = PassPhase::Pipeline,
       .options = {{"lift-and-dedup-meshes", OptionType::Bool, "false",
                    "name inlined meshes, and use one mesh per set of devices"},
                   {"enable-hlo-sharding-v3", OptionType::Bool, "false",
                    "read texts with the names of axes, too"}},
       .expand =
           [](const OptionValues& options) {
             return round_trip_import(options.flag("lift-and-dedup-meshes"),
                                      options.flag("enable-hlo-sharding-v3"));
           }},
  };
}

std::vector<Pass> export_pipelines() {
  return {
      {.name = "xla-sdy-stablehlo-export-pipeline",
       .aliases = {"xla-sdy-mhlo-export-pipeline"},
       .summary = "converts propagated sdy to mhlo.sharding",
       .phase = PassPhase::Pipeline,
       .options = gspmd_options(),
       .expand = &gspmd_export},
      {.name = "xla-sdy-round-trip-export-pipeline",
       .summary = "converts sdy to frontend attributes and custom calls",
       .phase = PassPhase::Pipeline,
       .options = {{"keep-meshes-inlined", OptionType::Bool, "false",
                    "do not give names to inlined meshes"},
                   names_option()},
       .expand =
           [](const OptionValues& options) {
             return round_trip_export(options.flag("keep-meshes-inlined"),
                                      options.flag("enable-hlo-sharding-v3"));
           }},
      {.name = "xla-sdy-round-trip-testing-pipeline",
       .aliases = {"xla-sdy-round-trip-stablehlo-to-hlo-to-stablehlo"},
       .summary = "converts sdy to frontend attributes and back",
       .phase = PassPhase::Pipeline,
       .options = {names_option()},
       .expand =
           [](const OptionValues& options) {
             const bool with_names = options.flag("enable-hlo-sharding-v3");
             std::vector<PassCall> calls = round_trip_export(false, with_names);
             for (PassCall& call : round_trip_import(false, with_names)) {
               calls.push_back(std::move(call));
             }
             return calls;
           }},
  };
}

}  // namespace

void register_interop_passes(PassRegistry& registry) {
  for (const std::vector<Pass>& passes :
       {import_passes(), export_passes(), import_pipelines(), export_pipelines()}) {
    for (const Pass& pass : passes) static_cast<void>(registry.add(pass));
  }
}

}  // namespace shardy::passes
