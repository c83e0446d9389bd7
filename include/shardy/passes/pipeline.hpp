// Running passes one after the other, and the text of pipelines.
#pragma once

#include <functional>
#include <shardy/passes/pass.hpp>
#include <span>
#include <string_view>
#include <vector>

namespace shardy::passes {

/// A pass with the values of its options. The pass belongs to the registry.
struct PlannedPass {
  const Pass* pass = nullptr;  // of the registry, which must outlive it
  OptionValues options;        // defaults filled in
};

/// The passes of the calls, pipelines replaced by what they consist of. Errors: unknown passes and
/// options, pipelines that contain themselves.
Result<std::vector<PlannedPass>> plan_passes(const PassRegistry& registry,
                                             std::span<const PassCall> calls);

/// Hooks of a run of passes.
struct PipelineHooks {
  PassSinks sinks = {};  // where passes say and save things
  /// Where all passes take the rules of ops from; null: the built-in ones. It must outlive the run.
  const rules::Registry* rules = nullptr;
  /// Choices of the caller's own, of all passes; null: none. It must outlive the run.
  const PassParts* parts = nullptr;
  /// Called before each pass.
  std::function<void(const Pass&, const ir::Module&)> before = {};
  /// Its errors end the pipeline like those of a pass.
  std::function<PassErrors(const Pass&, const ir::Module&)> after = {};
};

/// Runs the passes in order and stops after the first that has errors. Requires: passes, none of
/// which is a pipeline.
PassErrors run_passes(ir::Module& module, std::span<const PlannedPass> passes,
                      const PipelineHooks& hooks = {});

/// Both in one. Errors: those of plan_passes, those of the pass.
PassErrors run_pipeline(ir::Module& module, const PassRegistry& registry,
                        std::span<const PassCall> calls, const PipelineHooks& hooks = {});

/// `builtin.module(sdy-a{x=1 y=2},func.func(sdy-b))`: the passes in order. Errors: text of another
/// form, unknown passes, passes of modules inside `func.func`.
Result<std::vector<PassCall>> parse_pipeline(const PassRegistry& registry, std::string_view text);

}  // namespace shardy::passes
