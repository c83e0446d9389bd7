#include "shardy/checking/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "checking/check_steps.hpp"
#include "checking/ir_names.hpp"
#include "checking/smaller_dims.hpp"
#include "checking/substituted_runs.hpp"
#include "passes/export/export_passes.hpp"
#include "passes/interop/imports.hpp"
#include "shardy/checking/sweep.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/simulation/run.hpp"

namespace shardy::checking {

namespace {

bool all_equal(const std::vector<ResultCheck>& results) {
  return std::ranges::all_of(results, [](const ResultCheck& result) { return result.equal(); });
}

}  // namespace

bool NumberCheck::equal() const { return failure.empty() && all_equal(results); }

bool CheckReport::equal() const { return all_equal(results) && exact.equal() && wide.equal(); }

double CheckReport::largest_difference() const {
  double largest = 0;
  for (const ResultCheck& result : results) largest = std::max(largest, result.difference.largest);
  return largest;
}

namespace {

void count_values(const Module& module, CheckReport& report) {
  const auto count = [&](ValueId value) {
    if (!module.type(value).is_tensor()) return;
    ++report.num_values;
    const auto sharding = ir::get_sharding(module, value);
    if (sharding && !sharding->is_fully_replicated()) ++report.num_sharded_values;
  };
  for (const OpId function : module.functions()) {
    if (module.is_external(function)) continue;
    for (const ValueId arg : module.args(module.entry(function))) count(arg);
    for (const OpId op : module.ops(module.entry(function))) {
      for (const ValueId result : module.results(op)) count(result);
    }
  }
}

Error no_main(const Module& module) {
  return ir::no_main_function(module, "the program has no main function to run");
}

}  // namespace

Result<simulation::GlobalResult> run_unsharded(const Module& module,
                                               const simulation::Tensors& inputs,
                                               const CheckOptions& options,
                                               const Context& context) {
  const std::optional<OpId> main = module.main_function();
  if (!main) return tl::unexpected(no_main(module));
  simulation::RunOptions alone = options.run;
  alone.observer = {};  // the observer gets only the sharded run
  return simulation::run_global(module, module.symbol_name(*main), inputs, alone, context.runs);
}

namespace {

/// Returns an error of a later stage, followed by the diagnostics of earlier stages.
tl::unexpected<Diagnostics> failed_with(CompiledProgram& compiled, Error error) {
  Diagnostics diagnostics = std::move(compiled.diagnostics);
  diagnostics.insert(diagnostics.begin(), std::move(error));
  return tl::unexpected(std::move(diagnostics));
}

void begin_phase(const CheckOptions& options, const PhaseCosts& phases, std::string_view name,
                 std::size_t number) {
  if (options.progress) options.progress(phases.phase(name, number));
}

}  // namespace

CheckPhase PhaseCosts::phase(std::string_view name, std::size_t number) const {
  SHARDY_EXPECTS(number >= 1 && number <= all.size());
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(number) - 1;
  return {.name = name,
          .number = static_cast<int>(number),
          .count = static_cast<int>(all.size()),
          .cost_done = std::accumulate(all.begin(), begin, 0.0),
          .cost = std::accumulate(all.begin(), all.end(), 0.0)};
}

bool is_cancelled(const CheckOptions& options) { return options.run.cancel.stop_requested(); }

namespace {

/// Compiles the program, as the first phase.
DiagnosedResult<CheckReport> compile_first(const Module& module, const CheckOptions& options,
                                           const Context& context, const PhaseCosts& phases) {
  if (!module.main_function()) return tl::unexpected(Diagnostics{no_main(module)});
  CheckReport report;
  begin_phase(options, phases, "compiling", 1);
  auto compiled = compile(module, options.compile, context);
  if (!compiled) return tl::unexpected(std::move(compiled).error());
  report.compiled = *std::move(compiled);
  count_values(report.compiled.propagated, report);
  return report;
}

/// Runs the compiled program on all devices, as the second phase.
DiagnosedResult<CheckReport> run_compiled(const Module& module, CheckReport report,
                                          const simulation::Tensors& inputs,
                                          const CheckOptions& options, const Context& context,
                                          const PhaseCosts& phases) {
  begin_phase(options, phases, "running on all devices", 2);
  auto sharded =
      simulation::run_global(report.compiled.program, module.symbol_name(*module.main_function()),
                             inputs, options.run, context.runs);
  if (!sharded && is_cancelled(options)) {
    report.cancelled = true;
    return report;
  }
  if (!sharded) return failed_with(report.compiled, std::move(sharded).error());
  report.sharded = *std::move(sharded);
  return report;
}

}  // namespace

DiagnosedResult<CheckReport> run_sharded(const Module& module, const simulation::Tensors& inputs,
                                         const CheckOptions& options, const Context& context,
                                         const PhaseCosts& phases) {
  auto report = compile_first(module, options, context, phases);
  if (!report) return report;
  return run_compiled(module, *std::move(report), inputs, options, context, phases);
}

namespace {

/// Allows a result to differ more if rounding can explain the difference. Requires that the runs in
/// f64 and over the prime field are equal. Near the largest number of a type, an element may
/// overflow in one of the two runs only. A sum of n terms that cancel has a rounding error of n
/// times the epsilon of the terms, not of the small result.
void allow_rounding(const NumberRuns& wide, const simulation::GlobalResult& reference,
                    const CheckOptions& options, CheckReport& report) {
  const bool numbers_agree = report.wide.done && report.wide.equal() && report.exact.equal();
  const bool is_any_open = std::ranges::any_of(report.results, [](const ResultCheck& result) {
    return result.tolerance.relative > 0 && result.difference.mismatches > 0;
  });
  if (!numbers_agree || !is_any_open) return;
  const std::vector<FloatTerms> terms = wide.terms(report.compiled.program, options);
  for (std::size_t index = 0; index < report.results.size(); ++index) {
    ResultCheck& result = report.results[index];
    if (result.tolerance.relative == 0 || result.difference.mismatches == 0) continue;
    result.tolerance.overflow = terms[index].near_end;
    result.tolerance.least =
        std::max(result.tolerance.least, result.tolerance.relative * terms[index].largest);
    result.difference =
        compare(report.sharded.outputs[index], reference.outputs[index], result.tolerance);
  }
}

}  // namespace

void compare_wide(const NumberRuns& wide, const simulation::GlobalResult& reference,
                  const CheckOptions& options, CheckReport& report) {
  simulation::Tensors outputs;
  report.wide = wide.compare(report.compiled.program, options, &outputs);
  if (options.tolerance) return;
  wide.allow_cancellation(outputs, reference.outputs, report.results, report.wide);
  wide.tighten(report.sharded.outputs, outputs, reference.outputs, report.results);
  allow_rounding(wide, reference, options, report);
}

void compare_with(const simulation::GlobalResult& reference, const Module& module,
                  const CheckOptions& options, const Context& context, CheckReport& report) {
  const std::optional<OpId> main = module.main_function();
  SHARDY_ASSERT(main.has_value());  // the function has run
  std::vector<Tolerance> tolerances = result_tolerances(module, *main, context.ops.rules);
  for (std::size_t index = 0; index < reference.outputs.size(); ++index) {
    Tolerance tolerance = tolerances[index];
    if (options.tolerance && tolerance.relative > 0) tolerance.relative = *options.tolerance;
    report.results.push_back(
        {tolerance, compare(report.sharded.outputs[index], reference.outputs[index], tolerance)});
  }
}

namespace {

/// Fills undefined elements with conspicuous values (NaN for floats) if the runs are compared, so
/// that the result changes if an op reads them.
CheckOptions poisoned(CheckOptions options) {
  simulation::Fill& fill = options.run.kernels.fill;
  if (options.compare && fill == simulation::Fill::Zero) fill = simulation::Fill::Poison;
  return options;
}

/// Runs twice with different padding if any value has padding, because one padding value may hide
/// an error.
NumberCheck exact_check(const NumberRuns& exact, const Module& program, CheckOptions options) {
  NumberCheck check;
  for (const auto fill : {simulation::Fill::Poison, simulation::Fill::OtherPoison}) {
    options.run.kernels.fill = fill;
    check = exact.compare(program, options);
    if (!check.equal() || !has_undefined_elements(program)) return check;
  }
  return check;
}

/// Runs again with other padding and adds differences to the report. Used only without exact runs,
/// because exact_check already runs with both paddings. Errors: those of the run.
Status compare_other_poison(const simulation::GlobalResult& reference, std::string_view main,
                            const simulation::Tensors& inputs, CheckOptions options,
                            const Context& context, CheckReport& report) {
  if (options.run.kernels.fill != simulation::Fill::Poison ||
      !has_undefined_elements(report.compiled.program)) {
    return {};
  }
  options.run.kernels.fill = simulation::Fill::OtherPoison;
  options.run.observer = {};
  SHARDY_TRY(
      const simulation::GlobalResult again,
      simulation::run_global(report.compiled.program, main, inputs, options.run, context.runs));
  for (std::size_t index = 0; index < report.results.size(); ++index) {
    ResultCheck& result = report.results[index];
    const TensorDifference other =
        compare(again.outputs[index], reference.outputs[index], result.tolerance);
    if (other.mismatches > result.difference.mismatches) result.difference = other;
  }
  return {};
}

/// The phases of a check. No phase starts after one that was cancelled.
class Check {
 public:
  Check(const Module& module, const simulation::Tensors& inputs, CheckOptions options,
        const Context& context)
      : module_(module),
        inputs_(inputs),
        options_(std::move(options)),
        context_(context),
        is_wide_(options_.wide && gains_by_width(module)) {
    if (!options_.compare) return;
    phases_.all.push_back(PhaseCosts::kRun);
    if (options_.exact) phases_.all.push_back(PhaseCosts::kExact);
    if (is_wide_) phases_.all.push_back(PhaseCosts::kWide);
  }

