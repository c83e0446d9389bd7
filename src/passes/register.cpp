// The registry of all passes, and the rows of the common phase and of propagation.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "passes/common/functions.hpp"
#include "passes/common/ops.hpp"
#include "passes/import/import_passes.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/propagation/ir_adapter.hpp"
#include "shardy/rules/registry.hpp"

namespace shardy::passes {

// ---- All passes ---------------------------------------------------------------------------------

PassRegistry built_in_passes() {
  PassRegistry registry;
  register_common_passes(registry);
  register_import_passes(registry);
  register_propagation_passes(registry);
  register_export_passes(registry);
  register_interop_passes(registry);
  return registry;
}

// ---- The passes of the common phase. Spec: passes 3 ---------------------------------------------
// Registry rows of the passes of the common phase. Spec: passes 3.

namespace {

Diagnostics save_module(ir::Module& module, PassContext& context) {
  const int64_t index = context.number("index");
  context.save_module(module, context.text("directory"), context.text("name"),
                      index < 0 ? std::nullopt : std::optional(index));
  return {};
}

}  // namespace

void register_common_passes(PassRegistry& registry) {
  static_cast<void>(registry.add({
      .name = "sdy-save-module",
      .summary = "writes the module to a file",
      .phase = PassPhase::Common,
      .options = {{"directory", OptionType::String, "", "output folder; empty: no file"},
                  {"name", OptionType::String, "", "name of the file"},
                  {"index", OptionType::Int, "-1", "number in front of the name; -1: none"}},
      .run = &save_module,
      .is_hidden = true,
  }));
  static_cast<void>(registry.add({
      .name = "sdy-inline-meshes",
      .summary = "replaces the names of meshes in shardings by their content",
      .phase = PassPhase::Common,
      .run = body(&inline_meshes),
  }));
  static_cast<void>(registry.add({
      .name = "inline",
      .summary = "replaces calls by the bodies of their functions",
      .phase = PassPhase::Common,
      .run = body(&inline_calls),
      .wants = {&require_no_func_edges},
  }));
  static_cast<void>(registry.add({
      .name = "symbol-dce",
      .summary = "erases private functions without references",
      .phase = PassPhase::Common,
      .run = body(&symbol_dce),
  }));
}

// ---- Propagation --------------------------------------------------------------------------------
// Registry rows of the propagation passes. Spec: propagation 10.2, 15, passes 4.14, 7.4.
//
//   sdy.mesh @mesh = <["x"=2, "y"=2]>
//   sdy-basic-propagate and the passes built on it:
//     %0 = add %a [{"x"}, {?}], %b      ->  %b [{"x", ?}, {?}], %0 [{"x", ?}, {?}]
//   sdy-aggressive-propagate, which also resolves conflicts:
//     %0 = dot %a [{"x"}, {}], %b [{}, {"x"}] : 8x4, 4x16   ->   %0 [{?}, {"x", ?}]
//   sdy-populate-op-sharding-rules:
//     %0 = negate %a : tensor<8x4xf32>
//     ->  {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4}>}

namespace {

using propagation::Algorithm;
using propagation::Strategy;

struct AlgorithmRow {
  Algorithm algorithm;
  const char* name;
  const char* summary;
};

constexpr AlgorithmRow kAlgorithms[] = {
    {Algorithm::Basic, "sdy-basic-propagate",
     "propagates shardings along axes on which all tensors agree"},
    {Algorithm::Aggressive, "sdy-aggressive-propagate",
     "propagates shardings and resolves conflicts between factors"},
    {Algorithm::OpPriority, "sdy-op-priority-propagate",
     "propagates through simple ops first: aggressive propagation for each level of ops"},
    {Algorithm::UserPriority, "sdy-user-priority-propagate",
     "propagates shardings of higher user priority first: op-priority propagation for each"},
};

std::vector<PassOption> options_of(Algorithm algorithm) {
  std::vector<PassOption> options = {
      {"keep-sharding-rules", OptionType::Bool, "false",
       "leave the sharding rules that were used attached to the ops"},
      {"module-dump-directory", OptionType::String, "", "folder for modules, for debugging"},
      {"conservative-propagation", OptionType::Bool, "false",
       "conservative sharding rules and no new sub-axes"},
      {"debug-sharding-origins", OptionType::Bool, "false",
       "record the annotation from which each axis comes"},
      {"debug-propagation-edge-sharding", OptionType::Bool, "false",
       "record the op and the value through which each axis comes"},
      {"lowering-rules", OptionType::Bool, "false",
       "propagate also through ops with a rule only for partitioning"},
      {"avoid-export-for-partitioning", OptionType::Bool, "false", "accepted, no effect here"},
  };
  if (algorithm >= Algorithm::Aggressive) {
    options.push_back({"propagation-strategy",
                       OptionType::Enum,
                       "aggressive",
                       "propagation along factors that compete for axes",
                       {"aggressive", "basic", "basic-then-aggressive"}});
  }
  if (algorithm >= Algorithm::OpPriority) {
    options.push_back({"run-op-priority-propagation", OptionType::Bool, "true",
                       "go through the levels of ops; false: all ops at once"});
  }
  if (algorithm == Algorithm::UserPriority) {
    options.push_back({"module-dump-index", OptionType::Int, "-1",
                       "number in front of the names of saved modules; -1: none"});
  }
  return options;
}

Strategy strategy_of(const std::string& text) {
  if (text == "basic") return Strategy::Basic;
  return text == "aggressive" ? Strategy::Aggressive : Strategy::BasicThenAggressive;
}

propagation::PropagationOptions propagation_options(Algorithm algorithm, PassContext& context) {
  propagation::PropagationOptions options;
  options.registry = &context.rules();
  if (context.extensions() != nullptr) options.extensions = &context.extensions()->propagation;
  if (context.limits() != nullptr) options.limits = context.limits()->rest();
  options.algorithm = algorithm;
  options.keep_sharding_rules = context.flag("keep-sharding-rules");
  options.conservative = context.flag("conservative-propagation");
  options.lowering_rules = context.flag("lowering-rules");
  options.debug_sharding_origins = context.flag("debug-sharding-origins");
  options.debug_propagation_edges = context.flag("debug-propagation-edge-sharding");
  if (algorithm >= Algorithm::Aggressive) {
    options.strategy = strategy_of(context.text("propagation-strategy"));
  }
  if (algorithm >= Algorithm::OpPriority) {
    options.run_op_priority = context.flag("run-op-priority-propagation");
  }
  if (algorithm != Algorithm::UserPriority) return options;
  // Saving a module per priority requires that propagation writes back all shardings.
  if (context.text("module-dump-directory").empty()) return options;
  const int64_t index = context.number("module-dump-index");
  options.after_user_priority = [&context, index](int64_t priority, const ir::Module& module) {
    context.save_module(module, context.text("module-dump-directory"),
                        "propagation_after_user_priority_" + std::to_string(priority),
                        index < 0 ? std::nullopt : std::optional(index));
  };
  return options;
}

Diagnostics run(Algorithm algorithm, ir::Module& module, PassContext& context) {
  auto report = propagation::propagate(module, propagation_options(algorithm, context));
  if (!report) return {std::move(report).error()};
  for (const Diagnostic& each : report->diagnostics) context.diagnose(each);
  return {};
}

/// Attaches sharding rules to ops. Spec: passes 4.14.
Diagnostics populate(ir::Module& module, PassContext& context) {
  const Status done = rules::populate_rules(
      module, context.rules(), {.conservative = context.flag("conservative-propagation")});
  if (!done) return {done.error()};
  return {};
}

Pass populate_pass() {
  return {.name = "sdy-populate-op-sharding-rules",
          .summary = "adds the sharding rule of each op as an attribute",
          .phase = PassPhase::Propagation,
          .kind = PassKind::Function,
          .options = {{"conservative-propagation", OptionType::Bool, "false",
                       "rules under which no sharding has uneven or overlapping shards"}},
          .run = &populate};
}

}  // namespace

void register_propagation_passes(PassRegistry& registry) {
  static_cast<void>(registry.add(populate_pass()));
  for (const AlgorithmRow& row : kAlgorithms) {
    static_cast<void>(registry.add({
        .name = row.name,
        .summary = row.summary,
        .phase = PassPhase::Propagation,
        .options = options_of(row.algorithm),
        .run = [algorithm = row.algorithm](
                   ir::Module& module,
                   PassContext& context) { return run(algorithm, module, context); },
        .wants = {&require_introduced_sums, &require_mentioned_manual_axes},
    }));
  }
}

}  // namespace shardy::passes
