// Every sharding is closed. Spec: passes 5.8.
#include <utility>
#include <vector>

#include "shardy/ir/module.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/passes/export/export_passes.hpp"

namespace shardy::passes {

using ir::AttributeMap;
using ir::Module;
using ir::OpId;
using ir::OpKind;

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

void close_shardings(Module& module) {
  for (const OpId op : ir::pre_order(module)) {
    close(module.attributes(op));
    if (!module.is(op, OpKind::Func)) continue;
    for (AttributeMap& attributes : module.function(op).arg_attributes) close(attributes);
    for (AttributeMap& attributes : module.function(op).result_attributes) close(attributes);
  }
}

}  // namespace shardy::passes