  DiagnosedResult<CheckReport> run() {
    auto report = compile_first(module_, options_, context_, phases_);
    if (!report) return report;
    make_smaller(report->compiled.program);
    RunsAhead ahead(later_runs(), options_.run.num_workers, options_.run.cancel);
    report = run_compiled(module_, *std::move(report), inputs_, options_, context_, phases_);
    if (!report || report->cancelled || !options_.compare) return report;
    const Status compared = compare(*report, ahead);
    report->cancelled = is_cancelled(options_);
    if (!compared && !report->cancelled) return failed_with(report->compiled, compared.error());
    return report;
  }

 private:
  void begin(std::string_view name) { begin_phase(options_, phases_, name, ++phase_); }

  /// Makes the dims of the exact run smaller, if the user allows it and the programs permit it.
  void make_smaller(const Module& program) {
    if (!options_.compare || !options_.exact || !options_.smaller_dims) return;
    smaller_ = with_smaller_dims(module_, program, inputs_, context_.ops.rules);
    if (smaller_) phases_.all[kExactPhase - 1] = PhaseCosts::kSmallExact;
  }

  /// Returns run `number` with smaller dims. Runs differ in their random inputs.
  RunsAhead::Run smaller_run(int64_t number) const {
    return [this, number](const std::stop_token& stop) {
      CheckOptions options = with_inputs(number);
      options.run.cancel = stop;
      return NumberRuns(smaller_->module, smaller_->inputs, NumberDomain::Exact, options, context_);
    };
  }
  CheckOptions with_inputs(int64_t number) const {
    CheckOptions options = options_;
    std::optional<uint64_t>& seed = options.run.kernels.seed;
    if (number > 0) seed = seed.value_or(0) + static_cast<uint64_t>(number) * kSeedsPerRun;
    return options;
  }

