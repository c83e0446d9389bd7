// The export passes, one function each. They turn a program with propagated shardings into a
// program that can be partitioned.
#pragma once

#include <cstdint>
#include <optional>
#include <shardy/ir/module.hpp>
#include <shardy/passes/pipeline.hpp>
#include <shardy/resharding/best_plan.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace shardy::passes {

// Passes that cannot fail return void. Other passes return their errors in program order.

// ---- Cleanup after propagation ------------------------------------------------------------------

struct SinkDataFlowEdgesOptions {
  bool sink_debug_sharding_origins = false;
  bool sink_debug_propagation_edge_sharding = false;
};

/// Erases data-flow edges and moves their shardings to the values that own the edges. Spec: passes
/// 5.2.
void sink_data_flow_edges(ir::Module& module, const SinkDataFlowEdgesOptions& options = {});

/// Erases edges of functions and calls and moves their shardings to the edge owners. Spec: passes
/// 5.3.
void sink_func_data_flow_edges(ir::Module& module);

/// Removes origins and propagation edges of shardings. Spec: passes 5.15.
void remove_propagation_debug_info(ir::Module& module);

/// Removes sharding rules, except rules that users attached. Spec: passes 5.16.
void drop_sharding_rules(ir::Module& module);

/// Removes all `sdy.sharding` attributes and their propagation debug info.
void drop_shardings(ir::Module& module);

/// Removes all `sdy.sharding` attributes and all meshes. Attributes of sdy ops stay, so sdy ops
/// must be lowered before. Spec: passes 5.17.
void drop_sharding_and_mesh(ir::Module& module);

// ---- Shardings of arguments and results ---------------------------------------------------------

/// Removes axes that do not divide the dims of arguments, results, call results and edges of manual
/// computations. Spec: passes 5.6.
void update_non_divisible_input_output_shardings(ir::Module& module);

// ---- Functions ----------------------------------------------------------------------------------

/// Replaces each named computation by a private function and a call. Spec: passes 5.9.
void export_named_computations(ir::Module& module);

/// Gives the results of functions other than main the shardings of the returned values. Error: no
/// main function. Spec: passes 5.10.
Diagnostics propagate_to_func_results(ir::Module& module);

struct UnflattenOptions {
  // Also merges functions whose boundaries have different shardings.
  bool dedup_functions_fully = false;
};

/// Redirects calls of clones of one function that have equal boundary shardings to one of the
/// clones. Error: a missing callee. Spec: passes 5.11.
Diagnostics unflatten_call_graph(ir::Module& module, const UnflattenOptions& options = {});

/// Gives calls the result shardings of their callees. A reshard to the call's former sharding
/// follows. Error: a missing callee. Spec: passes 5.12.
Diagnostics insert_func_call_reshards(ir::Module& module);

// ---- Checks and simplifications -----------------------------------------------------------------

/// Checks that only ops that reduce unreduced axes drop them; changes nothing. Errors: the first
/// violation in each function. Spec: passes 5.13.
Diagnostics verify_unreduced_axes(ir::Module& module);

/// Removes all-gathers before dots or, without these, reduce-scatters after dots. The backend
/// performs these collectives together with the dot. Spec: passes 5.14.
void remove_all_gather_reduce_scatter_for_cmv1(ir::Module& module);

// ---- Lowering of one op -------------------------------------------------------------------------

struct DeviceCounts {
  int64_t replica_count = 1;
  int64_t partition_count = 1;
};

/// Replaces ops on one device by a branch that only this device takes and a sum over all devices.
/// Errors: results on several devices, sharded results, a device that the mesh does not have,
/// replicas and partitions both above 1. Spec: passes 5.18.
Diagnostics resolve_single_device_sharding(ir::Module& module, const DeviceCounts& counts = {});

/// Sinks all-reduces of accumulated values below loops. Requires: reshards are lowered to
/// collectives. Spec: partitioning 9.2.
void sink_loop_sums(ir::Module& module);

/// Recomputes small values made of constants and iota on each device and slices them, if their
/// elements would otherwise be sent. Requires: explicit reshards. Spec: partitioning 8.25.
void recompute_constants(ir::Module& module);

// ---- Options that choose between Shardy's plan and the plan of least cost -----------------------

/// Returns an option with the choices `reference` (Shardy's plan, the default) and `best`.
inline PassOption plan_option(std::string name, std::string help) {
  return {std::move(name), OptionType::Enum, "reference", std::move(help), {"reference", "best"}};
}

inline PassOption common_axes_option() {
  return plan_option(
      "common-axes",
      "common sharding of an op's tensors: as in Shardy (reference), or the cheapest (best)");
}

inline PlanKind plan_kind(const OptionValues& values, std::string_view name) {
  return values.text(name) == "best" ? PlanKind::Best : PlanKind::Reference;
}

// ---- Single patterns, which return whether they changed the module ------------------------------

/// R1: replaces a reshard by an earlier reshard of its block with an equal layout. Reshapes and
/// transposes between the two are repeated after the earlier one. Spec: dialect 7.1.
bool reuse_reshards(ir::Module& module);

/// R2: merges a reshard into its only user, another reshard. Spec: dialect 7.1.
bool join_reshards(ir::Module& module);

/// Erases dead ops without side effects. Runs with every group of patterns. Collectives count as
/// side effects. Spec: passes 6.
bool erase_dead_ops(ir::Module& module);

/// Applies C1 to C11 to a fixpoint. Spec: dialect 7.2.
bool simplify_collectives(ir::Module& module);

/// MC1: erases unused block arguments of manual computations, with their operands and in_shardings.
/// Spec: dialect 7.3.
bool drop_unused_manual_arguments(ir::Module& module);

/// MC2: erases manual computations without shardings and with an empty body.
bool erase_empty_manual_computations(ir::Module& module);

/// MC3: inlines manual computations whose manual axes have one device.
bool inline_trivial_manual_computations(ir::Module& module);

// ---- All patterns -------------------------------------------------------------------------------

/// Groups of patterns to run.
struct CanonicalizeOptions {
  bool reshards = true;     // label `sdy-reshard`: R2
  bool collectives = true;  // label `sdy-collective`: C1 to C11
  bool unlabelled = true;   // R1, MC1 to MC3
};

/// Returns the group with only this label, `sdy-reshard` or `sdy-collective`; std::nullopt for
/// other labels.
std::optional<CanonicalizeOptions> only_labelled(std::string_view label);

/// Applies the patterns to a fixpoint and erases dead ops. Spec: dialect 7, passes 6.
Diagnostics canonicalize(ir::Module& module, const CanonicalizeOptions& options = {});

}  // namespace shardy::passes
