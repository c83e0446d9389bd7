// Rule of concatenate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <shardy/rules/rule_builder.hpp>
#include <shardy/support/inline.hpp>

namespace shardy::rules {

/// Dims of a concatenate.
struct ConcatenateOptions {
  int64_t dim = 0;               // along which operands follow each other
  std::size_t num_operands = 1;  // >= 1
  /// The operands are pieces that slices cut out: the dim moves data instead of needing
  /// replication.
  bool joins_slices = false;
  /// No factor for the concatenated dim.
  bool conservative = false;
};

/// Sizes of the result. Example: 4x3, 4x5 -> 4x8 along 1:
/// `([i, j], [i, j])->([i, j]) {i=4, j=8} need_replication={j}`; conservative:
/// `([i, j], [i, k])->([i, l]) {i=4, j=1, k=1, l=1}`. Spec: rules 8.8.
Result<OpShardingRule> concatenate_rule(Shape result, const ConcatenateOptions& options);

}  // namespace shardy::rules

#ifdef SHARDY_BODIES
#include <shardy/ir/attribute_names.hpp>
#include <shardy/rules/detail/dim_list.hpp>
#include <vector>

namespace shardy::rules {

SHARDY_INLINE Result<OpShardingRule> concatenate_rule(Shape result,
                                                      const ConcatenateOptions& options) {
  const int64_t joined_dims[] = {options.dim};
  SHARDY_TRY(const std::vector<bool> is_joined,
             dim_set(joined_dims, result.size(), ir::attr::kDimension));
  SHARDY_TRY_STATUS(detail::verify_count(options.num_operands));
  const std::vector<std::size_t> operand_ranks(options.num_operands, result.size());
  const std::size_t result_ranks[] = {result.size()};
  RuleBuilder builder(operand_ranks, result_ranks);
  for (std::size_t dim = 0; dim < result.size(); ++dim) {
    Factor factor{.size = result[dim]};
    if (is_joined[dim]) {
      if (options.conservative) continue;
      factor.kind = options.joins_slices ? FactorKind::Permutation : FactorKind::NeedReplication;
    }
    builder.add_same(dim, factor);
  }
  return builder.build();
}

}  // namespace shardy::rules
#endif  // SHARDY_BODIES
