#include "shardy/checking/compile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checking/compile_stages.hpp"
#include "ir/program_facts.hpp"
#include "partitioning/program_rewrites.hpp"
#include "passes/common/ops.hpp"
#include "passes/export/mesh_planners.hpp"
#include "passes/interop/imports.hpp"
#include "passes/interop/sharding_attributes.hpp"
#include "shardy/algebra/detail/equivalence.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/partitioning/partition.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/resharding/cost.hpp"
#include "shardy/support/detail/quote.hpp"
#include "shardy/support/limits.hpp"
#include "shardy/support/result.hpp"

namespace shardy::checking {

namespace {

Status expect_new(bool is_known, const std::string& name) {
  return is_known ? Status(fail("was added before: " + name)) : Status();
}

Status expect_rule(const ForeignOp& op) {
  if (op.rule || !op.lowering_rule) return {};
  return fail("has a lowering rule and no rule: " + op.name);
}

/// Registers the lowering and the kernel of an embedder's op.
Status add_parts(ForeignOp op, partitioning::ForeignLowerings::LoweringsByName& lowerings,
                 simulation::ForeignKernels::KernelsByName& kernels) {
  SHARDY_TRY_STATUS(expect_new(lowerings.contains(op.name) || kernels.contains(op.name), op.name));
  if (op.lower) lowerings.emplace(op.name, std::move(op.lower));
  if (op.kernel) kernels.emplace(std::move(op.name), std::move(op.kernel));
  return {};
}

}  // namespace

Status Context::add_op(ForeignOp op) {
  if (ir::find_op(op.name) != ir::OpKind::Unknown)
    return fail(op.name + " is not a foreign op: the library supports it");
  SHARDY_TRY_STATUS(expect_rule(op));
  if (op.rule) {
    SHARDY_TRY_STATUS(ops.rules.add(op.name, op.rule, op.lowering_rule));
  }
  return add_parts(std::move(op), ops.lowerings.ops, runs.kernels.ops);
}

Status Context::add_custom_call(ForeignOp op) {
  SHARDY_TRY_STATUS(expect_rule(op));
  if (op.rule) {
    SHARDY_TRY_STATUS(ops.rules.add_custom_call(op.name, op.rule, op.lowering_rule));
  }
  return add_parts(std::move(op), ops.lowerings.custom_calls, runs.kernels.custom_calls);
}

Status Context::add_composite(ForeignOp op) {
  SHARDY_TRY_STATUS(expect_rule(op));
  if (op.lower || op.kernel) return fail("is lowered and run as its decomposition: " + op.name);
  if (!op.rule) return {};
  return ops.rules.add_composite(std::move(op.name), std::move(op.rule),
                                 std::move(op.lowering_rule));
}

Result<passes::PassRegistry> Context::all_passes() const {
  passes::PassRegistry registry = partitioning::all_passes(ops.lowerings);
  for (const passes::Pass& pass : passes.passes()) {
    SHARDY_TRY_STATUS(registry.add(pass));
  }
  return registry;
}

// Warnings about costs of axes that no mesh has.

namespace {

using Names = std::vector<std::string>;

void add_axes(const ir::Module& module, Names& names) {
  for (const ir::OpId op : module.meshes()) {
    const auto* mesh = module.attribute<Mesh>(op, ir::attr::kMesh);
    if (mesh == nullptr) continue;
    for (const MeshAxis& axis : mesh->axes()) names.push_back(axis.name);
  }
}

/// Returns the axes of the meshes of the source program; empty if `costs` is empty.
Names axes_of_source(const ir::Module& module, const std::string& costs) {
  Names names;
  const Result<CostModel> model = parse_cost_model(costs);
  if (model && !model->axes.empty()) add_axes(module, names);
  return names;
}

/// Returns a note with the most similar axis name, or with all names.
std::string way_out(std::string_view axis, const Names& names) {
  const std::vector<std::string_view> views(names.begin(), names.end());
  if (const auto meant = closest(axis, views)) return "did you mean " + *meant + "?";
  return fmt::format("axes: {}", fmt::join(names, ", "));
}

/// Returns a warning for each axis in `costs` (the form of parse_cost_model) that no mesh has. The
/// source program has the axes `names`; the program `lowered` also has names for the meshes of
/// inlined shardings. Empty for a program without meshes.
Diagnostics unknown_cost_axes(Names names, const ir::Module& lowered, const std::string& costs) {
  const Result<CostModel> model = parse_cost_model(costs);
  if (!model || model->axes.empty()) return {};
  add_axes(lowered, names);
  std::ranges::sort(names);
  const auto last = std::unique(names.begin(), names.end());
  names.erase(last, names.end());
  Diagnostics diagnostics;
  if (names.empty()) return diagnostics;
  for (const NamedAxisCost& cost : model->axes) {
    if (std::ranges::binary_search(names, cost.axis)) continue;
    diagnostics.push_back({.message = "a cost for an unknown mesh axis: " + cost.axis,
                           .notes = {way_out(cost.axis, names)},
                           .severity = Severity::Warning});
  }
  return diagnostics;
}

}  // namespace

namespace {

/// The last pass of propagation. All shardings are known after it.
constexpr std::string_view kLastOfPropagation = "sdy-close-shardings";
/// The pass that chooses the common axes of ops.
constexpr std::string_view kChoosesAxes = "sdy-insert-explicit-reshards";

/// Returns the passes of propagation and export up to collectives. Spec: passes 7.4, partitioning
/// 1.1.
std::vector<passes::PassCall> lowering_calls(const CompileOptions& options) {
  passes::PipelineOptions pipeline = options.pipeline;
  pipeline.importing.composites_to_calls = true;
  passes::ExportOptions& exporting = pipeline.exporting;
  exporting.enable_insert_explicit_collectives = true;
  exporting.lowering_rules = true;
  exporting.inline_meshes = false;
  // Uneven shardings of arguments and results are allowed if these are padded.
  exporting.update_non_divisible_input_output_shardings =
      exporting.update_non_divisible_input_output_shardings &&
      options.partition.io_padding == partitioning::IoPadding::Divisible;
  return passes::propagation_pipeline(pipeline);
}

/// Verifies the result of a stage. Errors name the stage. Declares operand shardings at
/// collectives, because propagation may have changed the operands.
Diagnostics verify_after(const ir::Module& module, const std::string& stage) {
  Diagnostics errors = ir::verify(module);
  for (Error& error : errors) error.notes.push_back("after the pass " + stage);
  return errors;
}

/// Marks the shardings of ops and of function results as written by the user.
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

/// Returns a warning if the number of devices of the mesh differs from `mhlo.num_partitions`.
Diagnostics partition_count_warnings(const ir::Module& module) {
  constexpr std::string_view kCount = passes::kNumPartitionsAttr;
  const auto* count = module.module_attributes().get<ir::IntegerAttr>(kCount);
  if (count == nullptr || count->value <= 1) return {};
  Diagnostics diagnostics;
  for (const ir::OpId op : module.meshes()) {
    const auto* mesh = module.attribute<Mesh>(op, ir::attr::kMesh);
    if (mesh == nullptr || mesh->is_maximal() || mesh->empty()) continue;
    if (mesh->num_devices() == count->value) return {};
    diagnostics = {
        {.message = fmt::format("{} = {}: mesh {} has {} devices; the program is partitioned "
                                "for the devices of the mesh",
                                kCount, count->value, symbol_text(module.symbol_name(op)),
                                mesh->num_devices()),
         .location = module.source_location(op),
         .severity = Severity::Warning}};
  }
  return diagnostics;
}

/// The passes of lowering_calls in two parts: until all shardings are known, and after that.
struct PlannedStages {
  std::vector<passes::PlannedPass> passes;
  std::size_t num_propagating = 0;

