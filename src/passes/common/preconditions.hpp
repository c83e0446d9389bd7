// Preconditions of passes beyond validity: passes that must have run before.
#pragma once

#include <shardy/ir/module.hpp>
#include <shardy/passes/pass.hpp>

namespace shardy::passes {

/// Errors: a `sdy.data_flow_edge` on a value that owns no edge, so that no pass would take it for
/// one value with its input. Spec: passes 2.
PassErrors wants_owned_edges(const ir::Module& module);
/// Errors: a `sdy.func_data_flow_edge`.
PassErrors wants_no_func_edges(const ir::Module& module);
PassErrors wants_no_sdy_collectives(const ir::Module& module);
/// Errors: an edge with unreduced axes on a value that owns no edge, where they would vanish.
PassErrors wants_sinkable_edges(const ir::Module& module);
/// Errors: an sdy collective on a mesh that has no name, where others will have one.
PassErrors wants_named_meshes(const ir::Module& module);
/// Errors: an sdy collective, whose meaning is in the shardings around it.
PassErrors wants_no_collectives(const ir::Module& module);

/// Errors: an open sharding of a manual computation that does not mention all manual axes, along
/// which the values of its body would be split once more. Spec: passes 4.6.
PassErrors wants_mentioned_manual_axes(const ir::Module& module);
/// Errors: an op makes axes unreduced that are reduced otherwise than by a sum, which no collective
/// can do: a value without sharding is whole. Spec: dialect 3.1, 4.9.
PassErrors wants_introduced_sums(const ir::Module& module);

}  // namespace shardy::passes
