// Passes: named transformations of a module, and their registry.
#pragma once

#include <cstdint>
#include <functional>
#include <shardy/ir/module.hpp>
#include <shardy/passes/pass_context.hpp>
#include <shardy/passes/pass_options.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardy::passes {

/// Errors of a pass, in program order; empty on success.
using PassErrors = Diagnostics;

/// Function passes are allowed in `func.func(...)` of a pipeline.
enum class PassKind : uint8_t { Module, Function };
/// Phase of a pass, for tables and help texts.
enum class PassPhase : uint8_t { Common, Import, Propagation, Export, Pipeline };

/// Returns "module" or "function".
std::string_view to_string(PassKind kind);
/// Returns "common", "import", "propagation", "export" or "pipeline".
std::string_view to_string(PassPhase phase);

/// A pass by name, with its options as text.
struct PassCall {
  std::string name;          // name or alias of a pass
  std::string options = {};  // as `x=1 y=2`; empty: defaults

  friend bool operator==(const PassCall&, const PassCall&) = default;
};

/// Implementation of a pass; transforms all functions of the module.
using PassBody = std::function<PassErrors(ir::Module&, PassContext&)>;

/// A transformation of a module. Name, options and behaviour are those of Shardy's pass of that
/// name.
struct Pass {
  std::string name;                       // `sdy-close-shardings`
  std::vector<std::string> aliases = {};  // alternative names
  std::string summary = {};               // one sentence, in lower case, without full stop
  PassPhase phase = PassPhase::Common;    // for tables and help texts
  PassKind kind = PassKind::Module;       // kind of op it runs on
  std::vector<PassOption> options = {};   // in the order of help texts
  /// Exactly one of run and expand is set: a pass runs, a pipeline expands to other passes.
  PassBody run = {};
  /// Returns the passes of a pipeline for the values of its options.
  std::function<std::vector<PassCall>(const OptionValues&)> expand = {};
  /// Only for pipelines: neither on the command line nor in tables.
  bool is_hidden = false;
  /// Preconditions, checked before the pass runs; their errors are errors of the pass.
  std::vector<PassErrors (*)(const ir::Module&)> wants = {};
};

/// Adapts a function without options.
PassBody body(PassErrors (*run)(ir::Module&));

/// A registry of passes by name. A value: nothing is registered process-wide.
class PassRegistry {
 public:
  /// Adds a pass. Errors: a name or alias that exists, not exactly one of run and expand, an
  /// invalid default of an option.
  Status add(Pass pass);
  /// Returns the pass with that name or alias; null if there is none.
  const Pass* find(std::string_view name) const;
  /// Returns all passes in the order of registration.
  std::span<const Pass> passes() const { return passes_; }

 private:
  std::vector<Pass> passes_;
};

}  // namespace shardy::passes
