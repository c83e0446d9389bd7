// Registry rows of the import passes. Spec: passes 4.
#include <string>
#include <utility>
#include <vector>

#include "passes/common/preconditions.hpp"
#include "passes/import/import_passes.hpp"
#include "shardy/passes/pipeline.hpp"

namespace shardy::passes {

namespace {

Diagnostics run_gather_scatter_batching(ir::Module& module, PassContext& context) {
  return explicit_gather_scatter_batching(module, {.compat = context.flag("compat")});
}

Diagnostics run_apply_sharding_constraints(ir::Module& module, PassContext& context) {
  return apply_sharding_constraints(
      module, {.debug_sharding_origins = context.flag("debug-sharding-origins"),
               .debug_propagation_edges = context.flag("debug-propagation-edge-sharding")});
}

Diagnostics run_flatten_call_graph(ir::Module& module, PassContext& /*context*/) {
  return flatten_call_graph(module);
}

Diagnostics run_import_func_calls(ir::Module& module, PassContext& context) {
  ImportFuncCallsOptions options;
  options.add_data_flow_edges_on_named_computations =
      context.flag("add-data-flow-edges-on-named-computations");
  options.warn = [&](ir::OpId call, std::string message, std::string remedy) {
    context.warn(module, call, std::move(message), std::move(remedy));
  };
  return import_func_calls(module, options);
}

Diagnostics run_func_result_shardings(ir::Module& module, PassContext& context) {
  FuncResultShardingsOptions options;
  options.warn = [&](ir::OpId call, std::string message, std::string remedy) {
    context.warn(module, call, std::move(message), std::move(remedy));
  };
  return import_func_result_shardings(module, options);
}

std::vector<Pass> mesh_passes() {
  return {
      {.name = "sdy-lift-inlined-meshes",
       .summary = "gives each mesh one name: lifts inlined meshes, merges equal ones",
       .phase = PassPhase::Import,
       .run = body(&lift_inlined_meshes)},
      {.name = "sdy-remove-size-one-axes",
       .aliases = {"xla-sdy-round-trip-remove-size-one-axes"},
       .summary = "removes axes of size 1 from all shardings",
       .phase = PassPhase::Import,
       .run = body(&remove_size_one_axes)},
      {.name = "sdy-manual-axes-cleanup",
       .summary = "adds missing manual axes to the shardings of manual computations",
       .phase = PassPhase::Import,
       .run = body(&manual_axes_cleanup)},
  };
}

std::vector<Pass> value_passes() {
  return {
      {.name = "sdy-constant-or-scalar-splitter",
       .aliases = {"sdy-constant-splitter"},
       .summary = "copies constants and broadcast scalars for each user",
       .phase = PassPhase::Import,
       .run = body(&constant_or_scalar_splitter),
       .wants = {&require_owned_edges}},
      {.name = "sdy-explicit-gather-scatter-batching",
       .summary = "converts indices that count along a dim to batching dims",
       .phase = PassPhase::Import,
       .kind = PassKind::Function,
       .options = {{"compat", OptionType::Bool, "false",
                    "use the conditions of Shardy, which may change values"}},
       .run = &run_gather_scatter_batching},
      {.name = "sdy-add-data-flow-edges",
       .summary = "adds an op with the sharding after each data-flow edge",
       .phase = PassPhase::Import,
       .run = body(&add_data_flow_edges)},
      {.name = "sdy-apply-sharding-constraints",
       .summary = "makes closed constraints the shardings of their operands",
       .phase = PassPhase::Import,
       .options = {{"debug-sharding-origins", OptionType::Bool, "false",
                    "record the annotation from which each axis comes"},
                   {"debug-propagation-edge-sharding", OptionType::Bool, "false",
                    "record for each axis that it comes from the constraint"}},
       .run = &run_apply_sharding_constraints},
      {.name = "sdy-sharding-group-import",
       .summary = "merges sharding groups that share a value and counts them from 0",
       .phase = PassPhase::Import,
       .run = body(&sharding_group_import)},
  };
}

std::vector<Pass> call_passes() {
  return {
      {.name = "sdy-propagate-sharding-from-func-to-call",
       .summary = "copies the result shardings of the callee to calls without shardings",
       .phase = PassPhase::Import,
       .run = body(&propagate_sharding_from_func_to_call)},
      {.name = "sdy-flatten-call-graph",
       .aliases = {"xla-sdy-flatten-call-graph"},
       .summary = "copies functions until each is called once",
       .phase = PassPhase::Import,
       .run = &run_flatten_call_graph},
      {.name = "sdy-import-func-calls",
       .aliases = {"xla-sdy-import-func-calls", "xla-sdy-import-uninlineable-func-calls",
                   "xla-sdy-import-backend-func-calls"},
       .summary = "turns calls into named computations",
       .phase = PassPhase::Import,
       .options = {{"add-data-flow-edges-on-named-computations", OptionType::Bool, "true",
                    "also give named computations their data-flow edges"}},
       .run = &run_import_func_calls,
       .wants = {&require_no_func_edges}},
      {.name = "sdy-add-func-data-flow-edges",
       .summary = "adds an op with the sharding after arguments of functions and results of calls",
       .phase = PassPhase::Import,
       .run = body(&add_func_data_flow_edges),
       .wants = {&require_owned_edges}},
      {.name = "sdy-propagate-unreduced-across-call-boundaries",
       .summary = "copies unreduced axes from operands and returned values across calls",
       .phase = PassPhase::Import,
       .run = body(&propagate_unreduced_across_call_boundaries)},
      {.name = "sdy-import-func-result-shardings",
       .summary = "gives function results the shardings that custom calls carry for them",
       .phase = PassPhase::Import,
       .run = &run_func_result_shardings,
       .is_hidden = true},
      {.name = "sdy-pre-order-funcs",
       .summary = "sorts the functions, callers before callees",
       .phase = PassPhase::Import,
       .run = body(&pre_order_funcs)},
  };
}

/// Returns the passes that only built-in pipelines run. The command line does not have them.
std::vector<Pass> hidden_passes() {
  return {
      {.name = "sdy-composites-to-calls",
       .summary = "turns composites into calls of their decompositions",
       .phase = PassPhase::Import,
       .options = {{"with-rules", OptionType::Bool, "false",
                    "only composites with a sharding rule, after shardings are propagated"}},
       .run =
           [](ir::Module& module, PassContext& context) {
             if (!context.flag("with-rules")) return composites_to_calls(module, context.rules());
             const auto* extensions = context.extensions();
             return ruled_composites_to_calls(
                 module, context.rules(),
                 extensions != nullptr ? &extensions->propagation : nullptr);
           },
       .is_hidden = true},
      {.name = "sdy-copy-for-manual-contexts",
       .summary = "copies functions that are called in several contexts of manual computations",
       .phase = PassPhase::Import,
       .run = body(&copy_for_manual_contexts),
       .is_hidden = true},
      {.name = "sdy-ifs-to-cases",
       .summary = "converts ifs to cases, through which shardings propagate",
       .phase = PassPhase::Import,
       .run =
           [](ir::Module& module, PassContext&) {
             ifs_to_cases(module);
             return Diagnostics();
           },
       .is_hidden = true},
      {.name = "sdy-whole-windows-to-reductions",
       .summary = "converts reductions of windows that span full dims to reductions",
       .phase = PassPhase::Import,
       .run =
           [](ir::Module& module, PassContext&) {
             whole_windows_to_reductions(module);
             return Diagnostics();
           },
       .is_hidden = true},
      {.name = "sdy-constant-windows-to-slices",
       .summary = "converts gathers and scatters of one window at a constant index to slices",
       .phase = PassPhase::Import,
       .run =
           [](ir::Module& module, PassContext&) {
             constant_windows_to_slices(module);
             return Diagnostics();
           },
       .is_hidden = true},
      {.name = "sdy-keep-merged-dims-apart",
       .summary = "removes reshapes that merge dims which later reshapes split again",
       .phase = PassPhase::Import,
       .run =
           [](ir::Module& module, PassContext&) {
             keep_merged_dims_apart(module);
             return Diagnostics();
           },
       .is_hidden = true},
  };
}

}  // namespace

void register_import_passes(PassRegistry& registry) {
  for (const std::vector<Pass>& passes :
       {mesh_passes(), value_passes(), call_passes(), hidden_passes()}) {
    for (const Pass& pass : passes) static_cast<void>(registry.add(pass));
  }
}

}  // namespace shardy::passes
