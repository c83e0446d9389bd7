// Rule of reduce.
#pragma once

#include <cstddef>
#include <cstdint>
#include <shardy/rules/rule_builder.hpp>
#include <shardy/support/inline.hpp>
#include <span>

namespace shardy::rules {

/// `num_inputs` inputs of one shape, as many scalar initial values, as many results, which have the
/// dims that are not reduced. The reducer itself does not matter.
///
/// Example: 6x8x10 over [1]: `([i, j, k], [])->([i, k]) {i=6, j=8, k=10} reduction={j}`.
/// Spec: rules 8.18.
Result<OpShardingRule> reduce_rule(Shape input, std::span<const int64_t> dims,
                                   std::size_t num_inputs = 1);

}  // namespace shardy::rules

#ifdef SHARDY_BODIES
#include <optional>
#include <shardy/ir/attribute_names.hpp>
#include <shardy/rules/detail/dim_list.hpp>
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
#endif  // SHARDY_BODIES
