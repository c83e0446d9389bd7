// Rule of rng_bit_generator.
#pragma once

#include <shardy/rules/rule_builder.hpp>
#include <shardy/support/inline.hpp>

namespace shardy::rules {

/// Results: the next state, the random bits. The state is replicated, the bits may be sharded.
///
/// Example: state 2, bits 6x7:
/// `([i])->([i], [j, k]) {i=2, j=6, k=7} need_replication={i} blocked_propagation={i}`.
/// Spec: rules 8.22.
Result<OpShardingRule> rng_bit_generator_rule(Shape state, Shape bits);

}  // namespace shardy::rules

#ifdef SHARDY_BODIES
#include <cstddef>
#include <cstdint>
#include <optional>

namespace shardy::rules {

SHARDY_INLINE Result<OpShardingRule> rng_bit_generator_rule(Shape state, Shape bits) {
  RuleBuilder builder({state.size()}, {state.size(), bits.size()});
  for (std::size_t dim = 0; dim < state.size(); ++dim) {
    const auto mapped = static_cast<int64_t>(dim);
    builder.add({mapped}, {mapped, std::nullopt},
                {.size = state[dim], .kind = FactorKind::NeedReplication, .is_blocked = true});
  }
  for (std::size_t dim = 0; dim < bits.size(); ++dim) {
    builder.add({std::nullopt}, {std::nullopt, static_cast<int64_t>(dim)}, {.size = bits[dim]});
  }
  return builder.build();
}

}  // namespace shardy::rules
#endif  // SHARDY_BODIES
