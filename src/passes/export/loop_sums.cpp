// A loop that adds a sum over devices to what it carries adds the summands, and the sum over
// devices comes behind the loop. Spec: partitioning 9.2.
#include <optional>
#include <utility>
#include <vector>

#include "passes/common/sdy_ops.hpp"
#include "passes/export/export_passes.hpp"
#include "shardy/algebra/equivalence.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/data_flow.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::passes {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;

namespace {

/// A carried value that is only added to: `%s = add %arg, %r; %r = all_reduce %p; return %s`.
struct LoopSum {
  OpId loop;
  uint32_t index = 0;
  OpId addition;
  uint32_t summand = 0;  // the operand of the addition that is `%r`
  OpId reduction;
};

bool is_used_once(const Module& module, ValueId value) { return module.num_uses(value) == 1; }

/// A sum, of what one op gives as partial results.
bool is_plain_sum(const Module& module, OpId op) {
  if (!op.valid() || !module.is(op, OpKind::SdyAllReduce)) return false;
  if (module.attributes(op).contains(ir::attr::kReductionOp)) return false;
  const OpId source = module.defining_op(module.operand(op, 0));
  return source.valid() && !module.has_trait(source, ir::kCollective) &&
         !module.has_trait(source, ir::kDataFlow) && module.num_results(source) == 1 &&
         is_used_once(module, module.operand(op, 0)) && is_used_once(module, module.result(op));
}

/// Whether carried values, what is returned and the sum are held alike and whole otherwise.
bool is_held_alike(const Module& module, const LoopSum& sum) {
  const auto held = ir::get_sharding(module, module.result(sum.loop, sum.index));
  const auto added = ir::get_sharding(module, module.result(sum.reduction));
  const auto begun = ir::get_sharding(module, module.operand(sum.loop, sum.index));
  if (!added || !added->unreduced_axes().empty()) return false;
  const TensorSharding whole = added->fully_closed_like();
  const auto is_same = [&](const std::optional<TensorSharding>& sharding) {
    const TensorSharding& other = sharding ? *sharding : whole;
    return other.unreduced_axes().empty() && other.mesh() == added->mesh() &&
           is_equivalent(other, *added);
  };
  return is_same(held) && is_same(begun);
}

std::optional<LoopSum> find_sum(const Module& module, OpId loop, uint32_t index) {
  const auto condition = ir::entry_block(module, loop, 0);
  const auto body = ir::entry_block(module, loop, 1);
  const auto last = body ? ir::return_op(module, *body) : std::nullopt;
  if (!condition || !last || index >= module.num_operands(*last)) return std::nullopt;
  const ValueId carried = module.args(*body)[index];
  const ir::Type& type = module.type(carried);
  if (!type.is_tensor() || type.element() == ir::ElementType::I1) return std::nullopt;
  if (module.num_uses(module.args(*condition)[index]) != 0 || !is_used_once(module, carried)) {
    return std::nullopt;
  }
  const ir::Use use = module.uses(carried).front();
  if (!module.is(use.op, OpKind::Add) || module.parent_block(use.op) != *body ||
      module.operand(*last, index) != module.result(use.op) ||
      !is_used_once(module, module.result(use.op))) {
    return std::nullopt;
  }
  LoopSum sum{loop, index, use.op, 1 - use.operand, {}};
  sum.reduction = module.defining_op(module.operand(use.op, sum.summand));
  const bool fits = is_plain_sum(module, sum.reduction) &&
                    module.parent_block(sum.reduction) == *body && is_held_alike(module, sum);
  return fits ? std::optional(sum) : std::nullopt;
}

/// What the loop begins with is kept by one device of each group.
void begin_with_summands(Module& module, const LoopSum& sum, const AxisList& axes,
                         const TensorSharding& whole, const TensorSharding& partial) {
  const ValueId begun = module.operand(sum.loop, sum.index);
  if (!ir::get_sharding(module, begun)) ir::set_sharding(module, begun, whole);
  ir::OpSpec spec = unary_op(module, OpKind::SdyReplicatedToUnreduced, begun);
  spec.attributes.set(ir::attr::kAxes, ir::AxesAttr{whole.mesh(), axes});
  spec.attributes.set(ir::attr::kOutSharding, partial);
  insert_before_use(module, {sum.loop, sum.index}, std::move(spec));
}

void sink(Module& module, const LoopSum& sum) {
  const AxisList axes =
      module.attribute<ir::AxesAttr>(sum.reduction, ir::attr::kReductionAxes)->axes;
  const TensorSharding whole = *ir::get_sharding(module, module.result(sum.reduction));
  const TensorSharding partial = whole.with_replicated({}).with_unreduced(axes);
  begin_with_summands(module, sum, axes, whole.with_replicated({}), partial);
  const ValueId summand = module.operand(sum.reduction, 0);
  ir::set_sharding(module, summand, partial);
  module.set_operand(sum.addition, sum.summand, summand);
  module.erase(sum.reduction);
  ir::set_sharding(module, module.result(sum.addition), partial);
  const ValueId result = module.result(sum.loop, sum.index);
  ir::set_sharding(module, result, partial);
  insert_after(module, sum.loop, result,
               all_reduce_op(module, result, axes, whole, ReductionOp::Sum));
}

}  // namespace

void sink_loop_sums(Module& module) {
  for (const OpId op : ir::post_order(module)) {
    if (!module.is(op, OpKind::While)) continue;
    for (uint32_t index = 0; index < module.num_results(op); ++index) {
      if (const auto sum = find_sum(module, op, index)) sink(module, *sum);
    }
  }
}

}  // namespace shardy::passes
