// Removes what lowering said twice or for nothing.
#pragma once

#include "shardy/ir/module.hpp"

namespace shardy::partitioning {

/// Merges equal pure ops of a block and erases those without uses. Ops with regions stay apart.
void clean_up(ir::Module& module, ir::BlockId block);

}  // namespace shardy::partitioning
