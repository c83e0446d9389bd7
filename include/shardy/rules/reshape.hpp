// Rule of reshape: which parts of the operand's dims are parts of the result's dims.
#pragma once

#include <optional>
#include <shardy/rules/rule_builder.hpp>

namespace shardy::rules {

/// Greedy common factors of the two row-major index spaces; nothing for a tensor without elements.
///
/// While both sides have emitted the same product, the gcd of what is left of their current dims is
/// a shared factor; where there is none they diverge, with private factors, until the products meet
/// again. Errors: different numbers of elements.
/// Example: 4x6x5 -> 8x15: `([i, jk, l])->([ij, kl]) {i=4, j=2, k=3, l=5}`. Spec: rules 8.20.
Result<std::optional<OpShardingRule>> reshape_rule(Shape operand, Shape result);

}  // namespace shardy::rules

#ifdef SHARDY_HEADER_ONLY
#include <shardy/rules/detail/reshape_inl.hpp>
#endif
