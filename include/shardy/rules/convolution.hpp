// Rule of convolution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <shardy/rules/rule_builder.hpp>
#include <shardy/support/inline.hpp>
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

#ifdef SHARDY_BODIES
#include <algorithm>
#include <optional>
#include <shardy/rules/detail/dim_list.hpp>
#include <string>
#include <vector>

namespace shardy::rules::detail {

/// The sizes of one spatial dim.
struct SpatialDim {
  std::optional<int64_t> input, kernel, output;  // dims
  int64_t input_size = 1, window = 1, windows = 1;
};

SHARDY_INLINE Status verify_side(std::span<const int64_t> spatial,
                                 std::initializer_list<int64_t> others, std::size_t rank,
                                 std::string_view side) {
  std::vector<int64_t> dims(spatial.begin(), spatial.end());
  dims.insert(dims.end(), others);
  SHARDY_TRY_STATUS(dim_set(dims, rank, std::string(side) + " dimension numbers"));
  if (dims.size() == rank) return {};
  return fail(std::string(side) + " dimension numbers must name all dims");
}

SHARDY_INLINE Status verify_layout(const ConvolutionLayout& dims, Shape lhs, Shape rhs, Shape out) {
  SHARDY_TRY_STATUS(
      verify_side(dims.input_spatial, {dims.input_batch, dims.input_feature}, lhs.size(), "input"));
  SHARDY_TRY_STATUS(verify_side(dims.kernel_spatial,
                                {dims.kernel_input_feature, dims.kernel_output_feature}, rhs.size(),
                                "kernel"));
  SHARDY_TRY_STATUS(verify_side(dims.output_spatial, {dims.output_batch, dims.output_feature},
                                out.size(), "output"));
  if (lhs.size() != rhs.size() || lhs.size() != out.size()) {
    return fail("operands and result must have one rank");
  }
  if (dims.batch_groups < 1 || dims.feature_groups < 1)
    return fail("group counts must be positive");
  if (dims.batch_groups == 1 || dims.feature_groups == 1) return {};
  return fail("batch_group_count and feature_group_count must not both be greater than 1");
}

/// Windows move along the dim, elements of a window are summed; the larger number comes first, and
/// both together never exceed the size of the input dim.
SHARDY_INLINE void add_spatial(RuleBuilder& builder, const SpatialDim& dim) {
  int64_t remaining = dim.input_size;
  const auto add = [&](bool is_window) {
    const int64_t size = std::min(remaining, is_window ? dim.window : dim.windows);
    if (size <= 1) return;
    if (is_window) {
      builder.add({dim.input, dim.kernel}, {std::nullopt},
                  {.size = size, .kind = FactorKind::Reduction});
    } else {
      builder.add({dim.input, std::nullopt}, {dim.output},
                  {.size = size, .kind = FactorKind::Permutation});
    }
    remaining /= size;
  };
  const bool windows_first = dim.windows >= dim.window;
  add(!windows_first);
  add(windows_first);
}

/// The dim as a whole goes one way.
SHARDY_INLINE void add_spatial_factor(RuleBuilder& builder, const SpatialDim& dim,
                                      SpatialFactor factor) {
  const bool is_windows = factor == SpatialFactor::Windows;
  const int64_t size = is_windows ? dim.windows : dim.window;
  if (dim.input_size <= 1 || size <= 1) return;
  if (is_windows) {
    builder.add({dim.input, std::nullopt}, {dim.output},
                {.size = size, .kind = FactorKind::Permutation});
  } else {
    builder.add({dim.input, dim.kernel}, {std::nullopt},
                {.size = size, .kind = FactorKind::Reduction});
  }
}

/// `add_dim(builder, number, dim)` adds the factors of a spatial dim.
template <class AddDim>
Result<OpShardingRule> make_convolution_rule(Shape lhs, Shape rhs, Shape out,
                                             const ConvolutionLayout& dims, const AddDim& add_dim) {
  SHARDY_TRY_STATUS(verify_layout(dims, lhs, rhs, out));
  const auto size = [](Shape shape, int64_t dim) { return shape[static_cast<std::size_t>(dim)]; };
  RuleBuilder builder({lhs.size(), rhs.size()}, {out.size()});
  if (dims.batch_groups > 1) {
    builder.add({dims.input_batch, dims.kernel_output_feature}, {dims.output_feature},
                {.size = dims.batch_groups});
  }
  builder.add({dims.input_batch, std::nullopt}, {dims.output_batch},
              {.size = size(out, dims.output_batch)});
  for (std::size_t each = 0; each < dims.input_spatial.size(); ++each) {
    SpatialDim dim{.input = dims.input_spatial[each],
                   .kernel = dims.kernel_spatial[each],
                   .output = dims.output_spatial[each]};
    dim.input_size = size(lhs, *dim.input);
    dim.window = size(rhs, *dim.kernel);
    dim.windows = size(out, *dim.output);
    add_dim(builder, each, dim);
  }
  if (dims.feature_groups > 1) {
    builder.add({dims.input_feature, dims.kernel_output_feature}, {dims.output_feature},
                {.size = dims.feature_groups});
  }
  builder.add({dims.input_feature, dims.kernel_input_feature}, {std::nullopt},
              {.size = size(rhs, dims.kernel_input_feature), .kind = FactorKind::Reduction});
  const int64_t groups = std::max(dims.batch_groups, dims.feature_groups);
  const int64_t out_features = size(out, dims.output_feature) / groups;
  if (out_features > 1) {
    builder.add({std::nullopt, dims.kernel_output_feature}, {dims.output_feature},
                {.size = out_features});
  }
  return builder.build();
}

}  // namespace shardy::rules::detail

namespace shardy::rules {

SHARDY_INLINE Result<OpShardingRule> convolution_rule(Shape lhs, Shape rhs, Shape out,
                                                      const ConvolutionLayout& dims,
                                                      bool conservative) {
  return detail::make_convolution_rule(
      lhs, rhs, out, dims,
      [&](RuleBuilder& builder, std::size_t /*number*/, const detail::SpatialDim& dim) {
        if (!conservative) detail::add_spatial(builder, dim);
      });
}

SHARDY_INLINE Result<OpShardingRule> convolution_lowering_rule(
    Shape lhs, Shape rhs, Shape out, const ConvolutionLayout& dims,
    std::span<const SpatialFactor> factors) {
  return detail::make_convolution_rule(
      lhs, rhs, out, dims,
      [&](RuleBuilder& builder, std::size_t number, const detail::SpatialDim& dim) {
        detail::add_spatial_factor(builder, dim, factors[number]);
      });
}

}  // namespace shardy::rules
#endif  // SHARDY_BODIES
