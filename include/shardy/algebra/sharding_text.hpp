// Text of shardings and of sharding rules.
#pragma once

#include <compare>
#include <cstdint>
#include <shardy/algebra/op_sharding_rule.hpp>
#include <shardy/algebra/spelled.hpp>
#include <shardy/support/detail/inline.hpp>
#include <string>
#include <vector>

namespace shardy {

/// One sharding per value: results, operands or block arguments. Text: `<[<@m, [{"a"}]>]>`.
using UnresolvedShardings = std::vector<UnresolvedSharding>;
/// Text: `[{"a"}, {}]`.
using UnresolvedAxisLists = std::vector<UnresolvedAxisList>;
/// Names of whole axes. Text: `{"a", "b"}`.
using ManualAxes = std::vector<std::string>;

/// Axes that an all-to-all moves from one dim to another. Text: `{"b"}: 0->2`.
struct UnresolvedAllToAll {
  UnresolvedAxisList axes;  // leave the source dim
  int64_t source_dim = 0;   // that the axes leave
  int64_t target_dim = 0;   // that the axes join

  friend bool operator==(const UnresolvedAllToAll&, const UnresolvedAllToAll&);
  friend std::strong_ordering operator<=>(const UnresolvedAllToAll&, const UnresolvedAllToAll&);
};
using UnresolvedAllToAlls = std::vector<UnresolvedAllToAll>;  // parameters of one op

std::string to_string(const UnresolvedShardings& shardings);
std::string to_string(const UnresolvedAxisLists& lists);
std::string to_string(const UnresolvedAllToAll& param);
std::string to_string(const UnresolvedAllToAlls& params);
/// `manual_axes={"x", "y"}`.
std::string manual_axes_text(const ManualAxes& names);

}  // namespace shardy

template <>
struct std::hash<shardy::UnresolvedAllToAll> {
  std::size_t operator()(const shardy::UnresolvedAllToAll& param) const;
};

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
#include <cstddef>
#include <shardy/support/detail/quote.hpp>
#include <string_view>
#include <utility>

namespace shardy {

SHARDY_INLINE bool operator==(const UnresolvedAllToAll&, const UnresolvedAllToAll&) = default;
SHARDY_INLINE std::strong_ordering operator<=>(const UnresolvedAllToAll&,
                                               const UnresolvedAllToAll&) = default;

SHARDY_INLINE std::string to_string(const UnresolvedShardings& shardings) {
  return "<[" + detail::joined(shardings) + "]>";
}

SHARDY_INLINE std::string to_string(const UnresolvedAxisLists& lists) {
  return "[" + detail::joined(lists) + "]";
}

SHARDY_INLINE std::string to_string(const UnresolvedAllToAll& param) {
  return to_string(param.axes) + ": " + std::to_string(param.source_dim) + "->" +
         std::to_string(param.target_dim);
}

SHARDY_INLINE std::string to_string(const UnresolvedAllToAlls& params) {
  return "[" + detail::joined(params) + "]";
}

SHARDY_INLINE std::string manual_axes_text(const ManualAxes& names) {
  return "{" + detail::joined(names, [](const std::string& name) { return in_quotes(name); }) + "}";
}

}  // namespace shardy

SHARDY_INLINE std::size_t std::hash<shardy::UnresolvedAllToAll>::operator()(
    const shardy::UnresolvedAllToAll& param) const {
  return shardy::hash_combine(shardy::hash_range(param.axes),
                              shardy::hash_of(param.source_dim, param.target_dim));
}

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
