// Rules of ops that block propagation but can be partitioned.
#pragma once

#include <shardy/ir/attribute.hpp>
#include <shardy/rules/op_view.hpp>
#include <shardy/rules/rule_builder.hpp>
#include <shardy/rules/rule_options.hpp>
#include <span>
#include <string_view>
#include <vector>

namespace shardy::rules {

/// By which an op is lowered that propagation has no rule for: elementwise functions of CHLO, map,
/// broadcast, einsum, ... Nothing for others. Spec: partitioning 8.
RuleResult lowering_only_rule(const OpView& op);

/// By which the greatest elements of rows are found, chlo.top_k or a call of `mhlo.topk`: by shards
/// where the candidates of all are less than the row. Spec: partitioning 8.18.
RuleResult ranking_rule(const OpView& op);

/// Returns whether a row that is cut into so many shards is sorted by exchanging tiles: no other
/// dim could take the axes, that sends less than gathering the row, and the comparator is seen to
/// be an order of all elements. Requires: a sort. Spec: partitioning 8.18.
bool sorts_by_exchange(const ir::Module& module, ir::OpId op, int64_t shards);

/// By which a sort is lowered: the sorted dim stays cut where tiles are exchanged.
RuleResult sort_lowering_rule(const OpView& op, const OpShardingRule& rule);

/// "ij,jk->ik": a factor per letter; those that the result does not have are reductions. Nothing
/// for text of another form, or with a letter twice in one tensor.
///
/// Example: 4x8, 8x2: `([i, j], [j, k])->([i, k]) {i=4, j=8, k=2} reduction={j}`.
RuleResult lettered_rule(std::string_view equation, std::span<const Shape> operands, Shape result);

/// Operands stretch to the result as numpy does: `targets` names the result dim of each operand
/// dim; those of size 1 that are stretched have factors of their own.
///
/// Example: 4x1, 8 -> 4x8: `([i, k], [j])->([i, j]) {i=4, j=8, k=1}`.
Result<OpShardingRule> stretched_rule(std::span<const Shape> operands,
                                      std::span<const std::vector<int64_t>> targets, Shape result);

/// Operands and results, some of them with one element per feature. Example: 4x8, 8, 8 -> 4x8, 8,
/// 8, feature dim 1: `([i, j], [j], [j])->([i, j], [j], [j]) {i=4, j=8}`.
Result<OpShardingRule> per_feature_rule(std::span<const std::size_t> operand_ranks,
                                        std::span<const std::size_t> result_ranks, Shape input,
                                        int64_t feature_dim);

/// chlo.ragged_dot: as a dot; the slices of rhs that belong to groups are summands (of zeros, but
/// for the rows of the group), group sizes are whole along the groups.
///
/// Example, ragged rows: 8x4, 2x4x6, 2: `([i, k], [l, k, j], [m])->([i, j]) {i=8, j=6, k=4, l=2,
/// m=2} reduction={k, l} need_replication={m}`.
Result<OpShardingRule> ragged_dot_rule(Shape lhs, Shape rhs, Shape sizes,
                                       const ir::RaggedDotDims& dims);

}  // namespace shardy::rules

#ifdef SHARDY_HEADER_ONLY
#include <shardy/rules/detail/lowering_rules_inl.hpp>
#endif
