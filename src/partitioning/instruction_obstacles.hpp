// Obstacles to partitioning an op alone. Spec: passes 5.19.
#pragma once

#include <string>

#include "shardy/ir/module.hpp"

namespace shardy::partitioning {

/// Returns the reason why the op cannot be partitioned alone; empty without a known reason.
std::string obstacle(const ir::Module& module, ir::OpId op);

}  // namespace shardy::partitioning
