// The output that the model examples share.
#pragma once

#include <shardy/ir/module.hpp>
#include <shardy/support/result.hpp>
#include <string_view>

namespace examples {

/// Runs the model on all devices of its mesh and unsharded. Prints the comparison and the
/// collectives. Returns the exit status.
int report(std::string_view name, const shardy::Result<shardy::ir::Module>& model);

}  // namespace examples
