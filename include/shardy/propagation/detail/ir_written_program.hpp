// The program as it was written, for reports about a module that passes have changed since.
#pragma once

#include <functional>
#include <optional>
#include <shardy/ir/module.hpp>
#include <string>
#include <vector>

namespace shardy::propagation {

/// Marks every op, so that WrittenProgram can find the origin of the op and of its copies.
void mark_origins(ir::Module& module);

/// A program as the user wrote it. Finds the origins in it of ops and values of a module that was
/// a copy of it, was marked, and has been changed by passes.
class WrittenProgram {
 public:
  /// Names a value of the program.
  using Names = std::function<std::string(ir::ValueId)>;

  WrittenProgram(ir::Module module, Names names);

  const ir::Module& module() const { return module_; }
  std::string name(ir::ValueId written) const { return names_(written); }

  /// std::nullopt for ops that passes created. A named computation comes from a call, its arguments
  /// from those of the callee.
  std::optional<ir::OpId> origin(const ir::Module& changed, ir::OpId op) const;
  std::optional<ir::ValueId> origin(const ir::Module& changed, ir::ValueId value) const;

  /// Returns the function that `written` is or is in; invalid without one.
  ir::OpId function_around(ir::OpId written) const { return functions_[written.index()]; }
  /// Its name, without @; empty if there is none.
  std::string function_of(ir::OpId written) const;

 private:
  std::optional<ir::ValueId> argument(ir::OpId written, const ir::Module& changed,
                                      const ir::ValueOwner& owner) const;

  ir::Module module_;
  Names names_;
  std::vector<ir::OpId> functions_;  // around each op
};

}  // namespace shardy::propagation
