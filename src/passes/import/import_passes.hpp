// Import passes: they prepare a program for propagation.
#pragma once

#include <functional>
#include <shardy/ir/module.hpp>
#include <shardy/passes/pass.hpp>
#include <shardy/propagation/extensions.hpp>
#include <shardy/rules/registry.hpp>
#include <string>

namespace shardy::passes {

// ---- Common -------------------------------------------------------------------------------------

/// Erases private functions that no reachable op references. Spec: passes 2.
Diagnostics symbol_dce(ir::Module& module);

/// Replaces mesh names in shardings and replica groups by the content of the mesh and erases the
/// mesh ops. Errors: `unknown mesh: @NAME`. Spec: passes 3.1.
Diagnostics inline_meshes(ir::Module& module);

// ---- Meshes -------------------------------------------------------------------------------------

/// Replaces inlined meshes by names, one name per distinct mesh. Mesh ops get the attribute
/// `stablehlo.mesh`. Spec: passes 4.1.
Diagnostics lift_inlined_meshes(ir::Module& module);

/// Removes axes of size 1 from shardings and collectives. Errors: `unknown mesh: @NAME`. Spec:
/// passes 4.2.
Diagnostics remove_size_one_axes(ir::Module& module);

// ---- Values -------------------------------------------------------------------------------------

/// Gives calls without shardings those of the results of their callee. Errors: a missing callee.
/// Spec: passes 4.3.
Diagnostics propagate_sharding_from_func_to_call(ir::Module& module);

/// Copies a constant, with the constant ops it is computed from, for each use by a non-constant op;
/// the same for broadcasts of scalars. Constants become sdy.constant. Errors: recursion, a missing
/// callee. Spec: passes 4.4.
Diagnostics constant_or_scalar_splitter(ir::Module& module);

struct GatherScatterBatchingOptions {
  bool compat = false;  // the conditions of the reference, which may change values
};

/// Makes dims along which the indices of a gather or scatter count batching dims. Spec: passes 4.5.
Diagnostics explicit_gather_scatter_batching(ir::Module& module,
                                             const GatherScatterBatchingOptions& options = {});

/// Sorts the axes of manual computations in mesh order and makes their shardings mention all of
/// them. Errors: no common mesh; manual axes and a body without shardings. Spec: passes 4.6.
Diagnostics manual_axes_cleanup(ir::Module& module);

/// Inserts an sdy.data_flow_edge, which holds the sharding, for every data-flow edge. Spec: passes
/// 4.7.
Diagnostics add_data_flow_edges(ir::Module& module);

struct ApplyShardingConstraintsOptions {
  bool debug_sharding_origins = false;   // record the origin of each axis
  bool debug_propagation_edges = false;  // record the constraints that were applied
};

/// Gives closed constraints, and in_shardings of manual computations, to their operands as
/// shardings. Spec: passes 4.8.
Diagnostics apply_sharding_constraints(ir::Module& module,
                                       const ApplyShardingConstraintsOptions& options = {});

// ---- Calls --------------------------------------------------------------------------------------

struct FlattenCallGraphOptions {
  /// Filter of calls; empty: all calls.
  std::function<bool(const ir::Module& module, ir::OpId call)> wanted = {};
};

/// Copies functions until each is called once. Errors: recursion, a missing callee. Spec: passes
/// 4.9.
Diagnostics flatten_call_graph(ir::Module& module, const FlattenCallGraphOptions& options = {});

/// Copies functions that are called in several contexts of manual computations, once per context
/// (ir::ManualContext): an axis that is free outside of a manual computation is bound inside.
/// Errors: recursion, a missing callee. Spec: passes 4.9.
Diagnostics copy_for_manual_contexts(ir::Module& module);

struct ImportFuncCallsOptions {
  bool add_data_flow_edges_on_named_computations = true;
  /// Receives warnings with a remedy: a function whose body had to be copied.
  std::function<void(ir::OpId call, std::string message, std::string remedy)> warn = {};
};

/// Replaces calls by named computations. Errors: recursion; a callee that is missing or has no
/// body. Spec: passes 4.10.
Diagnostics import_func_calls(ir::Module& module, const ImportFuncCallsOptions& options = {});

/// Inserts an sdy.func_data_flow_edge after arguments of all functions but main and after results
/// of calls. Errors: no main function; a callee that is missing or has no body. Spec: passes 4.11.
Diagnostics add_func_data_flow_edges(ir::Module& module);

/// Merges sharding groups that share a value and renumbers them from 0. Errors: members of
/// different shapes or in different manual computations. Spec: passes 4.12.
Diagnostics sharding_group_import(ir::Module& module);

struct FuncResultShardingsOptions {
  /// Receives warnings with a remedy: an ignored sharding, which cannot be read or has no mesh.
  std::function<void(ir::OpId call, std::string message, std::string remedy)> warn = {};
};

/// Replaces custom calls that carry the sharding of a function result by that sharding of the
/// result, or by constraints. Spec: passes 4.15.
Diagnostics import_func_result_shardings(ir::Module& module,
                                         const FuncResultShardingsOptions& options = {});

/// Replaces composites without a sharding rule, or all of them, by calls of their decompositions.
/// Errors: a missing decomposition. Spec: partitioning 8.23.
Diagnostics composites_to_calls(ir::Module& module, const rules::Registry& rules, bool all = false);

/// Replaces composites with a rule, after propagation, by calls of one copy of the decomposition
/// each, and propagates the shardings of operands and results through it. Spec: partitioning 8.23.
/// `extensions`: the caller's replacements in propagation; null: none.
Diagnostics ruled_composites_to_calls(ir::Module& module, const rules::Registry& rules,
                                      const propagation::PropagationExtensions* extensions);

/// Unit attribute of a case that was an `if`; its index is a select on the predicate.
inline constexpr const char* kFromIfAttr = "sdy.from_if";

/// Replaces each `stablehlo.if` whose branches compute tensors by a case. Spec: partitioning 9.3.
void ifs_to_cases(ir::Module& module);

/// Replaces a reduce_window whose windows span a whole dim or one element by a reduce. Spec:
/// partitioning 8.11.
void whole_windows_to_reductions(ir::Module& module);

/// Replaces a gather of one window at a constant index by a slice, and a scatter that overwrites
/// one by a dynamic_update_slice. Spec: partitioning 8.16, 8.17.
void constant_windows_to_slices(ir::Module& module);

/// Replaces merges of dims that are split again, and the ops between, by ops on the split dims: a
/// batch and a sequence that are both sharded are not gathered. Spec: partitioning 8.3 f.
void keep_merged_dims_apart(ir::Module& module);

/// Orders functions callers first, after the meshes. Errors: recursion. Spec: passes 4.13.
Diagnostics pre_order_funcs(ir::Module& module);

}  // namespace shardy::passes
