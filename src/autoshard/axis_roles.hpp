// The dims that each mesh axis shards in a program.
#pragma once

#include <string>
#include <vector>

#include "shardy/autoshard/autoshard.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/rules/registry.hpp"

// Spec: autoshard U.8.3.

namespace shardy::autoshard {

/// Returns the dims that each mesh axis shards in main of a propagated program. The sharding rules
/// of ops join dims to classes. Cost: linear in the program times the number of axes.
std::vector<AxisRole> axis_roles(const ir::Module& propagated, const rules::Registry& rules);

/// Returns the names of main's arguments that have at least two elements and that no axis shards.
/// Omits the arguments that `is_tied` flags.
std::vector<std::string> whole_arguments(const ir::Module& propagated,
                                         const std::vector<bool>& is_tied);

}  // namespace shardy::autoshard
