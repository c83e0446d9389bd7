// Rule of fft.
#pragma once

#include <cstddef>
#include <shardy/rules/rule_builder.hpp>

namespace shardy::rules {

/// The last `num_transformed` dims need replication; the last one is blocked if its size changes.
///
/// Example: a real transform 3x10x12 -> 3x10x7 of the last two dims:
/// `([i, j, k])->([i, j, k]) {i=3, j=10, k=12} need_replication={j, k} blocked_propagation={k}`.
/// Spec: rules 8.15.
Result<OpShardingRule> fft_rule(Shape operand, Shape result, std::size_t num_transformed);

}  // namespace shardy::rules

#ifdef SHARDY_HEADER_ONLY
#include <shardy/rules/detail/fft_inl.hpp>
#endif
