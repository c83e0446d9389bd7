// Rule of reduce.
#pragma once

#include <cstddef>
#include <cstdint>
#include <shardy/rules/rule_builder.hpp>
#include <span>

namespace shardy::rules {

/// `num_inputs` inputs of one shape, as many scalar initial values, as many results, which have the
/// dims that are not reduced. The reducer itself does not matter.
///
/// Example: 6x8x10 over [1]: `([i, j, k], [])->([i, k]) {i=6, j=8, k=10} reduction={j}`.
/// Spec: rules 8.18.
Result<OpShardingRule> reduce_rule(Shape input, std::span<const int64_t> dims,
                                   std::size_t num_inputs = 1);

}  // namespace shardy::rules

#ifdef SHARDY_HEADER_ONLY
#include <shardy/rules/detail/reduce_inl.hpp>
#endif
