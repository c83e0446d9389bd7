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

/// A program as the user wrote it. Finds the origins of ops and values of a module that started as
/// a marked copy of it and was changed by passes.
class WrittenProgram {
 public:
  /// Names a value of the program.
  using Names = std::function<std::string(ir::ValueId)>;

  WrittenProgram(ir::Module module, Names names);

  const ir::Module& module() const { return module_; }
  std::string name(ir::ValueId written) const { return names_(written); }

  /// Returns std::nullopt for ops that passes created. The origin of a named computation is a call,
  /// that of its arguments are those of the callee.
  std::optional<ir::OpId> origin(const ir::Module& changed, ir::OpId op) const;
  std::optional<ir::ValueId> origin(const ir::Module& changed, ir::ValueId value) const;

  /// Returns `written` if it is a function, else the enclosing function; invalid without one.
  ir::OpId function_around(ir::OpId written) const { return functions_[written.index()]; }
  /// Returns the name of this function without @; empty without one.
  std::string function_of(ir::OpId written) const;

 private:
  std::optional<ir::ValueId> argument(ir::OpId written, const ir::Module& changed,
                                      const ir::ValueOwner& owner) const;

  ir::Module module_;
  Names names_;
  std::vector<ir::OpId> functions_;  // around each op
};

}  // namespace shardy::propagation
