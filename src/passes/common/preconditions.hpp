// Preconditions that passes have beyond a valid module, such as passes that must run before.
#pragma once

#include <shardy/ir/module.hpp>
#include <shardy/passes/pipeline.hpp>

namespace shardy::passes {

/// Returns an error for an `sdy.data_flow_edge` whose operand is not an edge owner. Passes would
/// not treat the edge op and its input as one value. Spec: passes 2.
Diagnostics require_owned_edges(const ir::Module& module);
/// Returns an error for an `sdy.func_data_flow_edge`.
Diagnostics require_no_func_edges(const ir::Module& module);
/// Returns an error for an sdy collective. The note names the pass xla-sdy-export-ops.
Diagnostics require_no_sdy_collectives(const ir::Module& module);
/// Returns an error for an edge op with unreduced axes whose operand is not an edge owner. Sinking
/// would drop these axes.
Diagnostics require_sinkable_edges(const ir::Module& module);
/// Returns an error for an sdy collective on an inlined mesh if other meshes get names.
Diagnostics require_named_meshes(const ir::Module& module);
/// Returns an error for an sdy collective, because the shardings of its operand and result define
/// it. The note refers to the lowering of collectives.
Diagnostics require_no_collectives(const ir::Module& module);

/// Returns an error for an open sharding of a manual computation that does not use the full manual
/// axes. Propagation could shard values of the body along these axes. Spec: passes 4.6.
Diagnostics require_mentioned_manual_axes(const ir::Module& module);
/// Returns an error for an op that introduces unreduced axes with a reduction other than a sum. No
/// collective reduces these axes, because a value without a sharding is replicated. Spec: dialect
/// 3.1, 4.9.
Diagnostics require_introduced_sums(const ir::Module& module);

}  // namespace shardy::passes
