// Bodies of custom_call.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <shardy/rules/custom_call.hpp>
#include <shardy/rules/detail/tensor_ops.hpp>
#include <shardy/rules/op_view.hpp>
#include <shardy/rules/rule_options.hpp>
#include <shardy/support/inline.hpp>
#include <string>
#include <string_view>

namespace shardy::rules::detail {

/// Calls without a rule, by design. Spec: rules 8.10.
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

}  // namespace shardy::rules
