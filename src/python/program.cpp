#include "python/program.hpp"

#include <algorithm>
#include <iterator>
#include <mutex>

#include "report/program_analysis.hpp"
#include "shardy/checking/compile.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/partitioning/partition.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/resharding/cost.hpp"
#include "shardy/text/json.hpp"
#include "shardy/text/mlir.hpp"
#include "tools/files.hpp"

namespace shardy::python {

namespace {

/// Removes the line ends at the end of the text.
std::string without_end(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

bool is_no_error(const Diagnostic& diagnostic) { return diagnostic.severity != Severity::Error; }

}  // namespace

Refused::Refused(Error error) : text_(without_end(text::error_text({}, {}, {error}))) {
  if (text_.starts_with(':'))
    text_.erase(0, 1);  // the position is in a value rather than in a file
  diagnostics_.push_back(std::move(error));
}

/// Throws all diagnostics, warnings and notes before errors.
void PythonProgram::refuse(const tools::Source& source, Diagnostics diagnostics) {
  std::stable_partition(diagnostics.begin(), diagnostics.end(), is_no_error);
  diagnostics = tools::with_places(source, std::move(diagnostics));
  std::string text = without_end(text::error_text(source.path, source.text, diagnostics));
  throw Refused(std::move(diagnostics), std::move(text));
}

// ---- Text --------------------------------------------------------------------------------------

PythonProgram PythonProgram::parse(std::string text, std::string name, passes::ImportForm form) {
  if (text.starts_with(tools::kByteOrderMark)) text.erase(0, tools::kByteOrderMark.size());
  const auto format = tools::format_of_text(text, tools::format_of(name));
  if (!format) {
    throw Refused(with_prefix(name.empty() ? "the text " : name + " ", format.error()));
  }
  if (name.empty()) name = "<text>";
  const auto source = std::make_shared<const tools::Source>(
      tools::Source{std::move(name), std::move(text), *format});
  auto module = tools::parse_source(*source);
  if (!module) refuse(*source, module.error());
  const passes::ProgramMarks marks = passes::marks_of(*module);
  Diagnostics diagnostics;
  if (auto note = passes::enter_module(*module)) diagnostics.push_back(*std::move(note));
  const auto imported = passes::import_shardings(*module, form);
  if (!imported) refuse(*source, imported.error());
  if (const Status loaded = text::load_resources(*module); !loaded) {
    refuse(*source, {loaded.error()});
  }
  if (const std::string note = imported->note(); !note.empty()) {
    diagnostics.push_back({.message = note, .severity = Severity::Note});
  }
  return {*std::move(module), source, std::move(diagnostics), marks};
}

/// The names of a program, which are made only if the caller requests them.
struct PythonProgram::Names {
  std::once_flag once;
  std::optional<text::WrittenValues> values;
};

PythonProgram::PythonProgram(ir::Module module, SourcePtr source, Diagnostics diagnostics,
                             passes::ProgramMarks marks)
    : module_(std::make_shared<const ir::Module>(std::move(module))),
      source_(std::move(source)),
      diagnostics_(std::move(diagnostics)),
      marks_(marks),
      names_(std::make_shared<Names>()) {}

const text::WrittenValues& PythonProgram::names() const {
  std::call_once(names_->once, [&] { names_->values.emplace(*module_); });
  return *names_->values;
}

PythonProgram::PickledProgram PythonProgram::state() const {
  return {source_->path, text::to_mlir(*module_, {.locations = true, .names = true}), diagnostics_,
          marks_};
}

PythonProgram PythonProgram::of_state(PickledProgram state) {
  const auto source = std::make_shared<const tools::Source>(
      tools::Source{std::move(state.path), std::move(state.mlir), tools::Format::Mlir});
  auto module = tools::parse_source(*source);
  if (!module) refuse(*source, module.error());
  if (const Status loaded = text::load_resources(*module); !loaded) {
    refuse(*source, {loaded.error()});
  }
  return {*std::move(module), source, std::move(state.diagnostics), state.marks};
}

std::string PythonProgram::to_mlir() const { return text::to_mlir(*module_, {.names = true}); }

std::string PythonProgram::to_json() const {
  ir::Module module = *module_;
  passes::drop_marks(module, marks_);
  return text::to_json(module, {.names = true});
}

ir::OpId PythonProgram::main_function() const {
  const auto function = module_->main_function();
  if (!function || module_->is_external(*function)) {
    refuse(*source_, {ir::no_main_function(*module_, "the module has no main function")});
  }
  return *function;
}

// ---- Stages ------------------------------------------------------------------------------------

checking::CompileOptions PythonProgram::compile_options(const StageOptions& options) const {
  checking::CompileOptions compile;
  value_or_throw(parse_cost_model(options.axis_cost));
  compile.pipeline.exporting.resharding.axis_costs = options.axis_cost;
  compile.strict = options.strict;
  compile.limits = options.limits;
  return compile;
}

PythonProgram PythonProgram::annotate(const std::vector<report::Setting>& settings) const {
  ir::Module module = *module_;
  throw_error(report::annotate(module, settings));
  return {std::move(module), source_, {}, marks_};
}

PythonProgram PythonProgram::propagate(const StageOptions& options) const {
  ir::Module module = *module_;
  Diagnostics diagnostics;
  passes::PipelineHooks hooks;
  hooks.rules = &options.context.ops.rules;
  hooks.extensions = &options.context.extensions;
  hooks.sinks.diagnose = [&](const Diagnostic& each) { diagnostics.push_back(each); };
  passes::PipelineOptions pipeline = checking::CompileOptions().pipeline;
  pipeline.exporting.inline_meshes = false;
  Diagnostics errors = passes::run_pipeline(module, passes::built_in_passes(),
                                            passes::propagation_pipeline(pipeline), hooks);
  if (!errors.empty()) {
    diagnostics.insert(diagnostics.end(), errors.begin(), errors.end());
    refuse(*source_, std::move(diagnostics));
  }
  return {std::move(module), source_, std::move(diagnostics), marks_};
}

PythonProgram PythonProgram::partition(const StageOptions& options,
                                       const PartitionForm& form) const {
  checking::CompileOptions compile = compile_options(options);
  compile.partition.stablehlo = form.stablehlo;
  auto made = checking::compile(*module_, compile, options.context);
  if (!made) refuse(*source_, made.error());
  if (form.lowers_chlo) partitioning::lower_chlo(made->program);
  if (form.stablehlo) {
    for (Diagnostic& note : partitioning::notes_of_other_dialects(made->program)) {
      made->diagnostics.push_back(std::move(note));
    }
  }
  return {std::move(made->program), source_, std::move(made->diagnostics), marks_};
}

report::Report PythonProgram::report(const StageOptions& options) const {
  const CostModel model = value_or_throw(parse_cost_model(options.axis_cost));
  auto compiled = report::compile_for_report(*module_, compile_options(options), options.context);
  if (!compiled) refuse(*source_, compiled.error());
  return report::make_report(*compiled, model);
}

propagation::Explanation PythonProgram::explain(const StageOptions& options) const {
  auto explanation = report::explain(names(), compile_options(options), options.context);
  if (!explanation) refuse(*source_, explanation.error());
  return *std::move(explanation);
}

report::Hints PythonProgram::hints(const StageOptions& options, report::HintOptions asked) const {
  asked.compile = compile_options(options);
  asked.model = value_or_throw(parse_cost_model(options.axis_cost));
  auto hints = report::find_hints(*module_, asked, options.context);
  if (!hints) refuse(*source_, hints.error());
  return *std::move(hints);
}

/// Returns the options of a search with those of its stages. Throws Refused for a per-device
/// program.
autoshard::AutoshardOptions PythonProgram::search_options(const StageOptions& options,
                                                          autoshard::AutoshardOptions asked) const {
  if (report::is_one_per_device(*module_)) {
    refuse(*source_, {Error{.message = "the program is already a per-device program; search the "
                                       "program before partitioning"}});
  }
  asked.compile = compile_options(options);
  asked.model = value_or_throw(parse_cost_model(options.axis_cost));
  return asked;
}

autoshard::FoundSharding PythonProgram::autoshard(const StageOptions& options,
                                                  autoshard::AutoshardOptions asked) const {
  asked = search_options(options, std::move(asked));
  auto found = autoshard::autoshard(*module_, asked, options.context);
  if (!found) refuse(*source_, found.error());
  return *std::move(found);
}

std::vector<autoshard::FoundSharding> PythonProgram::autoshard_front(
    const StageOptions& options, std::size_t count, autoshard::AutoshardOptions asked) const {
  asked = search_options(options, std::move(asked));
  auto found = autoshard::front(*module_, count, asked, options.context);
  if (!found) refuse(*source_, found.error());
  return *std::move(found);
}

// ---- Runs --------------------------------------------------------------------------------------

/// Returns whether the program runs without partitioning: a per-device program on its devices, or a
/// program without meshes on one device.
bool PythonProgram::runs_as_written() const {
  return module_->meshes().empty() || simulation::is_per_device(*module_, main_function());
}

simulation::Tensors PythonProgram::run(const simulation::Tensors& inputs,
                                       const StageOptions& options,
                                       const simulation::RunOptions& run) const {
  const auto failed = [](const simulation::CheckOutcome& checks) {
    Diagnostics diagnostics;
    for (const simulation::FailedCheck& check : checks.failed) {
      diagnostics.push_back({.message = check.message, .location = check.location});
    }
    return diagnostics;
  };
  if (runs_as_written()) {
    simulation::RunOptions grid_run = run;
    const auto grid = simulation::process_grid(*module_);
    if (!grid) refuse(*source_, {grid.error()});
    if (module_->meshes().empty()) grid_run.grid = *grid;
    auto done =
        simulation::run_global(*module_, module_->symbol_name(main_function()), inputs, grid_run);
    if (!done) refuse(*source_, {done.error()});
    if (!done->checks.passed()) refuse(*source_, failed(done->checks));
    return std::move(done->outputs);
  }
  checking::CheckOptions check{.compile = compile_options(options), .run = run, .compare = false};
  auto done = checking::check(*module_, inputs, check, options.context);
  if (!done) refuse(*source_, done.error());
  if (!done->sharded.checks.passed()) refuse(*source_, failed(done->sharded.checks));
  return std::move(done->sharded.outputs);
}

checking::CheckReport PythonProgram::check(const simulation::Tensors& inputs,
                                           const CheckSettings& settings,
                                           std::stop_token cancel) const {
  main_function();
  checking::CheckOptions check{.compile = compile_options(settings.stages),
                               .run = {.cancel = std::move(cancel)},
                               .exact = settings.exact,
                               .wide = settings.wide,
                               .tolerance = settings.tolerance};
  auto done = checking::check(*module_, inputs, check, settings.stages.context);
  if (!done) refuse(*source_, done.error());
  return *std::move(done);
}

simulation::Tensors PythonProgram::random_inputs(uint64_t seed) const {
  main_function();
  auto inputs = checking::random_inputs(*module_, seed);
  if (!inputs) refuse(*source_, {inputs.error()});
  return *std::move(inputs);
}

}  // namespace shardy::python