  RunsAhead::Run run_with(NumberDomain numbers) const {
    return [this, numbers](const std::stop_token& stop) {
      CheckOptions options = options_;
      options.run.cancel = stop;
      return NumberRuns(module_, inputs_, numbers, options, context_);
    };
  }

  /// Returns the unsharded runs of the comparisons, in their order.
  std::vector<RunsAhead::Run> later_runs() const {
    std::vector<RunsAhead::Run> runs;
    if (smaller_) {
      for (int64_t run = 0; run < smaller_->num_runs; ++run) runs.push_back(smaller_run(run));
    } else if (options_.compare && options_.exact) {
      runs.push_back(run_with(NumberDomain::Exact));
    }
    if (options_.compare && is_wide_) runs.push_back(run_with(NumberDomain::Wide));
    return runs;
  }

  Status compare(CheckReport& report, RunsAhead& ahead) {
    begin("running on one device");
    SHARDY_TRY(const simulation::GlobalResult reference,
               run_unsharded(module_, inputs_, options_, context_));
    compare_with(reference, module_, options_, context_, report);
    if (options_.exact) compare_exact(ahead, report);
    if (is_cancelled(options_)) return {};
    if (!report.exact.done) {
      const std::string_view main = module_.symbol_name(*module_.main_function());
      SHARDY_TRY_STATUS(compare_other_poison(reference, main, inputs_, options_, context_, report));
    }
    if (is_wide_) compare_in_f64(reference, ahead, report);
    return {};
  }

