// Rules of dot_general and dot.
#pragma once

#include <cstdint>
#include <shardy/rules/rule_builder.hpp>
#include <span>

namespace shardy::rules {

/// Matching dims of the operands of dot_general. The caller owns the lists.
struct DotDimLists {
  std::span<const int64_t> lhs_batch, rhs_batch;              // in pairs
  std::span<const int64_t> lhs_contracting, rhs_contracting;  // in pairs
};

/// Factors: batching pairs, free lhs dims, free rhs dims (in that order the dims of the result),
/// then contracting pairs, which are reductions.
///
/// Example: 3x5x4 . 6x3x4, batching [0]x[1], contracting [2]x[2]:
/// `([i, j, l], [k, i, l])->([i, j, k]) {i=3, j=5, k=6, l=4} reduction={l}`. Spec: rules 8.11.
Result<OpShardingRule> dot_rule(Shape lhs, Shape rhs, const DotDimLists& dims);

/// Operands of rank 1 or 2; contracts the last dim of `lhs` with the first of `rhs`.
///
/// Example: 7 . 7x3: `([j], [j, i])->([i]) {i=3, j=7} reduction={j}`. Spec: rules 8.12.
Result<OpShardingRule> plain_dot_rule(Shape lhs, Shape rhs);

}  // namespace shardy::rules

#ifdef SHARDY_HEADER_ONLY
#include <shardy/rules/detail/dot_inl.hpp>
#endif
