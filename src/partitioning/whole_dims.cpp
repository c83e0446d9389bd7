// Ops that need all of some dims: sort, fft, solvers. Explicit reshards have moved the axes of
// these to other dims, or gathered them where no dim could take them. Spec:
// partitioning 8.18, 8.19.
#include <string>

#include "partitioning/families.hpp"
#include "shardy/rules/registry.hpp"

namespace shardy::partitioning {

using ir::OpId;
using ir::OpKind;
using ir::ValueId;

namespace {

bool needs_all(const OpShardingRule& rule, const DimMapping& dim) {
  return std::ranges::any_of(
      dim, [&](int32_t factor) { return rule.factor_kind(factor) == FactorKind::NeedReplication; });
}

/// An operand that is gathered just before the op along a dim of which it needs all.
void note_gathered(Lowering& lowering, OpId op, std::size_t index, const TensorMapping& mapping,
                   const OpShardingRule& rule) {
  const ir::Module& input = lowering.input();
  const ValueId operand = input.operand(op, index);
  const OpId gather = input.defining_op(operand);
  if (!gather.valid() || !input.is(gather, OpKind::SdyAllGather)) return;
  const auto& lists = input.attribute<ir::AxesListsAttr>(gather, "gathering_axes")->lists;
  for (std::size_t dim = 0; dim < lists.size(); ++dim) {
    if (sharding_size(lists[dim]) == 1 || !needs_all(rule, mapping.dims[dim])) continue;
    const ValueId local = lowering.local(operand).value;
    lowering.note(op,
                  "dim " + std::to_string(dim) +
                      " of an operand is gathered: the op needs all of it, and no other dim can " +
                      "take its axes",
                  lowering.output().type(local).num_bytes());
  }
}

}  // namespace

Status lower_whole_dims(Lowering& lowering, OpId op) {
  const rules::RuleResult rule =
      lowering.rules().lowering_rule_for(rules::OpView(lowering.input(), op));
  if (rule && *rule) {
    for (std::size_t index = 0; index < lowering.input().num_operands(op); ++index) {
      note_gathered(lowering, op, index, (*rule)->operands()[index], **rule);
    }
  }
  return lower_by_rule(lowering, op);
}

}  // namespace shardy::partitioning
