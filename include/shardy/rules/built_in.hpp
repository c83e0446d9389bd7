// The table of the ops whose rules this library knows.
#pragma once

#include <array>
#include <cstddef>
#include <shardy/ir/op_table.hpp>
#include <shardy/rules/op_view.hpp>
#include <shardy/rules/rule_options.hpp>
#include <shardy/support/inline.hpp>
#include <string_view>

namespace shardy::rules {

/// How to make the rule of one kind of op, and what of the op the rule depends on besides its
/// shapes: ops that agree in all of that share their rule.
struct RuleEntry {
  using Make = RuleResult (*)(const OpView&, const RuleOptions&);  // makes the rule of an op
  using Look = bool (*)(const OpView&);  // asks one question about the graph around an op

  ir::OpKind kind = ir::OpKind::Unknown;            // the kind that the entry is for
  Make make = nullptr;                              // makes the rule
  std::size_t min_operands = 1;                     // an op with fewer has no rule
  std::array<std::string_view, 3> attributes = {};  // those it reads
  Look look = nullptr;                              // what it asks the graph, if anything
};

/// The row of a kind, or null when it has no built-in rule.
const RuleEntry* built_in_rule(ir::OpKind kind);

/// Ops that by design have no rule: nothing propagates through them, or it does by other means.
/// Spec: rules 9.1.
bool has_no_rule_by_design(ir::OpKind kind);

/// Checks whether the op is elementwise, for op priorities and conflicts. Spec: rules 9.4.
bool is_elementwise(const OpView& op);

}  // namespace shardy::rules

#ifdef SHARDY_BODIES
#include <algorithm>
#include <shardy/ir/attribute_names.hpp>
#include <shardy/rules/custom_call.hpp>
#include <shardy/rules/detail/library_ops.hpp>
#include <shardy/rules/detail/tensor_ops.hpp>

