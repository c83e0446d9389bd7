// Rules of the ops of dense tensor programs, read from an op.
#pragma once

#include <shardy/rules/dot.hpp>
#include <shardy/rules/elementwise.hpp>
#include <shardy/rules/op_view.hpp>
#include <shardy/rules/pad.hpp>
#include <shardy/rules/reshape.hpp>
#include <shardy/rules/rule_options.hpp>
#include <shardy/rules/slice.hpp>
#include <shardy/support/inline.hpp>

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

#ifdef SHARDY_BODIES
#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/ir/attribute_names.hpp>
#include <shardy/ir/gather_ops.hpp>
#include <shardy/rules/broadcast.hpp>
#include <shardy/rules/concatenate.hpp>
#include <shardy/rules/reduce.hpp>
#include <shardy/rules/reverse.hpp>
#include <shardy/rules/transpose.hpp>
#include <span>

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
  const ir::DotDims* const dims = &view.dims;
  return dot_rule(op.operand_shape(0), op.operand_shape(1),
                  {.lhs_batch = dims->lhs_batch,
                   .rhs_batch = dims->rhs_batch,
                   .lhs_contracting = dims->lhs_contracting,
                   .rhs_contracting = dims->rhs_contracting});
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

}  // namespace shardy::rules::detail
#endif  // SHARDY_BODIES
