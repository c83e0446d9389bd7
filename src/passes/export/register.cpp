// Short export passes: cleanup after propagation (edges, sharding groups, debug attributes, copies
// of constants), and changes of the shardings of arguments and results. The registry rows of all
// export passes. Spec: passes 5 and 6.
//
//   sdy.mesh @mesh = <["x"=8, "y"=3]>
//   sdy-update-non-divisible-input-output-shardings: keep the axes that divide the dim
//     tensor<6xf32>  [{"x", "y"}]    ->   [{"x":(1)2}]
//     tensor<6xf32>  [{"y", "x"}]    ->   [{"y", "x":(1)2}]
//
//   sdy-remove-sub-axes-in-input-output-shardings: end open dims of main before a sub-axis
//     [{"x", "y":(1)2, "z", ?}]      ->   [{"x", ?}]
#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "passes/common/functions.hpp"
#include "passes/common/ops.hpp"
#include "passes/common/sharding_walker.hpp"
#include "passes/export/export_passes.hpp"
#include "shardy/algebra/axis_list.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/edge_shardings.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/resharding/cost.hpp"
#include "shardy/support/detail/quote.hpp"

namespace shardy::passes {

// ---- Edges --------------------------------------------------------------------------------------
// Edge ops are erased; their shardings move to the values that own the edges.
// Spec: passes 5.2, 5.3.
//
//   %0 = while(%a) [{"y"}]                            %0 = while(%a) [{"x", ?}]
//   %1 = sdy.data_flow_edge %0 [{"x", ?}]        ->   %2 = negate %0
//   %2 = negate %1

namespace {

/// Returns the uses by collectives of edge ops without sharding. A collective treats such a value
/// as replicated.
std::vector<ir::Use> readers_of_whole_edges(const ir::Module& module) {
  std::vector<ir::Use> readers;
  for (const ir::OpId op : ir::pre_order(module)) {
    if (!module.is(op, ir::OpKind::SdyDataFlowEdge)) continue;
    if (module.attribute<TensorSharding>(op, ir::attr::kSharding) != nullptr) continue;
    for (const ir::Use& use : module.uses(module.result(op))) {
      if (ir::is_sdy_collective(module.kind(use.op))) readers.push_back(use);
    }
  }
  return readers;
}

/// Checks whether the value is replicated on the mesh of the collective that uses it.
bool reads_whole(const ir::Module& module, const ir::Use& use) {
  const auto has = ir::get_sharding(module, module.operand(use.op, use.operand));
  const auto& out = *module.attribute<TensorSharding>(use.op, ir::attr::kOutSharding);
  return !has || (has->mesh() == out.mesh() && has->empty_axes());
}

}  // namespace

void sink_data_flow_edges(ir::Module& module, const SinkDataFlowEdgesOptions& options) {
  const std::vector<ir::Use> readers = readers_of_whole_edges(module);
  ir::sink_data_flow_edges(module,
                           {.sharding_origins = options.sink_debug_sharding_origins,
                            .propagation_edges = options.sink_debug_propagation_edge_sharding});
  // An owner keeps its sharding if no edge op of its op has one.
  for (const ir::Use& use : readers) {
    if (!reads_whole(module, use)) reshard_to_whole(module, use);
  }
}

void sink_func_data_flow_edges(ir::Module& module) { ir::sink_func_data_flow_edges(module); }

// ---- Groups and constraints ---------------------------------------------------------------------
// Ops that only guide propagation are removed or become reshards. Spec: passes 5.4, 5.5.
//
//   sdy.sharding_group %a group_id=0                    ->   (erased)
//   %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}]>    ->   %1 = sdy.reshard %0 <@mesh, [{"x"}]>

namespace {

/// Erases all sharding groups. Spec: passes 5.4.
void remove_sharding_groups(Module& module) {
  for (const OpId op : ir::post_order(module)) {
    if (module.is(op, OpKind::SdyShardingGroup)) module.erase(op);
  }
}

/// Replaces sharding constraints by reshards with the same attributes. Spec: passes 5.5.
void sharding_constraint_to_reshard(Module& module) {
  for (const OpId op : ir::post_order(module)) {
    if (!module.is(op, OpKind::SdyShardingConstraint)) continue;
    ir::OpSpec spec{.kind = OpKind::SdyReshard};
    spec.operands = module.operands(op);
    spec.result_types = {module.type(module.result(op))};
    spec.attributes = module.attributes(op);
    replace_op(module, op, std::move(spec));
  }
}

}  // namespace

// ---- Attributes ---------------------------------------------------------------------------------
// Passes that only remove attributes. Spec: passes 5.15 to 5.17.
//
//   sdy-remove-propagation-debug-info   {sdy.sharding_origins, sdy.propagation_edges}  ->  {}
//   sdy-drop-sharding-rules             {sdy.sharding_rule = .. , not custom}          ->  {}
//   sdy-drop-sharding-and-mesh          {sdy.sharding = ..} and sdy.mesh @mesh         ->  {}

namespace {

constexpr std::array<std::string_view, 6> kDebugAttributes = {
    "sdy.sharding_origins",           "sdy.propagation_edges",
    "sdy.block_arg_sharding_origins", "sdy.block_arg_propagation_edges",
    "sdy.result_sharding_origins",    "sdy.result_propagation_edges",
};

/// Calls `change` with the attributes of each op, and of the arguments and results of functions.
template <class Change>
void for_each_attributes(Module& module, Change change) {
  for (const OpId op : ir::pre_order(module)) {
    change(module.attributes(op));
    if (!module.is(op, OpKind::Func)) continue;
    for (AttributeMap& attributes : module.function(op).arg_attributes) change(attributes);
    for (AttributeMap& attributes : module.function(op).result_attributes) change(attributes);
  }
}

}  // namespace

void remove_propagation_debug_info(Module& module) {
  for_each_attributes(module, [](AttributeMap& attributes) {
    for (const std::string_view name : kDebugAttributes) attributes.erase(name);
  });
}

void drop_sharding_rules(Module& module) {
  for (const OpId op : ir::pre_order(module)) {
    const auto* rule = module.attribute<OpShardingRule>(op, ir::kShardingRuleAttr);
    if (rule != nullptr && !rule->is_custom()) module.attributes(op).erase(ir::kShardingRuleAttr);
  }
}

void drop_shardings(Module& module) {
  // Propagation edges refer to the removed shardings.
  remove_propagation_debug_info(module);
  for_each_attributes(module,
                      [](AttributeMap& attributes) { attributes.erase(ir::kShardingAttr); });
}

void drop_sharding_and_mesh(Module& module) {
  drop_shardings(module);
  for_each_attributes(module, [](AttributeMap& attributes) {
    // Without shardings, the global types do not determine the shards.
    attributes.erase("spmd.global_type");
    attributes.erase("spmd.per_device");
  });
  module.module_attributes().erase("sdy.parameters_shardings");
  module.module_attributes().erase("sdy.output_shardings");
  erase_unused_meshes(module);
}

// ---- Constants ----------------------------------------------------------------------------------
// CSE of constants and of broadcasts of scalars with equal shardings. Spec: passes 5.1.
//
//   %0 = sdy.constant 0.0 [{"x"}]            %0 = sdy.constant 0.0 [{"x"}]
//   %1 = sdy.constant 0.0 [{"x"}]       ->   %1 = sdy.constant 0.0
//   %2 = sdy.constant 0.0                    %2 = add %0, %0
//   %3 = add %0, %1                          %3 = add %2, %1
//   %4 = add %3, %2

namespace {

bool is_constant_op(const Module& module, OpId op) {
  return module.is(op, OpKind::SdyConstant) || module.has_trait(op, ir::kConstantLike);
}

bool is_scalar_broadcast(const Module& module, OpId op) {
  if (!module.is(op, OpKind::BroadcastInDim)) return false;
  const ir::Type& type = module.type(module.operand(op, 0));
  return type.is_tensor() && type.rank() == 0;
}

}  // namespace

/// Merges ops with equal attributes, so a stablehlo.constant and an sdy.constant may be merged.
namespace {

/// Merges equal constants of a region and equal broadcasts of one scalar. Values with different
/// shardings stay separate. Spec: passes 5.1.
void constant_or_scalar_merger(Module& module) {
  EqualOps equal(module);
  for (const OpId op : ir::post_order(module)) {
    const bool is_constant = is_constant_op(module, op);
    if (!is_constant && !is_scalar_broadcast(module, op)) continue;
    equal.merge(op, is_constant ? 1 : 0, module.parent_region(module.parent_block(op)).value);
  }
}

using OptionalSharding = std::optional<TensorSharding>;

/// Checks whether a collective uses the argument. The sharding of the argument must then not
/// change.
bool is_argument_of_collective(const Module& module, OpId function, std::size_t index) {
  return !module.is_external(function) &&
         is_side_of_collective(module, module.args(module.entry(function))[index]);
}

// ---- Divisible (5.6) ----------------------------------------------------------------------------

/// Returns the sharding with only the axes that divide the type evenly. Removed axes are not used
/// for other dims. Returns std::nullopt if all axes divide.
OptionalSharding divisible(const Type& type, const OptionalSharding& sharding) {
  if (!sharding || sharding->mesh().is_maximal() || !ir::has_static_shape(type))
    return std::nullopt;
  if (!type.is_tensor() || sharding->rank() != type.dims().size()) return std::nullopt;
  const auto is_divided = [&](std::size_t dim) {
    const AxisList& axes = sharding->dim(dim).axes;
    return axes.empty() || evenly_dividing_prefix(axes, type.dim(dim)) == axes;
  };
  std::size_t first = 0;
  while (first < sharding->rank() && is_divided(first)) ++first;
  if (first == sharding->rank()) return std::nullopt;
  std::vector<DimSharding> dims(sharding->dims().begin(), sharding->dims().end());
  for (std::size_t dim = first; dim < dims.size(); ++dim) {
    AxisList axes = evenly_dividing_prefix(dims[dim].axes, type.dim(dim));
    // A changed dim loses its priority (deviation 11, kept).
    if (axes != dims[dim].axes) dims[dim] = {std::move(axes), dims[dim].is_closed, std::nullopt};
  }
  return sharding->with_dims(std::move(dims));
}

void make_function_divisible(Module& module, OpId function) {
  const std::vector<Type> args = module.arg_types(function);
  for (std::size_t index = 0; index < args.size(); ++index) {
    if (is_argument_of_collective(module, function, index)) continue;
    const auto changed = divisible(args[index], ir::arg_sharding(module, function, index));
    if (changed) ir::set_arg_sharding(module, function, index, *changed);
  }
  const std::vector<Type> results = module.function(function).result_types;
  for (std::size_t index = 0; index < results.size(); ++index) {
    const auto changed = divisible(results[index], ir::result_sharding(module, function, index));
    if (changed) ir::set_result_sharding(module, function, index, *changed);
  }
}

void make_call_divisible(Module& module, OpId call) {
  const auto* stored = module.attribute<ir::ShardingList>(call, ir::kShardingAttr);
  if (stored == nullptr) return;
  ir::ShardingList list = *stored;
  for (std::size_t index = 0; index < list.shardings.size(); ++index) {
    const ValueId result = module.result(call, index);
    const auto changed = divisible(module.type(result), list.shardings[index]);
    if (changed && !is_side_of_collective(module, result)) list.shardings[index] = *changed;
  }
  module.attributes(call).set(ir::kShardingAttr, std::move(list));
}

/// Makes edge shardings divisible. Block arguments have local shapes and free axes, results have
/// global shapes.
void make_edges_divisible(Module& module, OpId op) {
  for (const ir::EdgeOwners which : ir::kEdgeOwners) {
    const std::vector<ValueId> owners = ir::edge_owners(module, op, which);
    std::vector<TensorSharding> shardings = ir::edge_owner_shardings(module, op, which);
    for (std::size_t index = 0; index < std::min(owners.size(), shardings.size()); ++index) {
      const auto changed = divisible(module.type(owners[index]), shardings[index]);
      if (changed && !is_side_of_collective(module, owners[index]))
        ir::set_edge_owner_sharding(module, owners[index], *changed);
    }
  }
}

// ---- Without sub-axes (5.7) ---------------------------------------------------------------------

/// Returns the sharding without the first sub-axis of each open dim and the axes minor to it;
/// std::nullopt if no open dim has a sub-axis.
OptionalSharding without_sub_axes(const OptionalSharding& sharding) {
  if (!sharding) return std::nullopt;
  const auto num_full_axes = [&](const DimSharding& dim) {
    const auto sub = std::ranges::find_if(
        dim.axes, [&](const AxisRef& ref) { return !sharding->mesh().is_full(ref); });
    return static_cast<std::size_t>(sub - dim.axes.begin());
  };
  const auto changes = [&](const DimSharding& dim) {
    return !dim.is_closed && num_full_axes(dim) < dim.axes.size();
  };
  if (std::ranges::none_of(sharding->dims(), changes)) return std::nullopt;
  std::vector<DimSharding> dims(sharding->dims().begin(), sharding->dims().end());
  for (DimSharding& dim : dims) {
    if (changes(dim)) dim = dim.take_front(num_full_axes(dim));
  }
  return sharding->with_dims(std::move(dims));
}

}  // namespace

void update_non_divisible_input_output_shardings(Module& module) {
  for (const OpId function : module.functions()) make_function_divisible(module, function);
  const std::vector<OpId> ops = ir::pre_order(module);
  for (const OpId op : ops) {
    if (module.is(op, OpKind::FuncCall)) make_call_divisible(module, op);
  }
  for (const OpId op : ops) {
    if (ir::keep_edge_shardings_divisible(module, op)) make_edges_divisible(module, op);
  }
}

namespace {

/// Removes the first sub-axis of an open dim, and all axes minor to it, for the arguments and
/// results of main. Error: no main function. Spec: passes 5.7.
Diagnostics remove_sub_axes_in_input_output_shardings(Module& module) {
  Result<OpId> main = require_main_function(module);
  if (!main) return {std::move(main).error()};
  const std::size_t num_args = module.arg_types(*main).size();
  for (std::size_t index = 0; index < num_args; ++index) {
    if (is_argument_of_collective(module, *main, index)) continue;
    const auto changed = without_sub_axes(ir::arg_sharding(module, *main, index));
    if (changed) ir::set_arg_sharding(module, *main, index, *changed);
  }
  for (std::size_t index = 0; index < module.function(*main).result_types.size(); ++index) {
    const auto changed = without_sub_axes(ir::result_sharding(module, *main, index));
    if (changed) ir::set_result_sharding(module, *main, index, *changed);
  }
  return {};
}

}  // namespace

// ---- Closed shardings ---------------------------------------------------------------------------
// All dims are closed and explicitly replicated axes are dropped. Spec: passes 5.8.
//
//   [{"x", ?}, {?}], replicated={"y"}, unreduced={"z"}   ->   [{"x"}, {}], unreduced={"z"}

namespace {

/// Closes every dim and drops explicitly replicated axes, so that shardings are final. Spec: passes
/// 5.8.
void close_shardings(ir::Module& module) {
  transform_shardings(module,
                      [](const TensorSharding& sharding) { return sharding.closed_like(); });
}

}  // namespace

// ---- Registry rows. Spec: passes 5 and 6, resharding --------------------------------------------

namespace {

/// Adapts a pass that has no options and cannot fail.
template <void (*kRun)(ir::Module&)>
Diagnostics always(ir::Module& module) {
  kRun(module);
  return {};
}

Pass module_pass(std::string name, std::string summary, Diagnostics (*run)(ir::Module&)) {
  return {.name = std::move(name),
          .summary = std::move(summary),
          .phase = PassPhase::Export,
          .run = body(run)};
}

Pass wanting(Pass pass, std::vector<Diagnostics (*)(const ir::Module&)> wants) {
  pass.wants = std::move(wants);
  return pass;
}

Pass function_pass(std::string name, std::string summary, Diagnostics (*run)(ir::Module&)) {
  Pass pass = module_pass(std::move(name), std::move(summary), run);
  pass.kind = PassKind::Function;
  return pass;
}

Pass hidden(Pass pass) {
  pass.is_hidden = true;
  return pass;
}

Pass also_named(std::string alias, Pass pass) {
  pass.aliases.push_back(std::move(alias));
  return pass;
}

std::vector<Pass> plain_passes() {
  return {
      wanting(function_pass("sdy-constant-or-scalar-merger",
                            "merges equal constants and equal broadcasts of one scalar",
                            &always<&constant_or_scalar_merger>),
              {&require_owned_edges}),
      function_pass("sdy-sink-func-data-flow-edges",
                    "moves shardings from edges of functions and calls to the values that own them",
                    &always<&sink_func_data_flow_edges>),
      module_pass("sdy-remove-sharding-groups", "removes sharding groups",
                  &always<&remove_sharding_groups>),
      function_pass("sdy-sharding-constraint-to-reshard",
                    "turns sharding constraints into reshards",
                    &always<&sharding_constraint_to_reshard>),
      module_pass("sdy-update-non-divisible-input-output-shardings",
                  "drops axes that do not divide the arguments and results of functions and calls",
                  &always<&update_non_divisible_input_output_shardings>),
      module_pass(
          "sdy-remove-sub-axes-in-input-output-shardings",
          "truncates the open dims of main's arguments and results before their first sub-axis",
          &remove_sub_axes_in_input_output_shardings),
      module_pass("sdy-close-shardings", "closes all dims and drops explicitly replicated axes",
                  &always<&close_shardings>),
      also_named("xla-sdy-export-named-computations",
                 module_pass("sdy-export-named-computations",
                             "turns named computations into functions and calls",
                             &always<&export_named_computations>)),
      module_pass("sdy-propagate-to-func-results",
                  "gives results of functions the shardings of the returned values",
                  &propagate_to_func_results),
      wanting(
          module_pass("sdy-insert-func-call-reshards",
                      "reshards results of calls from the callee's sharding to the call's sharding",
                      &insert_func_call_reshards),
          {&require_owned_edges, &require_no_func_edges}),
      function_pass("sdy-verify-unreduced-axes",
                    "checks that unreduced values are reduced before their use",
                    &verify_unreduced_axes),
      function_pass("sdy-remove-all-gather-reduce-scatter-for-cmv1",
                    "leaves collectives next to dots to backends that hide them",
                    &always<&remove_all_gather_reduce_scatter_for_cmv1>),
      hidden(module_pass("sdy-sink-loop-sums",
                         "reduces partial sums that a loop accumulates once, after the loop",
                         &always<&sink_loop_sums>)),
      hidden(module_pass("sdy-recompute-constants",
                         "computes constants at their uses instead of resharding them",
                         &always<&recompute_constants>)),
      module_pass("sdy-remove-propagation-debug-info", "removes the debugging attributes of axes",
                  &always<&remove_propagation_debug_info>),
      function_pass("sdy-drop-sharding-rules", "removes all sharding rules except custom ones",
                    &always<&drop_sharding_rules>),
      wanting(module_pass("sdy-drop-sharding-and-mesh", "removes sharding attributes and meshes",
                          &always<&drop_sharding_and_mesh>),
              {&require_no_collectives}),
  };
}

// ---- Passes with options ------------------------------------------------------------------------

Pass sink_pass() {
  Pass pass = function_pass("sdy-sink-data-flow-edges",
                            "moves shardings from edges to the values that own them", nullptr);
  pass.options = {{"sink-debug-sharding-origins", OptionType::Bool, "false",
                   "keep the origins of the edges' axes"},
                  {"sink-debug-propagation-edge-sharding", OptionType::Bool, "false",
                   "keep the propagation steps of the edges' axes"}};
  pass.run = [](ir::Module& module, PassContext& context) {
    sink_data_flow_edges(
        module, {.sink_debug_sharding_origins = context.flag("sink-debug-sharding-origins"),
                 .sink_debug_propagation_edge_sharding =
                     context.flag("sink-debug-propagation-edge-sharding")});
    return Diagnostics();
  };
  pass.wants = {&require_sinkable_edges};
  return pass;
}

Pass unflatten_pass() {
  Pass pass = module_pass("sdy-unflatten-call-graph",
                          "merges clones of one function with equal boundaries", nullptr);
  pass.aliases = {"xla-sdy-unflatten-call-graph"};
  pass.options = {{"dedup-functions-fully", OptionType::Bool, "false",
                   "also merge clones whose arguments or results have different shardings"}};
  pass.run = [](ir::Module& module, PassContext& context) {
    return unflatten_call_graph(module,
                                {.dedup_functions_fully = context.flag("dedup-functions-fully")});
  };
  return pass;
}

Pass single_device_pass() {
  Pass pass = function_pass(
      "sdy-resolve-single-device-sharding",
      "computes values of a single device on it, and sends them to all devices", nullptr);
  pass.options = {{"replica-count", OptionType::Int, "1", "number of replicas"},
                  {"partition-count", OptionType::Int, "1", "number of partitions"}};
  pass.run = [](ir::Module& module, PassContext& context) {
    return resolve_single_device_sharding(module,
                                          {.replica_count = context.number("replica-count"),
                                           .partition_count = context.number("partition-count")});
  };
  return pass;
}

constexpr const char* kAxisCostsHelp =
    "links, bandwidth and latency of mesh axes; override the costs of the meshes: "
    "x=ring:100GB/s:1us";

Pass explicit_reshards_pass() {
  Pass pass =
      function_pass("sdy-insert-explicit-reshards",
                    "inserts reshards so that the tensors of each op agree with its rule", nullptr);
  pass.options = {
      {"enable-full-version", OptionType::Bool, "false",
       "reshard around every op, not only where reductions need it"},
      {"mark-partial-result-with-unreduced-axes", OptionType::Bool, "false",
       "results that an all-reduce completes are unreduced along its axes"},
      {"lowering-rules", OptionType::Bool, "false",
       "use the rules by which partitioning lowers ops, instead of the propagation rules"},
      common_axes_option(),
      {"move-shardings", OptionType::Bool, "false",
       "with common-axes=best: change propagated shardings if reshards then cost less"},
      {"axis-costs", OptionType::String, "", kAxisCostsHelp},
      {"avoid-reshards-on-named-computations", OptionType::Bool, "false", "accepted, no effect"}};
  pass.wants = {&require_owned_edges, &require_introduced_sums};
  pass.run = [](ir::Module& module, PassContext& context) {
    auto model = parse_cost_model(context.options().text("axis-costs"));
    if (!model) return Diagnostics{std::move(model).error()};
    Diagnostics errors = insert_explicit_reshards(
        module,
        {.enable_full_version = context.flag("enable-full-version"),
         .mark_partial_results = context.flag("mark-partial-result-with-unreduced-axes"),
         .lowering_rules = context.flag("lowering-rules"),
         .common_axes = plan_kind(context.options(), "common-axes"),
         .move_shardings = context.flag("move-shardings"),
         .best = {.model = *std::move(model)},
         .extensions = context.extensions(),
         .limits = context.limits(),
         .plans = context.plans(),
         .chosen = context.sinks().rewrite},
        context.rules());
    // Reductions that edges, calls and returns require count, too.
    return errors.empty() ? require_introduced_sums(module) : errors;
  };
  return pass;
}

Pass collectives_pass() {
  Pass pass = function_pass("sdy-reshard-to-collectives",
                            "turns reshards into sequences of collectives", nullptr);
  pass.options = {
      {"keep-redundant-reshards", OptionType::Bool, "false",
       "leave reshards between equivalent shardings"},
      plan_option("resharding",
                  "collectives of reshards: as in Shardy (reference), or the cheapest (best)"),
      {"axis-costs", OptionType::String, "", kAxisCostsHelp}};
  pass.run = [](ir::Module& module, PassContext& context) {
    auto model = parse_cost_model(context.options().text("axis-costs"));
    if (!model) return Diagnostics{std::move(model).error()};
    return reshard_to_collectives(
        module, {.keep_redundant_reshards = context.flag("keep-redundant-reshards"),
                 .resharding = plan_kind(context.options(), "resharding"),
                 .best = {.model = *std::move(model)},
                 .extensions = context.extensions(),
                 .limits = context.limits(),
                 .plans = context.plans()});
  };
  return pass;
}

Pass optimize_collectives_pass() {
  Pass pass = function_pass("sdy-optimize-collectives",
                            "rewrites collectives so that they send less", nullptr);
  pass.options = {{"rules", OptionType::String, "", "rewrites to apply; empty: all"},
                  {"axis-costs", OptionType::String, "", kAxisCostsHelp}};
  pass.run = [](ir::Module& module, PassContext& context) {
    auto model = parse_cost_model(context.options().text("axis-costs"));
    if (!model) return Diagnostics{std::move(model).error()};
    const auto rewrites = optimize_collectives(module, {.rules = context.options().list("rules"),
                                                        .model = *std::move(model),
                                                        .limits = context.limits(),
                                                        .plans = context.plans()});
    if (!rewrites) return rewrites.error();
    for (const Diagnostic& diagnostic : diagnostics_of(*rewrites)) context.diagnose(diagnostic);
    return Diagnostics();
  };
  return pass;
}

/// Returns a note with the most similar label.
std::string labels_note(const std::string& label) {
  const std::optional<std::string> meant = closest(label, {"sdy-reshard", "sdy-collective"});
  return meant ? "did you mean " + *meant + "?" : "labels: sdy-reshard, sdy-collective";
}

/// Runs all patterns, or the patterns with enabled labels and without disabled labels.
Diagnostics run_canonicalize(ir::Module& module, PassContext& context) {
  CanonicalizeOptions chosen;
  const std::vector<std::string> enabled = context.options().list("enable-patterns");
  if (!enabled.empty()) {
    chosen = {.reshards = false, .collectives = false, .unlabelled = false};
  }
  const auto choose = [&](const std::vector<std::string>& labels, bool wanted) {
    for (const std::string& label : labels) {
      const std::optional<CanonicalizeOptions> group = only_labelled(label);
      if (!group) context.warn("no pattern has the label " + label, labels_note(label));
      if (group && group->reshards) chosen.reshards = wanted;
      if (group && group->collectives) chosen.collectives = wanted;
    }
  };
  choose(enabled, true);
  choose(context.options().list("disable-patterns"), false);
  return canonicalize(module, chosen);
}

Pass canonicalize_pass() {
  return {
      .name = "canonicalize",
      .summary = "applies canonicalization patterns until none matches",
      .phase = PassPhase::Export,
      .options = {{"enable-patterns", OptionType::String, "",
                   "labels of the patterns that run: sdy-reshard, sdy-collective; empty: all"},
                  {"disable-patterns", OptionType::String, "",
                   "labels of the patterns that do not run"}},
      .run = &run_canonicalize,
  };
}

}  // namespace

void register_export_passes(PassRegistry& registry) {
  std::vector<Pass> passes = plain_passes();
  for (Pass pass : {sink_pass(), unflatten_pass(), single_device_pass(), explicit_reshards_pass(),
                    collectives_pass(), canonicalize_pass(), optimize_collectives_pass()}) {
    passes.push_back(std::move(pass));
  }
  for (Pass& pass : passes) static_cast<void>(registry.add(std::move(pass)));
  register_export_pipelines(registry);
}

}  // namespace shardy::passes
