// Rule of broadcast_in_dim.
#pragma once

#include <cstdint>
#include <shardy/rules/rule_builder.hpp>
#include <span>

namespace shardy::rules {

/// `dims[d]` is the result dim that operand dim d becomes. Factors follow the result dims; an
/// operand dim of size 1 that is expanded has a factor of its own, just before that of its result
/// dim.
///
/// Example: 1x5 -> 9x4x5, dims [0, 2]: `([i, l])->([j, k, l]) {i=1, j=9, k=4, l=5}`.
/// Spec: rules 8.5.
Result<OpShardingRule> broadcast_rule(Shape operand, Shape result, std::span<const int64_t> dims);

}  // namespace shardy::rules

#ifdef SHARDY_HEADER_ONLY
#include <shardy/rules/detail/broadcast_inl.hpp>
#endif
