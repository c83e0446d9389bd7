#include "shardy/checking/compile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checking/compile_stages.hpp"
#include "checking/donations.hpp"
#include "ir/draw_names.hpp"
#include "partitioning/program_rewrites.hpp"
#include "passes/common/ops.hpp"
#include "passes/interop/sharding_attributes.hpp"
#include "passes/interop/tuples.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/partitioning/detail/collective_rewrites.hpp"
#include "shardy/partitioning/partition.hpp"
#include "shardy/partitioning/program_cost.hpp"
#include "shardy/passes/export_pipeline.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/resharding/cost.hpp"
#include "shardy/support/detail/quote.hpp"
#include "shardy/support/result.hpp"

namespace shardy::checking {

using partitioning::ProgramCost;

namespace {

Status expect_new(bool is_known, const std::string& name) {
  return is_known ? Status(fail("was added before: " + name)) : Status();
}

Status expect_rule(const ForeignOp& op) {
  if (op.rule || !op.lowering_rule) return {};
  return fail("has a lowering rule and no rule: " + op.name);
}

/// Registers lowering and kernel of the op with their layers.
Status add_parts(ForeignOp op, partitioning::ForeignLowerings::ByName& lowerings,
                 simulation::ForeignKernels::ByName& kernels) {
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

// Costs of axes that are on no mesh.

namespace {

using Names = std::vector<std::string>;

void add_axes(const ir::Module& module, Names& names) {
  for (const ir::OpId op : module.meshes()) {
    const auto* mesh = module.attribute<Mesh>(op, ir::attr::kMesh);
    if (mesh == nullptr) continue;
    for (const MeshAxis& axis : mesh->axes()) names.push_back(axis.name);
  }
}

/// Returns the axes of the meshes of the source program, if `costs` has axes.
Names axes_of_source(const ir::Module& module, const std::string& costs) {
  Names names;
  const Result<CostModel> model = parse_cost_model(costs);
  if (model && !model->axes.empty()) add_axes(module, names);
  return names;
}

/// Returns the closest axis name, or all names.
std::string way_out(std::string_view axis, const Names& names) {
  const std::vector<std::string_view> views(names.begin(), names.end());
  if (const auto meant = closest(axis, views)) return "did you mean " + *meant + "?";
  return fmt::format("axes: {}", fmt::join(names, ", "));
}

/// Returns a warning for each axis of `costs` (in the form of parse_cost_model) that no mesh has,
/// neither in the source program, which has the axes `names`, nor in the program `lowered`, which
/// names the meshes of inlined shardings. Empty for a program without meshes.
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

std::vector<std::string> all_collective_rules() {
  const auto names = passes::collective_rules();
  std::vector<std::string> all(names.begin(), names.end());
  all.emplace_back(passes::kBestCommonAxes);
  all.emplace_back(partitioning::kHoistCollectives);
  all.emplace_back(partitioning::kSinkLoopCollectives);
  all.emplace_back(partitioning::kJoinExchanges);
  all.emplace_back(partitioning::kSharePermutes);
  all.emplace_back(kCombineReductions);
  return all;
}

// Per-device programs with and without rewrites of collectives; the better one is kept.

namespace {

struct Optimized {
  ir::Module collectives;
  partitioning::PartitionResult result;
  std::vector<passes::CollectiveRewrite> rewrites;
};

/// A program whose reshards are collectives, under other common axes than those of the reference.
struct OtherAxes {
  ir::Module collectives;
  std::vector<passes::CollectiveRewrite>
      choices;  // ops with other axes; none: the program is equal
};

/// Checks whether program `a` sends at most as much as `b`, and its peak exceeds that of `b` by at
/// most the fraction `growth`; if it sends less, peaks are compared with elementwise ops fused.
bool is_no_worse(const ir::Module& a, const ir::Module& b, double growth = 0) {
  const ProgramCost cost = partitioning::program_cost(a);
  const ProgramCost before = partitioning::program_cost(b);
  const auto fits = [growth](int64_t peak, int64_t most) {
    return static_cast<double>(peak) <= static_cast<double>(most) * (1 + growth);
  };
  if (cost.bytes_sent > before.bytes_sent) return false;
  if (fits(cost.peak_bytes, before.peak_bytes)) return true;
  return cost.bytes_sent < before.bytes_sent &&
         fits(partitioning::fused_peak_bytes(a), partitioning::fused_peak_bytes(b));
}

/// Limit for the peak of a program with collectives before loops. Their results live as long as the
/// loop and save a collective in each step; the cost of a program counts one step.
constexpr double kLoopGrowth = 0.25;
/// The same with collectives after loops: the carried value, the summand, and their sum are
/// as large as the operand.
constexpr double kSumGrowth = 0.5;
/// The same with permutes that send less: rows that only the last slice reads arrive with those of
/// the first one; blocks of a joined exchange are selected by the coordinate of the device.
constexpr double kPermuteGrowth = 0.125;

/// A rule of the per-device program.
using ProgramRule = std::function<std::vector<passes::CollectiveRewrite>(ir::Module& program)>;

/// Partitions programs under rewrites, and keeps the best so far.
class Optimizer {
 public:
  Optimizer(const CompileOptions& options, const Context& context, CostModel model)
      : options_(options),
        context_(context),
        model_(std::move(model)),
        partition_(options.partition) {
    partition_.stablehlo.reset();
  }

  Diagnostics start(const ir::Module& collectives);
  /// Returns false if a rewrite was applied and made the program worse.
  DiagnosedResult<bool> try_rules(const std::vector<std::string>& rules);
  void rewrite_program(const ProgramRule& rule, double growth = 0);
  void join_exchanges();
  void loop_products(int64_t max_gather_bytes);
  /// Puts rewrites of earlier stages before those of this one.
  void add_rewrites(const std::vector<passes::CollectiveRewrite>& earlier) {
    best_.rewrites.insert(best_.rewrites.begin(), earlier.begin(), earlier.end());
  }
  const ir::Module& program() const { return best_.result.module; }
  /// Returns the best program, in the requested form.
  DiagnosedResult<Optimized> take();

 private:
  const CompileOptions& options_;
  const Context& context_;
  CostModel model_;
  partitioning::PartitionOptions partition_;  // to the form for costs and rewrites
  Optimized best_;
};

Diagnostics Optimizer::start(const ir::Module& collectives) {
  auto result = partitioning::partition(collectives, partition_, context_.ops);
  if (!result) return std::move(result).error();
  best_ = {collectives, *std::move(result), {}};
  return {};
}

DiagnosedResult<bool> Optimizer::try_rules(const std::vector<std::string>& rules) {
  ir::Module changed = best_.collectives;
  auto rewrites = passes::optimize_collectives(changed, {.rules = rules, .model = model_});
  if (!rewrites) return tl::unexpected(std::move(rewrites).error());
  if (rewrites->empty()) return true;
  if (Diagnostics errors = ir::verify(changed); !errors.empty()) {
    for (Error& error : errors) error.notes.emplace_back("after sdy-optimize-collectives");
    return tl::unexpected(std::move(errors));
  }
  auto result = partitioning::partition(changed, partition_, context_.ops);
  if (!result) return tl::unexpected(std::move(result).error());
  if (!is_no_worse(result->module, best_.result.module)) return false;
  std::ranges::move(*rewrites, std::back_inserter(best_.rewrites));
  best_.collectives = std::move(changed);
  best_.result = *std::move(result);
  return true;
}

/// Keeps the result of a rule of the per-device program, unless it is worse.
void Optimizer::rewrite_program(const ProgramRule& rule, double growth) {
  ir::Module changed = best_.result.module;
  auto rewrites = rule(changed);
  if (rewrites.empty()) return;
  if (!is_no_worse(changed, best_.result.module, growth)) return;
  std::ranges::move(rewrites, std::back_inserter(best_.rewrites));
  best_.result.module = std::move(changed);
}

void Optimizer::join_exchanges() {
  rewrite_program(
      [this](ir::Module& program) { return partitioning::join_exchanges(program, model_); },
      kPermuteGrowth);
}

void Optimizer::loop_products(int64_t max_gather_bytes) {
  auto rewrites = partitioning::loop_products(best_.result.module, max_gather_bytes);
  std::ranges::move(rewrites, std::back_inserter(best_.rewrites));
}

DiagnosedResult<Optimized> Optimizer::take() {
  if (options_.partition.stablehlo) {
    Diagnostics errors =
        partitioning::to_stablehlo_form(best_.result.module, *options_.partition.stablehlo);
    if (!errors.empty()) return tl::unexpected(std::move(errors));
  }
  return std::move(best_);
}

/// Returns the rules of CollectiveOptions, those of its default included.
std::vector<std::string> chosen_rules(const CompileOptions& options) {
  if (options.collectives.rules) return *options.collectives.rules;
  const bool is_best = options.pipeline.exporting.resharding.plans == PlanKind::Best;
  return is_best ? all_collective_rules() : std::vector<std::string>();
}

/// Applies rules to the partitioned program, each kept unless the program is worse for it.
Diagnostics apply(Optimizer& optimizer, const CompileOptions& options) {
  std::vector<std::string> rules = chosen_rules(options);
  std::erase(rules, passes::kBestCommonAxes);
  const bool hoists = std::erase(rules, partitioning::kHoistCollectives) > 0;
  const bool sinks = std::erase(rules, partitioning::kSinkLoopCollectives) > 0;
  const bool shares = std::erase(rules, partitioning::kSharePermutes) > 0;
  const bool joins = std::erase(rules, partitioning::kJoinExchanges) > 0;
  const bool combines = std::erase(rules, kCombineReductions) > 0;
  if (!rules.empty()) {
    auto accepted = optimizer.try_rules(rules);
    for (std::size_t at = 0; accepted && !*accepted && at < rules.size(); ++at) {
      auto alone = optimizer.try_rules({rules[at]});
      if (!alone) return std::move(alone).error();
    }
    if (!accepted) return std::move(accepted).error();
  }
  if (hoists) optimizer.rewrite_program(&partitioning::hoist_collectives, kLoopGrowth);
  if (sinks) optimizer.rewrite_program(&partitioning::sink_loop_collectives, kSumGrowth);
  if (joins) optimizer.join_exchanges();
  if (shares) optimizer.rewrite_program(&partitioning::share_permutes, kPermuteGrowth);
  const int64_t combine_bytes = options.collectives.combine_bytes;
  if (combines && combine_bytes > 0) {
    optimizer.rewrite_program([combine_bytes](ir::Module& program) {
      return partitioning::combine_reductions(program, combine_bytes);
    });
  }
  return {};
}

/// Checks whether `a` sends less than `b`, in no more time under `model`, and holds at most as
/// much.
bool is_better(const ir::Module& a, const ir::Module& b, const CostModel& model) {
  const ProgramCost cost = partitioning::program_cost(a, model);
  const ProgramCost before = partitioning::program_cost(b, model);
  return cost.bytes_sent < before.bytes_sent && cost.seconds <= before.seconds && is_no_worse(a, b);
}

/// Partitions the program, whose reshards are collectives, with the requested rewrites: if it then
/// sends more or has a higher peak, with only those rules that do not cause this. `other` is taken
/// instead if it has choices, can be partitioned, sends less and holds no more. Spec: resharding
/// C.8.
DiagnosedResult<Optimized> partition_optimized(const ir::Module& collectives,
                                               const OtherAxes& other,
                                               const CompileOptions& options,
                                               const Context& context) {
  auto model = parse_cost_model(options.pipeline.exporting.resharding.axis_costs);
  if (!model) return tl::unexpected(Diagnostics{std::move(model).error()});
  const auto optimize = [&](Optimizer& optimizer, const ir::Module& program) {
    Diagnostics errors = optimizer.start(program);
    return errors.empty() ? apply(optimizer, options) : errors;
  };
  Optimizer plain(options, context, *model);
  if (Diagnostics errors = optimize(plain, collectives); !errors.empty()) {
    return tl::unexpected(std::move(errors));
  }
  Optimizer* best = &plain;
  Optimizer cheaper(options, context, *model);
  if (!other.choices.empty()) {
    const bool is_valid = optimize(cheaper, other.collectives).empty();
    if (is_valid) cheaper.add_rewrites(other.choices);
    if (is_valid && is_better(cheaper.program(), plain.program(), *model)) best = &cheaper;
  }
  if (options.collectives.max_gather_bytes) {
    best->loop_products(*options.collectives.max_gather_bytes);
  }
  return best->take();
}

/// The last pass of propagation: all shardings are known after it.
constexpr std::string_view kLastOfPropagation = "sdy-close-shardings";
/// The pass that chooses the common axes of ops.
constexpr std::string_view kChoosesAxes = "sdy-insert-explicit-reshards";

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

/// Verifies the result of a stage; errors name the stage. Collectives declare their operand
/// shardings; propagation may have changed the operands.
Diagnostics verify_after(const ir::Module& module, const std::string& stage) {
  Diagnostics errors = ir::verify(module);
  for (Error& error : errors) error.notes.push_back("after the pass " + stage);
  return errors;
}

/// Marks the shardings of ops and of function results as given by the user.
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

/// Warns if the mesh has another number of devices than `mhlo.num_partitions`.
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

/// Checks whether the ops of the program may have other common axes than those of the reference.
bool tries_other_axes(const CompileOptions& options, const Context& context) {
  const std::vector<std::string> rules = chosen_rules(options);
  return options.pipeline.exporting.resharding.common_axes == PlanKind::Reference &&
         !context.extensions.common_axes &&
         std::ranges::find(rules, passes::kBestCommonAxes) != rules.end();
}

/// The passes of lowering_calls: until all shardings are known, and after that.
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

/// Errors: those of plan_passes.
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

/// Lowers a propagated program again, with the tensors of each op on the cheapest common axes.
/// Returns no choices if the program is the same, or cannot be lowered so.
OtherAxes lower_with_best_axes(const ir::Module& propagated, CompileOptions options,
                               const passes::PassRegistry& passes, passes::PipelineHooks hooks) {
  OtherAxes other{propagated, {}};
  options.pipeline.exporting.resharding.common_axes = PlanKind::Best;
  const auto stages = plan_stages(passes, options);
  if (!stages) return other;
  hooks.sinks = {};
  hooks.sinks.rewrite = [&other](const passes::CollectiveRewrite& choice) {
    other.choices.push_back(choice);
  };
  // Without a choice the rest of the passes would make the same program again.
  hooks.after = [&other](const passes::Pass& pass, const ir::Module&) {
    const bool is_equal = pass.name == kChoosesAxes && other.choices.empty();
    return is_equal ? Diagnostics{{.message = "no op has other common axes"}} : Diagnostics();
  };
  const Diagnostics errors = passes::run_passes(other.collectives, stages->lowering(), hooks);
  if (!errors.empty() || !ir::verify(other.collectives).empty()) other.choices.clear();
  unmark_written(other.collectives);
  return other;
}

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
passes::PipelineHooks hooks_of(const Context& context, Diagnostics& diagnostics) {
  passes::PipelineHooks hooks;
  hooks.rules = &context.ops.rules;
  hooks.extensions = &context.extensions;
  hooks.sinks.diagnose = [&diagnostics](const Diagnostic& diagnostic) {
    diagnostics.push_back(diagnostic);
  };
  return hooks;
}

/// Returns the errors, then the earlier diagnostics.
tl::unexpected<Diagnostics> failed(CompiledProgram compiled, Diagnostics errors) {
  std::ranges::move(compiled.diagnostics, std::back_inserter(errors));
  return tl::unexpected(std::move(errors));
}

}  // namespace

DiagnosedResult<PropagatedProgram> propagate_program(const ir::Module& module,
                                                     const CompileOptions& options,
                                                     const Context& context) {
  Diagnostics errors = ir::verify(module);
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
  passes::PipelineHooks hooks = hooks_of(context, program.diagnostics);
  hooks.after = [](const passes::Pass& pass, const ir::Module& changed) {
    const bool has_propagated = pass.name == "sdy-user-priority-propagate";
    return has_propagated ? verify_after(changed, pass.name) : Diagnostics();
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
                                               const Context& context) {
  CompiledProgram compiled;
  compiled.diagnostics = std::move(program.diagnostics);
  compiled.propagated = program.module;
  compiled.collectives = std::move(program.module);
  const Result<passes::PassRegistry> passes = context.all_passes();
  if (!passes) return failed(std::move(compiled), {passes.error()});
  const Result<PlannedStages> stages = plan_stages(*passes, options);
  if (!stages) return failed(std::move(compiled), {stages.error()});
  std::string last_pass;
  passes::PipelineHooks hooks = hooks_of(context, compiled.diagnostics);
  hooks.after = [&](const passes::Pass& pass, const ir::Module&) {
    last_pass = pass.name;
    return Diagnostics();
  };
  Diagnostics errors = passes::run_passes(compiled.collectives, stages->lowering(), hooks);
  OtherAxes other;
  if (errors.empty() && tries_other_axes(options, context)) {
    other = lower_with_best_axes(compiled.propagated, options, *passes, hooks);
  }
  unmark_written(compiled.propagated);
  unmark_written(compiled.collectives);
  if (errors.empty()) errors = verify_after(compiled.collectives, last_pass);
  if (!errors.empty()) return failed(std::move(compiled), std::move(errors));

  std::ranges::move(unknown_cost_axes(std::move(program.axes), compiled.collectives,
                                      options.pipeline.exporting.resharding.axis_costs),
                    std::back_inserter(compiled.diagnostics));
  auto partitioned = partition_optimized(compiled.collectives, other, options, context);
  if (!partitioned) return failed(std::move(compiled), std::move(partitioned).error());
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

}  // namespace shardy::checking
