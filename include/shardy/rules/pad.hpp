// Rule of pad.
#pragma once

#include <shardy/rules/rule_builder.hpp>

namespace shardy::rules {

/// Operands: the tensor and the padding value. Sizes of the operand; dims whose size changes are
/// permutation factors, in a conservative rule blocked ones.
///
/// Example: 16x30 -> 16x32: `([i, j], [])->([i, j]) {i=16, j=30} permutation={j}`. Spec:
/// rules 8.17.
Result<OpShardingRule> pad_rule(Shape operand, Shape result, bool conservative = false);

}  // namespace shardy::rules

#ifdef SHARDY_HEADER_ONLY
#include <shardy/rules/detail/pad_inl.hpp>
#endif
