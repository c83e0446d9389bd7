// Rules of the collectives that change a dim: all_gather, reduce_scatter, all_to_all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <shardy/rules/rule_builder.hpp>
#include <shardy/support/inline.hpp>

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

#ifdef SHARDY_BODIES
#include <shardy/ir/attribute_names.hpp>
#include <shardy/rules/detail/dim_list.hpp>
#include <vector>

namespace shardy::rules {

SHARDY_INLINE Result<OpShardingRule> resized_dim_rule(Shape operand, Shape result, int64_t dim,
                                                      std::size_t num_operands) {
  const int64_t dims[] = {dim};
  SHARDY_TRY(const std::vector<bool> is_resized,
             dim_set(dims, operand.size(), ir::attr::kDimension));
  if (operand.size() != result.size()) return fail("operands and results must have one rank");
  SHARDY_TRY_STATUS(detail::verify_count(num_operands));
  const std::vector<std::size_t> ranks(num_operands, operand.size());
  RuleBuilder builder(ranks, ranks);
  for (std::size_t each = 0; each < operand.size(); ++each) {
    if (!is_resized[each]) builder.add_same(each, {.size = operand[each]});
  }
  const auto at = static_cast<std::size_t>(dim);
  builder.add_same_operands(at, {.size = operand[at], .kind = FactorKind::NeedReplication});
  builder.add_same_results(at, {.size = result[at], .kind = FactorKind::NeedReplication});
  return builder.build();
}

SHARDY_INLINE Result<OpShardingRule> all_to_all_rule(Shape operand, Shape result,
                                                     const AllToAllOptions& options) {
  const int64_t split[] = {options.split_dim};
  const int64_t concat[] = {options.concat_dim};
  SHARDY_TRY(std::vector<bool> is_moved, dim_set(split, operand.size(), ir::attr::kSplitDimension));
  SHARDY_TRY_STATUS(dim_set(concat, operand.size(), ir::attr::kConcatDimension));
  if (operand.size() != result.size()) return fail("operands and results must have one rank");
  const auto split_dim = static_cast<std::size_t>(options.split_dim);
  const auto concat_dim = static_cast<std::size_t>(options.concat_dim);
  is_moved[concat_dim] = true;
  SHARDY_TRY_STATUS(detail::verify_count(options.num_operands));
  const std::vector<std::size_t> ranks(options.num_operands, operand.size());
  RuleBuilder builder(ranks, ranks);
  for (std::size_t dim = 0; dim < operand.size(); ++dim) {
    if (!is_moved[dim]) builder.add_same(dim, {.size = operand[dim]});
  }
  const auto add_private = [&](std::size_t dim) {
    builder.add_same_operands(dim, {.size = operand[dim], .kind = FactorKind::NeedReplication});
    builder.add_same_results(dim, {.size = result[dim], .kind = FactorKind::NeedReplication});
  };
  add_private(split_dim);
  if (concat_dim != split_dim) add_private(concat_dim);
  return builder.build();
}

}  // namespace shardy::rules
#endif  // SHARDY_BODIES
