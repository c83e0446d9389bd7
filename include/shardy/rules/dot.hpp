// Rules of ops that reduce dims: dots, reductions, window reductions and convolutions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <shardy/ir/attribute.hpp>
#include <shardy/rules/rule_builder.hpp>
#include <shardy/support/detail/inline.hpp>
#include <span>
#include <vector>

namespace shardy::rules {

/// Returns the rule of a dot_general. Order of factors: batch dims, free dims of lhs, free dims of
/// rhs, which are the dims of the result; then contracting dims, which are reductions.
///
/// Example: 3x5x4 . 6x3x4, batching [0]x[1], contracting [2]x[2]:
/// `([i, j, l], [k, i, l])->([i, j, k]) {i=3, j=5, k=6, l=4} reduction={l}`. Errors: dims that do
/// not exist or repeat, pairs of dims with different sizes. Spec: rules 8.11.
Result<OpShardingRule> dot_rule(Shape lhs, Shape rhs, const DotDims& dims);

/// Returns the rule of `stablehlo.dot`, which contracts the last dim of `lhs` with the first dim of
/// `rhs`. The operands have rank 1 or 2.
///
/// Example: 7 . 7x3: `([j], [j, i])->([i]) {i=3, j=7} reduction={j}`. Spec: rules 8.12.
Result<OpShardingRule> plain_dot_rule(Shape lhs, Shape rhs);

/// Kind of initial values of a reduction.
enum class InitialValues : uint8_t {
  Operands,  // scalar operands after the inputs, one per input
  None,      // no operands: the op has constant initial values, or starts with the first element
};

/// Returns the rule of a reduction of `num_inputs` inputs of one shape over `dims`. The op has one
/// result per input, with the other dims. The rule does not depend on the reducer.
///
/// Example: 6x8x10 over [1]: `([i, j, k], [])->([i, k]) {i=6, j=8, k=10} reduction={j}`.
/// Spec: rules 8.18.
Result<OpShardingRule> reduce_rule(Shape input, std::span<const int64_t> dims,
                                   std::size_t num_inputs = 1,
                                   InitialValues initial = InitialValues::Operands);

/// Returns the rule of a reduce_window with equal numbers of inputs, initial values and results.
/// Factors have the sizes of the result. Dims with windows of several elements are permutation
/// factors, or blocked factors in a conservative rule. The rule does not depend on dilation.
///
/// Example: 32x6 -> 16x6, window 2x1, stride 2x1:
/// `([i, j], [])->([i, j]) {i=16, j=6} permutation={i}`. Spec: rules 8.19.
Result<OpShardingRule> reduce_window_rule(Shape result, const std::vector<ir::WindowDim>& window,
                                          std::size_t num_inputs = 1, bool conservative = false);

/// Returns the rule of a select_and_scatter. Operands: the tensor, the source and the initial
/// value.
///
/// Example: 16x8, source 8x8, window 2x1, stride 2x1:
/// `([j, k], [i, k], [])->([j, k]) {i=8, j=16, k=8} need_replication={i} permutation={j}`.
/// Spec: rules 8.23.
Result<OpShardingRule> select_and_scatter_rule(Shape result, Shape source,
                                               const std::vector<ir::WindowDim>& window,
                                               bool conservative = false);

/// Returns the lowering rule of a select_and_scatter. The source dim is sharded like the operand
/// dim along which the windows move.
///
/// Example, with the op of select_and_scatter_rule: `([i, j], [i, j], [])->([i, j]) {i=16, j=8}
/// permutation={i}`. Spec: partitioning 1.2 (I4).
Result<OpShardingRule> select_and_scatter_lowering_rule(Shape result,
                                                        const std::vector<ir::WindowDim>& window);

/// Group counts of a convolution. At most one of them is above 1.
struct ConvolutionGroups {
  int64_t batch = 1;    // batch_group_count
  int64_t feature = 1;  // feature_group_count
};

namespace detail {

Status verify_side(std::span<const int64_t> spatial, std::initializer_list<int64_t> others,
                   std::size_t rank, std::string_view side);
/// Checks dim numbers and group counts. Errors: dim numbers or sizes that do not fit the tensors.
Status verify_layout(Shape lhs, Shape rhs, Shape out, const ir::ConvolutionDims& dims,
                     const ConvolutionGroups& groups);

}  // namespace detail

/// Returns the rule of a convolution. Order of factors: batch group, batch, spatial dims (not in a
/// conservative rule), feature group, input feature (a reduction), output feature. The rule does
/// not depend on strides, padding, dilation and reversal.
///
/// Example: 4x16x6, kernel 5x6x10 -> 4x12x10:
/// `([i, j, k], [m, k, l])->([i, j, l]) {i=4, j=12, k=6, l=10, m=1} reduction={k} permutation={j}`.
/// Spec: rules 8.9.
Result<OpShardingRule> convolution_rule(Shape lhs, Shape rhs, Shape out,
                                        const ir::ConvolutionDims& dims,
                                        const ConvolutionGroups& groups = {},
                                        bool conservative = false);

/// Choice of the sharded factor for a spatial dim on which only one factor can be sharded.
enum class SpatialFactor : uint8_t {
  Windows,  // window positions: each shard computes its own windows
  Taps      // kernel taps: each shard sums a part of every window
};

/// Returns the lowering rule of a convolution: one factor per spatial dim, of any size, because the
/// lowering exchanges halos. A spatial dim with a single window or a single element has no factor.
///
/// Example: 4x16x6, kernel 5x6x10 -> 4x6x10 with stride 2, windows:
/// `([i, j, k], [m, k, l])->([i, j, l]) {i=4, j=6, k=6, l=10, m=1} reduction={k} permutation={j}`.
/// Spec: partitioning 1.2 (I4).
Result<OpShardingRule> convolution_lowering_rule(Shape lhs, Shape rhs, Shape out,
                                                 const ir::ConvolutionDims& dims,
                                                 const ConvolutionGroups& groups,
                                                 std::span<const SpatialFactor> factors);

}  // namespace shardy::rules

