#pragma once

#include <shardy/algebra/op_sharding_rule.hpp>
#include <shardy/support/inline.hpp>
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

#ifdef SHARDY_BODIES
#include <cstdint>
#include <shardy/algebra/spelled.hpp>
#include <string_view>
#include <utility>
#include <vector>

namespace shardy::detail {

SHARDY_INLINE std::string sizes_text(std::span<const int64_t> sizes) {
  if (sizes.empty()) return "";
  int64_t factor = 0;
  return " {" +
         joined(
             sizes,
             [&](int64_t size) { return factor_symbol(factor++) + "=" + std::to_string(size); }) +
         "}";
}

SHARDY_INLINE std::string group_text(std::string_view name, const std::vector<int32_t>& factors) {
  if (factors.empty()) return "";
  return " " + std::string(name) + "={" + joined(factors, factor_symbol) + "}";
}

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE std::string to_string(const DimMapping& dim) {
  std::string text;
  for (const int32_t factor : dim) text += factor_symbol(factor);
  return text;
}
SHARDY_INLINE std::string to_string(const TensorMapping& mapping) {
  return "[" + detail::joined(mapping.dims, [](const DimMapping& d) { return to_string(d); }) + "]";
}

SHARDY_INLINE std::string to_string(const OpShardingRule& rule) { return to_string(rule.parts()); }

SHARDY_INLINE std::string to_string(const OpShardingRuleParts& parts) {
  std::string text = "<(" + detail::joined(parts.operand_mappings) + ")->(" +
                     detail::joined(parts.result_mappings) + ")";
  text += detail::sizes_text(parts.factor_sizes);
  text += detail::group_text("reduction", parts.reduction);
  text += detail::group_text("need_replication", parts.need_replication);
  text += detail::group_text("permutation", parts.permutation);
  text += detail::group_text("blocked_propagation", parts.blocked);
  return text + (parts.is_custom ? ", custom>" : ">");
}

}  // namespace shardy
#endif  // SHARDY_BODIES
