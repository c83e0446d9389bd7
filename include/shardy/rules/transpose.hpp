// Rule of transpose.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "shardy/rules/dim_list.hpp"
#include "shardy/rules/rule_builder.hpp"

namespace shardy::rules {

/// Result dim d is operand dim `permutation[d]`; factors follow the result dims.
///
/// Example: 3x4x5, permutation [2, 0, 1]: `([j, k, i])->([i, j, k]) {i=5, j=3, k=4}`.
/// Spec: rules 8.26.
inline Result<OpShardingRule> transpose_rule(Shape operand, std::span<const int64_t> permutation) {
  if (permutation.size() != operand.size()) {
    return fail("permutation must have one entry per dim: " + std::to_string(permutation.size()) +
                " != " + std::to_string(operand.size()));
  }
  SHARDY_TRY_STATUS(dim_set(permutation, operand.size(), "permutation"));
  RuleBuilder builder({operand.size()}, {operand.size()});
  for (std::size_t dim = 0; dim < permutation.size(); ++dim) {
    const int64_t from = permutation[dim];
    builder.add({from}, {static_cast<int64_t>(dim)},
                {.size = operand[static_cast<std::size_t>(from)]});
  }
  return builder.build();
}

}  // namespace shardy::rules