#ifdef SHARDY_BODIES
#include <algorithm>
#include <optional>
#include <shardy/ir/attribute_names.hpp>
#include <string>

namespace shardy::rules::detail {

/// Adds a factor for each dim of one operand that is not paired with a dim of the other operand.
template <class Add>
void add_free_dims(Shape shape, const std::vector<bool>& is_paired, Add add) {
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    if (!is_paired[dim]) add(static_cast<int64_t>(dim), Factor{.size = shape[dim]});
  }
}

/// Returns a flag for each dim of one operand: true for batch and contracting dims. `side` names
/// the operand in errors.
SHARDY_INLINE Result<std::vector<bool>> paired_dims(std::span<const int64_t> batch,
                                                    std::span<const int64_t> contracting,
                                                    std::size_t rank, std::string_view side) {
  std::vector<int64_t> both(batch.begin(), batch.end());
  both.insert(both.end(), contracting.begin(), contracting.end());
  return detail::dim_set(both, rank, std::string(side) + " list of batching and contracting dims");
}

SHARDY_INLINE Status verify_pairs(std::span<const int64_t> lhs, std::span<const int64_t> rhs,
                                  std::string_view kind) {
  if (lhs.size() == rhs.size()) return {};
  return fail("numbers of " + std::string(kind) + " dims must match: " +
              std::to_string(lhs.size()) + " != " + std::to_string(rhs.size()));
}

