// Bodies of elementwise.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <shardy/rules/elementwise.hpp>
#include <shardy/rules/rule_builder.hpp>
#include <shardy/support/inline.hpp>
#include <span>

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
