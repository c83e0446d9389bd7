// Passes: named changes of a module, and the registry in which they are looked up.
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

/// Errors of a pass, in program order; empty when it did its work.
using PassErrors = Diagnostics;

/// A function pass may stand inside `func.func(...)` of a pipeline.
enum class PassKind : uint8_t { Module, Function };
/// The stage that a pass belongs to, for tables and help texts.
enum class PassPhase : uint8_t { Common, Import, Propagation, Export, Pipeline };

/// "module", "function".
std::string_view to_string(PassKind kind);
/// "common", "import", "propagation", "export", "pipeline".
std::string_view to_string(PassPhase phase);

/// A pass by name, with its options as text.
struct PassCall {
  std::string name;          // name or alias of a pass
  std::string options = {};  // as `x=1 y=2`; empty: the defaults

  friend bool operator==(const PassCall&, const PassCall&) = default;
};

/// Does the work, on all functions of the module.
using PassBody = std::function<PassErrors(ir::Module&, PassContext&)>;

/// A change of a module. Name, options and behaviour are those of Shardy's pass of that name.
struct Pass {
  std::string name;                       // `sdy-close-shardings`
  std::vector<std::string> aliases = {};  // other names that it has or had
  std::string summary = {};               // one sentence, small letter first, no full stop
  PassPhase phase = PassPhase::Common;    // the stage that it belongs to
  PassKind kind = PassKind::Module;       // what it runs on
  std::vector<PassOption> options = {};   // that it takes, in the order of help texts
  /// Exactly one of the two: a pass runs, a pipeline is other passes.
  PassBody run = {};
  /// The passes that a pipeline is made of, for the values of its options.
  std::function<std::vector<PassCall>(const OptionValues&)> expand = {};
  /// Only for pipelines: not offered on the command line, not in tables.
  bool is_hidden = false;
  /// Asked before the pass runs; errors are those of the pass.
  std::vector<PassErrors (*)(const ir::Module&)> wants = {};
};

/// A body that needs no options.
PassBody body(PassErrors (*run)(ir::Module&));

/// The passes a caller can name. A value: nothing is registered process-wide.
class PassRegistry {
 public:
  /// Errors: the name or an alias is taken, not exactly one of run and expand, a default that its
  /// option does not take.
  Status add(Pass pass);
  /// By name or alias; null if there is none.
  const Pass* find(std::string_view name) const;
  /// All passes, in the order in which they were added.
  std::span<const Pass> passes() const { return passes_; }

 private:
  std::vector<Pass> passes_;
};

}  // namespace shardy::passes
