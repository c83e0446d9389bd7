// Preconditions of passes beyond validity, such as passes that must run before.
#pragma once

#include <shardy/ir/module.hpp>
#include <shardy/passes/pass.hpp>

namespace shardy::passes {

/// Errors: an `sdy.data_flow_edge` on a value that owns no edge. Passes would not treat it as one
/// value with its input. Spec: passes 2.
Diagnostics require_owned_edges(const ir::Module& module);
/// Errors: a `sdy.func_data_flow_edge`.
Diagnostics require_no_func_edges(const ir::Module& module);
Diagnostics require_no_sdy_collectives(const ir::Module& module);
/// Errors: an edge with unreduced axes on a value that owns no edge; sinking would lose them.
Diagnostics require_sinkable_edges(const ir::Module& module);
/// Errors: an sdy collective on an inlined mesh where other meshes get names.
Diagnostics require_named_meshes(const ir::Module& module);
/// Errors: an sdy collective, whose meaning depends on the shardings around it.
Diagnostics require_no_collectives(const ir::Module& module);

/// Errors: an open sharding of a manual computation that does not mention all manual axes:
/// propagation could shard values of the body along them again. Spec: passes 4.6.
Diagnostics require_mentioned_manual_axes(const ir::Module& module);
/// Errors: an op introduces unreduced axes with a reduction other than a sum; no collective reduces
/// these, as a value without sharding is replicated. Spec: dialect 3.1, 4.9.
Diagnostics require_introduced_sums(const ir::Module& module);

}  // namespace shardy::passes
