// The original program, for reports about a module that passes have changed since.
#pragma once

#include <functional>
#include <optional>
#include <shardy/ir/module.hpp>
#include <string>
#include <vector>

namespace shardy::propagation {

/// Marks every op with its index, so that WrittenProgram can find the origin of the op and of its
/// copies.
void mark_origins(ir::Module& module);

/// The program before any pass. WrittenProgram finds the original ops and values for the ops and
/// values of `changed`, a marked copy of the program that passes have changed.
class WrittenProgram {
 public:
  /// Returns the name of a value of the original program.
  using ValueNamer = std::function<std::string(ir::ValueId)>;

  WrittenProgram(ir::Module module, ValueNamer names);

  const ir::Module& module() const { return module_; }
  std::string name(ir::ValueId written) const { return names_(written); }

  /// Returns the original op of `op`; std::nullopt if a pass created `op`. The original of a named
  /// computation is a call; the originals of its block arguments are the callee's arguments.
  std::optional<ir::OpId> origin(const ir::Module& changed, ir::OpId op) const;
  std::optional<ir::ValueId> origin(const ir::Module& changed, ir::ValueId value) const;

  /// Returns `written` if it is a function, else the function that contains it; invalid if no
  /// function does.
  ir::OpId function_around(ir::OpId written) const { return functions_[written.index()]; }
  /// Returns the name, without `@`, of the function that contains `written`; empty if no function
  /// does.
  std::string function_of(ir::OpId written) const;

 private:
  std::optional<ir::ValueId> argument(ir::OpId written, const ir::Module& changed,
                                      const ir::ValueOwner& owner) const;

  ir::Module module_;
  ValueNamer names_;
  std::vector<ir::OpId> functions_;  // enclosing function of each op
};

}  // namespace shardy::propagation
