// Context of a pass: its options, rules of ops, and the receiver of diagnostics.
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

struct PassParts;
struct CollectiveRewrite;

/// How the passes of a pipeline reach what their layer may not include. All may be empty.
struct PassSinks {
  /// Is told what a pass says although it did its work.
  std::function<void(const Diagnostic&)> diagnose;
  /// Writes the text of a module to a file.
  std::function<Status(const std::string& path, const ir::Module&)> save;
  /// Receives each choice of a pass that costs less than the choice of the reference.
  std::function<void(const CollectiveRewrite&)> rewrite;
};

/// Context of a pass. Valid during the call of the pass only.
class PassContext {
 public:
  /// All of them must outlive the context. `parts`: null if none is replaced.
  PassContext(const OptionValues& options, const PassSinks& sinks, const rules::Registry& rules,
              const PassParts* parts = nullptr)
      : options_(options), sinks_(sinks), rules_(rules), parts_(parts) {}

  /// Where the rules of ops come from.
  const rules::Registry& rules() const { return rules_; }
  /// Choices of the caller's own; null: there are none.
  const PassParts* parts() const { return parts_; }
  /// Receivers of diagnostics, modules and rewrites.
  const PassSinks& sinks() const { return sinks_; }
  /// The values of the pass's options.
  const OptionValues& options() const { return options_; }
  /// The value of a Bool. Requires: an option of that name and type.
  bool flag(std::string_view name) const { return options_.flag(name); }
  /// The value of an Int. Requires: an option of that name and type.
  int64_t number(std::string_view name) const { return options_.number(name); }
  /// The value of a String or an Enum. Requires: an option of that name and type.
  const std::string& text(std::string_view name) const { return options_.text(name); }

  /// A warning at an op, or without a place. `remedy` says what to do about it; it becomes a note.
  void warn(const ir::Module& module, ir::OpId op, std::string message, std::string remedy);
  /// A warning without a place.
  void warn(std::string message, std::string remedy);
  /// Reports a remark.
  void remark(const ir::Module& module, ir::OpId op, std::string message);
  /// Hands a diagnostic to the sink, if there is one.
  void say(const Diagnostic& diagnostic);

  /// Saves the module as DIR/II.NAME.mlir, without II for an invalid index; does nothing without a
  /// directory. A failure is a warning. Spec: passes 3.2.
  void save_module(const ir::Module& module, const std::string& directory, const std::string& name,
                   std::optional<int64_t> index);

 private:
  const OptionValues& options_;
  const PassSinks& sinks_;
  const rules::Registry& rules_;
  const PassParts* parts_;
};

/// An error at an op, the form in which passes report what they cannot do.
inline Error error_at(const ir::Module& module, ir::OpId op, std::string message) {
  return {std::move(message), module.location_text(op), {}};
}

}  // namespace shardy::passes
