// Bodies of sort.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/ir/attribute_names.hpp>
#include <shardy/rules/detail/dim_list.hpp>
#include <shardy/rules/rule_builder.hpp>
#include <shardy/rules/sort.hpp>
#include <shardy/support/inline.hpp>
#include <string>
#include <vector>

namespace shardy::rules {

SHARDY_INLINE Result<OpShardingRule> sort_rule(Shape shape, int64_t sorted_dim,
                                               std::size_t num_inputs) {
  const int64_t dims[] = {sorted_dim};
  SHARDY_TRY(const std::vector<bool> is_sorted, dim_set(dims, shape.size(), ir::attr::kDimension));
  bool has_other_dim = false;
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    has_other_dim = has_other_dim || (!is_sorted[dim] && shape[dim] != 1);
  }
  SHARDY_TRY_STATUS(detail::verify_count(num_inputs));
  const std::vector<std::size_t> ranks(num_inputs, shape.size());
  RuleBuilder builder(ranks, ranks);
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    Factor factor{.size = shape[dim]};
    if (is_sorted[dim]) {
      factor.kind = FactorKind::NeedReplication;
      factor.is_blocked = !has_other_dim;
    }
    builder.add_same(dim, factor);
  }
  return builder.build();
}

SHARDY_INLINE Result<OpShardingRule> top_k_rule(Shape operand, Shape result) {
  RuleBuilder builder({operand.size()}, {result.size(), result.size()});
  builder.add_mismatched(operand, result, FactorKind::NeedReplication, true);
  return builder.build();
}

SHARDY_INLINE Result<OpShardingRule> top_k_lowering_rule(Shape operand, Shape result,
                                                         Ranking ranking) {
  if (operand.empty() || operand.size() != result.size()) return top_k_rule(operand, result);
  RuleBuilder builder({operand.size()}, {result.size(), result.size()});
  const std::size_t last = operand.size() - 1;
  for (std::size_t dim = 0; dim < last; ++dim) builder.add_same(dim, {.size = operand[dim]});
  const auto mapped = static_cast<int64_t>(last);
  if (ranking == Ranking::Whole) {
    builder.add_same(
        last, {.size = operand[last], .kind = FactorKind::NeedReplication, .is_blocked = true});
    return builder.build();
  }
  builder.add({mapped}, {std::nullopt, std::nullopt},
              {.size = operand[last], .kind = FactorKind::Reduction});
  builder.add({std::nullopt}, {mapped, mapped},
              {.size = result[last], .kind = FactorKind::NeedReplication});
  return builder.build();
}

SHARDY_INLINE Result<OpShardingRule> approx_top_k_rule(Shape operand, Shape result) {
  if (operand.size() != result.size()) {
    return fail("sharding rule: ranks must match: " + std::to_string(operand.size()) +
                " != " + std::to_string(result.size()));
  }
  const std::size_t rank = operand.size();
  RuleBuilder builder({rank, rank, 0, 0}, {rank, rank});
  for (std::size_t dim = 0; dim < rank; ++dim) {
    if (operand[dim] == result[dim]) {
      builder.add_same(dim, {.size = operand[dim]});
      continue;
    }
    const auto mapped = static_cast<int64_t>(dim);
    builder.add({mapped, mapped, std::nullopt, std::nullopt}, {std::nullopt, std::nullopt},
                {.size = operand[dim]});
    builder.add(MappedDims(4), {mapped, mapped},
                {.size = result[dim], .kind = FactorKind::NeedReplication, .is_blocked = true});
  }
  return builder.build();
}

}  // namespace shardy::rules
