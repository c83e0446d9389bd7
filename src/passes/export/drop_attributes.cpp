// Passes that only remove attributes. Spec: passes 5.15 to 5.17.
//
//   sdy-remove-propagation-debug-info   {sdy.sharding_origins, sdy.propagation_edges}  ->  {}
//   sdy-drop-sharding-rules             {sdy.sharding_rule = .. , not custom}          ->  {}
//   sdy-drop-sharding-and-mesh          {sdy.sharding = ..} and sdy.mesh @mesh         ->  {}
#include <array>
#include <string_view>

#include "passes/common/sharding_walker.hpp"
#include "passes/export/export_passes.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::passes {

using ir::AttributeMap;
using ir::Module;
using ir::OpId;
using ir::OpKind;

namespace {

constexpr std::array<std::string_view, 6> kDebugAttributes = {
    "sdy.sharding_origins",           "sdy.propagation_edges",
    "sdy.block_arg_sharding_origins", "sdy.block_arg_propagation_edges",
    "sdy.result_sharding_origins",    "sdy.result_propagation_edges",
};

/// Calls `change` with the attributes of each op and of the arguments and results of functions.
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
    // Without shardings, the shard of a device is unknown.
    attributes.erase("spmd.global_type");
    attributes.erase("spmd.per_device");
  });
  erase_unused_meshes(module);
}

}  // namespace shardy::passes
