// Rule of fft.
#pragma once

#include <cstddef>
#include <shardy/rules/rule_builder.hpp>
#include <shardy/support/inline.hpp>

namespace shardy::rules {

/// The last `num_transformed` dims need replication; the last one is blocked if its size changes.
///
/// Example: a real transform 3x10x12 -> 3x10x7 of the last two dims:
/// `([i, j, k])->([i, j, k]) {i=3, j=10, k=12} need_replication={j, k} blocked_propagation={k}`.
/// Spec: rules 8.15.
Result<OpShardingRule> fft_rule(Shape operand, Shape result, std::size_t num_transformed);

}  // namespace shardy::rules

#ifdef SHARDY_BODIES
namespace shardy::rules {

SHARDY_INLINE Result<OpShardingRule> fft_rule(Shape operand, Shape result,
                                              std::size_t num_transformed) {
  const std::size_t rank = operand.size();
  if (result.size() != rank || num_transformed > rank) {
    return fail("fft_length must name dims of the operand and of the result");
  }
  RuleBuilder builder({rank}, {rank});
  for (std::size_t dim = 0; dim < rank; ++dim) {
    Factor factor{.size = operand[dim]};
    if (dim + num_transformed >= rank) {
      factor.kind = FactorKind::NeedReplication;
      factor.is_blocked = dim + 1 == rank && operand[dim] != result[dim];
    }
    builder.add_same(dim, factor);
  }
  return builder.build();
}

}  // namespace shardy::rules
#endif  // SHARDY_BODIES
