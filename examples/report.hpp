// What the model examples print.
#pragma once

#include <shardy/ir/module.hpp>
#include <shardy/support/result.hpp>
#include <string_view>

namespace examples {

/// Runs the model on all devices of its mesh and on one, says how they compare and what was
/// communicated. Returns the exit status.
int report(std::string_view name, const shardy::Result<shardy::ir::Module>& model);

}  // namespace examples
