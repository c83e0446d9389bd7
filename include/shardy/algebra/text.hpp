// Text of the values of the algebra, and of attributes whose type is not known in advance.
#pragma once

#include <shardy/algebra/detail/text_form.hpp>
#include <shardy/algebra/op_sharding_rule.hpp>
#include <shardy/algebra/propagation_edges.hpp>
#include <shardy/algebra/unresolved.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/result.hpp>
#include <string>
#include <string_view>
#include <variant>

// Printing and parsing of all values: `to_string(value)`, `parse_x(text)`. Parsers of larger texts
// use text_form.hpp. Spec: algebra 10.

namespace shardy {

Result<Mesh> parse_mesh(std::string_view text);
Result<UnresolvedAxisRef> parse_axis_ref(std::string_view text);
Result<UnresolvedAxisList> parse_axis_list(std::string_view text);
Result<UnresolvedAxisLists> parse_axis_lists(std::string_view text);
Result<UnresolvedDim> parse_dim(std::string_view text);
Result<UnresolvedSharding> parse_sharding(std::string_view text);
Result<UnresolvedShardings> parse_per_value(std::string_view text);
Result<ManualAxes> parse_manual_axes(std::string_view text);
Result<UnresolvedAllToAlls> parse_all_to_all_params(std::string_view text);
Result<OpShardingRule> parse_rule(std::string_view text);
Result<OpShardingRuleParts> parse_rule_parts(std::string_view text);
Result<PropagationEdges> parse_propagation_edges(std::string_view text);

/// Returns the full text of an attribute: `#sdy.sharding<@mesh, [{"a"}]>`. Spec: algebra
/// 10.3.
std::string attribute_text(const Mesh& mesh);
std::string attribute_text(const UnresolvedSharding& sharding);
std::string attribute_text(const TensorSharding& sharding);
std::string attribute_text(const OpShardingRule& rule);

/// The value of any attribute that has a full text, `#sdy.NAME<..>`.
using SdyAttribute =
    std::variant<Mesh, UnresolvedSharding, UnresolvedShardings, OpShardingRule, PropagationEdges,
                 ManualAxes, UnresolvedAxisList, UnresolvedAxisLists, UnresolvedAllToAlls,
                 UnresolvedAllToAll, MeshAxis, SubAxis, UnresolvedAxisRef, UnresolvedDim,
                 TensorMapping, DimMapping>;

/// Reads `#sdy.mnemonic<...>` or `#sdy<mnemonic...>`, for any mnemonic. The next token must not be
/// an alias; callers have to read the text of an alias themselves.
Result<SdyAttribute> read_attribute(Scanner& scanner, AttributeAliases* aliases = nullptr);

/// Parses any attribute of the sdy dialect, `#sdy.NAME<..>`. Errors: unknown names and invalid
/// text, with line:column.
Result<SdyAttribute> parse_attribute(std::string_view text);

std::string attribute_text(const SdyAttribute& attribute);

}  // namespace shardy

#ifdef SHARDY_BODIES
#include <cstddef>
#include <utility>

namespace shardy {

SHARDY_INLINE Result<Mesh> parse_mesh(std::string_view text) { return parse_value<Mesh>(text); }
SHARDY_INLINE Result<UnresolvedAxisRef> parse_axis_ref(std::string_view text) {
  return parse_value<UnresolvedAxisRef>(text);
}
SHARDY_INLINE Result<UnresolvedAxisList> parse_axis_list(std::string_view text) {
  return parse_value<UnresolvedAxisList>(text);
}
SHARDY_INLINE Result<UnresolvedAxisLists> parse_axis_lists(std::string_view text) {
  return parse_value<UnresolvedAxisLists>(text);
}
SHARDY_INLINE Result<UnresolvedDim> parse_dim(std::string_view text) {
  return parse_value<UnresolvedDim>(text);
}
SHARDY_INLINE Result<UnresolvedSharding> parse_sharding(std::string_view text) {
  return parse_value<UnresolvedSharding>(text);
}
SHARDY_INLINE Result<UnresolvedShardings> parse_per_value(std::string_view text) {
  return parse_value<UnresolvedShardings>(text);
}
SHARDY_INLINE Result<ManualAxes> parse_manual_axes(std::string_view text) {
  return parse_value<ManualAxes>(text);
}
SHARDY_INLINE Result<UnresolvedAllToAlls> parse_all_to_all_params(std::string_view text) {
  return parse_value<UnresolvedAllToAlls>(text);
}
SHARDY_INLINE Result<OpShardingRule> parse_rule(std::string_view text) {
  return parse_value<OpShardingRule>(text);
}
SHARDY_INLINE Result<OpShardingRuleParts> parse_rule_parts(std::string_view text) {
  return parse_value<OpShardingRuleParts>(text);
}
SHARDY_INLINE Result<PropagationEdges> parse_propagation_edges(std::string_view text) {
  return parse_value<PropagationEdges>(text);
}

SHARDY_INLINE std::string attribute_text(const Mesh& mesh) { return attribute_text<Mesh>(mesh); }
SHARDY_INLINE std::string attribute_text(const UnresolvedSharding& sharding) {
  return attribute_text<UnresolvedSharding>(sharding);
}
SHARDY_INLINE std::string attribute_text(const OpShardingRule& rule) {
  return attribute_text<OpShardingRule>(rule);
}
SHARDY_INLINE std::string attribute_text(const TensorSharding& sharding) {
  return attribute_text(spell(sharding));
}

}  // namespace shardy

namespace shardy::detail {

template <class... T>
Result<std::variant<T...>> read_alternative(Scanner& scanner, const AttributeHead& head,
                                            AttributeAliases* aliases, std::size_t start,
                                            std::type_identity<std::variant<T...>> /*which*/) {
  std::optional<Result<std::variant<T...>>> result;
  const auto read_if_named = [&](auto type) {
    using Value = typename decltype(type)::type;
    if (head.mnemonic != TextForm<Value>::kMnemonic) return false;
    result.emplace(read_attribute_body<Value>(scanner, head, aliases));
    return true;
  };
  if ((read_if_named(std::type_identity<T>{}) || ...)) return *std::move(result);
  return scanner.error_at(start, "unknown attribute: #sdy." + head.mnemonic);
}

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE Result<SdyAttribute> read_attribute(Scanner& scanner, AttributeAliases* aliases) {
  const std::size_t start = scanner.position();
  SHARDY_TRY(const AttributeHead head, read_attribute_head(scanner));
  if (!head.name.empty()) {
    return scanner.error_at(start, "expected '#sdy.', found '#" + head.name + "'");
  }
  return detail::read_alternative(scanner, head, aliases, start,
                                  std::type_identity<SdyAttribute>{});
}

SHARDY_INLINE Result<SdyAttribute> parse_attribute(std::string_view text) {
  Scanner scanner(text);
  SHARDY_TRY(SdyAttribute attribute, read_attribute(scanner));
  SHARDY_TRY_STATUS(scanner.expect_end());
  return attribute;
}

SHARDY_INLINE std::string attribute_text(const SdyAttribute& attribute) {
  return std::visit([](const auto& value) { return attribute_text(value); }, attribute);
}

}  // namespace shardy
#endif  // SHARDY_BODIES
