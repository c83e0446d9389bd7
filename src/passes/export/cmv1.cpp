// Collectives next to dots are left to a backend that overlaps them with the dot.
// Spec: passes 5.14.
//
//   %0 = sdy.all_gather [{}, {"x"}] %a              %0 = dot %a, %b   [{}, {}]
//   %1 = dot %0, %b   [{}, {}]                 ->
//                                                   (the backend gathers %a)
//   Without an all-gather of an operand, the reduce-scatter after the dot is removed:
//   %0 = dot %a, %b   [{}, {}]
//   %1 = sdy.reduce_scatter [{"x"}, {}] %0     ->   %0 = dot %a, %b   [{"x"}, {}]
#include <vector>

#include "passes/export/export_passes.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::passes {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;

namespace {

/// Returns the all-gathers whose only user is the dot.
std::vector<OpId> gathers_of(const Module& module, OpId dot) {
  std::vector<OpId> gathers;
  for (const ValueId operand : module.operands(dot)) {
    const OpId op = module.defining_op(operand);
    if (!op.valid() || !module.is(op, OpKind::SdyAllGather)) continue;
    if (module.num_uses(operand) == 1) gathers.push_back(op);
  }
  return gathers;
}

/// Returns the reduce-scatter that is the only user of the dot, if the dot can take its sharding;
/// invalid for dots without sharding (deviation 15).
OpId scatter_of(const Module& module, OpId dot) {
  const ValueId result = module.result(dot);
  if (module.num_uses(result) != 1) return {};
  const OpId user = module.uses(result).front().op;
  const auto sharding = ir::get_sharding(module, result);
  const bool fits =
      module.is(user, OpKind::SdyReduceScatter) && sharding && sharding->unreduced_axes().empty();
  return fits ? user : OpId();
}

}  // namespace

void remove_all_gather_reduce_scatter_for_cmv1(Module& module) {
  std::vector<OpId> marked;
  for (const OpId op : ir::post_order(module)) {
    if (!module.is(op, OpKind::Dot) && !module.is(op, OpKind::DotGeneral)) continue;
    const std::vector<OpId> gathers = gathers_of(module, op);
    marked.insert(marked.end(), gathers.begin(), gathers.end());
    if (!gathers.empty()) continue;
    const OpId scatter = scatter_of(module, op);
    if (!scatter.valid()) continue;
    ir::set_sharding(module, module.result(op),
                     *module.attribute<TensorSharding>(scatter, ir::attr::kOutSharding));
    marked.push_back(scatter);
  }
  for (const OpId op : marked) {
    module.replace_all_uses(module.result(op), module.operand(op, 0));
    module.erase(op);
  }
}

}  // namespace shardy::passes
