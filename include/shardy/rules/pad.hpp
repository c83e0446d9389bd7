// Rule of pad.
#pragma once

#include <shardy/rules/rule_builder.hpp>
#include <shardy/support/inline.hpp>

namespace shardy::rules {

/// Operands: the tensor and the padding value. Sizes of the operand; dims whose size changes are
/// permutation factors, in a conservative rule blocked ones.
///
/// Example: 16x30 -> 16x32: `([i, j], [])->([i, j]) {i=16, j=30} permutation={j}`. Spec:
/// rules 8.17.
Result<OpShardingRule> pad_rule(Shape operand, Shape result, bool conservative = false);

}  // namespace shardy::rules

#ifdef SHARDY_BODIES
namespace shardy::rules {

SHARDY_INLINE Result<OpShardingRule> pad_rule(Shape operand, Shape result, bool conservative) {
  RuleBuilder builder({operand.size(), 0}, {result.size()});
  builder.add_mismatched(operand, result, FactorKind::Permutation, conservative);
  return builder.build();
}

}  // namespace shardy::rules
#endif  // SHARDY_BODIES
