// Preconditions that passes have beyond a valid module, such as passes that must run before.
#pragma once

#include <shardy/ir/module.hpp>
#include <shardy/passes/pass.hpp>

namespace shardy::passes {

/// Returns an error for an `sdy.data_flow_edge` on a value that owns no edge. Passes would not
/// treat the edge op and its input as one value. Spec: passes 2.
Diagnostics require_owned_edges(const ir::Module& module);
/// Returns an error for an `sdy.func_data_flow_edge`.
Diagnostics require_no_func_edges(const ir::Module& module);
Diagnostics require_no_sdy_collectives(const ir::Module& module);
/// Returns an error for an edge op with unreduced axes on a value that owns no edge. Sinking would
/// lose these axes.
Diagnostics require_sinkable_edges(const ir::Module& module);
/// Returns an error for an sdy collective on an inlined mesh if other meshes get names.
Diagnostics require_named_meshes(const ir::Module& module);
/// Returns an error for an sdy collective, because its meaning depends on the shardings around it.
Diagnostics require_no_collectives(const ir::Module& module);

/// Returns an error for an open sharding of a manual computation that does not mention all manual
/// axes. Propagation could shard values of the body along these axes. Spec: passes 4.6.
Diagnostics require_mentioned_manual_axes(const ir::Module& module);
/// Returns an error for an op that introduces unreduced axes with a reduction other than a sum. No
/// collective reduces these axes, because a value without a sharding is replicated. Spec: dialect
/// 3.1, 4.9.
Diagnostics require_introduced_sums(const ir::Module& module);

}  // namespace shardy::passes
