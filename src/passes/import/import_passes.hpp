// The import passes: from programs as they are written to what propagation takes.
#pragma once

#include <functional>
#include <shardy/ir/module.hpp>
#include <shardy/passes/pass.hpp>
#include <shardy/propagation/parts.hpp>
#include <shardy/rules/registry.hpp>
#include <string>

namespace shardy::passes {

// ---- Common -------------------------------------------------------------------------------------

/// Erases private functions that nothing reaches. Spec: passes 2.
PassErrors symbol_dce(ir::Module& module);

/// Shardings and replica groups get the content of their mesh instead of its name; mesh ops go.
/// Errors: `unknown mesh: @NAME`. Spec: passes 3.1.
PassErrors inline_meshes(ir::Module& module);

// ---- Meshes -------------------------------------------------------------------------------------

/// The reverse: every mesh is referred to by a name, and each content has one. Mesh ops get the
/// attribute `stablehlo.mesh`. Spec: passes 4.1.
PassErrors lift_inlined_meshes(ir::Module& module);

/// Axes of size 1 leave the shardings, if a mesh op has one. Errors: `unknown mesh: @NAME`.
/// Spec: passes 4.2.
PassErrors remove_size_one_axes(ir::Module& module);

// ---- Values -------------------------------------------------------------------------------------

/// A call without shardings gets those of its callee's results. Errors: a callee that is not there.
/// Spec: passes 4.3.
PassErrors propagate_sharding_from_func_to_call(ir::Module& module);

/// Each use of a constant by what is not constant gets a copy of its own, with all that it is
/// computed from; the same for broadcasts of scalars. Constants become sdy.constant.
/// Errors: recursion, a callee that is not there. Spec: passes 4.4.
PassErrors constant_or_scalar_splitter(ir::Module& module);

struct GatherScatterBatchingOptions {
  bool compat = false;  // the conditions of the reference, though they do not keep all values
};

/// Gathers and scatters whose indices count along a dim batch it. Spec: passes 4.5.
PassErrors explicit_gather_scatter_batching(ir::Module& module,
                                            const GatherScatterBatchingOptions& options = {});

/// Manual computations list their axes in mesh order, and their shardings mention all of them.
/// Errors: no common mesh; manual axes, a body, and no shardings. Spec: passes 4.6.
PassErrors manual_axes_cleanup(ir::Module& module);

/// Every data-flow edge gets an op that holds its sharding. Spec: passes 4.7.
PassErrors add_data_flow_edges(ir::Module& module);

struct ApplyShardingConstraintsOptions {
  bool debug_sharding_origins = false;   // say what shardings come from
  bool debug_propagation_edges = false;  // say which constraints have been applied
};

/// Closed constraints, and in_shardings of manual computations, become the shardings of what they
/// constrain. Spec: passes 4.8.
PassErrors apply_sharding_constraints(ir::Module& module,
                                      const ApplyShardingConstraintsOptions& options = {});

// ---- Calls --------------------------------------------------------------------------------------

struct FlattenCallGraphOptions {
  /// Filter of calls; empty: all.
  std::function<bool(const ir::Module& module, ir::OpId call)> wanted = {};
};

/// Each function is called once: others call copies. Errors: recursion, a callee that is not there.
/// Spec: passes 4.9.
PassErrors flatten_call_graph(ir::Module& module, const FlattenCallGraphOptions& options = {});

/// Gives a function that is called in several contexts of manual computations one copy for each
/// (ir::ManualContext): an axis that is free outside of a manual computation is bound inside.
/// Errors: recursion, a missing callee. Spec: passes 4.9.
PassErrors copy_for_manual_contexts(ir::Module& module);

struct ImportFuncCallsOptions {
  bool add_data_flow_edges_on_named_computations = true;
  /// Called with warnings and what to do about them: a function whose body had to be copied.
  std::function<void(ir::OpId call, std::string message, std::string remedy)> warn = {};
};

/// Calls become named computations. Errors: recursion; a callee that is not there or has no body.
/// Spec: passes 4.10.
PassErrors import_func_calls(ir::Module& module, const ImportFuncCallsOptions& options = {});

/// Arguments of all functions but main, and results of calls, get an edge op. Errors: no main
/// function; a callee that is not there or has no body. Spec: passes 4.11.
PassErrors add_func_data_flow_edges(ir::Module& module);

/// Sharding groups that share a value become one, ids count from 0. Errors: members of different
/// shapes or in different manual computations. Spec: passes 4.12.
PassErrors sharding_group_import(ir::Module& module);

struct FuncResultShardingsOptions {
  /// Called with warnings and what to do about them: a sharding that is left out, as it cannot be
  /// read or has no mesh.
  std::function<void(ir::OpId call, std::string message, std::string remedy)> warn = {};
};

/// Custom calls that carry the sharding of a function result give it to the result, or become
/// constraints. Spec: passes 4.15.
PassErrors import_func_result_shardings(ir::Module& module,
                                        const FuncResultShardingsOptions& options = {});

/// Composites, if they have no sharding rule or `all` are meant, become calls of their
/// decompositions. Errors: one that is not there. Spec: partitioning 8.23.
PassErrors composites_to_calls(ir::Module& module, const rules::Registry& rules, bool all = false);

/// The same, when shardings are propagated, for those with a rule: each calls a copy of its own, in
/// which the shardings of its operands and results are propagated. Spec: partitioning 8.23.
/// `parts`: those of the propagation there, null if none is replaced.
PassErrors ruled_composites_to_calls(ir::Module& module, const rules::Registry& rules,
                                     const propagation::Parts* parts);

/// Stands on a case that was an `if`; its index is a select on the predicate.
inline constexpr const char* kFromIfAttr = "sdy.from_if";

/// Each `stablehlo.if` whose branches compute tensors becomes a case. Spec: partitioning 9.3.
void ifs_to_cases(ir::Module& module);

/// A reduce_window with one window per dim, which is all of the dim or one of its elements, becomes
/// a reduce. Spec: partitioning 8.11.
void whole_windows_to_reductions(ir::Module& module);

/// A gather or scatter of one window, whose place is a constant, becomes a slice or, if it replaces
/// what was there, a dynamic_update_slice. Spec: partitioning 8.16, 8.17.
void constant_windows_to_slices(ir::Module& module);

/// Orders callers before callees, after the meshes. Errors: recursion. Spec: passes 4.13.
PassErrors pre_order_funcs(ir::Module& module);

}  // namespace shardy::passes