  std::span<const passes::PlannedPass> propagation() const {
    return std::span(passes).first(num_propagating);
  }
  std::span<const passes::PlannedPass> lowering() const {
    return std::span(passes).subspan(num_propagating);
  }
};

/// Plans the passes. Errors: those of plan_passes.
Result<PlannedStages> plan_stages(const passes::PassRegistry& registry,
                                  const CompileOptions& options) {
  SHARDY_TRY(auto planned, passes::plan_passes(registry, lowering_calls(options)));
  const auto last = std::ranges::find_if(planned, [](const passes::PlannedPass& each) {
    return each.pass->name == kLastOfPropagation;
  });
  SHARDY_ASSERT(last != planned.end());
  const auto num_propagating = static_cast<std::size_t>(last - planned.begin()) + 1;
  return PlannedStages{std::move(planned), num_propagating};
}

/// Lowers propagated programs again, with other choices of common axes and shardings.
class OtherChoices {
 public:
  OtherChoices(const ir::Module& propagated, const CompileOptions& options,
               const passes::PassRegistry& passes, const passes::PipelineHooks& hooks)
      : propagated_(propagated), options_(options), passes_(passes), hooks_(hooks) {}

  /// Returns programs to compare with the requested one, for which `choices` were made: with the
  /// cheapest axes, if these are not requested; with the axes of the reference, if the cheapest are
  /// requested; with moved shardings. The last one comes last, so that it must send less than all
  /// others.
  std::vector<OtherAxes> all(const std::vector<passes::CollectiveRewrite>& choices) {
    const bool is_best = requests_best(options_);
    if (is_best || has_rule(options_, passes::kBestCommonAxes)) {
      const bool moves = has_rule(options_, passes::kMoveShardings) && add(PlanKind::Best, true);
      if (!is_best && (moves || !has_rule(options_, passes::kMoveShardings))) {
        add(PlanKind::Best, false);
      }
    }
    if (is_best && !choices.empty()) add(PlanKind::Reference, false);
    return std::move(others_);
  }

