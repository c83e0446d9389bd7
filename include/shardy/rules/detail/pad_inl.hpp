// Bodies of pad.hpp.
#pragma once

#include <shardy/rules/pad.hpp>
#include <shardy/rules/rule_builder.hpp>
#include <shardy/support/inline.hpp>

namespace shardy::rules {

SHARDY_INLINE Result<OpShardingRule> pad_rule(Shape operand, Shape result, bool conservative) {
  RuleBuilder builder({operand.size(), 0}, {result.size()});
  builder.add_mismatched(operand, result, FactorKind::Permutation, conservative);
  return builder.build();
}

}  // namespace shardy::rules
