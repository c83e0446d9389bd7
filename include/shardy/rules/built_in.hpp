// Ops and custom-call targets that have built-in sharding rules.
#pragma once

#include <array>
#include <cstddef>
#include <shardy/ir/attribute_names.hpp>
#include <shardy/ir/op_table.hpp>
#include <shardy/rules/detail/op_rules.hpp>
#include <shardy/rules/linear.hpp>
#include <shardy/rules/op_view.hpp>
#include <shardy/support/detail/inline.hpp>
#include <string_view>

namespace shardy::rules {

/// Name of the attribute with the target of a custom call.
inline constexpr std::string_view kCallTargetAttr = ir::attr::kCallTargetName;

/// Returns the target of a custom call; empty for other ops.
std::string_view call_target(const OpView& op);

/// Checks whether the op is a custom call that copies a tensor between host and device. Spec:
/// propagation 11.
inline bool is_host_transfer(const OpView& op) {
  const std::string_view target = call_target(op);
  return target == "MoveToDevice" || target == "MoveToHost";
}

/// Returns true for targets of custom calls that other exporters write at the boundary of a manual
/// computation. The types of such a call are global on one side and local on the other, so that no
/// sharding rule relates operands and results.
bool is_manual_marker(std::string_view target);
/// Note of diagnostics about such a custom call.
inline constexpr std::string_view kManualMarkerNote =
    "it is at the boundary of a manual computation, with global shapes on one side and local "
    "shapes on the other, and cannot have a rule: write the ops between such calls as one "
    "sdy.manual_computation";

namespace detail {

/// Returns whether an rng_bit_generator uses the op's result as its state. Spec: rules 8.10.
bool feeds_random_bits(const OpView& op);

RuleResult combine_of(const OpView& op, const RuleOptions& options);

inline RuleResult eigh_of(const OpView& op, const RuleOptions&) {
  return eigh_rule(op.operand_shape(0));
}
inline RuleResult qr_of(const OpView& op, const RuleOptions&) {
  return qr_rule(op.operand_shape(0), op.result_shape(1));
}
inline RuleResult householder_product_of(const OpView& op, const RuleOptions&) {
  return householder_product_rule(op.operand_shape(0), op.operand_shape(1));
}
inline RuleResult top_k_of(const OpView& op, const RuleOptions&) {
  return top_k_rule(op.operand_shape(0), op.result_shape());
}
inline RuleResult approx_top_k_of(const OpView& op, const RuleOptions&) {
  return approx_top_k_rule(op.operand_shape(0), op.result_shape());
}

/// A row for one custom-call target. Numbers of operands and results are checked unless they are 0.
struct TargetRow {
  std::string_view target;
  RuleResult (*make)(const OpView&, const RuleOptions&);
  std::size_t num_operands = 0;
  std::size_t num_results = 0;
};

inline constexpr TargetRow kTargetRows[] = {
    {"annotate_device_placement", &pointwise_of},
    {"Cholesky", &pointwise_of},
    {"CompactWyHelper", &pointwise_of},
    {"InspectSharding", &pointwise_of},
    {"InvertDiagBlocksLowerTriangular", &pointwise_of},
    {"InvertDiagBlocksUpperTriangular", &pointwise_of},
    {"LayoutConstraint", &pointwise_of},
    {"mhlo.erf", &pointwise_of},
    {"MoveToDevice", &pointwise_of},
    {"MoveToHost", &pointwise_of},
    {"X64SplitHigh", &pointwise_of},
    {"X64SplitLow", &pointwise_of},
    {"xla.megascale.provide_metadata", &pointwise_of},
    {"xla.sdy.FuncResultSharding", &pointwise_of},
    {"_SPMDInternalOp_MultiPad", &pointwise_of},
    {"_SPMDInternalOp_RotateRight", &pointwise_of},
    {"_SPMDInternalOp_MultiRotate", &pointwise_of},
    {"_SPMDInternalOp_MultiSlice", &pointwise_of},
    {"_SPMDInternalOp_Wrap", &pointwise_of},
    {"Eigh", &eigh_of, 1, 2},
    {"Qr", &qr_of, 1, 2},
    {"QrDecompositionBlock", &qr_of, 1, 2},
    {"ProductOfElementaryHouseholderReflectors", &householder_product_of, 2, 1},
    {"mhlo.topk", &top_k_of, 1, 2},
    {"ApproxTopK", &approx_top_k_of, 4, 2},
    {"PartialReduce", &approx_top_k_of, 4, 2},
    {"X64Combine", &combine_of},
};

const TargetRow* find_target(std::string_view target);

Status verify_count(std::string_view noun, std::size_t expected, std::size_t actual);

RuleResult custom_call_of(const OpView& op, const RuleOptions& options);

}  // namespace detail

/// Returns whether custom calls of this target have a rule, or no rule by design.
bool knows_target(std::string_view target);

/// The function that makes the rule of an op kind, and the inputs of the rule besides the shapes.
/// Ops with equal inputs share their rule.
struct RuleEntry {
  using RuleFunction = RuleResult (*)(const OpView&,
                                      const RuleOptions&);  // makes the rule of an op
  using PropertyCheck = bool (*)(const OpView&);  // checks one property of the ops around an op

