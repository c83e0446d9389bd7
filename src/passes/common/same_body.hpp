// Structural equality of function bodies.
#pragma once

#include <cstddef>
#include <functional>

#include "shardy/ir/module.hpp"

namespace shardy::passes {

/// Checks whether both functions have equal types and equal ops in the same order, ignoring
/// shardings. `same_callee(a, b)` decides whether two calls are equal.
bool have_same_body(const ir::Module& module, ir::OpId a, ir::OpId b,
                    const std::function<bool(ir::OpId, ir::OpId)>& same_callee);

/// Hashes a body so that equal bodies have equal hashes; callees of calls are ignored.
std::size_t hash_of_body(const ir::Module& module, ir::OpId function);

}  // namespace shardy::passes
