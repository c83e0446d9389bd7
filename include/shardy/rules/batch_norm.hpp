// Rule of batch_norm_inference.
#pragma once

#include <cstdint>
#include <shardy/rules/rule_builder.hpp>

namespace shardy::rules {

/// Operands: the input, then scale, offset, mean and variance, one number per feature each.
///
/// Example: 4x8, feature dim 1: `([i, j], [j], [j], [j], [j])->([i, j]) {i=4, j=8}`.
/// Spec: rules 8.3.
Result<OpShardingRule> batch_norm_inference_rule(Shape input, int64_t feature_dim);

}  // namespace shardy::rules

#ifdef SHARDY_HEADER_ONLY
#include <shardy/rules/detail/batch_norm_inl.hpp>
#endif
