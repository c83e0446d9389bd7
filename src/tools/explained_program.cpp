#include "tools/explained_program.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "shardy/passes/built_in.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/propagation/ir_adapter.hpp"
#include "shardy/text/json.hpp"
#include "shardy/text/mlir.hpp"

namespace shardy::tools {

namespace {

/// The passes that `shardy propagate` runs before propagation.
std::vector<passes::PassCall> import_calls(const CommandOptions& options) {
  std::vector<passes::PassCall> calls =
      passes::propagation_pipeline(options.stages.compile.pipeline);
  const auto propagation =
      std::ranges::find(calls, "sdy-user-priority-propagate", &passes::PassCall::name);
  calls.erase(propagation, calls.end());
  return calls;
}

tl::expected<ir::Module, Diagnostics> read_named_program(Source& source,
                                                         text::WrittenNames& names) {
  if (Status status = read_source(source); !status) {
    return tl::unexpected(Diagnostics{std::move(status).error()});
  }
  if (source.format == Format::Json) return text::parse_json(source.text, {.names = &names});
  return text::parse_mlir(source.text, {.names = &names});
}

}  // namespace

std::optional<ExplainedProgram> explain_program(Source& source, Reporter& reporter,
                                                const CommandOptions& options) {
  const auto refuse = [&](const Diagnostics& said) {
    reporter.refuse(said);
    return std::nullopt;
  };
  text::WrittenNames read_names;
  auto module = read_named_program(source, read_names);
  if (!module) return refuse(module.error());
  if (!reporter.import(*module, options.import_form)) return std::nullopt;
  ExplainedProgram program{*module, {*module, std::move(read_names)}, {}};
  const propagation::WrittenProgram written(
      program.original, [&](ir::ValueId value) { return program.names(value); });
  propagation::mark_origins(*module);
  passes::PipelineHooks hooks;
  hooks.sinks.diagnose = [&](const Diagnostic& said) { reporter.say({said}); };
  hooks.rules = &options.context.ops.rules;
  hooks.parts = &options.context.parts;
  const Diagnostics errors =
      passes::run_pipeline(*module, passes::built_in_passes(), import_calls(options), hooks);
  if (!errors.empty()) return refuse(errors);
  propagation::Explainer explainer(*module, written);
  const auto report = propagation::propagate(
      *module,
      {.registry = &options.context.ops.rules, .parts = &options.context.parts.propagation},
      explainer);
  if (!report) return refuse({report.error()});
  // Ops without a rule are part of the answer.
  const Diagnostics& warnings = report->diagnostics;
  const auto last = warnings.begin() + static_cast<std::ptrdiff_t>(report->num_group_warnings);
  reporter.say({warnings.begin(), last});
  program.explanation = explainer.explanation();
  program.num_steps = report->num_steps;
  return program;
}

}  // namespace shardy::tools
