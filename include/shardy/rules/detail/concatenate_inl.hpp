// Bodies of concatenate.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <shardy/ir/attribute_names.hpp>
#include <shardy/rules/concatenate.hpp>
#include <shardy/rules/detail/dim_list.hpp>
#include <shardy/rules/rule_builder.hpp>
#include <shardy/support/inline.hpp>
#include <vector>

namespace shardy::rules {

SHARDY_INLINE Result<OpShardingRule> concatenate_rule(Shape result,
                                                      const ConcatenateOptions& options) {
  const int64_t joined_dims[] = {options.dim};
  SHARDY_TRY(const std::vector<bool> is_joined,
             dim_set(joined_dims, result.size(), ir::attr::kDimension));
  SHARDY_TRY_STATUS(detail::verify_count(options.num_operands));
  const std::vector<std::size_t> operand_ranks(options.num_operands, result.size());
  const std::size_t result_ranks[] = {result.size()};
  RuleBuilder builder(operand_ranks, result_ranks);
  for (std::size_t dim = 0; dim < result.size(); ++dim) {
    Factor factor{.size = result[dim]};
    if (is_joined[dim]) {
      if (options.conservative) continue;
      factor.kind = options.joins_slices ? FactorKind::Permutation : FactorKind::NeedReplication;
    }
    builder.add_same(dim, factor);
  }
  return builder.build();
}

}  // namespace shardy::rules
