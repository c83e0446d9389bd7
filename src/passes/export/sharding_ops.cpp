// Ops that only guide propagation are removed or become reshards. Spec: passes 5.4, 5.5.
//
//   sdy.sharding_group %a group_id=0                    ->   (erased)
//   %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}]>    ->   %1 = sdy.reshard %0 <@mesh, [{"x"}]>
#include <utility>
#include <vector>

#include "passes/export/export_passes.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::passes {

using ir::Module;
using ir::OpId;
using ir::OpKind;

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
    spec.location = module.location(op);
    const OpId reshard = module.create(std::move(spec));
    module.insert_before(op, reshard);
    module.replace_all_uses(module.result(op), module.result(reshard));
    module.erase(op);
  }
}

}  // namespace shardy::passes
