// True if two functions compute the same.
#pragma once

#include <cstddef>
#include <functional>

#include "shardy/ir/module.hpp"

namespace shardy::passes {

/// Both have equal types, and bodies with the same ops in the same order, however their values are
/// sharded. `same_callee(a, b)` says of two calls whether they call the same.
bool have_same_body(const ir::Module& module, ir::OpId a, ir::OpId b,
                    const std::function<bool(ir::OpId, ir::OpId)>& same_callee);

/// Bodies that are the same have one hash, whatever their calls call.
std::size_t hash_of_body(const ir::Module& module, ir::OpId function);

}  // namespace shardy::passes
