// Bodies: copies of ops with their regions, outlining into functions, inlining into the parent.
#pragma once

#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/passes/pass.hpp>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "passes/common/symbols.hpp"

namespace shardy::passes {

// ---- Copies of ops with their regions -----------------------------------------------------------

/// A map from original to copied values; never iterated.
using ValueMap = std::unordered_map<ir::ValueId, ir::ValueId>;

inline ir::ValueId mapped(const ValueMap& map, ir::ValueId value) {
  const auto found = map.find(value);
  return found == map.end() ? value : found->second;
}

/// Clones the op without inserting it into a block. Replaces the operands that `map` contains. Adds
/// results and block arguments of the copy to `map`.
ir::OpId clone_op(ir::Module& module, ir::OpId op, ValueMap& map);

/// Copies the ops of `from` to the end of `to`. Requires: `map` contains the arguments of `from`.
void clone_ops(ir::Module& module, ir::BlockId from, ir::BlockId to, ValueMap& map);

/// Clones an op of the module `from` into `module` without inserting it into a block. `map` maps
/// values of `from` to values of `module`. Requires: `map` contains all outer values that the op
/// uses, and each region has one block.
ir::OpId clone_op_into(ir::Module& module, const ir::Module& from, ir::OpId op, ValueMap& map);

/// Moves the ops of the first region of `op`, which has one block, into a new region for another
/// op.
ir::RegionId moved_body(ir::Module& module, ir::OpId op);

// ---- Bodies of manual and named computations, and of functions ----------------------------------

/// Returns the manual computations. Inner ones come first, so that they are rewritten before the
/// computations that contain them.
std::vector<ir::OpId> manual_computations(const ir::Module& module);

/// Returns the shardings of the list attribute; empty if the op does not have it.
std::vector<TensorSharding> shardings_in(const ir::Module& module, ir::OpId op,
                                         std::string_view name);

/// Moves the body into a private function with the results of the body, at the end of the module.
ir::OpId outline_body(ir::Module& module, ir::OpId computation, SymbolTable& symbols,
                      std::string_view name);

/// Replaces calls by the bodies of their functions, inner calls first, and erases private functions
/// without calls. Keeps calls with `inlineable = "false"`, functions with `no_inline`, and
/// functions whose body is not a single block. Errors: a call of an unknown function, recursion,
/// more copies than symbols.hpp allows.
Diagnostics inline_calls(ir::Module& module);

/// Replaces the computation by its body. Requires: types are equal inside and outside.
void inline_body(ir::Module& module, ir::OpId computation);

}  // namespace shardy::passes
