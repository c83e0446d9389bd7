// Registry rows of the export passes. Spec: passes 5 and 6, resharding.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "passes/common/preconditions.hpp"
#include "passes/export/canonicalize.hpp"
#include "passes/export/export_passes.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/resharding/cost.hpp"
#include "shardy/support/detail/quote.hpp"

namespace shardy::passes {

namespace {

/// Adapts a pass that has no options and cannot fail.
template <void (*kRun)(ir::Module&)>
Diagnostics always(ir::Module& module) {
  kRun(module);
  return {};
}

Pass module_pass(std::string name, std::string summary, Diagnostics (*run)(ir::Module&)) {
  return {.name = std::move(name),
          .summary = std::move(summary),
          .phase = PassPhase::Export,
          .run = body(run)};
}

Pass wanting(Pass pass, std::vector<Diagnostics (*)(const ir::Module&)> wants) {
  pass.wants = std::move(wants);
  return pass;
}

Pass function_pass(std::string name, std::string summary, Diagnostics (*run)(ir::Module&)) {
  Pass pass = module_pass(std::move(name), std::move(summary), run);
  pass.kind = PassKind::Function;
  return pass;
}

Pass hidden(Pass pass) {
  pass.is_hidden = true;
  return pass;
}

Pass also_named(std::string alias, Pass pass) {
  pass.aliases.push_back(std::move(alias));
  return pass;
}

std::vector<Pass> plain_passes() {
  return {
      wanting(function_pass("sdy-constant-or-scalar-merger",
                            "merges equal constants and equal broadcasts of one scalar",
                            &always<&constant_or_scalar_merger>),
              {&require_owned_edges}),
      function_pass("sdy-sink-func-data-flow-edges",
                    "moves shardings from edges of functions and calls to the values that own them",
                    &always<&sink_func_data_flow_edges>),
      module_pass("sdy-remove-sharding-groups", "removes sharding groups",
                  &always<&remove_sharding_groups>),
      function_pass("sdy-sharding-constraint-to-reshard",
                    "turns sharding constraints into reshards",
                    &always<&sharding_constraint_to_reshard>),
      module_pass("sdy-update-non-divisible-input-output-shardings",
                  "drops axes that do not divide the arguments and results of functions and calls",
                  &always<&update_non_divisible_input_output_shardings>),
      module_pass(
          "sdy-remove-sub-axes-in-input-output-shardings",
          "truncates the open dims of main's arguments and results before their first sub-axis",
          &remove_sub_axes_in_input_output_shardings),
      module_pass("sdy-close-shardings", "closes all dims and drops explicitly replicated axes",
                  &always<&close_shardings>),
      also_named("xla-sdy-export-named-computations",
                 module_pass("sdy-export-named-computations",
                             "turns named computations into functions and calls",
                             &always<&export_named_computations>)),
      module_pass("sdy-propagate-to-func-results",
                  "gives results of functions the shardings of the returned values",
                  &propagate_to_func_results),
      wanting(
          module_pass("sdy-insert-func-call-reshards",
                      "reshards results of calls from the callee's sharding to the call's sharding",
                      &insert_func_call_reshards),
          {&require_owned_edges, &require_no_func_edges}),
      function_pass("sdy-verify-unreduced-axes",
                    "checks that unreduced values are reduced before their use",
                    &verify_unreduced_axes),
      function_pass("sdy-remove-all-gather-reduce-scatter-for-cmv1",
                    "leaves collectives next to dots to backends that hide them",
                    &always<&remove_all_gather_reduce_scatter_for_cmv1>),
      hidden(module_pass("sdy-sink-loop-sums",
                         "reduces partial sums that a loop accumulates once, after the loop",
                         &always<&sink_loop_sums>)),
      hidden(module_pass("sdy-recompute-constants",
                         "computes constants at their uses instead of resharding them",
                         &always<&recompute_constants>)),
      module_pass("sdy-remove-propagation-debug-info", "removes the debugging attributes of axes",
                  &always<&remove_propagation_debug_info>),
      function_pass("sdy-drop-sharding-rules", "removes all sharding rules except custom ones",
                    &always<&drop_sharding_rules>),
      wanting(module_pass("sdy-drop-sharding-and-mesh", "removes sharding attributes and meshes",
                          &always<&drop_sharding_and_mesh>),
              {&require_no_collectives}),
  };
}

// ---- Passes with options ------------------------------------------------------------------------

Pass sink_pass() {
  Pass pass = function_pass("sdy-sink-data-flow-edges",
                            "moves shardings from edges to the values that own them", nullptr);
  pass.options = {{"sink-debug-sharding-origins", OptionType::Bool, "false",
                   "keep the origins of the edges' axes"},
                  {"sink-debug-propagation-edge-sharding", OptionType::Bool, "false",
                   "keep the propagation steps of the edges' axes"}};
  pass.run = [](ir::Module& module, PassContext& context) {
    sink_data_flow_edges(
        module, {.sink_debug_sharding_origins = context.flag("sink-debug-sharding-origins"),
                 .sink_debug_propagation_edge_sharding =
                     context.flag("sink-debug-propagation-edge-sharding")});
    return Diagnostics();
  };
  pass.wants = {&require_sinkable_edges};
  return pass;
}

Pass unflatten_pass() {
  Pass pass = module_pass("sdy-unflatten-call-graph",
                          "merges clones of one function with equal boundaries", nullptr);
  pass.aliases = {"xla-sdy-unflatten-call-graph"};
  pass.options = {{"dedup-functions-fully", OptionType::Bool, "false",
                   "also merge clones whose arguments or results have different shardings"}};
  pass.run = [](ir::Module& module, PassContext& context) {
    return unflatten_call_graph(module,
                                {.dedup_functions_fully = context.flag("dedup-functions-fully")});
  };
  return pass;
}

Pass single_device_pass() {
  Pass pass = function_pass(
      "sdy-resolve-single-device-sharding",
      "computes values of a single device on it, and sends them to all devices", nullptr);
  pass.options = {{"replica-count", OptionType::Int, "1", "number of replicas"},
                  {"partition-count", OptionType::Int, "1", "number of partitions"}};
  pass.run = [](ir::Module& module, PassContext& context) {
    return resolve_single_device_sharding(module,
                                          {.replica_count = context.number("replica-count"),
                                           .partition_count = context.number("partition-count")});
  };
  return pass;
}

constexpr const char* kAxisCostsHelp =
    "links, bandwidth and latency of mesh axes; override the costs of the meshes: "
    "x=ring:100GB/s:1us";

Pass explicit_reshards_pass() {
  Pass pass =
      function_pass("sdy-insert-explicit-reshards",
                    "inserts reshards so that the tensors of each op agree with its rule", nullptr);
  pass.options = {
      {"enable-full-version", OptionType::Bool, "false",
       "reshard around every op, not only where reductions need it"},
      {"lowering-rules", OptionType::Bool, "false",
       "use the rules by which partitioning lowers ops, instead of the propagation rules"},
      common_axes_option(),
      {"move-shardings", OptionType::Bool, "false",
       "with common-axes=best: change propagated shardings if reshards then cost less"},
      {"axis-costs", OptionType::String, "", kAxisCostsHelp},
      {"avoid-reshards-on-named-computations", OptionType::Bool, "false", "accepted, no effect"}};
  pass.wants = {&require_owned_edges, &require_introduced_sums};
  pass.run = [](ir::Module& module, PassContext& context) {
    auto model = parse_cost_model(context.options().text("axis-costs"));
    if (!model) return Diagnostics{std::move(model).error()};
    Diagnostics errors =
        insert_explicit_reshards(module,
                                 {.enable_full_version = context.flag("enable-full-version"),
                                  .lowering_rules = context.flag("lowering-rules"),
                                  .common_axes = plan_kind(context.options(), "common-axes"),
                                  .move_shardings = context.flag("move-shardings"),
                                  .best = {.model = *std::move(model)},
                                  .extensions = context.extensions(),
                                  .limits = context.limits(),
                                  .plans = context.plans(),
                                  .chosen = context.sinks().rewrite},
                                 context.rules());
    // Reductions that edges, calls and returns require count, too.
    return errors.empty() ? require_introduced_sums(module) : errors;
  };
  return pass;
}

Pass collectives_pass() {
  Pass pass = function_pass("sdy-reshard-to-collectives",
                            "turns reshards into sequences of collectives", nullptr);
  pass.options = {
      {"keep-redundant-reshards", OptionType::Bool, "false",
       "leave reshards between equivalent shardings"},
      plan_option("resharding", "collectives of reshards: reference as Shardy, best by cost"),
      {"axis-costs", OptionType::String, "", kAxisCostsHelp}};
  pass.run = [](ir::Module& module, PassContext& context) {
    auto model = parse_cost_model(context.options().text("axis-costs"));
    if (!model) return Diagnostics{std::move(model).error()};
    return reshard_to_collectives(
        module, {.keep_redundant_reshards = context.flag("keep-redundant-reshards"),
                 .resharding = plan_kind(context.options(), "resharding"),
                 .best = {.model = *std::move(model)},
                 .extensions = context.extensions(),
                 .limits = context.limits(),
                 .plans = context.plans()});
  };
  return pass;
}

Pass optimize_collectives_pass() {
  Pass pass = function_pass("sdy-optimize-collectives",
                            "rewrites collectives so that they send less", nullptr);
  pass.options = {{"rules", OptionType::String, "", "rewrites to apply; empty: all"},
                  {"axis-costs", OptionType::String, "", kAxisCostsHelp}};
  pass.run = [](ir::Module& module, PassContext& context) {
    auto model = parse_cost_model(context.options().text("axis-costs"));
    if (!model) return Diagnostics{std::move(model).error()};
    const auto rewrites = optimize_collectives(module, {.rules = context.options().list("rules"),
                                                        .model = *std::move(model),
                                                        .limits = context.limits(),
                                                        .plans = context.plans()});
    if (!rewrites) return rewrites.error();
    for (const Diagnostic& diagnostic : diagnostics_of(*rewrites)) context.diagnose(diagnostic);
    return Diagnostics();
  };
  return pass;
}

/// Returns a note with the most similar label.
std::string labels_note(const std::string& label) {
  const std::optional<std::string> meant = closest(label, {"sdy-reshard", "sdy-collective"});
  return meant ? "did you mean " + *meant + "?" : "labels: sdy-reshard, sdy-collective";
}

/// Runs all patterns, or the patterns with enabled labels and without disabled labels.
Diagnostics run_canonicalize(ir::Module& module, PassContext& context) {
  CanonicalizeOptions chosen;
  const std::vector<std::string> enabled = context.options().list("enable-patterns");
  if (!enabled.empty()) {
    chosen = {.reshards = false, .collectives = false, .unlabelled = false};
  }
  const auto choose = [&](const std::vector<std::string>& labels, bool wanted) {
    for (const std::string& label : labels) {
      const std::optional<CanonicalizeOptions> group = only_labelled(label);
      if (!group) context.warn("no pattern has the label " + label, labels_note(label));
      if (group && group->reshards) chosen.reshards = wanted;
      if (group && group->collectives) chosen.collectives = wanted;
    }
  };
  choose(enabled, true);
  choose(context.options().list("disable-patterns"), false);
  return canonicalize(module, chosen);
}

Pass canonicalize_pass() {
  return {
      .name = "canonicalize",
      .summary = "applies canonicalization patterns until none matches",
      .phase = PassPhase::Export,
      .options = {{"enable-patterns", OptionType::String, "",
                   "labels of the patterns that run: sdy-reshard, sdy-collective; empty: all"},
                  {"disable-patterns", OptionType::String, "",
                   "labels of the patterns that do not run"}},
      .run = &run_canonicalize,
  };
}

}  // namespace

void register_export_passes(PassRegistry& registry) {
  std::vector<Pass> passes = plain_passes();
  for (Pass pass : {sink_pass(), unflatten_pass(), single_device_pass(), explicit_reshards_pass(),
                    collectives_pass(), canonicalize_pass(), optimize_collectives_pass()}) {
    passes.push_back(std::move(pass));
  }
  for (Pass& pass : passes) static_cast<void>(registry.add(std::move(pass)));
  register_export_pipelines(registry);
}

}  // namespace shardy::passes
