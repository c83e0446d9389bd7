// Rules of sort and of the custom calls that select the largest elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <shardy/rules/rule_builder.hpp>

namespace shardy::rules {

/// As many results as inputs, all of one shape. The sorted dim needs replication; it is blocked
/// only where no other dim could take its sharding.
///
/// Example: 4x8, dim 1: `([i, j])->([i, j]) {i=4, j=8} need_replication={j}`. Spec: rules 8.25.
Result<OpShardingRule> sort_rule(Shape shape, int64_t sorted_dim, std::size_t num_inputs = 1);

/// `mhlo.topk`: values and their indices. Example: 6x20 -> 6x3, 6x3:
/// `([i, j])->([i, j], [i, j]) {i=6, j=20} need_replication={j} blocked_propagation={j}`.
/// Spec: rules 8.10.
Result<OpShardingRule> top_k_rule(Shape operand, Shape result);

/// How a row is ranked when the op is lowered.
enum class Ranking : uint8_t {
  Whole,  // as a whole
  Shards  // its shards apart, then the best of them all
};

/// By which both are lowered, also where a row keeps its size. Examples, 4x8 -> 4x2: a whole row
/// gives `([i, j])->([i, j], [i, j]) {i=4, j=8} need_replication={j} blocked_propagation={j}`,
/// shards `([i, j])->([i, k], [i, k]) {i=4, j=8, k=2} reduction={j} need_replication={k}`.
/// Spec: partitioning 8.18.
Result<OpShardingRule> top_k_lowering_rule(Shape operand, Shape result, Ranking ranking);

/// `ApproxTopK`: values, their numbers and two initial values; two results.
///
/// Example: 6x20 -> 6x3: `([i, j], [i, j], [], [])->([i, k], [i, k]) {i=6, j=20, k=3}
/// need_replication={k} blocked_propagation={k}`. Spec: rules 8.10.
Result<OpShardingRule> approx_top_k_rule(Shape operand, Shape result);

}  // namespace shardy::rules

#ifdef SHARDY_HEADER_ONLY
#include <shardy/rules/detail/sort_inl.hpp>
#endif
