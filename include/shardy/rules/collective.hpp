// Rules of the collectives that change a dim: all_gather, reduce_scatter, all_to_all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <shardy/rules/rule_builder.hpp>

namespace shardy::rules {

/// all_gather and reduce_scatter along `dim`, which operands and results have with sizes of their
/// own. `operand` and `result` are the shapes of the first ones.
///
/// Example: 4x6 -> 4x24, dim 1: `([i, j])->([i, k]) {i=4, j=6, k=24} need_replication={j, k}`.
/// Spec: rules 8.2.
Result<OpShardingRule> resized_dim_rule(Shape operand, Shape result, int64_t dim,
                                        std::size_t num_operands = 1);

/// Dims of an all_to_all.
struct AllToAllOptions {
  int64_t split_dim = 0;         // dim that is split
  int64_t concat_dim = 0;        // dim along which the pieces are put together
  std::size_t num_operands = 1;  // as many results
};

/// Both dims have factors of their own on either side.
///
/// Example: 4x6x8 -> 4x12x4, split 2, concat 1:
/// `([i, l, j])->([i, m, k]) {i=4, j=8, k=4, l=6, m=12} need_replication={j, k, l, m}`.
/// Spec: rules 8.2.
Result<OpShardingRule> all_to_all_rule(Shape operand, Shape result, const AllToAllOptions& options);

}  // namespace shardy::rules

#ifdef SHARDY_HEADER_ONLY
#include <shardy/rules/detail/collective_inl.hpp>
#endif
