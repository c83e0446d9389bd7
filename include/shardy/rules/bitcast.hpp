// Rule of bitcast_convert.
#pragma once

#include <shardy/rules/rule_builder.hpp>
#include <shardy/support/inline.hpp>

namespace shardy::rules {

/// The dim that one side has in addition, in which the parts of an element lie, needs replication.
///
/// Example: 4x6 of 64 bits -> 4x6x2 of 32 bits:
/// `([i, j])->([i, j, k]) {i=4, j=6, k=2} need_replication={k}`. Spec: rules 8.4.
Result<OpShardingRule> bitcast_rule(Shape operand, Shape result);

}  // namespace shardy::rules

#ifdef SHARDY_BODIES
#include <cstddef>
#include <cstdint>
#include <optional>

namespace shardy::rules {

SHARDY_INLINE Result<OpShardingRule> bitcast_rule(Shape operand, Shape result) {
  const bool widens = operand.size() > result.size();  // to elements of more bits
  const Shape shorter = widens ? result : operand;
  const Shape longer = widens ? operand : result;
  if (longer.size() - shorter.size() > 1) return fail("ranks must differ by at most 1");
  RuleBuilder builder({operand.size()}, {result.size()});
  for (std::size_t dim = 0; dim < shorter.size(); ++dim) {
    const auto mapped = static_cast<int64_t>(dim);
    builder.add({mapped}, {mapped}, {.size = shorter[dim]});
  }
  if (longer.size() == shorter.size()) return builder.build();
  const std::optional<int64_t> last = static_cast<int64_t>(shorter.size());
  const Factor parts{.size = longer.back(), .kind = FactorKind::NeedReplication};
  builder.add({widens ? last : std::nullopt}, {widens ? std::nullopt : last}, parts);
  return builder.build();
}

}  // namespace shardy::rules
#endif  // SHARDY_BODIES
