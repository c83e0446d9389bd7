// Running passes in sequence, and the text form of pipelines.
#pragma once

#include <functional>
#include <shardy/passes/pass.hpp>
#include <span>
#include <string_view>
#include <vector>

namespace shardy::passes {

/// A pass with the values of its options.
struct PlannedPass {
  const Pass* pass = nullptr;  // owned by the registry, which must outlive this
  OptionValues options;        // with defaults
};

/// Resolves calls to passes and expands pipelines. Errors: unknown passes and options, pipelines
/// that contain themselves.
Result<std::vector<PlannedPass>> plan_passes(const PassRegistry& registry,
                                             std::span<const PassCall> calls);

/// Hooks of a run of passes.
struct PipelineHooks {
  PassSinks sinks = {};  // receivers of the output of passes
  /// Sharding rules of ops for all passes; null: the built-in ones. Must outlive the run.
  const rules::Registry* rules = nullptr;
  /// The caller's replacements for all passes; null: none. Must outlive the run.
  const Extensions* extensions = nullptr;
  /// Called before each pass.
  std::function<void(const Pass&, const ir::Module&)> before = {};
  /// Called after each pass. Its errors end the run like those of a pass.
  std::function<PassErrors(const Pass&, const ir::Module&)> after = {};
};

/// Runs the passes in order and stops after the first one with errors. Requires: passes, none of
/// which is a pipeline.
PassErrors run_passes(ir::Module& module, std::span<const PlannedPass> passes,
                      const PipelineHooks& hooks = {});

/// Resolves the calls and runs the passes. Errors: those of plan_passes, those of the first failing
/// pass.
PassErrors run_pipeline(ir::Module& module, const PassRegistry& registry,
                        std::span<const PassCall> calls, const PipelineHooks& hooks = {});

/// Parses `builtin.module(sdy-a{x=1 y=2},func.func(sdy-b))` to the passes in order. Errors: invalid
/// syntax, unknown passes, module passes in `func.func`.
Result<std::vector<PassCall>> parse_pipeline(const PassRegistry& registry, std::string_view text);

}  // namespace shardy::passes
