// Rule of transpose.
#pragma once

#include <cstdint>
#include <shardy/rules/rule_builder.hpp>
#include <shardy/support/inline.hpp>
#include <span>

namespace shardy::rules {

/// Result dim d is operand dim `permutation[d]`; factors follow the result dims.
///
/// Example: 3x4x5, permutation [2, 0, 1]: `([j, k, i])->([i, j, k]) {i=5, j=3, k=4}`.
/// Spec: rules 8.26.
Result<OpShardingRule> transpose_rule(Shape operand, std::span<const int64_t> permutation);

}  // namespace shardy::rules

#ifdef SHARDY_BODIES
#include <cstddef>
#include <shardy/ir/attribute_names.hpp>
#include <shardy/rules/detail/dim_list.hpp>
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
#endif  // SHARDY_BODIES
