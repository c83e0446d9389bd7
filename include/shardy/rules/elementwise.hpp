// Rules of ops that map every element to the element at the same place.
#pragma once

#include <cstddef>
#include <shardy/rules/rule_builder.hpp>
#include <shardy/support/inline.hpp>
#include <span>

namespace shardy::rules {

/// Every dim of every tensor is that dim of the first result; tensors of a lower rank have the
/// first ones, dims that the first result does not have are on their own.
///
/// Example: 3x1x5 + 3x1x5: `([i, j, k], [i, j, k])->([i, j, k]) {i=3, j=1, k=5}`. Spec: rules 8.1.
Result<OpShardingRule> pointwise_rule(std::span<const std::size_t> operand_ranks, Shape result,
                                      std::span<const std::size_t> result_ranks);

/// The same for one result.
inline Result<OpShardingRule> pointwise_rule(std::span<const std::size_t> operand_ranks,
                                             Shape result) {
  const std::size_t result_ranks[] = {result.size()};
  return pointwise_rule(operand_ranks, result, result_ranks);
}

/// Three operands, any of them scalar, and a result of shape `shape`: clamp and select.
///
/// Example: clamp of scalar, 4x8, scalar: `([], [i, j], [])->([i, j]) {i=4, j=8}`. Spec: rules 8.7.
Result<OpShardingRule> scalar_or_pointwise_rule(std::span<const std::size_t> operand_ranks,
                                                Shape shape);

}  // namespace shardy::rules

#ifdef SHARDY_BODIES
#include <cstdint>

namespace shardy::rules {

SHARDY_INLINE Result<OpShardingRule> pointwise_rule(std::span<const std::size_t> operand_ranks,
                                                    Shape result,
                                                    std::span<const std::size_t> result_ranks) {
  RuleBuilder builder(operand_ranks, result_ranks);
  const auto mapped = [](std::span<const std::size_t> ranks, std::size_t dim) {
    MappedDims dims(ranks.size());
    for (std::size_t tensor = 0; tensor < ranks.size(); ++tensor) {
      if (dim < ranks[tensor]) dims[tensor] = static_cast<int64_t>(dim);
    }
    return dims;
  };
  for (std::size_t dim = 0; dim < result.size(); ++dim) {
    builder.add(mapped(operand_ranks, dim), mapped(result_ranks, dim), {.size = result[dim]});
  }
  return builder.build();
}

SHARDY_INLINE Result<OpShardingRule> scalar_or_pointwise_rule(
    std::span<const std::size_t> operand_ranks, Shape shape) {
  const std::size_t result_ranks[] = {shape.size()};
  RuleBuilder builder(operand_ranks, result_ranks);
  builder.add_pointwise(shape);
  return builder.build();
}

}  // namespace shardy::rules
#endif  // SHARDY_BODIES
