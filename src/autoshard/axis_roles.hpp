// All that each mesh axis shards in a program.
#pragma once

#include <string>
#include <vector>

#include "shardy/autoshard/autoshard.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/rules/registry.hpp"

// Spec: autoshard U.8.3.

namespace shardy::autoshard {

/// Returns the dims that each mesh axis shards in main of a propagated program, joined by the
/// sharding rules of its ops. Cost: linear in the program times the axes.
std::vector<AxisRole> axis_roles(const ir::Module& propagated, const rules::Registry& rules);

/// Returns the names of arguments of main that no axis shards, of at least two elements. `is_tied`
/// has a flag per argument: it is left out.
std::vector<std::string> whole_arguments(const ir::Module& propagated,
                                         const std::vector<bool>& is_tied);

}  // namespace shardy::autoshard
