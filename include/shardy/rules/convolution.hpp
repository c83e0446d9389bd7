// Rule of convolution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <shardy/rules/rule_builder.hpp>
#include <span>

namespace shardy::rules {

/// Dims of a convolution. The caller owns the lists.
struct ConvolutionLayout {
  int64_t input_batch = 0, input_feature = 0;                              // dims of the input
  int64_t kernel_input_feature = 0, kernel_output_feature = 0;             // dims of the kernel
  int64_t output_batch = 0, output_feature = 0;                            // dims of the output
  std::span<const int64_t> input_spatial, kernel_spatial, output_spatial;  // in one order
  int64_t batch_groups = 1;                                                // batch_group_count
  int64_t feature_groups = 1;                                              // feature_group_count
};

namespace detail {

Status verify_side(std::span<const int64_t> spatial, std::initializer_list<int64_t> others,
                   std::size_t rank, std::string_view side);
/// Errors: dimension numbers, or sizes, that do not fit the tensors.
Status verify_layout(const ConvolutionLayout& dims, Shape lhs, Shape rhs, Shape out);

}  // namespace detail

/// Factors: batch group, batch, spatial dims (unless conservative), feature group, input feature
/// (reduction), output feature. Strides, padding, dilation and reversal do not matter.
///
/// Example: 4x16x6, kernel 5x6x10 -> 4x12x10:
/// `([i, j, k], [m, k, l])->([i, j, l]) {i=4, j=12, k=6, l=10, m=1} reduction={k} permutation={j}`.
/// Spec: rules 8.9.
Result<OpShardingRule> convolution_rule(Shape lhs, Shape rhs, Shape out,
                                        const ConvolutionLayout& dims, bool conservative = false);

/// Sharded factor of a spatial dim, where only one can be sharded.
enum class SpatialFactor : uint8_t {
  Windows,  // each shard has its own windows
  Taps      // each shard adds up a part of every window
};

/// The rule by which the op is lowered: one factor per spatial dim, whatever the sizes, since halos
/// are exchanged. A dim of one window, or of one element, has none.
///
/// Example: 4x16x6, kernel 5x6x10 -> 4x6x10 with stride 2, windows:
/// `([i, j, k], [m, k, l])->([i, j, l]) {i=4, j=6, k=6, l=10, m=1} reduction={k} permutation={j}`.
/// Spec: partitioning 1.2 (I4).
Result<OpShardingRule> convolution_lowering_rule(Shape lhs, Shape rhs, Shape out,
                                                 const ConvolutionLayout& dims,
                                                 std::span<const SpatialFactor> factors);

}  // namespace shardy::rules

#ifdef SHARDY_HEADER_ONLY
#include <shardy/rules/detail/convolution_inl.hpp>
#endif
