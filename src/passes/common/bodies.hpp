// Bodies of manual and named computations: moved into functions, or into the place of their op.
#pragma once

#include <string_view>
#include <vector>

#include "passes/common/symbols.hpp"
#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/passes/pass.hpp"

namespace shardy::passes {

/// The manual computations, inner ones first, so that what becomes of them is seen around them.
std::vector<ir::OpId> manual_computations(const ir::Module& module);

/// The list of shardings that the attribute holds; none without it.
std::vector<TensorSharding> shardings_in(const ir::Module& module, ir::OpId op,
                                         std::string_view name);

/// Moves the body into a private function at the end, which returns what the body returned.
ir::OpId outline_body(ir::Module& module, ir::OpId computation, SymbolTable& symbols,
                      std::string_view name);

/// Replaces calls by the bodies of their functions, inner calls first, and erases private functions
/// that nothing calls any more. Calls with `inlineable = "false"` and functions with `no_inline`
/// stay, as do functions without a body of one block. Errors: a call of an unknown function,
/// recursion, more copies than call_copies.hpp allows.
PassErrors inline_calls(ir::Module& module);

/// The body takes the place of the computation. Requires: the same types inside and outside.
void inline_body(ir::Module& module, ir::OpId computation);

}  // namespace shardy::passes
