// Names of the ops that draw from a hidden state. Spec: partitioning 8.20.
#pragma once

#include <string>
#include <unordered_map>

#include "shardy/ir/module.hpp"

namespace shardy::ir {

/// The names of each stablehlo.rng of a module and of each call; the name of a draw in a callee
/// includes that of the call. A name is the attribute kDrawAttr, else the function and the number
/// of the op among those of the function: it depends neither on locations nor on the form of the
/// text.
class DrawNames {
 public:
  /// Empty for a module without stablehlo.rng. Cost: linear in the module.
  explicit DrawNames(const Module& module);

  /// Requires: an op of the module that draws or calls, and a module with draws.
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
