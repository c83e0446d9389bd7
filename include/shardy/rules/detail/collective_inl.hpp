// Bodies of collective.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <shardy/ir/attribute_names.hpp>
#include <shardy/rules/collective.hpp>
#include <shardy/rules/detail/dim_list.hpp>
#include <shardy/rules/rule_builder.hpp>
#include <shardy/support/inline.hpp>
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
