// The table of the ops whose rules this library knows.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "shardy/ir/op_table.hpp"
#include "shardy/rules/broadcast.hpp"
#include "shardy/rules/concatenate.hpp"
#include "shardy/rules/dot.hpp"
#include "shardy/rules/elementwise.hpp"
#include "shardy/rules/op_view.hpp"
#include "shardy/rules/pad.hpp"
#include "shardy/rules/reduce.hpp"
#include "shardy/rules/reshape.hpp"
#include "shardy/rules/reverse.hpp"
#include "shardy/rules/slice.hpp"
#include "shardy/rules/transpose.hpp"

namespace shardy::rules {

struct RuleOptions {
  /// Rules in which no sharding can lead to uneven or overlapping pieces. Spec: rules 7.
  bool conservative = false;
};

/// A rule, or nothing for an op without one.
using RuleResult = Result<std::optional<OpShardingRule>>;

/// How to make the rule of one kind of op, and what of the op the rule depends on besides its
/// shapes: ops that agree in all of that share their rule.
struct RuleEntry {
  using Make = RuleResult (*)(const OpView&, const RuleOptions&);
  using Look = bool (*)(const OpView&);

  ir::OpKind kind = ir::OpKind::Unknown;
  Make make = nullptr;
  std::size_t min_operands = 1;
  std::string_view attribute = {};  // the one it reads, if any
  Look look = nullptr;              // what it asks the graph, if anything
};

namespace detail {

inline RuleResult pointwise_of(const OpView& op, const RuleOptions&) {
  if (!op.module().type(op.result()).is_tensor()) return std::optional<OpShardingRule>();
  return pointwise_rule(op.operand_ranks(), op.result_shape(), op.num_results());
}

inline RuleResult clamp_of(const OpView& op, const RuleOptions&) {
  return scalar_or_pointwise_rule(op.operand_ranks(), op.operand_shape(1));
}

inline RuleResult select_of(const OpView& op, const RuleOptions&) {
  return scalar_or_pointwise_rule(op.operand_ranks(), op.result_shape());
}

inline RuleResult broadcast_of(const OpView& op, const RuleOptions&) {
  SHARDY_TRY(const std::span<const int64_t> dims, op.integers("broadcast_dimensions"));
  return broadcast_rule(op.operand_shape(0), op.result_shape(), dims);
}

inline RuleResult reshape_of(const OpView& op, const RuleOptions&) {
  return reshape_rule(op.operand_shape(0), op.result_shape());
}

inline RuleResult transpose_of(const OpView& op, const RuleOptions&) {
  SHARDY_TRY(const std::span<const int64_t> permutation, op.integers("permutation"));
  return transpose_rule(op.operand_shape(0), permutation);
}

inline RuleResult reverse_of(const OpView& op, const RuleOptions&) {
  SHARDY_TRY(const std::span<const int64_t> dims, op.integers("dimensions"));
  return reverse_rule(op.operand_shape(0), dims);
}

inline RuleResult reduce_of(const OpView& op, const RuleOptions&) {
  if (op.num_operands() != 2 * op.num_results()) {
    return fail("expected one input and one initial value per result");
  }
  SHARDY_TRY(const std::span<const int64_t> dims, op.integers("dimensions"));
  return reduce_rule(op.operand_shape(0), dims, op.num_results());
}

inline RuleResult dot_of(const OpView& op, const RuleOptions&) {
  const auto* dims = op.attribute<ir::DotDims>("dot_dimension_numbers");
  if (dims == nullptr) return fail("expected an attribute: dot_dimension_numbers");
  return dot_rule(op.operand_shape(0), op.operand_shape(1),
                  {.lhs_batch = dims->lhs_batch,
                   .rhs_batch = dims->rhs_batch,
                   .lhs_contracting = dims->lhs_contracting,
                   .rhs_contracting = dims->rhs_contracting});
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

inline bool has_constant_starts(const OpView& op) {
  for (std::size_t operand = 2; operand < op.num_operands(); ++operand) {
    const ir::OpId start = op.module().defining_op(op.operand(operand));
    if (!start.valid()) return false;
    const bool is_constant = op.module().has_trait(start, ir::kConstantLike) ||
                             op.module().is(start, ir::OpKind::SdyConstant);
    if (!is_constant) return false;
  }
  return true;
}

inline RuleResult dynamic_update_slice_of(const OpView& op, const RuleOptions&) {
  return dynamic_update_slice_rule(
      op.operand_shape(0), op.operand_shape(1),
      {.num_starts = op.num_operands() - 2, .has_constant_starts = has_constant_starts(op)});
}

/// All operands are slices, or slices of one value and that value itself. Spec: rules 8.8.
inline bool joins_slices(const OpView& op) {
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

inline RuleResult concatenate_of(const OpView& op, const RuleOptions& options) {
  SHARDY_TRY(const int64_t dim, op.integer("dimension"));
  return concatenate_rule(op.result_shape(), {.dim = dim,
                                              .num_operands = op.num_operands(),
                                              .joins_slices = joins_slices(op),
                                              .conservative = options.conservative});
}

// Ops that are not plainly pointwise.
inline constexpr RuleEntry kRuleRows[] = {
    {.kind = ir::OpKind::BroadcastInDim,
     .make = &broadcast_of,
     .attribute = "broadcast_dimensions"},
    {.kind = ir::OpKind::Clamp, .make = &clamp_of, .min_operands = 3},
    {.kind = ir::OpKind::Concatenate,
     .make = &concatenate_of,
     .attribute = "dimension",
     .look = &joins_slices},
    {.kind = ir::OpKind::DotGeneral,
     .make = &dot_of,
     .min_operands = 2,
     .attribute = "dot_dimension_numbers"},
    {.kind = ir::OpKind::DynamicSlice, .make = &dynamic_slice_of},
    {.kind = ir::OpKind::DynamicUpdateSlice,
     .make = &dynamic_update_slice_of,
     .min_operands = 2,
     .look = &has_constant_starts},
    {.kind = ir::OpKind::Pad, .make = &pad_of, .min_operands = 2},
    {.kind = ir::OpKind::Reduce, .make = &reduce_of, .min_operands = 2, .attribute = "dimensions"},
    {.kind = ir::OpKind::Reshape, .make = &reshape_of},
    {.kind = ir::OpKind::Reverse, .make = &reverse_of, .attribute = "dimensions"},
    {.kind = ir::OpKind::SdyShardingConstraint, .make = &pointwise_of},
    {.kind = ir::OpKind::Select, .make = &select_of, .min_operands = 3},
    {.kind = ir::OpKind::Slice, .make = &slice_of},
    {.kind = ir::OpKind::Transpose, .make = &transpose_of, .attribute = "permutation"},
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

/// The row of a kind, or null when it has no built-in rule.
constexpr const RuleEntry* built_in_rule(ir::OpKind kind) {
  const RuleEntry& entry = detail::kRulesByKind[static_cast<std::size_t>(kind)];
  return entry.make != nullptr ? &entry : nullptr;
}

/// Ops that by design have no rule: nothing propagates through them, or it does by other means.
/// Spec: rules 9.1.
inline constexpr ir::OpKind kOpsWithoutRule[] = {
    ir::OpKind::Func,
    ir::OpKind::FuncCall,
    ir::OpKind::SdyConstant,
    ir::OpKind::SdyDataFlowEdge,
    ir::OpKind::SdyFuncDataFlowEdge,
    ir::OpKind::SdyMesh,
    ir::OpKind::SdyPropagationBarrier,
    ir::OpKind::SdyReshard,
    ir::OpKind::SdyShardingGroup,
    ir::OpKind::Constant,
    ir::OpKind::Iota,
};
inline constexpr std::string_view kNamesWithoutRule[] = {
    "builtin.module",         "stablehlo.after_all",
    "stablehlo.create_token", "stablehlo.get_tuple_element",
    "stablehlo.infeed",       "stablehlo.outfeed",
    "stablehlo.partition_id", "stablehlo.recv",
    "stablehlo.send",
};

inline bool has_no_rule_by_design(ir::OpKind kind, std::string_view name) {
  if (std::ranges::find(kNamesWithoutRule, name) != std::end(kNamesWithoutRule)) return true;
  if (kind == ir::OpKind::Unknown) return false;
  return ir::has_trait(kind, ir::kDataFlow) || ir::has_trait(kind, ir::kTerminator) ||
         std::ranges::find(kOpsWithoutRule, kind) != std::end(kOpsWithoutRule);
}

/// What op priorities and conflicts inside an op ask. Spec: rules 9.4.
inline bool is_elementwise(ir::OpKind kind, std::string_view /*name*/) {
  switch (kind) {
    case ir::OpKind::SdyPropagationBarrier:
    case ir::OpKind::SdyShardingConstraint:
    case ir::OpKind::SdyReshard:
    case ir::OpKind::UniformDequantize:
    case ir::OpKind::UniformQuantize:
      return true;
    default:
      return ir::has_trait(kind, ir::kElementwise);
  }
}

}  // namespace shardy::rules
