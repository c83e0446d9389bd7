// Functions that make the rules of a module's ops, from shapes and attributes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <shardy/rules/dot.hpp>
#include <shardy/rules/linear.hpp>
#include <shardy/rules/op_view.hpp>
#include <shardy/rules/shape.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string_view>
#include <vector>

namespace shardy::rules::detail {

/// A function that makes the rule of an op from shapes and attributes.
using RuleOf = RuleResult(const OpView& op, const RuleOptions& options);

RuleOf pointwise_of, broadcast_of, transpose_of, reverse_of, reduce_of, dot_of,
    dynamic_update_slice_of, concatenate_of, all_gather_of, reduce_scatter_of, all_to_all_of,
    batch_norm_inference_of, convolution_of, fft_of, gather_of, scatter_of, reduce_window_of,
    select_and_scatter_of, rng_bit_generator_of, sort_of, triangular_solve_of;

inline RuleResult clamp_of(const OpView& op, const RuleOptions&) {
  return scalar_or_pointwise_rule(op.operand_ranks(), op.operand_shape(1));
}

inline RuleResult select_of(const OpView& op, const RuleOptions&) {
  return scalar_or_pointwise_rule(op.operand_ranks(), op.result_shape());
}

inline RuleResult reshape_of(const OpView& op, const RuleOptions&) {
  return reshape_rule(op.operand_shape(0), op.result_shape());
}

inline RuleResult plain_dot_of(const OpView& op, const RuleOptions&) {
  return plain_dot_rule(op.operand_shape(0), op.operand_shape(1));
}

inline RuleResult slice_of(const OpView& op, const RuleOptions& options) {
  return slice_rule(op.operand_shape(0), op.result_shape(), options.conservative);
}

inline RuleResult pad_of(const OpView& op, const RuleOptions& options) {
  return pad_rule(op.operand_shape(0), op.result_shape(), options.conservative);
}

inline RuleResult dynamic_slice_of(const OpView& op, const RuleOptions&) {
  return dynamic_slice_rule(op.operand_shape(0), op.result_shape(), op.num_operands() - 1);
}

bool has_constant_starts(const OpView& op);

/// Checks whether all operands of a concatenate are slices, or are slices of one value and this
/// value itself. Spec: rules 8.8.
bool joins_slices(const OpView& op);

inline RuleResult bitcast_of(const OpView& op, const RuleOptions&) {
  return bitcast_rule(op.operand_shape(0), op.result_shape());
}

inline RuleResult cholesky_of(const OpView& op, const RuleOptions&) {
  return cholesky_rule(op.operand_shape(0));
}

/// Returns the lowering rule of a convolution. A spatial dim is sharded by kernel taps if the
/// kernel's dim is sharded and the result's dim is not. Spec: partitioning 1.2 (I4).
RuleResult convolution_lowering_of(const OpView& op);

/// Returns whether the body of a scatter is a single op that combines a value with its update and
/// can also combine partial results. Spec: rules 8.16.
bool has_reducing_body(const OpView& op);

RuleResult select_and_scatter_lowering_of(const OpView& op);

}  // namespace shardy::rules::detail

#ifdef SHARDY_BODIES
#include <algorithm>
#include <array>
#include <optional>
#include <shardy/ir/attribute_names.hpp>
#include <shardy/ir/shape_ops.hpp>
#include <shardy/ir/sharding_access.hpp>
#include <shardy/ir/window_ops.hpp>
#include <shardy/rules/gather.hpp>
#include <string>

