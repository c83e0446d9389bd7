// Values that a module has; ids of what was erased have no place any more.
#pragma once

#include <vector>

#include "shardy/ir/module.hpp"

namespace shardy::report {

/// In the order of the program: arguments of regions in front of their ops, results behind.
std::vector<ir::ValueId> live_values(const ir::Module& module);

}  // namespace shardy::report
