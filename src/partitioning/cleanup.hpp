// CSE and DCE of the per-device program.
#pragma once

#include "shardy/ir/module.hpp"

namespace shardy::partitioning {

/// Merges equal pure ops of a block and erases dead ones. Ops with regions are not merged.
void clean_up(ir::Module& module, ir::BlockId block);

}  // namespace shardy::partitioning
