// Names of the ops that draw random numbers from a hidden state. Spec: partitioning 8.20.
#pragma once

#include <string>
#include <unordered_map>

#include "shardy/ir/module.hpp"

namespace shardy::ir {

/// The names of all stablehlo.rng ops of a module and of all calls. The name of a draw in a callee
/// includes the name of the call. A name is the attribute kDrawAttr if the op has one. Otherwise
/// the name consists of the function and the number of the op among the draws and calls of the
/// function. Names depend neither on locations nor on the text form of the program.
class DrawNames {
 public:
  /// Finds no names if the module has no stablehlo.rng. Cost: linear in the module.
  explicit DrawNames(const Module& module);

  /// Requires: `op` is a draw or a call of the module, and the module has draws.
  const std::string& of(OpId op) const { return names_.at(op); }

 private:
  friend void name_draws(Module& module);

  std::unordered_map<OpId, std::string> names_;
};

/// Stores the names as attributes of the ops, which passes keep.
void name_draws(Module& module);
/// Returns whether a draw of the module has no attribute with its name.
bool has_unnamed_draws(const Module& module);

}  // namespace shardy::ir
