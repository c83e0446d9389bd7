// Rule of broadcast_in_dim.
#pragma once

#include <cstdint>
#include <shardy/rules/rule_builder.hpp>
#include <shardy/support/inline.hpp>
#include <span>

namespace shardy::rules {

/// `dims[d]` is the result dim that operand dim d becomes. Factors follow the result dims; an
/// operand dim of size 1 that is expanded has a factor of its own, just before that of its result
/// dim.
///
/// Example: 1x5 -> 9x4x5, dims [0, 2]: `([i, l])->([j, k, l]) {i=1, j=9, k=4, l=5}`.
/// Spec: rules 8.5.
Result<OpShardingRule> broadcast_rule(Shape operand, Shape result, std::span<const int64_t> dims);

}  // namespace shardy::rules

#ifdef SHARDY_BODIES
#include <cstddef>
#include <optional>
#include <shardy/ir/attribute_names.hpp>
#include <shardy/rules/detail/dim_list.hpp>
#include <string>
#include <vector>

namespace shardy::rules {

SHARDY_INLINE Result<OpShardingRule> broadcast_rule(Shape operand, Shape result,
                                                    std::span<const int64_t> dims) {
  if (dims.size() != operand.size()) {
    return fail("broadcast_dimensions must have one entry per operand dim: " +
                std::to_string(dims.size()) + " != " + std::to_string(operand.size()));
  }
  SHARDY_TRY_STATUS(dim_set(dims, result.size(), ir::attr::kBroadcastDimensions));
  std::vector<std::optional<int64_t>> operand_dims(result.size());
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    operand_dims[static_cast<std::size_t>(dims[dim])] = static_cast<int64_t>(dim);
  }
  RuleBuilder builder({operand.size()}, {result.size()});
  for (std::size_t dim = 0; dim < result.size(); ++dim) {
    std::optional<int64_t> from = operand_dims[dim];
    if (from && operand[static_cast<std::size_t>(*from)] == 1 && result[dim] != 1) {
      builder.add({from}, {std::nullopt}, {.size = 1});
      from = std::nullopt;
    }
    builder.add({from}, {static_cast<int64_t>(dim)}, {.size = result[dim]});
  }
  return builder.build();
}

}  // namespace shardy::rules
#endif  // SHARDY_BODIES
