// Passes: named transformations of a module, with options and a registry.
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
  std::string name;                       // name in `name=value`
  OptionType type = OptionType::Bool;     // type of the value
  std::string default_value;              // text form of the default; empty: false, 0 or empty text
  std::string help;                       // help text, one sentence
  std::vector<std::string> choices = {};  // allowed values of an Enum
};

/// Values of all options of a pass, including defaults.
class OptionValues {
 public:
  /// Returns the value of a Bool option. Requires: an option of that name and type.
  bool flag(std::string_view name) const;
  /// Returns the value of an Int option. Requires: an option of that name and type.
  int64_t number(std::string_view name) const;
  /// Returns the value of a String or Enum option. Requires: an option of that name and type.
  const std::string& text(std::string_view name) const;
  /// Returns the items of a String option that is a comma-separated list. Requires: an option of
  /// that name and type.
  std::vector<std::string> list(std::string_view name) const;

  using OptionValue = std::variant<bool, int64_t, std::string>;  // value of an option
  /// Sets or replaces the value of an option.
  void set(std::string name, OptionValue value);

 private:
  template <typename T>
  const T& get(std::string_view name) const;

  std::map<std::string, OptionValue, std::less<>> values_;
};

/// Parses `a=b c='two words' d={x=1} flag`, the syntax of MLIR's pass options. An option without a
/// value is true. Errors: an undeclared option; a value of another type.
Result<OptionValues> parse_options(std::span<const PassOption> options, std::string_view text);

/// Returns the text of the option's type: `bool`, `int`, `string`, or the choices `a|b|c`.
std::string type_text(const PassOption& option);

// ---- The context of a pass ----------------------------------------------------------------------

struct Extensions;
struct CollectiveRewrite;
class KnownPlans;

/// Receivers of the output of passes. Each receiver may be empty.
struct PassSinks {
  /// Called with each diagnostic of passes that succeeded.
  std::function<void(const Diagnostic&)> diagnose;
  /// Called to write a module as text to the file `path`.
  std::function<Status(const std::string& path, const ir::Module&)> save;
  /// Called for each decision of a pass that costs less than the reference decision.
  std::function<void(const CollectiveRewrite&)> rewrite;
};

/// The context of a pass, valid only during the call of the pass.
class PassContext {
 public:
  /// Makes a context. All arguments must outlive the context. `extensions` has replacements by the
  /// caller, or is null. `limits` can end the pass early, or is null. `plans` has results of
  /// earlier searches, or is null.
  PassContext(const OptionValues& options, const PassSinks& sinks, const rules::Registry& rules,
              const Extensions* extensions = nullptr, LimitChecker* limits = nullptr,
              KnownPlans* plans = nullptr)
      : options_(options),
        sinks_(sinks),
        rules_(rules),
        extensions_(extensions),
        limits_(limits),
        plans_(plans) {}

  /// Returns the sharding rules of ops.
  const rules::Registry& rules() const { return rules_; }
  /// Returns the replacements by the caller, or null.
  const Extensions* extensions() const { return extensions_; }
  /// Returns the limits of the run of passes; null: none. A pass whose checks fail returns early,
  /// with or without errors; run_passes adds the error.
  LimitChecker* limits() const { return limits_; }
  /// Returns results of searches for plans that earlier passes and runs stored, or null.
  KnownPlans* plans() const { return plans_; }
  /// Returns the receivers of diagnostics, modules and rewrites.
  const PassSinks& sinks() const { return sinks_; }
  /// Returns the values of the pass's options.
  const OptionValues& options() const { return options_; }
  /// Returns the value of a Bool option. Requires: an option of that name and type.
  bool flag(std::string_view name) const { return options_.flag(name); }
  /// Returns the value of an Int option. Requires: an option of that name and type.
  int64_t number(std::string_view name) const { return options_.number(name); }
  /// Returns the value of a String or Enum option. Requires: an option of that name and type.
  const std::string& text(std::string_view name) const { return options_.text(name); }