namespace shardy::rules {

namespace detail {

// Ops that are not plainly pointwise.
inline constexpr RuleEntry kRuleRows[] = {
    {.kind = ir::OpKind::AllGather,
     .make = &all_gather_of,
     .attributes = {ir::attr::kAllGatherDim}},
    {.kind = ir::OpKind::AllReduce, .make = &pointwise_of},
    {.kind = ir::OpKind::AllToAll,
     .make = &all_to_all_of,
     .attributes = {ir::attr::kSplitDimension, ir::attr::kConcatDimension}},
    {.kind = ir::OpKind::BatchNormInference,
     .make = &batch_norm_inference_of,
     .min_operands = 5,
     .attributes = {ir::attr::kFeatureIndex}},
    {.kind = ir::OpKind::BitcastConvert, .make = &bitcast_of},
    {.kind = ir::OpKind::BroadcastInDim,
     .make = &broadcast_of,
     .attributes = {ir::attr::kBroadcastDimensions}},
    {.kind = ir::OpKind::Cholesky, .make = &cholesky_of},
    {.kind = ir::OpKind::Clamp, .make = &clamp_of, .min_operands = 3},
    {.kind = ir::OpKind::CollectiveBroadcast, .make = &pointwise_of},
    {.kind = ir::OpKind::CollectivePermute, .make = &pointwise_of},
    {.kind = ir::OpKind::Concatenate,
     .make = &concatenate_of,
     .attributes = {ir::attr::kDimension},
     .look = &joins_slices},
    {.kind = ir::OpKind::Convolution,
     .make = &convolution_of,
     .min_operands = 2,
     .attributes = {ir::attr::kDimensionNumbers, ir::attr::kBatchGroupCount,
                    ir::attr::kFeatureGroupCount}},
    {.kind = ir::OpKind::CrossReplicaSum, .make = &pointwise_of},
    {.kind = ir::OpKind::CustomCall,
     .make = &custom_call_of,
     .min_operands = 0,
     .attributes = {kCallTargetAttr},
     .look = &feeds_random_bits},
    {.kind = ir::OpKind::Dot, .make = &plain_dot_of, .min_operands = 2},
    {.kind = ir::OpKind::DotGeneral,
     .make = &dot_of,
     .min_operands = 2,
     .attributes = {ir::attr::kDotDimensionNumbers}},
    {.kind = ir::OpKind::DynamicSlice, .make = &dynamic_slice_of},
    {.kind = ir::OpKind::DynamicUpdateSlice,
     .make = &dynamic_update_slice_of,
     .min_operands = 2,
     .look = &has_constant_starts},
    {.kind = ir::OpKind::Fft, .make = &fft_of, .attributes = {ir::attr::kFftLength}},
    {.kind = ir::OpKind::Gather,
     .make = &gather_of,
     .min_operands = 2,
     .attributes = {ir::attr::kDimensionNumbers}},
    {.kind = ir::OpKind::Pad, .make = &pad_of, .min_operands = 2},
    {.kind = ir::OpKind::Reduce,
     .make = &reduce_of,
     .min_operands = 2,
     .attributes = {ir::attr::kDimensions}},
    {.kind = ir::OpKind::ReduceScatter,
     .make = &reduce_scatter_of,
     .attributes = {ir::attr::kScatterDimension}},
    {.kind = ir::OpKind::ReduceWindow,
     .make = &reduce_window_of,
     .min_operands = 2,
     .attributes = {ir::attr::kWindowDimensions, ir::attr::kWindowStrides, ir::attr::kPadding}},
    {.kind = ir::OpKind::Reshape, .make = &reshape_of},
    {.kind = ir::OpKind::Reverse, .make = &reverse_of, .attributes = {ir::attr::kDimensions}},
    {.kind = ir::OpKind::RngBitGenerator, .make = &rng_bit_generator_of},
    {.kind = ir::OpKind::Scatter,
     .make = &scatter_of,
     .min_operands = 3,
     .attributes = {ir::attr::kScatterDimensionNumbers},
     .look = &has_reducing_body},
    {.kind = ir::OpKind::SdyShardingConstraint, .make = &pointwise_of},
    {.kind = ir::OpKind::Select, .make = &select_of, .min_operands = 3},
    {.kind = ir::OpKind::SelectAndScatter,
     .make = &select_and_scatter_of,
     .min_operands = 3,
     .attributes = {ir::attr::kWindowDimensions, ir::attr::kWindowStrides, ir::attr::kPadding}},
    {.kind = ir::OpKind::Slice, .make = &slice_of},
    {.kind = ir::OpKind::Sort, .make = &sort_of, .attributes = {ir::attr::kDimension}},
    {.kind = ir::OpKind::Transpose, .make = &transpose_of, .attributes = {ir::attr::kPermutation}},
    {.kind = ir::OpKind::TriangularSolve,
     .make = &triangular_solve_of,
     .min_operands = 2,
     .attributes = {ir::attr::kLeftSide, ir::attr::kTransposeA}},
};

constexpr auto rules_by_kind() {
  std::array<RuleEntry, ir::kNumKnownOps + 1> entries{};
  for (const ir::OpInfo& op : ir::kOps) {
    if ((op.traits & ir::kElementwise) == 0) continue;
    RuleEntry& entry = entries[static_cast<std::size_t>(op.kind)];
    entry.kind = op.kind;
    entry.make = &pointwise_of;
  }
  for (const RuleEntry& row : kRuleRows) entries[static_cast<std::size_t>(row.kind)] = row;
  return entries;
}
inline constexpr auto kRulesByKind = rules_by_kind();

}  // namespace detail

SHARDY_INLINE const RuleEntry* built_in_rule(ir::OpKind kind) {
  const RuleEntry& entry = detail::kRulesByKind[static_cast<std::size_t>(kind)];
  return entry.make != nullptr ? &entry : nullptr;
}

SHARDY_INLINE bool has_no_rule_by_design(ir::OpKind kind) {
  return ir::has_trait(kind, ir::kNoRule) || ir::has_trait(kind, ir::kDataFlow) ||
         ir::has_trait(kind, ir::kTerminator);
}

SHARDY_INLINE bool is_elementwise(const OpView& op) {
  if (op.kind() == ir::OpKind::BitcastConvert) {
    return op.num_operands() == 1 && op.num_results() == 1 &&
           std::ranges::equal(op.operand_shape(0), op.result_shape());
  }
  return ir::has_trait(op.kind(), ir::kElementwise) || ir::has_trait(op.kind(), ir::kSameShardings);
}

}  // namespace shardy::rules
#endif  // SHARDY_BODIES
