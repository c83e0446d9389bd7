// Rule of pad.
#pragma once

#include "shardy/rules/rule_builder.hpp"

namespace shardy::rules {

/// Operands: the tensor and the padding value. Sizes of the operand; dims whose size changes are
/// permutation factors, in a conservative rule blocked ones.
///
/// Example: 16x30 -> 16x32: `([i, j], [])->([i, j]) {i=16, j=30} permutation={j}`. Spec:
/// rules 8.17.
inline Result<OpShardingRule> pad_rule(Shape operand, Shape result, bool conservative = false) {
  RuleBuilder builder({operand.size(), 0}, {result.size()});
  builder.add_mismatched(operand, result, FactorKind::Permutation, conservative);
  return builder.build();
}

}  // namespace shardy::rules