  /// Reports a warning at an op. `remedy` is a note that explains how to fix the program.
  void warn(const ir::Module& module, ir::OpId op, std::string message, std::string remedy);
  /// Reports a warning without a location.
  void warn(std::string message, std::string remedy);
  /// Reports a remark at an op.
  void remark(const ir::Module& module, ir::OpId op, std::string message);
  /// Passes a diagnostic to the receiver, if one is set.
  void diagnose(const Diagnostic& diagnostic);

  /// Saves the module as DIRECTORY/II.NAME.mlir, where II is `index`; without an index as
  /// DIRECTORY/NAME.mlir. Does nothing if `directory` is empty. Failures are reported as warnings.
  /// Spec: passes 3.2.
  void save_module(const ir::Module& module, const std::string& directory, const std::string& name,
                   std::optional<int64_t> index);

 private:
  const OptionValues& options_;
  const PassSinks& sinks_;
  const rules::Registry& rules_;
  const Extensions* extensions_;
  LimitChecker* limits_;
  KnownPlans* plans_;
};

/// Returns an error at the location of an op.
inline Error error_at(const ir::Module& module, ir::OpId op, std::string message) {
  return {std::move(message), module.source_location(op), {}};
}

// ---- Passes and their registry ------------------------------------------------------------------

/// Kind of a pass. Function passes may occur in `func.func(...)` of a pipeline.
enum class PassKind : uint8_t { Module, Function };
/// Phase to which a pass belongs in tables and help texts.
enum class PassPhase : uint8_t { Common, Import, Propagation, Export, Pipeline };

/// Returns "module" or "function".
std::string_view to_string(PassKind kind);
/// Returns "common", "import", "propagation", "export" or "pipeline".
std::string_view to_string(PassPhase phase);

/// A call of a pass: its name and its options as text.
struct PassCall {
  std::string name;          // name or alias of the pass
  std::string options = {};  // options as `x=1 y=2`; empty: defaults

  friend bool operator==(const PassCall&, const PassCall&) = default;
};

/// Implementation of a pass, which transforms all functions of a module. Returns errors in program
/// order; empty on success.
using PassBody = std::function<Diagnostics(ir::Module&, PassContext&)>;

/// A transformation of a module. If Shardy has a pass of this name, options and behaviour are those
/// of Shardy.
struct Pass {
  std::string name;                       // name, such as `sdy-close-shardings`
  std::vector<std::string> aliases = {};  // alternative names
  std::string summary = {};               // one sentence, in lower case, without full stop
  PassPhase phase = PassPhase::Common;    // phase in tables and help texts
  PassKind kind = PassKind::Module;       // whether the pass may run in `func.func(...)`
  std::vector<PassOption> options = {};   // options in the order of help texts
  /// Runs a pass. Exactly one of `run` and `expand` is set: passes run, pipelines expand to passes.
  PassBody run = {};
  /// Returns the passes of a pipeline for the values of its options.
  std::function<std::vector<PassCall>(const OptionValues&)> expand = {};
  /// True for pipelines that the command line and tables do not list.
  bool is_hidden = false;
  /// Preconditions, which are checked before the pass runs. Their errors are errors of the pass.
  std::vector<Diagnostics (*)(const ir::Module&)> wants = {};
};

/// Returns a PassBody that calls a function without options.
PassBody body(Diagnostics (*run)(ir::Module&));

/// A registry of passes by name. A registry is a value; nothing is registered globally.
class PassRegistry {
 public:
  /// Adds a pass. Errors: a name or alias that is already registered; none or both of `run` and
  /// `expand`; an invalid default of an option.
  Status add(Pass pass);
  /// Returns the pass with this name or alias, or null.
  const Pass* find(std::string_view name) const;
  /// Returns all passes in the order of registration.
  std::span<const Pass> passes() const { return passes_; }

 private:
  std::vector<Pass> passes_;
};

}  // namespace shardy::passes
