// Short import passes, and the registry rows of all import passes. Spec: passes 2, 4.
//
//   sdy-propagate-sharding-from-func-to-call: copies result shardings of the callee to the call
//     %0 = call @f(%a)                            ->   %0 = call @f(%a)  [{"x"}]
//     func.func private @f(%x) -> [{"x"}]
//
//   sdy-add-data-flow-edges: an edge op after each target of a data-flow edge
//     %0 = while(%a) [{"x"}]                      ->   %0 = while(%a) [{"x"}]
//     %2 = negate %0                                   %1 = sdy.data_flow_edge %0 [{"x"}]
//                                                      %2 = negate %1
//
//   sdy-add-func-data-flow-edges: an edge op after each argument of a function and result of a call
//     func.func private @f(%x)                    ->   func.func private @f(%x)
//       %1 = negate %x                                   %0 = sdy.func_data_flow_edge %x
//                                                        %1 = negate %0
//
//   sdy-propagate-unreduced-across-call-boundaries: unreduced axes cross calls, in both directions
//     %1 = call @f(%0)   with %0 unreduced={"x"}  ->   the argument of @f gets unreduced={"x"}
//
//   sdy-pre-order-funcs: callers before callees
//     @b, @a calls @b, @main calls @a and @b      ->   @main, @a, @b
#include <algorithm>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "passes/common/functions.hpp"
#include "passes/common/ops.hpp"
#include "passes/common/sharding_walker.hpp"
#include "passes/import/import_passes.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/edge_shardings.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/graph_builder.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/passes/pipeline.hpp"

