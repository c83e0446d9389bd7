// Bodies of manual and named computations: outlining into functions, inlining into the parent.
#pragma once

#include <string_view>
#include <vector>

#include "passes/common/symbols.hpp"
#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/passes/pass.hpp"

namespace shardy::passes {

/// Returns the manual computations, inner ones first, so that outer ones contain the rewritten
/// ones.
std::vector<ir::OpId> manual_computations(const ir::Module& module);

/// Returns the shardings of the list attribute; empty without it.
std::vector<TensorSharding> shardings_in(const ir::Module& module, ir::OpId op,
                                         std::string_view name);

/// Moves the body into a private function at the end of the module, with the same results.
ir::OpId outline_body(ir::Module& module, ir::OpId computation, SymbolTable& symbols,
                      std::string_view name);

/// Replaces calls by the bodies of their functions, inner calls first, and erases private functions
/// without calls. Calls with `inlineable = "false"`, functions with `no_inline` and functions
/// without a body of one block stay. Errors: a call of an unknown function, recursion, more copies
/// than call_copies.hpp allows.
PassErrors inline_calls(ir::Module& module);

/// Replaces the computation by its body. Requires: equal types inside and outside.
void inline_body(ir::Module& module, ir::OpId computation);

}  // namespace shardy::passes