  ir::OpKind kind = ir::OpKind::Unknown;  // op kind of the entry
  RuleFunction make = nullptr;            // makes the rule of an op
  std::size_t min_operands = 1;           // an op with fewer operands has no rule
  /// Names of the attributes that the rule depends on.
  std::array<std::string_view, 3> attributes = {};
  PropertyCheck look = nullptr;  // property of other ops that the rule depends on, or null
};

/// Returns the entry of an op kind; null if the kind has no built-in rule.
const RuleEntry* built_in_rule(ir::OpKind kind);

/// Returns true for op kinds without a sharding rule by design: they do not propagate, or propagate
/// by other means. Spec: rules 9.1.
bool has_no_rule_by_design(ir::OpKind kind);

/// Checks whether op priorities and conflicts treat the op as elementwise. Spec: rules 9.4.
bool is_elementwise(const OpView& op);

}  // namespace shardy::rules

#ifdef SHARDY_BODIES
#include <algorithm>
#include <optional>
#include <string>

namespace shardy::rules::detail {

/// Custom-call targets without a rule by design. Spec: rules 8.10.
inline constexpr std::array<std::string_view, 7> kTargetsWithoutRule = {
    "sdy_testonly",
    "tpu_custom_call",
    "xla_python_cpu_callback",
    "xla_python_gpu_callback",
    "xla_ffi_python_cpu_callback",
    "xla_ffi_python_gpu_callback",
    "xla.debug.Log"};

}  // namespace shardy::rules::detail

namespace shardy::rules {

SHARDY_INLINE std::string_view call_target(const OpView& op) {
  if (op.kind() != ir::OpKind::CustomCall) return {};
  const auto* target = op.attribute<std::string>(kCallTargetAttr);
  return target != nullptr ? std::string_view(*target) : std::string_view();
}

SHARDY_INLINE bool is_manual_marker(std::string_view target) {
  constexpr std::array<std::string_view, 5> kTargets = {
      "SPMDFullToShardShape", "SPMDShardToFullShape", "xla.sdy.GlobalToLocalShape",
      "xla.sdy.LocalToGlobalShape", "xla.sdy.ManualComputation"};
  return std::ranges::find(kTargets, target) != kTargets.end();
}

}  // namespace shardy::rules

namespace shardy::rules::detail {

SHARDY_INLINE bool feeds_random_bits(const OpView& op) {
  if (call_target(op) != "X64Combine" || op.num_results() == 0) return false;
  return std::ranges::any_of(op.module().uses(op.result()), [&](const ir::Use& use) {
    return op.module().is(use.op, ir::OpKind::RngBitGenerator);
  });
}

SHARDY_INLINE RuleResult combine_of(const OpView& op, const RuleOptions& options) {
  if (!feeds_random_bits(op)) return pointwise_of(op, options);
  const Shape shape = op.result_shape();
  if (shape.size() != 1) return fail("expected a result of rank 1, as it is a random state");
  const std::vector<std::size_t> operand_ranks = op.operand_ranks();
  const std::vector<std::size_t> result_ranks = op.result_ranks();
  RuleBuilder builder(operand_ranks, result_ranks);
  builder.add_same(0, {.size = shape[0], .kind = FactorKind::NeedReplication, .is_blocked = true});
  return builder.build();
}

SHARDY_INLINE const TargetRow* find_target(std::string_view target) {
  const TargetRow* const row = std::ranges::find(kTargetRows, target, &TargetRow::target);
  return row != std::end(kTargetRows) ? row : nullptr;
}

SHARDY_INLINE Status verify_count(std::string_view noun, std::size_t expected, std::size_t actual) {
  if (expected == 0 || expected == actual) return {};
  return fail("expected " + std::to_string(expected) + " " + std::string(noun) +
              (expected == 1 ? "" : "s") + ", got: " + std::to_string(actual));
}

SHARDY_INLINE RuleResult custom_call_of(const OpView& op, const RuleOptions& options) {
  const TargetRow* row = find_target(call_target(op));
  if (row == nullptr || op.num_operands() == 0) return std::optional<OpShardingRule>();
  SHARDY_TRY_STATUS(verify_count("operand", row->num_operands, op.num_operands()));
  SHARDY_TRY_STATUS(verify_count("result", row->num_results, op.num_results()));
  return row->make(op, options);
}

}  // namespace shardy::rules::detail

namespace shardy::rules {

SHARDY_INLINE bool knows_target(std::string_view target) {
  const auto& silent = detail::kTargetsWithoutRule;
  return detail::find_target(target) != nullptr ||
         std::ranges::find(silent, target) != silent.end();
}

namespace detail {

// Entries of all ops that are not pointwise.
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