namespace shardy::rules::detail {

SHARDY_INLINE RuleResult pointwise_of(const OpView& op, const RuleOptions&) {
  if (!op.module().type(op.result()).is_tensor()) return std::optional<OpShardingRule>();
  return pointwise_rule(op.operand_ranks(), op.result_shape(), op.result_ranks());
}

SHARDY_INLINE RuleResult broadcast_of(const OpView& op, const RuleOptions&) {
  SHARDY_TRY(const std::span<const int64_t> dims, op.integers(ir::attr::kBroadcastDimensions));
  return broadcast_rule(op.operand_shape(0), op.result_shape(), dims);
}

SHARDY_INLINE RuleResult transpose_of(const OpView& op, const RuleOptions&) {
  SHARDY_TRY(const std::span<const int64_t> permutation, op.integers(ir::attr::kPermutation));
  return transpose_rule(op.operand_shape(0), permutation);
}

SHARDY_INLINE RuleResult reverse_of(const OpView& op, const RuleOptions&) {
  SHARDY_TRY(const std::span<const int64_t> dims, op.integers(ir::attr::kDimensions));
  return reverse_rule(op.operand_shape(0), dims);
}

SHARDY_INLINE RuleResult reduce_of(const OpView& op, const RuleOptions&) {
  if (op.num_operands() != 2 * op.num_results()) {
    return fail("expected one input and one initial value per result");
  }
  SHARDY_TRY(const std::span<const int64_t> dims, op.integers(ir::attr::kDimensions));
  return reduce_rule(op.operand_shape(0), dims, op.num_results());
}

SHARDY_INLINE RuleResult dot_of(const OpView& op, const RuleOptions&) {
  SHARDY_TRY(const auto view, ir::DotGeneralOp::of(op.attributes()));
  return dot_rule(op.operand_shape(0), op.operand_shape(1), view.dims);
}

SHARDY_INLINE bool has_constant_starts(const OpView& op) {
  for (std::size_t operand = 2; operand < op.num_operands(); ++operand) {
    const ir::OpId start = op.module().defining_op(op.operand(operand));
    if (!start.valid()) return false;
    const bool is_constant = op.module().has_trait(start, ir::kConstantLike) ||
                             op.module().is(start, ir::OpKind::SdyConstant);
    if (!is_constant) return false;
  }
  return true;
}

SHARDY_INLINE RuleResult dynamic_update_slice_of(const OpView& op, const RuleOptions&) {
  return dynamic_update_slice_rule(
      op.operand_shape(0), op.operand_shape(1),
      {.num_starts = op.num_operands() - 2, .has_constant_starts = has_constant_starts(op)});
}

SHARDY_INLINE bool joins_slices(const OpView& op) {
  std::size_t num_slices = 0;
  bool is_one_value = true;
  ir::ValueId first;
  for (std::size_t operand = 0; operand < op.num_operands(); ++operand) {
    ir::ValueId source = op.operand(operand);
    const ir::OpId definition = op.module().defining_op(source);
    if (op.is_defined_by(operand, ir::OpKind::Slice) && op.module().num_operands(definition) > 0) {
      ++num_slices;
      source = op.module().operand(definition, 0);
    }
    if (operand == 0) first = source;
    is_one_value = is_one_value && source == first;
  }
  return num_slices > 0 && (is_one_value || num_slices == op.num_operands());
}

SHARDY_INLINE RuleResult concatenate_of(const OpView& op, const RuleOptions& options) {
  SHARDY_TRY(const int64_t dim, op.integer(ir::attr::kDimension));
  return concatenate_rule(op.result_shape(), {.dim = dim,
                                              .num_operands = op.num_operands(),
                                              .joins_slices = joins_slices(op),
                                              .conservative = options.conservative});
}

SHARDY_INLINE RuleResult all_gather_of(const OpView& op, const RuleOptions&) {
  SHARDY_TRY(const int64_t dim, op.integer(ir::attr::kAllGatherDim));
  return resized_dim_rule(op.operand_shape(0), op.result_shape(), dim, op.num_operands());
}

SHARDY_INLINE RuleResult reduce_scatter_of(const OpView& op, const RuleOptions&) {
  SHARDY_TRY(const int64_t dim, op.integer(ir::attr::kScatterDimension));
  return resized_dim_rule(op.operand_shape(0), op.result_shape(), dim, op.num_operands());
}

SHARDY_INLINE RuleResult all_to_all_of(const OpView& op, const RuleOptions&) {
  SHARDY_TRY(const int64_t split_dim, op.integer(ir::attr::kSplitDimension));
  SHARDY_TRY(const int64_t concat_dim, op.integer(ir::attr::kConcatDimension));
  return all_to_all_rule(
      op.operand_shape(0), op.result_shape(),
      {.split_dim = split_dim, .concat_dim = concat_dim, .num_operands = op.num_operands()});
}

SHARDY_INLINE RuleResult batch_norm_inference_of(const OpView& op, const RuleOptions&) {
  SHARDY_TRY(const int64_t feature_dim, op.integer(ir::attr::kFeatureIndex));
  return batch_norm_inference_rule(op.operand_shape(0), feature_dim);
}

SHARDY_INLINE RuleResult convolution_of(const OpView& op, const RuleOptions& options) {
  SHARDY_TRY(const auto view, ir::ConvolutionOp::of(op.attributes(), op.operand_shape(1)));
  return convolution_rule(op.operand_shape(0), op.operand_shape(1), op.result_shape(), view.dims,
                          {view.batch_groups, view.feature_groups}, options.conservative);
}

SHARDY_INLINE bool is_dim_sharded(const std::optional<TensorSharding>& sharding, int64_t dim) {
  return sharding && sharding_size(sharding->dims()[static_cast<std::size_t>(dim)].axes) > 1;
}

/// Returns the sharded factor of each spatial dim. If two factors are possible, the op's attached
/// rule decides.
SHARDY_INLINE std::vector<SpatialFactor> spatial_factors(const OpView& op,
                                                         const ir::ConvolutionDims& dims) {
  const ir::Module& module = op.module();
  const auto kernel = ir::get_sharding_bypassing_barriers(module, module.operand(op.op(), 1));
  const auto result = ir::get_sharding(module, module.result(op.op()));
  std::vector<SpatialFactor> factors;
  for (std::size_t each = 0; each < dims.input_spatial.size(); ++each) {
    const int64_t taps = dims.kernel_spatial[each];
    const int64_t windows = dims.output_spatial[each];
    bool shards_taps = op.result_shape()[static_cast<std::size_t>(windows)] <
                       op.operand_shape(1)[static_cast<std::size_t>(taps)];
    const bool taps_are_sharded = is_dim_sharded(kernel, taps);
    if (taps_are_sharded != is_dim_sharded(result, windows)) shards_taps = taps_are_sharded;
    factors.push_back(shards_taps ? SpatialFactor::Taps : SpatialFactor::Windows);
  }
  return factors;
}

SHARDY_INLINE RuleResult convolution_lowering_of(const OpView& op) {
  SHARDY_TRY(const auto view, ir::ConvolutionOp::of(op.attributes(), op.operand_shape(1)));
  const ConvolutionGroups groups{view.batch_groups, view.feature_groups};
  SHARDY_TRY_STATUS(verify_layout(op.operand_shape(0), op.operand_shape(1), op.result_shape(),
                                  view.dims, groups));
  return convolution_lowering_rule(op.operand_shape(0), op.operand_shape(1), op.result_shape(),
                                   view.dims, groups, spatial_factors(op, view.dims));
}

SHARDY_INLINE RuleResult fft_of(const OpView& op, const RuleOptions&) {
  SHARDY_TRY(const std::span<const int64_t> length, op.integers(ir::attr::kFftLength));
  return fft_rule(op.operand_shape(0), op.result_shape(), length.size());
}

SHARDY_INLINE RuleResult gather_of(const OpView& op, const RuleOptions&) {
  SHARDY_TRY(const auto view, ir::GatherOp::of(op.attributes(), op.operand_shape(0).size()));
  return gather_rule(op.operand_shape(0), op.operand_shape(1), op.result_shape(), view.dims);
}

SHARDY_INLINE bool has_reducing_body(const OpView& op) {
  constexpr std::array kWithAnyElement = {ir::OpKind::Add, ir::OpKind::Multiply,
                                          ir::OpKind::Maximum, ir::OpKind::Minimum};
  const std::size_t num_inputs = op.num_operands() / 2;
  const std::optional<std::vector<ir::OpKind>> kinds =
      ir::recognized_reducers(op.module(), op.op(), num_inputs);
  if (!kinds || kinds->empty()) return false;
  const ir::OpKind kind = kinds->front();
  if (std::ranges::count(*kinds, kind) != static_cast<std::ptrdiff_t>(kinds->size())) return false;
  if (std::ranges::find(kWithAnyElement, kind) != kWithAnyElement.end()) return true;
  if (kind != ir::OpKind::And && kind != ir::OpKind::Or) return false;
  for (const ir::ValueId arg : op.module().args(op.module().block(op.op()))) {
    const ir::TensorType* tensor = op.module().type(arg).tensor();
    if (tensor == nullptr || tensor->element != ir::ElementType::I1) return false;
  }
  return true;
}

SHARDY_INLINE RuleResult scatter_of(const OpView& op, const RuleOptions&) {
  SHARDY_TRY(const auto view, ir::ScatterOp::of(op.attributes()));
  const std::size_t num_inputs = op.num_operands() / 2;
  if (op.num_operands() != 2 * num_inputs + 1 || op.num_results() != num_inputs) {
    return fail("expected inputs, indices and as many updates and results as inputs");
  }
  return scatter_rule(op.operand_shape(0), op.operand_shape(num_inputs),
                      op.operand_shape(num_inputs + 1), view.dims,
                      {.num_inputs = num_inputs, .is_reduction = has_reducing_body(op)});
}

SHARDY_INLINE RuleResult reduce_window_of(const OpView& op, const RuleOptions& options) {
  if (op.num_operands() != 2 * op.num_results()) {
    return fail("expected one input and one initial value per result");
  }
  SHARDY_TRY(const auto view, ir::ReduceWindowOp::of(op.attributes(), op.result_shape().size()));
  return reduce_window_rule(op.result_shape(), view.window, op.num_results(), options.conservative);
}

SHARDY_INLINE RuleResult select_and_scatter_of(const OpView& op, const RuleOptions& options) {
  SHARDY_TRY(const auto view,
             ir::SelectAndScatterOp::of(op.attributes(), op.result_shape().size()));
  return select_and_scatter_rule(op.result_shape(), op.operand_shape(1), view.window,
                                 options.conservative);
}

SHARDY_INLINE RuleResult select_and_scatter_lowering_of(const OpView& op) {
  SHARDY_TRY(const auto view,
             ir::SelectAndScatterOp::of(op.attributes(), op.result_shape().size()));
  return select_and_scatter_lowering_rule(op.result_shape(), view.window);
}

SHARDY_INLINE RuleResult rng_bit_generator_of(const OpView& op, const RuleOptions&) {
  if (op.num_results() != 2) return fail("expected two results");
  return rng_bit_generator_rule(op.operand_shape(0), op.result_shape(1));
}

SHARDY_INLINE RuleResult sort_of(const OpView& op, const RuleOptions&) {
  const auto* given = op.attribute<ir::IntegerAttr>(ir::attr::kDimension);
  const int64_t dim = given != nullptr ? given->value : -1;
  const auto rank = static_cast<int64_t>(op.operand_shape(0).size());
  return sort_rule(op.operand_shape(0), dim < 0 ? dim + rank : dim, op.num_operands());
}

SHARDY_INLINE RuleResult triangular_solve_of(const OpView& op, const RuleOptions&) {
  const auto* left_side = op.attribute<bool>(ir::attr::kLeftSide);
  const auto* transpose = op.attribute<ir::EnumAttr>(ir::attr::kTransposeA);
  if (left_side == nullptr || transpose == nullptr) {
    return fail("expected attributes: left_side, transpose_a");
  }
  const bool transposes = transpose->value == "TRANSPOSE" || transpose->value == "ADJOINT";
  return triangular_solve_rule(op.operand_shape(0), op.operand_shape(1),
                               {.left_side = *left_side, .transposes_a = transposes});
}

}  // namespace shardy::rules::detail
#endif  // SHARDY_BODIES
