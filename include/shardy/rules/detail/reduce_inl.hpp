// Bodies of reduce.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/ir/attribute_names.hpp>
#include <shardy/rules/detail/dim_list.hpp>
#include <shardy/rules/reduce.hpp>
#include <shardy/rules/rule_builder.hpp>
#include <shardy/support/inline.hpp>
#include <span>
#include <vector>

namespace shardy::rules {

SHARDY_INLINE Result<OpShardingRule> reduce_rule(Shape input, std::span<const int64_t> dims,
                                                 std::size_t num_inputs) {
  SHARDY_TRY(const std::vector<bool> is_reduced,
             dim_set(dims, input.size(), ir::attr::kDimensions));
  SHARDY_TRY_STATUS(detail::verify_count(num_inputs));
  std::vector<std::size_t> operand_ranks(num_inputs, input.size());
  operand_ranks.resize(2 * num_inputs, 0);
  const std::vector<std::size_t> result_ranks(num_inputs, input.size() - dims.size());
  RuleBuilder builder(operand_ranks, result_ranks);
  int64_t result_dim = 0;
  for (std::size_t dim = 0; dim < input.size(); ++dim) {
    MappedDims operand_dims(num_inputs, static_cast<int64_t>(dim));
    operand_dims.resize(2 * num_inputs, std::nullopt);
    MappedDims result_dims(num_inputs);
    Factor factor{.size = input[dim], .kind = FactorKind::Reduction};
    if (!is_reduced[dim]) {
      result_dims.assign(num_inputs, result_dim++);
      factor.kind = FactorKind::PassThrough;
    }
    builder.add(operand_dims, result_dims, factor);
  }
  return builder.build();
}

}  // namespace shardy::rules