  void compare_exact(RunsAhead& ahead, CheckReport& report) {
    begin("running over a prime field");
    if (!smaller_) {
      report.exact = exact_check(ahead.take(), report.compiled.program, options_);
    } else if (!compare_smaller(ahead, report.exact) && !is_cancelled(options_)) {
      const NumberRuns full(module_, inputs_, NumberDomain::Exact, options_, context_);
      report.exact = exact_check(full, report.compiled.program, options_);
    }
    if (is_cancelled(options_) && !report.exact.done) report.exact = {};
  }

  /// Compares with smaller dims. Returns false if a run failed or differs; full sizes then decide.
  bool compare_smaller(RunsAhead& ahead, NumberCheck& check) {
    bool is_equal = true;
    for (int64_t run = 0; run < smaller_->num_runs; ++run) {
      const NumberRuns exact = ahead.take();
      if (!is_equal) continue;
      check = exact_check(exact, smaller_->program, with_inputs(run));
      is_equal = check.done && check.equal();
    }
    check.smaller_sizes = smaller_->sizes;
    return is_equal;
  }

  void compare_in_f64(const simulation::GlobalResult& reference, RunsAhead& ahead,
                      CheckReport& report) {
    begin("running in f64");
    const NumberRuns wide = ahead.take();
    compare_wide(wide, reference, options_, report);
    if (is_cancelled(options_) && !report.wide.done) report.wide = {};
    wide.add_accuracy(report.sharded.outputs, reference.outputs, report.wide);
  }

