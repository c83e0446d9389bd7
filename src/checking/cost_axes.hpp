// Costs of axes that no mesh has.
#pragma once

#include <string>

#include "shardy/ir/module.hpp"
#include "shardy/support/result.hpp"

namespace shardy::checking {

/// Returns a warning for each axis of `costs` (in the form of parse_cost_model) that no mesh has,
/// neither in the source program `given` nor in the program `lowered`, which names the meshes of
/// inlined shardings. Empty for a program without meshes.
Diagnostics unknown_cost_axes(const ir::Module& given, const ir::Module& lowered,
                              const std::string& costs);

}  // namespace shardy::checking
