// Bodies of transpose.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <shardy/ir/attribute_names.hpp>
#include <shardy/rules/detail/dim_list.hpp>
#include <shardy/rules/rule_builder.hpp>
#include <shardy/rules/transpose.hpp>
#include <shardy/support/inline.hpp>
#include <span>
#include <string>

namespace shardy::rules {

SHARDY_INLINE Result<OpShardingRule> transpose_rule(Shape operand,
                                                    std::span<const int64_t> permutation) {
  if (permutation.size() != operand.size()) {
    return fail("permutation must have one entry per dim: " + std::to_string(permutation.size()) +
                " != " + std::to_string(operand.size()));
  }
  SHARDY_TRY_STATUS(dim_set(permutation, operand.size(), ir::attr::kPermutation));
  RuleBuilder builder({operand.size()}, {operand.size()});
  for (std::size_t dim = 0; dim < permutation.size(); ++dim) {
    const int64_t from = permutation[dim];
    builder.add({from}, {static_cast<int64_t>(dim)},
                {.size = operand[static_cast<std::size_t>(from)]});
  }
  return builder.build();
}

}  // namespace shardy::rules