/// Checks that the dims of each pair have equal sizes. Requires: the dims exist.
SHARDY_INLINE Status verify_sizes(Shape lhs, Shape rhs, std::span<const int64_t> lhs_dims,
                                  std::span<const int64_t> rhs_dims, std::string_view kind) {
  for (std::size_t pair = 0; pair < lhs_dims.size(); ++pair) {
    const int64_t left = lhs[static_cast<std::size_t>(lhs_dims[pair])];
    const int64_t right = rhs[static_cast<std::size_t>(rhs_dims[pair])];
    if (left == right || left < 0 || right < 0) continue;  // negative: a dynamic size
    return fail(std::string(kind) + " dims must have equal sizes: lhs dim " +
                std::to_string(lhs_dims[pair]) + " has " + std::to_string(left) + ", rhs dim " +
                std::to_string(rhs_dims[pair]) + " has " + std::to_string(right));
  }
  return {};
}

}  // namespace shardy::rules::detail

namespace shardy::rules {

SHARDY_INLINE Result<OpShardingRule> dot_rule(Shape lhs, Shape rhs, const DotDims& dims) {
  SHARDY_TRY_STATUS(detail::verify_pairs(dims.lhs_batch, dims.rhs_batch, "batching"));
  SHARDY_TRY_STATUS(
      detail::verify_pairs(dims.lhs_contracting, dims.rhs_contracting, "contracting"));
  SHARDY_TRY(const std::vector<bool> lhs_paired,
             detail::paired_dims(dims.lhs_batch, dims.lhs_contracting, lhs.size(), "lhs"));
  SHARDY_TRY(const std::vector<bool> rhs_paired,
             detail::paired_dims(dims.rhs_batch, dims.rhs_contracting, rhs.size(), "rhs"));
  SHARDY_TRY_STATUS(detail::verify_sizes(lhs, rhs, dims.lhs_batch, dims.rhs_batch, "batching"));
  SHARDY_TRY_STATUS(
      detail::verify_sizes(lhs, rhs, dims.lhs_contracting, dims.rhs_contracting, "contracting"));

  const std::size_t num_paired = dims.lhs_batch.size() + 2 * dims.lhs_contracting.size();
  RuleBuilder builder({lhs.size(), rhs.size()}, {lhs.size() + rhs.size() - num_paired});
  int64_t result_dim = 0;
  for (std::size_t pair = 0; pair < dims.lhs_batch.size(); ++pair) {
    const int64_t dim = dims.lhs_batch[pair];
    builder.add({dim, dims.rhs_batch[pair]}, {result_dim++},
                {.size = lhs[static_cast<std::size_t>(dim)]});
  }
  detail::add_free_dims(lhs, lhs_paired, [&](int64_t dim, const Factor& factor) {
    builder.add({dim, std::nullopt}, {result_dim++}, factor);
  });
  detail::add_free_dims(rhs, rhs_paired, [&](int64_t dim, const Factor& factor) {
    builder.add({std::nullopt, dim}, {result_dim++}, factor);
  });
  for (std::size_t pair = 0; pair < dims.lhs_contracting.size(); ++pair) {
    const int64_t dim = dims.lhs_contracting[pair];
    builder.add({dim, dims.rhs_contracting[pair]}, {std::nullopt},
                {.size = lhs[static_cast<std::size_t>(dim)], .kind = FactorKind::Reduction});
  }
  return builder.build();
}

SHARDY_INLINE Result<OpShardingRule> plain_dot_rule(Shape lhs, Shape rhs) {
  if (lhs.empty() || lhs.size() > 2 || rhs.empty() || rhs.size() > 2) {
    return fail("operands must have rank 1 or 2");
  }
  const auto last = static_cast<int64_t>(lhs.size()) - 1;
  return dot_rule(lhs, rhs, {.lhs_contracting = {last}, .rhs_contracting = {0}});
}

SHARDY_INLINE Result<OpShardingRule> reduce_rule(Shape input, std::span<const int64_t> dims,
                                                 std::size_t num_inputs, InitialValues initial) {
  SHARDY_TRY(const std::vector<bool> is_reduced,
             detail::dim_set(dims, input.size(), ir::attr::kDimensions));
  SHARDY_TRY_STATUS(detail::verify_count(num_inputs));
  const std::size_t num_operands = initial == InitialValues::Operands ? 2 * num_inputs : num_inputs;
  std::vector<std::size_t> operand_ranks(num_inputs, input.size());
  operand_ranks.resize(num_operands, 0);
  const std::vector<std::size_t> result_ranks(num_inputs, input.size() - dims.size());
  RuleBuilder builder(operand_ranks, result_ranks);
  int64_t result_dim = 0;
  for (std::size_t dim = 0; dim < input.size(); ++dim) {
    MappedDims operand_dims(num_inputs, static_cast<int64_t>(dim));
    operand_dims.resize(num_operands, std::nullopt);
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

namespace shardy::rules::detail {

SHARDY_INLINE Status verify_window(Shape result, const std::vector<ir::WindowDim>& window) {
  if (window.size() == result.size()) return {};
  return fail("window must have one entry per dim: " + std::to_string(window.size()) +
              " != " + std::to_string(result.size()));
}

}  // namespace shardy::rules::detail

namespace shardy::rules {

SHARDY_INLINE Result<OpShardingRule> reduce_window_rule(Shape result,
                                                        const std::vector<ir::WindowDim>& window,
                                                        std::size_t num_inputs, bool conservative) {
  SHARDY_TRY_STATUS(detail::verify_window(result, window));
  SHARDY_TRY_STATUS(detail::verify_count(num_inputs));
  std::vector<std::size_t> operand_ranks(num_inputs, result.size());
  operand_ranks.resize(2 * num_inputs, 0);
  const std::vector<std::size_t> result_ranks(num_inputs, result.size());
  RuleBuilder builder(operand_ranks, result_ranks);
  for (std::size_t dim = 0; dim < result.size(); ++dim) {
    Factor factor{.size = result[dim]};
    if (!window[dim].passes()) {
      factor.kind = FactorKind::Permutation;
      factor.is_blocked = conservative;
    }
    builder.add_same(dim, factor);
  }
  return builder.build();
}

SHARDY_INLINE Result<OpShardingRule> select_and_scatter_rule(
    Shape result, Shape source, const std::vector<ir::WindowDim>& window, bool conservative) {
  SHARDY_TRY_STATUS(detail::verify_window(result, window));
  if (source.size() != result.size()) return fail("source and result must have one rank");
  RuleBuilder builder({result.size(), source.size(), 0}, {result.size()});
  for (std::size_t dim = 0; dim < result.size(); ++dim) {
    if (window[dim].passes()) {
      builder.add_same(dim, {.size = result[dim]});
      continue;
    }
    const auto mapped = static_cast<int64_t>(dim);
    builder.add(
        {std::nullopt, mapped, std::nullopt}, {std::nullopt},
        {.size = source[dim], .kind = FactorKind::NeedReplication, .is_blocked = conservative});
    builder.add({mapped, std::nullopt, std::nullopt}, {mapped},
                {.size = result[dim], .kind = FactorKind::Permutation, .is_blocked = conservative});
  }
  return builder.build();
}

SHARDY_INLINE Result<OpShardingRule> select_and_scatter_lowering_rule(
    Shape result, const std::vector<ir::WindowDim>& window) {
  SHARDY_TRY_STATUS(detail::verify_window(result, window));
  RuleBuilder builder({result.size(), result.size(), 0}, {result.size()});
  for (std::size_t dim = 0; dim < result.size(); ++dim) {
    const FactorKind kind =
        window[dim].passes() ? FactorKind::PassThrough : FactorKind::Permutation;
    builder.add_same(dim, {.size = result[dim], .kind = kind});
  }
  return builder.build();
}

}  // namespace shardy::rules

namespace shardy::rules::detail {

/// The sizes of one spatial dim in input, kernel and output.
struct SpatialDim {
  // Index of the dim in each tensor; std::nullopt if the tensor does not have the dim.
  std::optional<int64_t> input, kernel, output;
  int64_t input_size = 1, window = 1, windows = 1;
};

SHARDY_INLINE Status verify_side(std::span<const int64_t> spatial,
                                 std::initializer_list<int64_t> others, std::size_t rank,
                                 std::string_view side) {
  std::vector<int64_t> dims(spatial.begin(), spatial.end());
  dims.insert(dims.end(), others);
  SHARDY_TRY_STATUS(detail::dim_set(dims, rank, std::string(side) + " dimension numbers"));
  if (dims.size() == rank) return {};
  return fail(std::string(side) + " dimension numbers must name all dims");
}

SHARDY_INLINE Status verify_layout(Shape lhs, Shape rhs, Shape out, const ir::ConvolutionDims& dims,
                                   const ConvolutionGroups& groups) {
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
  if (groups.batch < 1 || groups.feature < 1) return fail("group counts must be positive");
  if (groups.batch == 1 || groups.feature == 1) return {};
  return fail("batch_group_count and feature_group_count must not both be greater than 1");
}

/// Adds the factors of window positions and kernel taps, the larger factor first. The product of
/// both is at most the size of the input dim.
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

/// Adds the single factor `factor` of a spatial dim.
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

/// Makes the rule of a convolution. `add_dim(builder, number, dim)` adds the factors of a spatial
/// dim.
template <class AddDim>
Result<OpShardingRule> make_convolution_rule(Shape lhs, Shape rhs, Shape out,
                                             const ir::ConvolutionDims& dims,
                                             const ConvolutionGroups& groups,
                                             const AddDim& add_dim) {
  SHARDY_TRY_STATUS(verify_layout(lhs, rhs, out, dims, groups));
  const auto size = [](Shape shape, int64_t dim) { return shape[static_cast<std::size_t>(dim)]; };
  RuleBuilder builder({lhs.size(), rhs.size()}, {out.size()});
  if (groups.batch > 1) {
    builder.add({dims.input_batch, dims.kernel_output_feature}, {dims.output_feature},
                {.size = groups.batch});
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
  if (groups.feature > 1) {
    builder.add({dims.input_feature, dims.kernel_output_feature}, {dims.output_feature},
                {.size = groups.feature});
  }
  builder.add({dims.input_feature, dims.kernel_input_feature}, {std::nullopt},
              {.size = size(rhs, dims.kernel_input_feature), .kind = FactorKind::Reduction});
  const int64_t out_features =
      size(out, dims.output_feature) / std::max(groups.batch, groups.feature);
  if (out_features > 1) {
    builder.add({std::nullopt, dims.kernel_output_feature}, {dims.output_feature},
                {.size = out_features});
  }
  return builder.build();
}

}  // namespace shardy::rules::detail

namespace shardy::rules {

SHARDY_INLINE Result<OpShardingRule> convolution_rule(Shape lhs, Shape rhs, Shape out,
                                                      const ir::ConvolutionDims& dims,
                                                      const ConvolutionGroups& groups,
                                                      bool conservative) {
  return detail::make_convolution_rule(
      lhs, rhs, out, dims, groups,
      [&](RuleBuilder& builder, std::size_t /*number*/, const detail::SpatialDim& dim) {
        if (!conservative) detail::add_spatial(builder, dim);
      });
}

SHARDY_INLINE Result<OpShardingRule> convolution_lowering_rule(
    Shape lhs, Shape rhs, Shape out, const ir::ConvolutionDims& dims,
    const ConvolutionGroups& groups, std::span<const SpatialFactor> factors) {
  return detail::make_convolution_rule(
      lhs, rhs, out, dims, groups,
      [&](RuleBuilder& builder, std::size_t number, const detail::SpatialDim& dim) {
        detail::add_spatial_factor(builder, dim, factors[number]);
      });
}

}  // namespace shardy::rules
#endif  // SHARDY_BODIES
