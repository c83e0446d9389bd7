// Rules of ops that map every element to the element at the same place.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "shardy/rules/rule_builder.hpp"

namespace shardy::rules {

/// Every dim of every tensor is that dim of the result; tensors of a lower rank have the first
/// ones.
///
/// Requires: all results have the shape `result`. Errors: an operand of a higher rank.
/// Example: 3x1x5 + 3x1x5: `([i, j, k], [i, j, k])->([i, j, k]) {i=3, j=1, k=5}`. Spec: rules 8.1.
inline Result<OpShardingRule> pointwise_rule(std::span<const std::size_t> operand_ranks,
                                             Shape result, std::size_t num_results = 1) {
  for (const std::size_t rank : operand_ranks) {
    if (rank <= result.size()) continue;
    return fail("sharding rule: an operand has rank " + std::to_string(rank) +
                ", more than the result's " + std::to_string(result.size()));
  }
  const std::vector<std::size_t> result_ranks(num_results, result.size());
  RuleBuilder builder(operand_ranks, result_ranks);
  for (std::size_t dim = 0; dim < result.size(); ++dim) {
    MappedDims operand_dims(operand_ranks.size());
    for (std::size_t operand = 0; operand < operand_ranks.size(); ++operand) {
      if (dim < operand_ranks[operand]) operand_dims[operand] = static_cast<int64_t>(dim);
    }
    builder.add(operand_dims, MappedDims(num_results, static_cast<int64_t>(dim)),
                {.size = result[dim]});
  }
  return builder.build();
}

/// Three operands, any of them scalar, and a result of shape `shape`: clamp and select.
///
/// Example: clamp of scalar, 4x8, scalar: `([], [i, j], [])->([i, j]) {i=4, j=8}`. Spec: rules 8.7.
inline Result<OpShardingRule> scalar_or_pointwise_rule(std::span<const std::size_t> operand_ranks,
                                                       Shape shape) {
  const std::size_t result_ranks[] = {shape.size()};
  RuleBuilder builder(operand_ranks, result_ranks);
  builder.add_pointwise(shape);
  return builder.build();
}

}  // namespace shardy::rules
