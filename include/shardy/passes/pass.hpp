// Passes: named changes of a module, looked up in a registry and run in pipelines.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shardy/ir/module.hpp"
#include "shardy/support/result.hpp"

namespace shardy::passes {

/// Errors of a pass, in program order; empty when it did its work.
using PassErrors = std::vector<Error>;

/// A change of a module. Name and behaviour are those of Shardy's pass `sdy-<name>`.
struct Pass {
  std::string name;
  std::string summary;  // one sentence for the help text
  std::function<PassErrors(ir::Module&)> run;
};

/// The passes a caller can name. A value: nothing is registered process-wide.
class PassRegistry {
 public:
  /// Errors: a second pass of that name.
  Status add(Pass pass);
  const Pass* find(std::string_view name) const;
  std::span<const Pass> passes() const { return passes_; }

 private:
  std::vector<Pass> passes_;
};

/// Called after each pass of a pipeline.
using AfterPass = std::function<void(const Pass&, const ir::Module&)>;

/// Runs the passes in order and stops after the first that has errors. Errors: an unknown name,
/// those of the pass.
PassErrors run_pipeline(ir::Module& module, const PassRegistry& registry,
                        std::span<const std::string> names, const AfterPass& after = {});

}  // namespace shardy::passes
