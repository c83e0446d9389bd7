// Constraints to reshards, groups removed, every sharding closed.
#include <utility>
#include <vector>

#include "shardy/ir/module.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/passes/export/export_pipeline.hpp"

namespace shardy::passes {

using ir::AttributeMap;
using ir::Module;
using ir::OpId;
using ir::OpKind;

PassErrors sharding_constraint_to_reshard(Module& module) {
  for (const OpId op : ir::pre_order(module)) {
    if (module.is(op, OpKind::SdyShardingGroup)) module.erase(op);
    if (module.is_erased(op) || !module.is(op, OpKind::SdyShardingConstraint)) continue;
    ir::OpSpec spec{.kind = OpKind::SdyReshard};
    spec.operands = module.operands(op);
    spec.result_types = {module.type(module.result(op))};
    spec.attributes = module.attributes(op);
    spec.location = module.location(op);
    const OpId reshard = module.create(std::move(spec));
    module.insert_before(op, reshard);
    module.replace_all_uses(module.result(op), module.result(reshard));
    module.erase(op);
  }
  return {};
}

namespace {

void close(AttributeMap& attributes) {
  std::vector<ir::NamedAttribute> changed;
  for (const ir::NamedAttribute& entry : attributes) {
    if (const auto* sharding = entry.value.as<TensorSharding>()) {
      changed.push_back({entry.name, sharding->closed_like()});
    } else if (const auto* list = entry.value.as<ir::ShardingList>()) {
      ir::ShardingList closed;
      for (const TensorSharding& each : list->shardings) {
        closed.shardings.push_back(each.closed_like());
      }
      changed.push_back({entry.name, std::move(closed)});
    }
  }
  for (ir::NamedAttribute& entry : changed) attributes.set(entry.name, std::move(entry.value));
}

}  // namespace

PassErrors close_shardings(Module& module) {
  for (const OpId op : ir::pre_order(module)) {
    close(module.attributes(op));
    if (!module.is(op, OpKind::Func)) continue;
    for (AttributeMap& attributes : module.function(op).arg_attributes) close(attributes);
    for (AttributeMap& attributes : module.function(op).result_attributes) close(attributes);
  }
  return {};
}

}  // namespace shardy::passes
