// Costs of axes that no mesh has.
#pragma once

#include <string>

#include "shardy/ir/module.hpp"
#include "shardy/support/diagnostic.hpp"

namespace shardy::checking {

/// A warning for each axis that `costs`, as parse_cost_model reads it, names and that is in no
/// mesh, neither of the program as it was `given` nor of what it was `lowered` to, which names the
/// meshes that stood in shardings. Nothing for a program without meshes.
Diagnostics unknown_cost_axes(const ir::Module& given, const ir::Module& lowered,
                              const std::string& costs);

}  // namespace shardy::checking
