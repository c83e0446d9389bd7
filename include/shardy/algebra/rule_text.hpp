#pragma once

#include <shardy/algebra/op_sharding_rule.hpp>
#include <string>

// Text of sharding rules. Spec: algebra 10.5, rules 2.

namespace shardy {

/// `i`, `jk`, `zz_1`
std::string to_string(const DimMapping& dim);

/// `[i, jk]`
std::string to_string(const TensorMapping& mapping);

/// `<([i, k], [k, j])->([i, j]) {i=4, j=6, k=8} reduction={k}, custom>`
std::string to_string(const OpShardingRuleParts& parts);

std::string to_string(const OpShardingRule& rule);

}  // namespace shardy

#ifdef SHARDY_HEADER_ONLY
#include <shardy/algebra/detail/rule_text_inl.hpp>
#endif