  /// Checks whether a program for which `choices` were made may have other choices.
  static bool may_have_any(const CompileOptions& options,
                           const std::vector<passes::CollectiveRewrite>& choices) {
    const bool is_best = requests_best(options);
    return has_rule(options, is_best ? passes::kMoveShardings : passes::kBestCommonAxes) ||
           (is_best && !choices.empty());
  }

 private:
  static bool requests_best(const CompileOptions& options) {
    return options.pipeline.exporting.resharding.common_axes == PlanKind::Best;
  }

  /// Adds the lowered program unless no op has other axes or the program cannot be lowered. Returns
  /// whether shardings moved. A program that is equal to the requested one is not added.
  bool add(PlanKind axes, bool moves) {
    CompileOptions options = options_;
    options.pipeline.exporting.resharding.common_axes = axes;
    options.pipeline.exporting.resharding.move_shardings = moves;
    const auto stages = plan_stages(passes_, options);
    if (!stages) return false;
    OtherAxes other{propagated_, axes == PlanKind::Reference, false, {}};
    const auto has_moved = [&] {
      return std::ranges::find(other.choices, passes::kMoveShardings,
                               &passes::CollectiveRewrite::rule) != other.choices.end();
    };
    const auto is_equal = [&] {
      return !other.is_reference &&
             (requests_best(options_) ? !has_moved() : other.choices.empty());
    };
    passes::PipelineHooks hooks = hooks_;
    hooks.sinks = {};
    hooks.sinks.rewrite = [&](const passes::CollectiveRewrite& choice) {
      other.choices.push_back(choice);
    };
    hooks.after = [&](const passes::Pass& pass, const ir::Module&) {
      const bool stops = pass.name == kChoosesAxes && is_equal();
      return stops ? Diagnostics{{.message = "no op has other common axes"}} : Diagnostics();
    };
    const Diagnostics errors = passes::run_passes(other.collectives, stages->lowering(), hooks);
    const bool moved = has_moved();
    other.has_moved = moved;
    unmark_written(other.collectives);
    if (errors.empty() && ir::verify(other.collectives).empty()) {
      others_.insert(others_.begin(), std::move(other));
    }
    return moved;
  }

