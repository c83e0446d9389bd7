// Rules of slice, dynamic_slice and dynamic_update_slice.
#pragma once

#include <cstddef>
#include <shardy/rules/rule_builder.hpp>
#include <shardy/support/inline.hpp>

namespace shardy::rules {

/// Sizes of the operand; dims whose size changes are permutation factors, in a conservative rule
/// blocked ones.
///
/// Example: 16x30 -> 8x30: `([i, j])->([i, j]) {i=16, j=30} permutation={i}`. Spec: rules 8.24.
Result<OpShardingRule> slice_rule(Shape operand, Shape result, bool conservative = false);

/// Operands: the tensor and `num_starts` scalars. Sliced dims need replication and are blocked.
///
/// Example: 16x32 -> 16x4:
/// `([i, j], [], [])->([i, j]) {i=16, j=32} need_replication={j} blocked_propagation={j}`.
/// Spec: rules 8.13.
Result<OpShardingRule> dynamic_slice_rule(Shape operand, Shape result, std::size_t num_starts);

/// Options of a dynamic_update_slice.
struct DynamicUpdateSliceOptions {
  std::size_t num_starts = 0;  // scalars that say where the update goes
  /// True if every start index is a constant.
  bool has_constant_starts = false;
};

/// Operands: the tensor, the update and the start scalars. A dim that the update does not fill has
/// one factor for the tensor and the result, and one for the update, which needs replication unless
/// the start indices are constants.
///
/// Example: 16x32 updated by 16x4:
/// `([i, j], [i, k], [], [])->([i, j]) {i=16, j=32, k=4} need_replication={k}`. Spec: rules 8.14.
Result<OpShardingRule> dynamic_update_slice_rule(Shape operand, Shape update,
                                                 const DynamicUpdateSliceOptions& options);

}  // namespace shardy::rules

#ifdef SHARDY_BODIES
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shardy::rules {

SHARDY_INLINE Result<OpShardingRule> slice_rule(Shape operand, Shape result, bool conservative) {
  RuleBuilder builder({operand.size()}, {result.size()});
  builder.add_mismatched(operand, result, FactorKind::Permutation, conservative);
  return builder.build();
}

SHARDY_INLINE Result<OpShardingRule> dynamic_slice_rule(Shape operand, Shape result,
                                                        std::size_t num_starts) {
  SHARDY_TRY_STATUS(detail::verify_count(num_starts));
  std::vector<std::size_t> operand_ranks(1 + num_starts, 0);
  operand_ranks.front() = operand.size();
  const std::size_t result_ranks[] = {result.size()};
  RuleBuilder builder(operand_ranks, result_ranks);
  builder.add_mismatched(operand, result, FactorKind::NeedReplication, true);
  return builder.build();
}

SHARDY_INLINE Result<OpShardingRule> dynamic_update_slice_rule(
    Shape operand, Shape update, const DynamicUpdateSliceOptions& options) {
  if (operand.size() != update.size()) {
    return fail("dynamic_update_slice: ranks must match: " + std::to_string(operand.size()) +
                " != " + std::to_string(update.size()));
  }
  SHARDY_TRY_STATUS(detail::verify_count(options.num_starts));
  std::vector<std::size_t> operand_ranks(2 + options.num_starts, 0);
  operand_ranks[0] = operand_ranks[1] = operand.size();
  const std::size_t result_ranks[] = {operand.size()};
  RuleBuilder builder(operand_ranks, result_ranks);
  for (std::size_t dim = 0; dim < operand.size(); ++dim) {
    if (operand[dim] == update[dim]) {
      builder.add_same(dim, {.size = operand[dim]});
      continue;
    }
    const auto mapped = static_cast<int64_t>(dim);
    MappedDims operand_dims(operand_ranks.size());
    operand_dims[0] = mapped;
    builder.add(operand_dims, {mapped}, {.size = operand[dim]});
    operand_dims[0] = std::nullopt;
    operand_dims[1] = mapped;
    builder.add(operand_dims, {std::nullopt},
                {.size = update[dim],
                 .kind = options.has_constant_starts ? FactorKind::PassThrough
                                                     : FactorKind::NeedReplication});
  }
  return builder.build();
}

}  // namespace shardy::rules
#endif  // SHARDY_BODIES
