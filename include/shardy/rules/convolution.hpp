// Rule of convolution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <shardy/rules/rule_builder.hpp>
#include <span>

namespace shardy::rules {

/// What the dims of a convolution are. The lists are the caller's.
struct ConvolutionLayout {
  int64_t input_batch = 0, input_feature = 0;
  int64_t kernel_input_feature = 0, kernel_output_feature = 0;
  int64_t output_batch = 0, output_feature = 0;
  std::span<const int64_t> input_spatial, kernel_spatial, output_spatial;
  int64_t batch_groups = 1;
  int64_t feature_groups = 1;
};

namespace detail {

Status verify_side(std::span<const int64_t> spatial, std::initializer_list<int64_t> others,
                   std::size_t rank, std::string_view side);

}  // namespace detail

/// Factors: batch group, batch, spatial dims (unless conservative), feature group, input feature
/// (reduction), output feature. Strides, padding, dilation and reversal do not matter.
///
/// Example: 4x16x6, kernel 5x6x10 -> 4x12x10:
/// `([i, j, k], [m, k, l])->([i, j, l]) {i=4, j=12, k=6, l=10, m=1} reduction={k} permutation={j}`.
/// Spec: rules 8.9.
Result<OpShardingRule> convolution_rule(Shape lhs, Shape rhs, Shape out,
                                        const ConvolutionLayout& dims, bool conservative = false);

}  // namespace shardy::rules

#ifdef SHARDY_HEADER_ONLY
#include <shardy/rules/detail/convolution_inl.hpp>
#endif