  const ir::Module& propagated_;
  const CompileOptions& options_;
  const passes::PassRegistry& passes_;
  const passes::PipelineHooks& hooks_;
  std::vector<OtherAxes> others_;
};

/// Adds the notes on replication, donation and placement. With `strict`, replication is an error,
/// and the errors are returned.
Diagnostics append_notes(CompiledProgram& compiled, bool strict) {
  Diagnostics errors;
  for (const partitioning::ReplicationNote& note : compiled.notes) {
    Diagnostic diagnostic = partitioning::diagnostic_of(note);
    if (strict) diagnostic.severity = Severity::Error;
    (strict ? errors : compiled.diagnostics).push_back(std::move(diagnostic));
  }
  if (!errors.empty()) return errors;
  std::ranges::move(donation_notes(compiled.program), std::back_inserter(compiled.diagnostics));
  std::ranges::move(placement_notes(compiled.program), std::back_inserter(compiled.diagnostics));
  return {};
}

/// Returns hooks with the rules and extensions of the context; diagnostics are appended.
passes::PipelineHooks hooks_of(const Context& context, Diagnostics& diagnostics,
                               LimitChecker& limits) {
  passes::PipelineHooks hooks;
  hooks.limits = &limits;
  hooks.rules = &context.ops.rules;
  hooks.extensions = &context.extensions;
  hooks.sinks.diagnose = [&diagnostics](const Diagnostic& diagnostic) {
    diagnostics.push_back(diagnostic);
  };
  return hooks;
}

/// Returns the errors, followed by the earlier diagnostics.
tl::unexpected<Diagnostics> failed(CompiledProgram compiled, Diagnostics errors) {
  std::ranges::move(compiled.diagnostics, std::back_inserter(errors));
  return tl::unexpected(std::move(errors));
}

}  // namespace

DiagnosedResult<PropagatedProgram> propagate_program(const ir::Module& module,
                                                     const CompileOptions& options,
                                                     const Context& context, bool is_variant) {
  Diagnostics errors = is_variant ? Diagnostics() : ir::verify(module);
  if (errors.empty() && passes::has_tuples(module)) {
    ir::Module flat = module;
    errors = passes::tuples_to_values(flat);
    if (errors.empty()) return propagate_program(flat, options, context);
  }
  if (errors.empty() && options.partition.io_padding == partitioning::IoPadding::Divisible) {
    errors = partitioning::non_divisible_io(module);
  }
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  const Result<passes::PassRegistry> passes = context.all_passes();
  if (!passes) return tl::unexpected(Diagnostics{passes.error()});
  PropagatedProgram program{
      module, axes_of_source(module, options.pipeline.exporting.resharding.axis_costs),
      partition_count_warnings(module)};
  mark_written(program.module);
  ir::name_draws(program.module);
  LimitChecker limits(options.limits);
  passes::PipelineHooks hooks = hooks_of(context, program.diagnostics, limits);
  hooks.after = [is_variant](const passes::Pass& pass, const ir::Module& changed) {
    const bool has_propagated = pass.name == "sdy-user-priority-propagate";
    return has_propagated && !is_variant ? verify_after(changed, pass.name) : Diagnostics();
  };
  const Result<PlannedStages> stages = plan_stages(*passes, options);
  errors = stages ? passes::run_passes(program.module, stages->propagation(), hooks)
                  : Diagnostics{stages.error()};
  if (errors.empty()) return program;
  std::ranges::move(program.diagnostics, std::back_inserter(errors));
  return tl::unexpected(std::move(errors));
}

DiagnosedResult<CompiledProgram> lower_program(PropagatedProgram program,
                                               const CompileOptions& options,
                                               const Context& context,
                                               const SharedLowering& shared) {
  passes::KnownPlans own;  // shared by the passes of this program
  passes::KnownPlans* plans = shared.plans != nullptr ? shared.plans : &own;
  CompiledProgram compiled;
  compiled.diagnostics = std::move(program.diagnostics);
  compiled.propagated = program.module;
  compiled.collectives = std::move(program.module);
  const Result<passes::PassRegistry> passes = context.all_passes();
  if (!passes) return failed(std::move(compiled), {passes.error()});
  const Result<PlannedStages> stages = plan_stages(*passes, options);
  if (!stages) return failed(std::move(compiled), {stages.error()});
  std::string last_pass;
  LimitChecker limits(options.limits);
  limits.hold(ir::program_bytes(compiled.propagated));
  passes::PipelineHooks hooks = hooks_of(context, compiled.diagnostics, limits);
  hooks.plans = plans;
  hooks.after = [&](const passes::Pass& pass, const ir::Module&) {
    last_pass = pass.name;
    return Diagnostics();
  };
  std::vector<passes::CollectiveRewrite> choices;
  hooks.sinks.rewrite = [&choices](const passes::CollectiveRewrite& choice) {
    choices.push_back(choice);
  };
  Diagnostics errors = passes::run_passes(compiled.collectives, stages->lowering(), hooks);
  unmark_written(compiled.collectives);
  if (errors.empty()) errors = verify_after(compiled.collectives, last_pass);
  if (!errors.empty()) return failed(std::move(compiled), std::move(errors));

  std::ranges::move(unknown_cost_axes(std::move(program.axes), compiled.collectives,
                                      options.pipeline.exporting.resharding.axis_costs),
                    std::back_inserter(compiled.diagnostics));
  const int64_t held =
      ir::program_bytes(compiled.propagated) + ir::program_bytes(compiled.collectives);
  limits.hold(held);
  const OtherPrograms others = [&] {
    std::vector<OtherAxes> made =
        OtherChoices(compiled.propagated, options, *passes, hooks).all(choices);
    int64_t bytes = held;
    for (const OtherAxes& other : made) bytes += ir::program_bytes(other.collectives);
    limits.hold(bytes);
    return made;
  };
  const bool may_differ =
      !context.extensions.common_axes && OtherChoices::may_have_any(options, choices);
  auto partitioned =
      partition_optimized(std::move(compiled.collectives), may_differ ? others : OtherPrograms(),
                          options, context, {limits, *plans, shared.uses_threads, shared.unfold});
  if (!partitioned) return failed(std::move(compiled), std::move(partitioned).error());
  unmark_written(compiled.propagated);
  compiled.collectives = std::move(partitioned->collectives);
  compiled.program = std::move(partitioned->result.module);
  compiled.notes = std::move(partitioned->result.notes);
  compiled.rewrites = std::move(partitioned->rewrites);
  errors = append_notes(compiled, options.strict);
  if (!errors.empty()) return failed(std::move(compiled), std::move(errors));
  return compiled;
}

DiagnosedResult<CompiledProgram> compile(const ir::Module& module, const CompileOptions& options,
                                         const Context& context) {
  auto propagated = propagate_program(module, options, context);
  if (!propagated) return tl::unexpected(std::move(propagated).error());
  return lower_program(*std::move(propagated), options, context);
}

namespace {

using OptionalSharding = std::optional<TensorSharding>;

bool are_alike(const OptionalSharding& a, const OptionalSharding& b) {
  if (a && b) return is_equivalent(*a, *b);
  const OptionalSharding& one = a ? a : b;
  return !one || sharding_size(one->dim_axes()) == 1;
}

std::string text_of(const OptionalSharding& sharding) {
  return sharding ? attribute_text(*sharding) : "none";
}

}  // namespace

bool can_take_buffer(const ir::Module& program, std::size_t argument, std::size_t result) {
  const ir::OpId main = *program.main_function();
  return program.arg_types(main)[argument] == program.function(main).result_types[result] &&
         are_alike(ir::arg_sharding(program, main, argument),
                   ir::result_sharding(program, main, result));
}

Diagnostics donation_notes(const ir::Module& program) {
  Diagnostics notes;
  const std::optional<ir::OpId> main = program.main_function();
  if (!main) return notes;
  const ir::FunctionData& data = program.function(*main);
  const std::vector<ir::Type> args = program.arg_types(*main);
  for (std::size_t index = 0; index < data.arg_attributes.size(); ++index) {
    const auto* alias =
        data.arg_attributes[index].get<ir::IntegerAttr>(passes::kAliasingOutputAttr);
    const bool is_result = alias != nullptr && alias->value >= 0 &&
                           static_cast<std::size_t>(alias->value) < data.result_types.size();
    if (!is_result) continue;
    const auto result = static_cast<std::size_t>(alias->value);
    if (can_take_buffer(program, index, result)) continue;
    const OptionalSharding given = ir::arg_sharding(program, *main, index);
    const OptionalSharding taken = ir::result_sharding(program, *main, result);
    const ir::Type& type = data.result_types[result];
    notes.push_back({.message = "result " + std::to_string(result) + " of " +
                                symbol_text(program.symbol_name(*main)) +
                                " cannot take the buffer of argument " + std::to_string(index) +
                                ": a device has " + ir::to_string(args[index]) + " by " +
                                text_of(given) + " of one, " + ir::to_string(type) + " by " +
                                text_of(taken) + " of the other",
                     .location = program.source_location(*main),
                     .severity = Severity::Note,
                     .subject = {.kind = DiagnosticSubject::Kind::Argument,
                                 .is_sharding = true,
                                 .index = static_cast<uint32_t>(index)}});
  }
  return notes;
}

namespace {

/// Returns the name of the memory in a custom call: from JAX's frontend attribute, or else from the
/// call's own attribute.
std::string memory_of(const ir::Module& module, ir::OpId call, const std::string& target) {
  const auto* frontend = module.attribute<ir::AttributeMap>(call, "mhlo.frontend_attributes");
  const auto* named =
      frontend != nullptr ? frontend->get<std::string>("_xla_buffer_placement") : nullptr;
  if (named != nullptr) return *named;
  if (target == "MoveToHost") return "host";
  return target == "MoveToDevice" ? "device" : "";
}

}  // namespace

Diagnostics placement_notes(const ir::Module& program) {
  Diagnostics notes;
  for (const ir::OpId op : ir::pre_order(program)) {
    if (!program.is(op, ir::OpKind::CustomCall) || program.num_results(op) != 1) continue;
    const auto* target = program.attribute<std::string>(op, ir::attr::kCallTargetName);
    if (target == nullptr || !passes::only_places(*target)) continue;
    const std::string memory = memory_of(program, op, *target);
    if (memory.empty()) continue;
    const ir::Type& type = program.type(program.result(op));
    notes.push_back({.message = std::string(program.name(op)) + ": " + symbol_text(*target) +
                                " places " + ir::to_string(type) + " of each device in " + memory +
                                " memory; runs and the peak count it as device memory",
                     .location = program.source_location(op),
                     .code = "N_PLACEMENT",
                     .severity = Severity::Note});
  }
  return notes;
}

}  // namespace shardy::checking
