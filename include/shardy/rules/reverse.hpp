// Rule of reverse.
#pragma once

#include <cstdint>
#include <shardy/rules/rule_builder.hpp>
#include <span>

namespace shardy::rules {

/// The reversed dims are permutation factors. Example: 4x6, dims [1]:
/// `([i, j])->([i, j]) {i=4, j=6} permutation={j}`. Spec: rules 8.21.
Result<OpShardingRule> reverse_rule(Shape shape, std::span<const int64_t> dims);

}  // namespace shardy::rules

#ifdef SHARDY_HEADER_ONLY
#include <shardy/rules/detail/reverse_inl.hpp>
#endif
