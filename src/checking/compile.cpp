#include "shardy/checking/compile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>

#include "checking/cost_axes.hpp"
#include "checking/donations.hpp"
#include "checking/optimize.hpp"
#include "ir/draw_names.hpp"
#include "passes/common/reshard_cause.hpp"
#include "passes/interop/carriers.hpp"
#include "passes/interop/tuples.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/passes/export_pipeline.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/support/quote.hpp"

namespace shardy::checking {

namespace {

/// The pass after which all shardings are known.
constexpr std::string_view kLastOfPropagation = "sdy-close-shardings";

/// The propagation pipeline up to collectives. Spec: passes 7.4, partitioning 1.1.
std::vector<passes::PassCall> lowering_calls(const CompileOptions& options) {
  passes::PipelineOptions pipeline = options.pipeline;
  pipeline.importing.composites_to_calls = true;
  passes::ExportOptions& exporting = pipeline.exporting;
  exporting.enable_insert_explicit_collectives = true;
  exporting.lowering_rules = true;
  exporting.inline_meshes = false;
  // Padded arguments and results may be sharded unevenly.
  exporting.update_non_divisible_input_output_shardings =
      exporting.update_non_divisible_input_output_shardings &&
      options.partition.io_padding == partitioning::IoPadding::Divisible;
  return passes::propagation_pipeline(pipeline);
}

/// What a stage has left, with the name of the stage. Collectives of the program say what they are
/// given; propagation may have given them something else.
Diagnostics verify_after(const ir::Module& module, const std::string& stage) {
  Diagnostics errors = ir::verify(module);
  for (Error& error : errors) error.notes.push_back("after the pass " + stage);
  return errors;
}

/// Says on ops and results of functions that their shardings were asked for.
void mark_written(ir::Module& module) {
  for (const ir::OpId op : ir::pre_order(module)) {
    if (module.num_results(op) == 0 || !module.attributes(op).contains(ir::kShardingAttr)) continue;
    module.attributes(op).set(passes::kWrittenAttr, ir::UnitAttr());
  }
  for (const ir::OpId function : module.functions()) {
    for (ir::AttributeMap& attributes : module.function(function).result_attributes) {
      if (attributes.contains(ir::kShardingAttr)) {
        attributes.set(passes::kWrittenAttr, ir::UnitAttr());
      }
    }
  }
}

void unmark_written(ir::Module& module) {
  for (const ir::OpId op : ir::pre_order(module)) module.attributes(op).erase(passes::kWrittenAttr);
  for (const ir::OpId function : module.functions()) {
    for (ir::AttributeMap& attributes : module.function(function).result_attributes) {
      attributes.erase(passes::kWrittenAttr);
    }
  }
}

/// Warns that the program is partitioned for other devices than `mhlo.num_partitions` counts.
Diagnostics partition_count_warnings(const ir::Module& module) {
  constexpr std::string_view kCount = passes::kNumPartitionsAttr;
  const auto* count = module.module_attributes().get<ir::IntegerAttr>(kCount);
  if (count == nullptr || count->value <= 1) return {};
  Diagnostics said;
  for (const ir::OpId op : module.meshes()) {
    const auto* mesh = module.attribute<Mesh>(op, ir::attr::kMesh);
    if (mesh == nullptr || mesh->is_maximal() || mesh->empty()) continue;
    if (mesh->num_devices() == count->value) return {};
    said = {{.message = fmt::format("{} = {}: mesh {} has {} devices; the program is partitioned "
                                    "for the devices of the mesh",
                                    kCount, count->value, symbol_text(module.symbol_name(op)),
                                    mesh->num_devices()),
             .location = module.location_text(op),
             .severity = Severity::Warning}};
  }
  return said;
}

/// Checks whether the ops of the program may have other common axes than those of the reference.
bool tries_other_axes(const CompileOptions& options, const Context& context) {
  const std::vector<std::string> rules = chosen_rules(options);
  return options.pipeline.exporting.resharding.common_axes == PlanKind::Reference &&
         !context.parts.common_axes &&
         std::ranges::find(rules, passes::kBestCommonAxes) != rules.end();
}

/// Lowers a propagated program again, the tensors of each op on the common axes of the least cost.
/// No choices: the program is the same, or cannot be lowered so.
OtherAxes lower_with_best_axes(const ir::Module& propagated, CompileOptions options,
                               const passes::PassRegistry& passes, passes::PipelineHooks hooks) {
  OtherAxes other{propagated, {}};
  options.pipeline.exporting.resharding.common_axes = PlanKind::Best;
  const auto planned = passes::plan_passes(passes, lowering_calls(options));
  if (!planned) return other;
  const auto last = std::ranges::find_if(*planned, [](const passes::PlannedPass& each) {
    return each.pass->name == kLastOfPropagation;
  });
  hooks.sinks = {};
  hooks.sinks.rewrite = [&other](const passes::CollectiveRewrite& choice) {
    other.choices.push_back(choice);
  };
  hooks.after = {};
  const std::span<const passes::PlannedPass> behind(std::next(last), planned->end());
  const Diagnostics errors = passes::run_passes(other.collectives, behind, hooks);
  if (!errors.empty() || !ir::verify(other.collectives).empty()) other.choices.clear();
  unmark_written(other.collectives);
  return other;
}

/// Returns the errors, then the earlier diagnostics.
tl::unexpected<Diagnostics> failed(CompiledProgram compiled, Diagnostics errors) {
  std::ranges::move(compiled.diagnostics, std::back_inserter(errors));
  return tl::unexpected(std::move(errors));
}

}  // namespace

tl::expected<CompiledProgram, Diagnostics> compile(const ir::Module& module,
                                                   const CompileOptions& options,
                                                   const Context& context) {
  Diagnostics errors = ir::verify(module);
  if (errors.empty() && passes::has_tuples(module)) {
    ir::Module flat = module;
    errors = passes::tuples_to_values(flat);
    if (errors.empty()) return compile(flat, options, context);
  }
  if (errors.empty() && options.partition.io_padding == partitioning::IoPadding::Divisible) {
    errors = partitioning::non_divisible_io(module);
  }
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  CompiledProgram compiled;
  compiled.diagnostics = partition_count_warnings(module);
  compiled.collectives = module;
  mark_written(compiled.collectives);
  ir::name_draws(compiled.collectives);
  std::string last_pass;
  passes::PipelineHooks hooks;
  hooks.rules = &context.ops.rules;
  hooks.parts = &context.parts;
  hooks.sinks.diagnose = [&](const Diagnostic& said) { compiled.diagnostics.push_back(said); };
  hooks.after = [&](const passes::Pass& pass, const ir::Module& changed) {
    if (pass.name == kLastOfPropagation) compiled.propagated = changed;
    last_pass = pass.name;
    const bool has_propagated = pass.name == "sdy-user-priority-propagate";
    return has_propagated ? verify_after(changed, pass.name) : passes::PassErrors();
  };
  const Result<passes::PassRegistry> passes = context.all_passes();
  if (!passes) return tl::unexpected(std::vector{passes.error()});
  errors = passes::run_pipeline(compiled.collectives, *passes, lowering_calls(options), hooks);
  OtherAxes other;
  if (errors.empty() && tries_other_axes(options, context)) {
    other = lower_with_best_axes(compiled.propagated, options, *passes, hooks);
  }
  unmark_written(compiled.propagated);
  unmark_written(compiled.collectives);
  if (errors.empty()) errors = verify_after(compiled.collectives, last_pass);
  if (!errors.empty()) return failed(std::move(compiled), std::move(errors));

  std::ranges::move(unknown_cost_axes(module, compiled.collectives,
                                      options.pipeline.exporting.resharding.axis_costs),
                    std::back_inserter(compiled.diagnostics));
  auto partitioned = partition_optimized(compiled.collectives, other, options, context);
  if (!partitioned) return failed(std::move(compiled), std::move(partitioned).error());
  compiled.collectives = std::move(partitioned->collectives);
  compiled.program = std::move(partitioned->result.module);
  compiled.notes = std::move(partitioned->result.notes);
  compiled.rewrites = std::move(partitioned->rewrites);
  for (const partitioning::ReplicationNote& note : compiled.notes) {
    Diagnostic said = partitioning::diagnostic_of(note);
    if (options.strict) {
      said.severity = Severity::Error;
      errors.push_back(std::move(said));
    } else {
      compiled.diagnostics.push_back(std::move(said));
    }
  }
  if (!errors.empty()) return failed(std::move(compiled), std::move(errors));
  std::ranges::move(donation_notes(compiled.program), std::back_inserter(compiled.diagnostics));
  std::ranges::move(placement_notes(compiled.program), std::back_inserter(compiled.diagnostics));
  return compiled;
}

}  // namespace shardy::checking
