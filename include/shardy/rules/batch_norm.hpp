// Rule of batch_norm_inference.
#pragma once

#include <cstdint>
#include <shardy/rules/rule_builder.hpp>
#include <shardy/support/inline.hpp>

namespace shardy::rules {

/// Operands: the input, then scale, offset, mean and variance, one number per feature each.
///
/// Example: 4x8, feature dim 1: `([i, j], [j], [j], [j], [j])->([i, j]) {i=4, j=8}`.
/// Spec: rules 8.3.
Result<OpShardingRule> batch_norm_inference_rule(Shape input, int64_t feature_dim);

}  // namespace shardy::rules

#ifdef SHARDY_BODIES
#include <cstddef>
#include <shardy/ir/attribute_names.hpp>
#include <shardy/rules/detail/dim_list.hpp>
#include <vector>

namespace shardy::rules {

SHARDY_INLINE Result<OpShardingRule> batch_norm_inference_rule(Shape input, int64_t feature_dim) {
  const int64_t dims[] = {feature_dim};
  SHARDY_TRY(const std::vector<bool> is_feature,
             dim_set(dims, input.size(), ir::attr::kFeatureIndex));
  RuleBuilder builder({input.size(), 1, 1, 1, 1}, {input.size()});
  for (std::size_t dim = 0; dim < input.size(); ++dim) {
    const auto mapped = static_cast<int64_t>(dim);
    MappedDims operand_dims(5);
    if (is_feature[dim]) operand_dims.assign(5, 0);
    operand_dims[0] = mapped;
    builder.add(operand_dims, {mapped}, {.size = input[dim]});
  }
  return builder.build();
}

}  // namespace shardy::rules
#endif  // SHARDY_BODIES
