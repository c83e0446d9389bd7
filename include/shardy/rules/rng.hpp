// Rule of rng_bit_generator.
#pragma once

#include <shardy/rules/rule_builder.hpp>

namespace shardy::rules {

/// Results: the next state, the random bits. The state is replicated, the bits may be sharded.
///
/// Example: state 2, bits 6x7:
/// `([i])->([i], [j, k]) {i=2, j=6, k=7} need_replication={i} blocked_propagation={i}`.
/// Spec: rules 8.22.
Result<OpShardingRule> rng_bit_generator_rule(Shape state, Shape bits);

}  // namespace shardy::rules

#ifdef SHARDY_HEADER_ONLY
#include <shardy/rules/detail/rng_inl.hpp>
#endif
