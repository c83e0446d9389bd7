// Rule of transpose.
#pragma once

#include <cstdint>
#include <shardy/rules/rule_builder.hpp>
#include <span>

namespace shardy::rules {

/// Result dim d is operand dim `permutation[d]`; factors follow the result dims.
///
/// Example: 3x4x5, permutation [2, 0, 1]: `([j, k, i])->([i, j, k]) {i=5, j=3, k=4}`.
/// Spec: rules 8.26.
Result<OpShardingRule> transpose_rule(Shape operand, std::span<const int64_t> permutation);

}  // namespace shardy::rules

#ifdef SHARDY_HEADER_ONLY
#include <shardy/rules/detail/transpose_inl.hpp>
#endif
