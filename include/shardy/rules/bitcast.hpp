// Rule of bitcast_convert.
#pragma once

#include <shardy/rules/rule_builder.hpp>

namespace shardy::rules {

/// The dim that one side has in addition, in which the parts of an element lie, needs replication.
///
/// Example: 4x6 of 64 bits -> 4x6x2 of 32 bits:
/// `([i, j])->([i, j, k]) {i=4, j=6, k=2} need_replication={k}`. Spec: rules 8.4.
Result<OpShardingRule> bitcast_rule(Shape operand, Shape result);

}  // namespace shardy::rules

#ifdef SHARDY_HEADER_ONLY
#include <shardy/rules/detail/bitcast_inl.hpp>
#endif
