// The import passes, which prepare a program for propagation.
#pragma once

#include <functional>
#include <shardy/ir/module.hpp>
#include <shardy/passes/pipeline.hpp>
#include <shardy/propagation/problem.hpp>
#include <shardy/rules/registry.hpp>
#include <string>

namespace shardy::passes {

// ---- Common -------------------------------------------------------------------------------------

/// Erases private functions that no reachable op references. Spec: passes 2.
Diagnostics symbol_dce(ir::Module& module);

/// Replaces mesh names in shardings and replica groups by the meshes and erases the mesh ops.
/// Error: `unknown mesh: @NAME`. Spec: passes 3.1.
Diagnostics inline_meshes(ir::Module& module);

// ---- Meshes -------------------------------------------------------------------------------------

/// Replaces inlined meshes by names, one name per distinct mesh. Mesh ops get the attribute
/// `stablehlo.mesh`. Spec: passes 4.1.
Diagnostics lift_inlined_meshes(ir::Module& module);

/// Removes axes of size 1 from shardings and collectives. Error: `unknown mesh: @NAME`. Spec:
/// passes 4.2.
Diagnostics remove_size_one_axes(ir::Module& module);

// ---- Values -------------------------------------------------------------------------------------

/// Gives calls without shardings the shardings of their callees' results. Error: a missing callee.
/// Spec: passes 4.3.
Diagnostics propagate_sharding_from_func_to_call(ir::Module& module);

/// Copies a constant, and the constant ops from which it is computed, for each use by a
/// non-constant op. Copies broadcasts of scalars in the same way. Constants become sdy.constant.
/// Errors: recursion, a missing callee. Spec: passes 4.4.
Diagnostics constant_or_scalar_splitter(ir::Module& module);

struct GatherScatterBatchingOptions {
  bool compat = false;  // uses the conditions of the reference, which may change values
};

/// If an index component of a gather or scatter is an iota along a dim, makes this dim a batching
/// dim. Spec: passes 4.5.
Diagnostics explicit_gather_scatter_batching(ir::Module& module,
                                             const GatherScatterBatchingOptions& options = {});

/// Sorts the axes of manual computations in mesh order, and adds missing manual axes to their
/// shardings as replicated axes. Errors: no common mesh; manual axes and a body, but no shardings.
/// Spec: passes 4.6.
Diagnostics manual_axes_cleanup(ir::Module& module);

/// Inserts an sdy.data_flow_edge, which has the sharding, for every data-flow edge. Spec: passes
/// 4.7.
Diagnostics add_data_flow_edges(ir::Module& module);

struct ApplyShardingConstraintsOptions {
  bool debug_sharding_origins = false;   // record the origin of each axis
  bool debug_propagation_edges = false;  // record the constraints that were applied
};

/// Copies closed shardings of constraints and of manual computations to operands without a
/// sharding. Spec: passes 4.8.
Diagnostics apply_sharding_constraints(ir::Module& module,
                                       const ApplyShardingConstraintsOptions& options = {});

// ---- Calls --------------------------------------------------------------------------------------

struct FlattenCallGraphOptions {
  /// Selects calls; empty: all calls.
  std::function<bool(const ir::Module& module, ir::OpId call)> wanted = {};
};

/// Copies functions until each has one call. Errors: recursion, a missing callee. Spec: passes 4.9.
Diagnostics flatten_call_graph(ir::Module& module, const FlattenCallGraphOptions& options = {});

/// Copies functions that are called in several contexts of manual computations, once per context
/// (ir::ManualContext). An axis that is free outside of a manual computation is bound inside.
/// Errors: recursion, a missing callee. Spec: passes 4.9.
Diagnostics copy_for_manual_contexts(ir::Module& module);

struct ImportFuncCallsOptions {
  bool add_data_flow_edges_on_named_computations = true;
  /// Receives a warning and its remedy for each function whose body had to be copied.
  std::function<void(ir::OpId call, std::string message, std::string remedy)> warn = {};
};

/// Replaces calls by named computations. Errors: recursion; a callee that is missing or has no
/// body. Spec: passes 4.10.
Diagnostics import_func_calls(ir::Module& module, const ImportFuncCallsOptions& options = {});

/// Inserts an sdy.func_data_flow_edge after the arguments of all functions except main and after
/// the results of calls. Errors: no main function; a callee that is missing or has no body. Spec:
/// passes 4.11.
Diagnostics add_func_data_flow_edges(ir::Module& module);

/// Copies unreduced axes across calls: from operands to arguments of functions, from returned
/// values to results of functions and calls. Errors: recursion, a missing callee. Spec:
/// passes 4.16.
Diagnostics propagate_unreduced_across_call_boundaries(ir::Module& module);

/// Merges sharding groups that share a value and renumbers the groups from 0. Errors: members with
/// different shapes or in different manual computations. Spec: passes 4.12.
Diagnostics sharding_group_import(ir::Module& module);

struct FuncResultShardingsOptions {
  /// Receives a warning for each ignored sharding, which cannot be read or has no mesh.
  std::function<void(const Diagnostic& warning)> warn = {};
};

/// Removes custom calls that have the sharding of a function result, and gives the result this
/// sharding or adds a constraint. Spec: passes 4.15.
Diagnostics import_func_result_shardings(ir::Module& module,
                                         const FuncResultShardingsOptions& options = {});

/// Replaces composites by calls of their decompositions: all composites, or composites without a
/// sharding rule. Error: a missing decomposition. Spec: partitioning 8.23.
Diagnostics composites_to_calls(ir::Module& module, const rules::Registry& rules, bool all = false);

/// Replaces composites with a rule, after propagation, by calls of separate copies of the
/// decomposition, and propagates the shardings of operands and results through each copy.
/// `extensions` has the caller's replacements in propagation; null if none exists. Spec:
/// partitioning 8.23.
Diagnostics ruled_composites_to_calls(ir::Module& module, const rules::Registry& rules,
                                      const propagation::PropagationExtensions* extensions);

/// The unit attribute of a case that replaces an `if`. The case's index is a select on the
/// predicate.
inline constexpr const char* kFromIfAttr = "sdy.from_if";

/// Replaces a reduce_window by a reduce if its windows span full dims or single elements. Spec:
/// partitioning 8.11.
void whole_windows_to_reductions(ir::Module& module);

/// Replaces a gather of one window at a constant index by a slice, and a scatter that overwrites
/// one such window by a dynamic_update_slice. Spec: partitioning 8.16, 8.17.
void constant_windows_to_slices(ir::Module& module);

/// Removes reshapes that merge dims if other reshapes split them again, and changes the ops in
/// between to use the split dims. A batch and a sequence that are both sharded then need no gather.
/// Spec: partitioning 8.3 f.
void keep_merged_dims_apart(ir::Module& module);

}  // namespace shardy::passes
