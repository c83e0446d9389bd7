// Context of a pass: its options, sharding rules of ops, and receivers of its output.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <shardy/ir/module.hpp>
#include <shardy/passes/pass_options.hpp>
#include <shardy/rules/registry.hpp>
#include <shardy/support/result.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace shardy::passes {

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
  PassContext(const OptionValues& options, const PassSinks& sinks, const rules::Registry& rules,
              const Extensions* extensions = nullptr)
      : options_(options), sinks_(sinks), rules_(rules), extensions_(extensions) {}

  /// Returns the sharding rules of ops.
  const rules::Registry& rules() const { return rules_; }
  /// Returns the caller's replacements; null: none.
  const Extensions* extensions() const { return extensions_; }
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
  void say(const Diagnostic& diagnostic);

  /// Saves the module as DIR/II.NAME.mlir, without II for std::nullopt. Does nothing without a
  /// directory. Failures are reported as warnings. Spec: passes 3.2.
  void save_module(const ir::Module& module, const std::string& directory, const std::string& name,
                   std::optional<int64_t> index);

 private:
  const OptionValues& options_;
  const PassSinks& sinks_;
  const rules::Registry& rules_;
  const Extensions* extensions_;
};

/// Returns an error at an op.
inline Error error_at(const ir::Module& module, ir::OpId op, std::string message) {
  return {std::move(message), module.location_text(op), {}};
}

}  // namespace shardy::passes
