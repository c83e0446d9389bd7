// Pure ops, which can be copied, moved and merged.
#pragma once

#include <shardy/ir/module.hpp>

namespace shardy::passes {

/// Elementwise, of StableHLO or SDY: element i of the result depends on element i of the operands.
/// Spec: passes 4.4.
bool is_elementwise(const ir::Module& module, ir::OpId op);

/// No effect but its results, and all tensors have known sizes, so it cannot fail.
bool is_pure_static(const ir::Module& module, ir::OpId op);

/// Its regions compute single elements, as those of reduce, sort and scatter do, so they move no
/// data between devices. Those of loops and branches do not.
bool has_element_regions(const ir::Module& module, ir::OpId op);

/// A broadcast_in_dim, reshape, slice or an elementwise op: constants in, constants out.
bool keeps_constants(const ir::Module& module, ir::OpId op);

}  // namespace shardy::passes
