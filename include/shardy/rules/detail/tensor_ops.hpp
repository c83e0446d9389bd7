// Rules of the ops of dense tensor programs, read from an op.
#pragma once

#include <shardy/rules/dot.hpp>
#include <shardy/rules/elementwise.hpp>
#include <shardy/rules/op_view.hpp>
#include <shardy/rules/pad.hpp>
#include <shardy/rules/reshape.hpp>
#include <shardy/rules/rule_options.hpp>
#include <shardy/rules/slice.hpp>

namespace shardy::rules::detail {

RuleResult pointwise_of(const OpView& op, const RuleOptions&);

inline RuleResult clamp_of(const OpView& op, const RuleOptions&) {
  return scalar_or_pointwise_rule(op.operand_ranks(), op.operand_shape(1));
}

inline RuleResult select_of(const OpView& op, const RuleOptions&) {
  return scalar_or_pointwise_rule(op.operand_ranks(), op.result_shape());
}

RuleResult broadcast_of(const OpView& op, const RuleOptions&);

inline RuleResult reshape_of(const OpView& op, const RuleOptions&) {
  return reshape_rule(op.operand_shape(0), op.result_shape());
}

RuleResult transpose_of(const OpView& op, const RuleOptions&);

RuleResult reverse_of(const OpView& op, const RuleOptions&);

RuleResult reduce_of(const OpView& op, const RuleOptions&);

RuleResult dot_of(const OpView& op, const RuleOptions&);

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

RuleResult dynamic_update_slice_of(const OpView& op, const RuleOptions&);

/// All operands are slices, or slices of one value and that value itself. Spec: rules 8.8.
bool joins_slices(const OpView& op);

RuleResult concatenate_of(const OpView& op, const RuleOptions& options);

}  // namespace shardy::rules::detail

#ifdef SHARDY_HEADER_ONLY
#include <shardy/rules/detail/tensor_ops_inl.hpp>
#endif
