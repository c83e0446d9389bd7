// Passes: named transformations of a module, their options, their inputs, their registry.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <shardy/ir/module.hpp>
#include <shardy/rules/registry.hpp>
#include <shardy/support/limits.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace shardy::passes {

// ---- Options: declarations and values -----------------------------------------------------------

/// Type of an option's values.
enum class OptionType : uint8_t { Bool, Int, String, Enum };

/// Declaration of an option.
struct PassOption {
  std::string name;                       // as in `name=value`
  OptionType type = OptionType::Bool;     // type of its values
  std::string default_value;              // in text form; empty: false, 0, empty text
  std::string help;                       // one sentence
  std::vector<std::string> choices = {};  // values of an Enum
};

/// Values of all options of a pass, with defaults.
class OptionValues {
 public:
  /// Returns the value of a Bool. Requires: an option of that name and type.
  bool flag(std::string_view name) const;
  /// Returns the value of an Int. Requires: an option of that name and type.
  int64_t number(std::string_view name) const;
  /// Returns the value of a String or an Enum. Requires: an option of that name and type.
  const std::string& text(std::string_view name) const;
  /// Returns the comma-separated items of a String. Requires: an option of that name and type.
  std::vector<std::string> list(std::string_view name) const;

  using Value = std::variant<bool, int64_t, std::string>;  // value of an option
  /// Sets or replaces the value of an option.
  void set(std::string name, Value value);

 private:
  template <typename T>
  const T& get(std::string_view name) const;

  std::map<std::string, Value, std::less<>> values_;
};

/// Parses `a=b c='two words' d={x=1} flag`, the syntax of MLIR's pass options; an option without a
/// value is true. Errors: an undeclared option, a value of another type.
Result<OptionValues> parse_options(std::span<const PassOption> options, std::string_view text);

/// Returns `bool`, `int`, `string`, or the choices: `a|b|c`.
std::string type_text(const PassOption& option);

// ---- The context of a pass ----------------------------------------------------------------------

struct Extensions;
struct CollectiveRewrite;

/// Receivers of the output of passes. Each may be empty.
struct PassSinks {
  /// Receives the diagnostics of passes that succeeded.
  std::function<void(const Diagnostic&)> diagnose;
  /// Writes a module as text to a file.
  std::function<Status(const std::string& path, const ir::Module&)> save;
  /// Receives each decision of a pass that costs less than that of the reference.
  std::function<void(const CollectiveRewrite&)> rewrite;
};

/// Context of a pass. Valid only during the call of the pass.
class PassContext {
 public:
  /// All arguments must outlive the context. `extensions`: the caller's replacements; null: none.
  /// `limits`: null if nothing ends the pass early.
  PassContext(const OptionValues& options, const PassSinks& sinks, const rules::Registry& rules,
              const Extensions* extensions = nullptr, LimitChecker* limits = nullptr)
      : options_(options), sinks_(sinks), rules_(rules), extensions_(extensions), limits_(limits) {}

  /// Returns the sharding rules of ops.
  const rules::Registry& rules() const { return rules_; }
  /// Returns the caller's replacements; null: none.
  const Extensions* extensions() const { return extensions_; }
  /// Returns the limits of the run of passes; null: none. A pass whose checks fail returns early,
  /// with or without errors; run_passes adds the error.
  LimitChecker* limits() const { return limits_; }
  /// Returns the receivers of diagnostics, modules and rewrites.
  const PassSinks& sinks() const { return sinks_; }
  /// Returns the values of the pass's options.
  const OptionValues& options() const { return options_; }
  /// Returns the value of a Bool. Requires: an option of that name and type.
  bool flag(std::string_view name) const { return options_.flag(name); }
  /// Returns the value of an Int. Requires: an option of that name and type.
  int64_t number(std::string_view name) const { return options_.number(name); }
  /// Returns the value of a String or an Enum. Requires: an option of that name and type.
  const std::string& text(std::string_view name) const { return options_.text(name); }

  /// Reports a warning at an op. `remedy`: how to fix it; it becomes a note.
  void warn(const ir::Module& module, ir::OpId op, std::string message, std::string remedy);
  /// Reports a warning without a location.
  void warn(std::string message, std::string remedy);
  /// Reports a remark at an op.
  void remark(const ir::Module& module, ir::OpId op, std::string message);
  /// Passes a diagnostic to the receiver, if there is one.
  void diagnose(const Diagnostic& diagnostic);

  /// Saves the module as DIR/II.NAME.mlir, without II for std::nullopt. Does nothing without a
  /// directory. Failures are reported as warnings. Spec: passes 3.2.
  void save_module(const ir::Module& module, const std::string& directory, const std::string& name,
                   std::optional<int64_t> index);

 private:
  const OptionValues& options_;
  const PassSinks& sinks_;
  const rules::Registry& rules_;
  const Extensions* extensions_;
  LimitChecker* limits_;
};

/// Returns an error at an op.
inline Error error_at(const ir::Module& module, ir::OpId op, std::string message) {
  return {std::move(message), module.source_location(op), {}};
}

// ---- Passes and their registry ------------------------------------------------------------------

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

/// Implementation of a pass; transforms all functions of the module. Returns the errors in program
/// order; empty on success.
using PassBody = std::function<Diagnostics(ir::Module&, PassContext&)>;

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
  std::vector<Diagnostics (*)(const ir::Module&)> wants = {};
};

/// Adapts a function without options.
PassBody body(Diagnostics (*run)(ir::Module&));

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
