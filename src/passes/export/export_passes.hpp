// The export passes, one function each: what turns propagated shardings into a program that can be
// partitioned, called and looked at.
#pragma once

#include <cstdint>
#include <shardy/ir/module.hpp>
#include <shardy/passes/pass.hpp>
#include <string>

namespace shardy::passes {

// A pass that cannot fail returns nothing; the others the errors, in program order.

// ---- What propagation needed, undone ------------------------------------------------------------

/// Equal constants of a region, and equal broadcasts of one scalar, become one. Shardings are
/// attributes, so what was sharded differently stays apart. Spec: passes 5.1.
void constant_or_scalar_merger(ir::Module& module);

struct SinkDataFlowEdgesOptions {
  bool sink_debug_sharding_origins = false;
  bool sink_debug_propagation_edge_sharding = false;
};

/// Shardings of data-flow edges go to the values that own the edges; the edges go. Spec:
/// passes 5.2.
void sink_data_flow_edges(ir::Module& module, const SinkDataFlowEdgesOptions& options = {});

/// The same for the edges of functions and calls. Spec: passes 5.3.
void sink_func_data_flow_edges(ir::Module& module);

/// Spec: passes 5.4.
void remove_sharding_groups(ir::Module& module);

/// Sharding constraints become reshards; all other attributes stay. Spec: passes 5.5.
void sharding_constraint_to_reshard(ir::Module& module);

/// Spec: passes 5.15.
void remove_propagation_debug_info(ir::Module& module);

/// Rules that users attached stay. Spec: passes 5.16.
void drop_sharding_rules(ir::Module& module);

/// All `sdy.sharding` attributes go, and what propagation says of them.
void drop_shardings(ir::Module& module);

/// All `sdy.sharding` attributes and all meshes go; what sdy ops have for themselves stays, so
/// those must be lowered before. Spec: passes 5.17.
void drop_sharding_and_mesh(ir::Module& module);

// ---- Shardings at the edge of the program -------------------------------------------------------

/// Arguments, results, results of calls and edges of manual computations keep the axes that divide
/// them evenly. Spec: passes 5.6.
void update_non_divisible_input_output_shardings(ir::Module& module);

/// Open dims of the arguments and results of main lose their first sub-axis and what is minor to
/// it. Errors: no main function. Spec: passes 5.7.
PassErrors remove_sub_axes_in_input_output_shardings(ir::Module& module);

/// Every dim is closed and explicit replication is dropped: from here on shardings are final.
/// Spec: passes 5.8.
void close_shardings(ir::Module& module);

// ---- Functions ----------------------------------------------------------------------------------

/// Each named computation becomes a private function and a call of it. Spec: passes 5.9.
void export_named_computations(ir::Module& module);

/// Results of functions other than main get the shardings of what is returned. Errors: no main
/// function. Spec: passes 5.10.
PassErrors propagate_to_func_results(ir::Module& module);

struct UnflattenOptions {
  bool dedup_functions_fully = false;  // even those whose boundaries are sharded differently
};

/// Calls of clones of one function with equal boundaries become calls of one of them. Errors: a
/// callee that does not exist. Spec: passes 5.11.
PassErrors unflatten_call_graph(ir::Module& module, const UnflattenOptions& options = {});

/// Calls get the result shardings of their callees, and a reshard to what they had. Errors: a
/// callee that does not exist. Spec: passes 5.12.
PassErrors insert_func_call_reshards(ir::Module& module);

// ---- Checks and simplifications -----------------------------------------------------------------

/// Partial results may disappear only in an op that combines them. Changes nothing. Errors: the
/// first one of each function. Spec: passes 5.13.
PassErrors verify_unreduced_axes(ir::Module& module);

/// Leaves all-gathers before dots, otherwise reduce-scatters after them, to the backend.
/// Spec: passes 5.14.
void remove_all_gather_reduce_scatter_for_cmv1(ir::Module& module);

// ---- Lowering of one op -------------------------------------------------------------------------

struct DeviceCounts {
  int64_t replica_count = 1;
  int64_t partition_count = 1;
};

/// Ops on one device become a branch that this device takes, and a sum over all. Errors: results on
/// several devices or sharded, a device that the mesh does not have, replicas and partitions at
/// once. Spec: passes 5.18.
PassErrors resolve_single_device_sharding(ir::Module& module, const DeviceCounts& counts = {});

/// Reduces partial results that a loop adds up once, after the loop. For a module whose
/// reshards are collectives. Spec: partitioning 9.2.
void sink_loop_sums(ir::Module& module);

}  // namespace shardy::passes
