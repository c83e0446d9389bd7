// Short export passes: cleanup after propagation (edges, sharding groups, debug attributes, copies
// of constants), and changes of the shardings of arguments and results. Spec: passes 5.1 to 5.7.
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

void remove_sharding_groups(Module& module) {
  for (const OpId op : ir::post_order(module)) {
    if (module.is(op, OpKind::SdyShardingGroup)) module.erase(op);
  }
}

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
void constant_or_scalar_merger(Module& module) {
  EqualOps equal(module);
  for (const OpId op : ir::post_order(module)) {
    const bool is_constant = is_constant_op(module, op);
    if (!is_constant && !is_scalar_broadcast(module, op)) continue;
    equal.merge(op, is_constant ? 1 : 0, module.parent_region(module.parent_block(op)).value);
  }
}

namespace {

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
  std::vector<DimSharding> dims(sharding->dims().begin(), sharding->dims().end());
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    AxisList axes = evenly_dividing_prefix(dims[dim].axes, type.dim(dim));
    // A changed dim loses its priority (deviation 11, kept).
    if (axes != dims[dim].axes) dims[dim] = {std::move(axes), dims[dim].is_closed, std::nullopt};
  }
  TensorSharding changed = sharding->with_dims(std::move(dims));
  return changed == *sharding ? std::nullopt : OptionalSharding(std::move(changed));
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

TensorSharding without_sub_axes(const TensorSharding& sharding) {
  std::vector<DimSharding> dims(sharding.dims().begin(), sharding.dims().end());
  for (DimSharding& dim : dims) {
    if (dim.is_closed) continue;
    const auto sub = std::ranges::find_if(
        dim.axes, [&](const AxisRef& ref) { return ref != sharding.mesh().full_axis(ref.axis); });
    dim = dim.take_front(static_cast<std::size_t>(sub - dim.axes.begin()));
  }
  return sharding.with_dims(std::move(dims));
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

Diagnostics remove_sub_axes_in_input_output_shardings(Module& module) {
  Result<OpId> main = require_main_function(module);
  if (!main) return {std::move(main).error()};
  const std::size_t num_args = module.arg_types(*main).size();
  for (std::size_t index = 0; index < num_args; ++index) {
    if (is_argument_of_collective(module, *main, index)) continue;
    const OptionalSharding sharding = ir::arg_sharding(module, *main, index);
    if (sharding) ir::set_arg_sharding(module, *main, index, without_sub_axes(*sharding));
  }
  for (std::size_t index = 0; index < module.function(*main).result_types.size(); ++index) {
    const OptionalSharding sharding = ir::result_sharding(module, *main, index);
    if (sharding) ir::set_result_sharding(module, *main, index, without_sub_axes(*sharding));
  }
  return {};
}

// ---- Closed shardings ---------------------------------------------------------------------------
// All dims are closed and explicitly replicated axes are dropped. Spec: passes 5.8.
//
//   [{"x", ?}, {?}], replicated={"y"}, unreduced={"z"}   ->   [{"x"}, {}], unreduced={"z"}

void close_shardings(ir::Module& module) {
  transform_shardings(module,
                      [](const TensorSharding& sharding) { return sharding.closed_like(); });
}

}  // namespace shardy::passes
