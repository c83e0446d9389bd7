#include "report/explained.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "shardy/passes/pipeline.hpp"
#include "shardy/passes/pipelines.hpp"
#include "shardy/propagation/ir_adapter.hpp"

namespace shardy::report {

using ir::Module;
using ir::ValueId;
using propagation::Explanation;

namespace {

/// The passes before propagation, as compile runs them.
std::vector<passes::PassCall> calls_before_propagation(const checking::CompileOptions& options) {
  passes::PipelineOptions pipeline = options.pipeline;
  pipeline.importing.composites_to_calls = true;
  std::vector<passes::PassCall> calls = passes::propagation_pipeline(pipeline);
  const auto propagation =
      std::ranges::find(calls, "sdy-user-priority-propagate", &passes::PassCall::name);
  calls.erase(propagation, calls.end());
  return calls;
}

}  // namespace

tl::expected<Explanation, Diagnostics> explain(const text::WrittenValues& names,
                                               const checking::CompileOptions& options,
                                               const checking::Context& context) {
  Module module = names.module();
  const propagation::WrittenProgram written(module, [&](ValueId value) { return names(value); });
  propagation::mark_origins(module);
  passes::PipelineHooks hooks;
  hooks.rules = &context.ops.rules;
  hooks.parts = &context.parts;
  const Result<passes::PassRegistry> all = context.all_passes();
  if (!all) return tl::unexpected(Diagnostics{all.error()});
  Diagnostics errors = passes::run_pipeline(module, *all, calls_before_propagation(options), hooks);
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  propagation::Explainer explainer(module, written);
  const auto done = propagation::propagate(
      module, {.registry = &context.ops.rules, .parts = &context.parts.propagation}, explainer);
  if (!done) return tl::unexpected(Diagnostics{done.error()});
  return explainer.explanation();
}

}  // namespace shardy::report
