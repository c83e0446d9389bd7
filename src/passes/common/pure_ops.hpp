// Classification of ops that can be copied, moved and merged.
#pragma once

#include <shardy/ir/module.hpp>

namespace shardy::passes {

/// Checks whether the op is elementwise, in StableHLO or SDY: element i of the result depends only
/// on element i of the operands. Spec: passes 4.4.
bool is_elementwise(const ir::Module& module, ir::OpId op);

/// Checks whether the op has no effect but its results and only static shapes, so it cannot fail.
bool is_pure_static(const ir::Module& module, ir::OpId op);

/// Checks whether the regions compute single elements, as in reduce, sort and scatter. Such regions
/// move no data between devices; those of loops and branches may.
bool has_element_regions(const ir::Module& module, ir::OpId op);

/// Checks whether constant operands give a constant result: broadcast_in_dim, reshape, slice and
/// elementwise ops.
bool keeps_constants(const ir::Module& module, ir::OpId op);

}  // namespace shardy::passes