  const Module& module_;
  const simulation::Tensors& inputs_;
  const CheckOptions options_;
  const Context& context_;
  const bool is_wide_;
  std::optional<SmallerProgram> smaller_;
  static constexpr std::size_t kExactPhase = 4;
  static constexpr uint64_t kSeedsPerRun = uint64_t{1} << 32U;  // more than a program has inputs
  PhaseCosts phases_;
  std::size_t phase_ = 2;
};

}  // namespace

DiagnosedResult<CheckReport> check(const Module& module, const simulation::Tensors& inputs,
                                   const CheckOptions& asked, const Context& context) {
  if (passes::has_tuples(module)) {
    Module flat = module;  // several values replace each tuple
    Diagnostics errors = passes::tuples_to_values(flat);
    if (!errors.empty()) return tl::unexpected(std::move(errors));
    return check(flat, inputs, asked, context);
  }
  return Check(module, inputs, poisoned(asked), context).run();
}

namespace {

Result<simulation::Tensor> random_input(Random& random, const ir::Type& type) {
  if (!ir::is_float(type.element())) return random_tensor(random, type);
  std::vector<double> values(static_cast<std::size_t>(type.num_elements()));
  for (double& value : values) value = static_cast<double>(random.between(-4096, 4095)) / 4096;
  return simulation::Tensor::from_doubles(type, values);
}

}  // namespace

Result<simulation::Tensors> random_inputs(const Module& module, uint64_t seed) {
  const std::optional<OpId> main = module.main_function();
  if (!main || module.is_external(*main)) return tl::unexpected(no_main(module));
  SHARDY_TRY_STATUS(simulation::expect_runnable_arguments(module, *main));
  Random random(seed);
  simulation::Tensors inputs;
  for (const ValueId arg : module.args(module.entry(*main))) {
    SHARDY_TRY(simulation::Tensor input, random_input(random, module.type(arg)));
    inputs.push_back(std::move(input));
  }
  return inputs;
}

// The outcome of a check as text.

namespace {

/// A bound of at least this share of a result's largest element is reported as loose, because it
/// could hide a missing summand.
constexpr double kLoose = 0.05;

std::string mismatch_text(const ResultCheck& result) {
  return fmt::format("{} elements differ, the first at position {}\n", result.difference.mismatches,
                     *result.difference.first_mismatch);
}

std::string result_text(std::size_t index, const ResultCheck& result) {
  const std::string text =
      fmt::format("result {}: {} (largest difference {:.3g}, allowed {:.3g})\n", index,
                  result.equal() ? "equal" : "DIFFERENT", result.difference.largest,
                  result.tolerance.allowed(result.difference.magnitude));
  return result.equal() ? text : text + "  " + mismatch_text(result);
}

/// Returns the note that the tolerance is so wide that other comparisons must decide; empty for
/// other tolerances.
std::string looseness_text(const CheckReport& report) {
  std::string text;
  for (std::size_t index = 0; index < report.results.size(); ++index) {
    const ResultCheck& result = report.results[index];
    const double magnitude = result.difference.magnitude;
    const double allowed = result.tolerance.allowed(magnitude);
    if (magnitude == 0 || allowed < kLoose * magnitude) continue;
    text += fmt::format("result {}: the bound is loose: {:.2g} of the largest element{}\n", index,
                        allowed / magnitude,
                        report.wide.done ? "; the run in f64 is more precise" : "");
  }
  return text;
}

std::string accuracy_text(const NumberCheck& wide) {
  std::string text;
  for (std::size_t index = 0; index < wide.accuracy.size(); ++index) {
    const Accuracy& accuracy = wide.accuracy[index];
    text += fmt::format("result {}: error {:.2g} sharded, {:.2g} unsharded, relative to f64\n",
                        index, accuracy.sharded, accuracy.unsharded);
  }
  return text;
}

std::string number_text(std::string_view name, const NumberCheck& check) {
  if (!check.impossible.empty()) return fmt::format("{}: not done: {}\n", name, check.impossible);
  if (!check.done) return {};
  if (check.equal()) {
    return check.smaller_sizes.empty()
               ? fmt::format("{}: equal\n", name)
               : fmt::format("{}: equal, with smaller dims: {}\n", name, check.smaller_sizes);
  }
  if (!check.failure.empty()) return fmt::format("{}: DIFFERENT: {}\n", name, check.failure);
  std::string text = fmt::format("{}: DIFFERENT\n", name);
  for (std::size_t index = 0; index < check.results.size(); ++index) {
    const ResultCheck& result = check.results[index];
    if (!result.equal()) text += fmt::format("  result {}: {}", index, mismatch_text(result));
  }
  return text;
}

std::string reducer_names() {
  std::string names;
  for (const ir::OpKind kind : ir::kReducers) {
    names.append(names.empty() ? "" : ", ").append(ir::info(kind).name);
  }
  return names;
}

std::string reducer_text(const CheckReport& report) {
  if (report.equal()) return {};
  std::string text;
  for (const Diagnostic& note : open_reducers(report.compiled.propagated)) {
    text += note.headline() + "\n";
  }
  return text;
}

/// Returns the number of values that a region of the op reduces; 0 for ops without reductions.
std::size_t num_reduced(const ir::Module& module, ir::OpId op) {
  switch (module.kind(op)) {
    case ir::OpKind::AllReduce:
    case ir::OpKind::Reduce:
    case ir::OpKind::ReduceScatter:
    case ir::OpKind::ReduceWindow:
    case ir::OpKind::Scatter:
      return module.num_results(op);
    default:
      return 0;
  }
}

}  // namespace

Diagnostics open_reducers(const ir::Module& module) {
  Diagnostics notes;
  for (const ir::OpId op : ir::pre_order(module)) {
    const std::size_t count = num_reduced(module, op);
    if (count == 0 || ir::recognized_reducers(module, op, count)) continue;
    notes.push_back({.message = fmt::format(
                         "{}: the reducer is not known to be a monoid ({}); if it is not "
                         "associative and commutative with the initial value as its identity, "
                         "StableHLO leaves the result open, and both runs are right",
                         module.name(op), reducer_names()),
                     .location = module.source_location(op),
                     .severity = Severity::Note});
  }
  return notes;
}

std::string comparison_text(const CheckReport& report) {
  std::string text;
  for (std::size_t index = 0; index < report.results.size(); ++index) {
    text += result_text(index, report.results[index]);
  }
  return text + looseness_text(report) + accuracy_text(report.wide) +
         number_text("in f64", report.wide) +
         number_text("exactly, over a prime field", report.exact) + reducer_text(report);
}

namespace {

/// Returns true for ops whose only purpose is a sharding.
bool is_annotation(OpKind kind) {
  return kind == OpKind::SdyShardingConstraint || kind == OpKind::SdyReshard ||
         kind == OpKind::SdyPropagationBarrier || ir::is_sdy_collective(kind);
}

Status drop_annotations(Module& module) {
  for (const OpId op : ir::post_order(module)) {
    if (module.is(op, OpKind::SdyManualComputation)) {
      return fail(
          "a program with manual computations is written for its shardings: it has no others");
    }
    if (module.is(op, OpKind::SdyShardingGroup)) {
      module.erase(op);
    } else if (is_annotation(module.kind(op))) {
      module.replace_all_uses(module.result(op), module.operand(op, 0));
      module.erase(op);
    }
  }
  return {};
}

/// Returns the mesh of the first result that has one.
Result<MeshRef> mesh_of(std::span<const simulation::WholeValue> results) {
  for (const simulation::WholeValue& each : results) {
    if (each.sharding) return each.sharding->mesh_ref();
  }
  return fail("no result has a sharding, so the mesh is unknown");
}

/// Shards the largest dim along the first axes of the mesh, as many as the dim allows.
TensorSharding by_largest_dim(const MeshRef& mesh, const ir::Type& type) {
  const std::span<const int64_t> dims = type.dims();
  std::vector<AxisList> axes(dims.size());
  if (!dims.empty()) {
    const auto largest = std::ranges::max_element(dims);
    int64_t room = *largest;
    AxisList& list = axes[static_cast<std::size_t>(largest - dims.begin())];
    for (int32_t axis = 0; axis < mesh.mesh.num_axes(); ++axis) {
      const int64_t size = mesh.mesh.axis_size(axis);
      if (size == 1 || size > room) continue;
      list.push_back({axis, 1, size});
      room /= size;
    }
  }
  return TensorSharding::closed(mesh, std::move(axes));
}

}  // namespace

Result<Module> sharded_by_rows(const Module& module,
                               std::span<const simulation::WholeValue> results) {
  SHARDY_TRY(const MeshRef mesh, mesh_of(results));
  Module other = module;
  const std::optional<OpId> main = other.main_function();
  if (!main) return fail("the program has no main function to run");
  SHARDY_TRY_STATUS(drop_annotations(other));
  passes::drop_shardings(other);
  const std::vector<ir::Type> arguments = other.arg_types(*main);
  for (std::size_t index = 0; index < arguments.size(); ++index) {
    if (!arguments[index].is_tensor()) continue;
    ir::set_arg_sharding(other, *main, index, by_largest_dim(mesh, arguments[index]));
  }
  for (std::size_t index = 0; index < results.size(); ++index) {
    if (!results[index].type.is_tensor()) continue;
    TensorSharding sharding =
        results[index].sharding
            ? *results[index].sharding
            : TensorSharding::closed(mesh,
                                     std::vector<AxisList>(results[index].type.dims().size()));
    if (!sharding.unreduced_axes().empty()) {
      return fail("result " + std::to_string(index) +
                  " is unreduced: its partial values are not reduced");
    }
    ir::set_result_sharding(other, *main, index, sharding);
  }
  return other;
}

}  // namespace shardy::checking
