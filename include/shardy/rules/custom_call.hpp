// Rules of custom calls, by the name of what they call.
#pragma once

#include <cstddef>
#include <shardy/ir/attribute_names.hpp>
#include <shardy/rules/detail/tensor_ops.hpp>
#include <shardy/rules/linear.hpp>
#include <shardy/rules/op_view.hpp>
#include <shardy/rules/rule_options.hpp>
#include <shardy/rules/sort.hpp>
#include <string_view>

namespace shardy::rules {

/// The attribute with the target of a custom call.
inline constexpr std::string_view kCallTargetAttr = ir::attr::kCallTargetName;

/// Returns the target of a custom call; empty for other ops.
std::string_view call_target(const OpView& op);

/// Calls that move a tensor between host and device. Spec: propagation 11.
inline bool is_host_transfer(const OpView& op) {
  const std::string_view target = call_target(op);
  return target == "MoveToDevice" || target == "MoveToHost";
}

/// Calls that stand around a manual computation, or for one, in programs of other exporters. Their
/// types are global on one side and those of a shard on the other, so no rule relates the two.
bool is_manual_marker(std::string_view target);
/// The remedy for a marker of manual computations that nothing has read.
inline constexpr std::string_view kManualMarkerNote =
    "it stands at the edge of a manual computation, with global shapes on one side and those of a "
    "shard on the other, and can have no rule: write what is between such calls as one "
    "sdy.manual_computation";

namespace detail {

/// Returns whether random bits are made of its result. Spec: rules 8.10.
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

/// One called function; numbers of operands and results are checked unless 0.
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

/// Returns whether calls of that name have a rule, or by design have none.
bool knows_target(std::string_view target);

}  // namespace shardy::rules

#ifdef SHARDY_HEADER_ONLY
#include <shardy/rules/detail/custom_call_inl.hpp>
#endif
