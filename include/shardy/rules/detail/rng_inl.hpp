// Bodies of rng.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/rules/rng.hpp>
#include <shardy/rules/rule_builder.hpp>
#include <shardy/support/inline.hpp>

namespace shardy::rules {

SHARDY_INLINE Result<OpShardingRule> rng_bit_generator_rule(Shape state, Shape bits) {
  RuleBuilder builder({state.size()}, {state.size(), bits.size()});
  for (std::size_t dim = 0; dim < state.size(); ++dim) {
    const auto mapped = static_cast<int64_t>(dim);
    builder.add({mapped}, {mapped, std::nullopt},
                {.size = state[dim], .kind = FactorKind::NeedReplication, .is_blocked = true});
  }
  for (std::size_t dim = 0; dim < bits.size(); ++dim) {
    builder.add({std::nullopt}, {std::nullopt, static_cast<int64_t>(dim)}, {.size = bits[dim]});
  }
  return builder.build();
}

}  // namespace shardy::rules