namespace shardy::passes {

namespace {

Diagnostics errors_of(Status status) {
  if (status) return {};
  return {std::move(status).error()};
}

}  // namespace

Diagnostics symbol_dce(Module& module) {
  erase_dead_symbols(module);
  return {};
}

Diagnostics propagate_sharding_from_func_to_call(Module& module) {
  for (const OpId call : ir::pre_order(module)) {
    if (!module.is(call, OpKind::FuncCall)) continue;
    const Result<OpId> callee = called_function(module, call);
    if (!callee) return {callee.error()};
    if (module.attributes(call).contains(ir::kShardingAttr)) continue;
    std::optional<std::vector<TensorSharding>> shardings =
        ir::func_result_shardings(module, *callee);
    if (!shardings) continue;
    // A collective treats an operand without a sharding as replicated.
    for (std::size_t index = 0; index < shardings->size(); ++index) {
      TensorSharding& sharding = (*shardings)[index];
      const auto whole = whole_for_collective(module, module.result(call, index));
      if (!whole) continue;
      sharding = whole->mesh() == sharding.mesh() ? sharding.fully_closed_like() : *whole;
      reshard_for_collectives(module, module.result(call, index), sharding);
    }
    module.attributes(call).set(ir::kShardingAttr, ir::ShardingList{*std::move(shardings)});
  }
  return {};
}

Diagnostics add_data_flow_edges(Module& module) {
  ir::insert_data_flow_edges(module);
  return {};
}

Diagnostics add_func_data_flow_edges(Module& module) {
  if (const auto calls = verified_calls_with_bodies(module); !calls) return {calls.error()};
  return errors_of(ir::insert_func_data_flow_edges(module));
}

// ---- Unreduced axes of calls --------------------------------------------------------------------
// Shardings propagate through calls, unreduced axes do not: this pass copies them. Spec: passes
// 4.16.

namespace {

/// Returns the sharding of a value across a call from a value with unreduced axes: unreduced along
/// the same axes, and sharded as `current` along the others. std::nullopt if `current` is on
/// another mesh.
std::optional<TensorSharding> unreduced_like(const TensorSharding& source,
                                             const std::optional<TensorSharding>& current) {
  const TensorSharding old = current ? *current : source.fully_open_like();
  if (old.mesh() != source.mesh() || old.rank() != source.rank()) return std::nullopt;
  const auto without_unreduced = [&](AxisSpan axes) {
    AxisList kept;
    for (const AxisRef& axis : axes) {
      const auto is_same = [&](const AxisRef& other) { return other.axis == axis.axis; };
      if (std::ranges::none_of(source.unreduced_axes(), is_same)) append_or_merge(kept, axis);
    }
    return kept;
  };
  std::vector<AxisList> dims;
  for (std::size_t dim = 0; dim < old.rank(); ++dim) {
    dims.push_back(without_unreduced(old.dim(dim).axes));
  }
  const AxisList replicated = without_unreduced(old.replicated_axes());
  return old.with_dim_axes(std::move(dims))
      .with_replicated(replicated)
      .with_unreduced(source.unreduced_axes(), source.reduction_op());
}

/// Gives `target` the unreduced axes of the sharding. Users that are sdy collectives declare the
/// sharding of their operand, which stays then.
void copy_unreduced(Module& module, const std::optional<TensorSharding>& from, ValueId target) {
  if (!from || from->unreduced_axes().empty() || feeds_collective(module, target)) return;
  if (const auto to = unreduced_like(*from, ir::get_sharding(module, target))) {
    ir::set_sharding(module, target, *to);
  }
}

/// Copies unreduced axes from the returned values to the results of the function.
void copy_unreduced_to_results(Module& module, OpId function) {
  const OpId last = module.last_op(module.entry(function));
  if (!last.valid() || !module.is(last, OpKind::FuncReturn)) return;
  for (std::size_t index = 0; index < module.num_operands(last); ++index) {
    const auto from = ir::get_sharding(module, module.operand(last, index));
    if (!from || from->unreduced_axes().empty()) continue;
    const auto current = ir::result_sharding(module, function, index);
    if (const auto to = unreduced_like(*from, current)) {
      ir::set_result_sharding(module, function, index, *to);
    }
  }
}

/// Copies unreduced axes from function results to results of calls, and on to results of the called
/// functions that return them.
void copy_unreduced_to_callers(Module& module, const ir::CallGraph& graph) {
  const std::unordered_set<OpId> called(graph.callees.begin(), graph.callees.end());
  for (const OpId function : graph.functions) {  // callees before callers
    for (const OpId call : ir::pre_order(module, module.entry(function))) {
      if (!module.is(call, OpKind::FuncCall)) continue;
      const OpId callee = *called_function(module, call);
      for (std::size_t index = 0; index < module.num_results(call); ++index) {
        const auto from = ir::result_sharding(module, callee, index);
        copy_unreduced(module, from, module.result(call, index));
      }
    }
    if (called.contains(function)) copy_unreduced_to_results(module, function);
  }
}

/// Copies unreduced axes from operands of calls to arguments of functions.
void copy_unreduced_to_callees(Module& module, const ir::CallGraph& graph) {
  for (auto function = graph.functions.rbegin(); function != graph.functions.rend(); ++function) {
    for (const OpId call : ir::pre_order(module, module.entry(*function))) {
      if (!module.is(call, OpKind::FuncCall)) continue;
      const OpId callee = *called_function(module, call);
      if (module.is_external(callee)) continue;
      for (std::size_t index = 0; index < module.num_operands(call); ++index) {
        const auto from = ir::get_sharding(module, module.operand(call, index));
        copy_unreduced(module, from, module.args(module.entry(callee))[index]);
      }
    }
  }
}

}  // namespace

Diagnostics propagate_unreduced_across_call_boundaries(Module& module) {
  const auto graph = verified_calls(module);
  if (!graph) return {graph.error()};
  for (const OpId function : graph->functions) copy_unreduced_to_results(module, function);
  copy_unreduced_to_callers(module, *graph);
  copy_unreduced_to_callees(module, *graph);
  copy_unreduced_to_callers(module, *graph);  // functions may return their arguments
  return {};
}

namespace {

/// Orders functions so that callers come first, after the meshes. Error: recursion. Spec: passes
/// 4.13.
Diagnostics pre_order_funcs(Module& module) {
  ir::CallGraph graph = ir::call_graph(module);
  if (Status status = ir::verify_acyclic(module, graph); !status) {
    return errors_of(std::move(status));
  }
  std::ranges::reverse(graph.functions);
  for (const OpId function : graph.functions) {
    module.remove(function);
    module.append(module.body(), function);
  }
  return {};
}

}  // namespace

// ---- Branches -----------------------------------------------------------------------------------
// `stablehlo.if` becomes a case with two branches, because shardings propagate through a case.
// Spec: partitioning 9.3.
//
//   %0 = stablehlo.if %p {                     %1 = select %p, 0, 1 : tensor<i32>
//     return %a                                %0 = stablehlo.case %1 {
//   }, {                                 ->      return %a
//     return %b                                }, {
//   }                                            return %b
//                                              } {sdy.from_if}

namespace {

/// Creates the branch index: 0 if the predicate is true, else 1.
ValueId branch_index(Module& module, OpId op) {
  ir::Builder builder = ir::Builder::before(module, op);
  builder.set_location(module.location(op));
  const Type type = Type::tensor({}, ir::ElementType::I32);
  const auto constant = [&](int64_t number) {
    ir::AttributeMap attributes;
    attributes.set(ir::attr::kValue, ir::int_splat_literal(type, number));
    return builder.create_value(OpKind::Constant, {}, type, std::move(attributes));
  };
  const ValueId first = constant(0);
  const ValueId second = constant(1);
  return builder.create_value(OpKind::Select, {module.operand(op, 0), first, second}, type);
}

void move_ops(Module& module, ir::BlockId from, ir::BlockId to) {
  std::vector<OpId> ops;
  for (const OpId op : module.ops(from)) ops.push_back(op);
  for (const OpId op : ops) {
    module.remove(op);
    module.append(to, op);
  }
}

void replace_by_case(Module& module, OpId op) {
  ir::OpSpec spec{.kind = OpKind::Case};
  spec.operands = {branch_index(module, op)};
  for (const ValueId result : module.results(op)) spec.result_types.push_back(module.type(result));
  spec.attributes = module.attributes(op);
  spec.attributes.set(kFromIfAttr, ir::UnitAttr());
  for (std::size_t index = 0; index < module.regions(op).size(); ++index) {
    const ir::RegionId region = module.new_region();
    move_ops(module, module.block(op, index), module.new_block(region));
    spec.regions.push_back(region);
  }
  replace_op(module, op, std::move(spec));
}

bool is_plain(const Module& module, OpId op) {
  for (const ir::RegionId region : module.regions(op)) {
    if (module.blocks(region).size() != 1) return false;
  }
  return module.regions(op).size() == 2 && module.num_operands(op) == 1;
}

/// Replaces each `stablehlo.if` whose branches compute tensors by a case. Spec: partitioning 9.3.
void ifs_to_cases(Module& module) {
  const auto enters = [&](OpId op) { return !has_element_regions(module, op); };
  for (const OpId op : ir::post_order(module, module.body(), enters)) {
    if (module.is(op, OpKind::If) && is_plain(module, op)) replace_by_case(module, op);
  }
}

}  // namespace

// ---- Registry rows. Spec: passes 4 --------------------------------------------------------------

namespace {

Diagnostics run_gather_scatter_batching(ir::Module& module, PassContext& context) {
  return explicit_gather_scatter_batching(module, {.compat = context.flag("compat")});
}

Diagnostics run_apply_sharding_constraints(ir::Module& module, PassContext& context) {
  return apply_sharding_constraints(
      module, {.debug_sharding_origins = context.flag("debug-sharding-origins"),
               .debug_propagation_edges = context.flag("debug-propagation-edge-sharding")});
}

Diagnostics run_flatten_call_graph(ir::Module& module, PassContext& /*context*/) {
  return flatten_call_graph(module);
}

Diagnostics run_import_func_calls(ir::Module& module, PassContext& context) {
  ImportFuncCallsOptions options;
  options.add_data_flow_edges_on_named_computations =
      context.flag("add-data-flow-edges-on-named-computations");
  options.warn = [&](ir::OpId call, std::string message, std::string remedy) {
    context.warn(module, call, std::move(message), std::move(remedy));
  };
  return import_func_calls(module, options);
}

Diagnostics run_func_result_shardings(ir::Module& module, PassContext& context) {
  FuncResultShardingsOptions options;
  options.warn = [&](const Diagnostic& warning) { context.diagnose(warning); };
  return import_func_result_shardings(module, options);
}

std::vector<Pass> mesh_passes() {
  return {
      {.name = "sdy-lift-inlined-meshes",
       .summary = "gives each mesh one name: lifts inlined meshes, merges equal ones",
       .phase = PassPhase::Import,
       .run = body(&lift_inlined_meshes)},
      {.name = "sdy-remove-size-one-axes",
       .aliases = {"xla-sdy-round-trip-remove-size-one-axes"},
       .summary = "removes axes of size 1 from all shardings",
       .phase = PassPhase::Import,
       .run = body(&remove_size_one_axes)},
      {.name = "sdy-manual-axes-cleanup",
       .summary = "adds missing manual axes to the shardings of manual computations",
       .phase = PassPhase::Import,
       .run = body(&manual_axes_cleanup)},
  };
}

std::vector<Pass> value_passes() {
  return {
      {.name = "sdy-constant-or-scalar-splitter",
       .aliases = {"sdy-constant-splitter"},
       .summary = "gives each user its own copy of constants and broadcast scalars",
       .phase = PassPhase::Import,
       .run = body(&constant_or_scalar_splitter),
       .wants = {&require_owned_edges}},
      {.name = "sdy-explicit-gather-scatter-batching",
       .summary =
           "makes a dim a batching dim if an index of a gather or scatter is an iota along it",
       .phase = PassPhase::Import,
       .kind = PassKind::Function,
       .options = {{"compat", OptionType::Bool, "false",
                    "use the conditions of Shardy, which may change values"}},
       .run = &run_gather_scatter_batching},
      {.name = "sdy-add-data-flow-edges",
       .summary = "inserts an sdy.data_flow_edge with the sharding for each data-flow edge",
       .phase = PassPhase::Import,
       .run = body(&add_data_flow_edges)},
      {.name = "sdy-apply-sharding-constraints",
       .summary = "copies closed shardings of constraints to operands without a sharding",
       .phase = PassPhase::Import,
       .options = {{"debug-sharding-origins", OptionType::Bool, "false",
                    "record the annotation from which each axis comes"},
                   {"debug-propagation-edge-sharding", OptionType::Bool, "false",
                    "record for each axis that it comes from the constraint"}},
       .run = &run_apply_sharding_constraints},
      {.name = "sdy-sharding-group-import",
       .summary = "merges sharding groups that share a value and numbers them from 0",
       .phase = PassPhase::Import,
       .run = body(&sharding_group_import)},
  };
}

std::vector<Pass> call_passes() {
  return {
      {.name = "sdy-propagate-sharding-from-func-to-call",
       .summary = "copies the result shardings of the callee to calls without shardings",
       .phase = PassPhase::Import,
       .run = body(&propagate_sharding_from_func_to_call)},
      {.name = "sdy-flatten-call-graph",
       .aliases = {"xla-sdy-flatten-call-graph"},
       .summary = "copies functions until each has one call",
       .phase = PassPhase::Import,
       .run = &run_flatten_call_graph},
      {.name = "sdy-import-func-calls",
       .aliases = {"xla-sdy-import-func-calls", "xla-sdy-import-uninlineable-func-calls",
                   "xla-sdy-import-backend-func-calls"},
       .summary = "replaces calls by named computations",
       .phase = PassPhase::Import,
       .options = {{"add-data-flow-edges-on-named-computations", OptionType::Bool, "true",
                    "also insert the data-flow edges of named computations"}},
       .run = &run_import_func_calls,
       .wants = {&require_no_func_edges}},
      {.name = "sdy-add-func-data-flow-edges",
       .summary =
           "inserts an sdy.func_data_flow_edge after arguments of functions and results of calls",
       .phase = PassPhase::Import,
       .run = body(&add_func_data_flow_edges),
       .wants = {&require_owned_edges}},
      {.name = "sdy-propagate-unreduced-across-call-boundaries",
       .summary = "copies unreduced axes from operands and returned values across calls",
       .phase = PassPhase::Import,
       .run = body(&propagate_unreduced_across_call_boundaries)},
      {.name = "sdy-import-func-result-shardings",
       .summary =
           "removes custom calls with the shardings of function results, and sets these shardings",
       .phase = PassPhase::Import,
       .run = &run_func_result_shardings,
       .is_hidden = true},
      {.name = "sdy-pre-order-funcs",
       .summary = "sorts the functions, callers before callees",
       .phase = PassPhase::Import,
       .run = body(&pre_order_funcs)},
  };
}

/// Returns the passes that only built-in pipelines run. The command line does not have them.
std::vector<Pass> hidden_passes() {
  return {
      {.name = "sdy-composites-to-calls",
       .summary = "replaces composites by calls of their decompositions",
       .phase = PassPhase::Import,
       .options = {{"with-rules", OptionType::Bool, "false",
                    "only composites with a sharding rule, after shardings are propagated"}},
       .run =
           [](ir::Module& module, PassContext& context) {
             if (!context.flag("with-rules")) return composites_to_calls(module, context.rules());
             const auto* extensions = context.extensions();
             return ruled_composites_to_calls(
                 module, context.rules(),
                 extensions != nullptr ? &extensions->propagation : nullptr);
           },
       .is_hidden = true},
      {.name = "sdy-copy-for-manual-contexts",
       .summary = "copies functions that are called in several contexts of manual computations",
       .phase = PassPhase::Import,
       .run = body(&copy_for_manual_contexts),
       .is_hidden = true},
      {.name = "sdy-ifs-to-cases",
       .summary = "converts ifs to cases, through which shardings propagate",
       .phase = PassPhase::Import,
       .run =
           [](ir::Module& module, PassContext&) {
             ifs_to_cases(module);
             return Diagnostics();
           },
       .is_hidden = true},
      {.name = "sdy-whole-windows-to-reductions",
       .summary = "converts reductions of windows that span full dims to reductions",
       .phase = PassPhase::Import,
       .run =
           [](ir::Module& module, PassContext&) {
             whole_windows_to_reductions(module);
             return Diagnostics();
           },
       .is_hidden = true},
      {.name = "sdy-constant-windows-to-slices",
       .summary = "converts gathers and scatters of one window at a constant index to slices",
       .phase = PassPhase::Import,
       .run =
           [](ir::Module& module, PassContext&) {
             constant_windows_to_slices(module);
             return Diagnostics();
           },
       .is_hidden = true},
      {.name = "sdy-keep-merged-dims-apart",
       .summary = "removes reshapes that merge dims which later reshapes split again",
       .phase = PassPhase::Import,
       .run =
           [](ir::Module& module, PassContext&) {
             keep_merged_dims_apart(module);
             return Diagnostics();
           },
       .is_hidden = true},
  };
}

}  // namespace

void register_import_passes(PassRegistry& registry) {
  for (const std::vector<Pass>& passes :
       {mesh_passes(), value_passes(), call_passes(), hidden_passes()}) {
    for (const Pass& pass : passes) static_cast<void>(registry.add(pass));
  }
}

}  // namespace shardy::passes
