// Cleanup after propagation: edges, sharding groups, debug attributes, copies of constants.
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "passes/common/ops.hpp"
#include "passes/common/sharding_walker.hpp"
#include "passes/export/export_passes.hpp"
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

}  // namespace shardy::passes
