#pragma once

#include <shardy/algebra/propagation_edges.hpp>
#include <shardy/algebra/rule_text.hpp>
#include <shardy/algebra/sharding_text.hpp>
#include <shardy/algebra/text_form.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

// Text of all values, both ways: `to_string(value)`, `parse_x(text)`, and for readers of bigger
// texts `read_value<T>(scanner, aliases)`. Spec: algebra 10.

namespace shardy {

inline Result<Mesh> parse_mesh(std::string_view text) { return parse_value<Mesh>(text); }
inline Result<SpelledAxisRef> parse_axis_ref(std::string_view text) {
  return parse_value<SpelledAxisRef>(text);
}
inline Result<SpelledAxisList> parse_axis_list(std::string_view text) {
  return parse_value<SpelledAxisList>(text);
}
inline Result<SpelledAxisLists> parse_axis_lists(std::string_view text) {
  return parse_value<SpelledAxisLists>(text);
}
inline Result<SpelledDim> parse_dim(std::string_view text) { return parse_value<SpelledDim>(text); }
inline Result<SpelledSharding> parse_sharding(std::string_view text) {
  return parse_value<SpelledSharding>(text);
}
inline Result<SpelledShardings> parse_per_value(std::string_view text) {
  return parse_value<SpelledShardings>(text);
}
inline Result<ManualAxes> parse_manual_axes(std::string_view text) {
  return parse_value<ManualAxes>(text);
}
inline Result<SpelledAllToAlls> parse_all_to_all_params(std::string_view text) {
  return parse_value<SpelledAllToAlls>(text);
}
inline Result<OpShardingRule> parse_rule(std::string_view text) {
  return parse_value<OpShardingRule>(text);
}
inline Result<OpShardingRuleParts> parse_rule_parts(std::string_view text) {
  return parse_value<OpShardingRuleParts>(text);
}
inline Result<PropagationEdges> parse_propagation_edges(std::string_view text) {
  return parse_value<PropagationEdges>(text);
}

/// Any value that stands alone as an attribute of the dialect.
using SdyAttribute =
    std::variant<Mesh, SpelledSharding, SpelledShardings, OpShardingRule, PropagationEdges,
                 ManualAxes, SpelledAxisList, SpelledAxisLists, SpelledAllToAlls, SpelledAllToAll,
                 MeshAxis, SubAxis, SpelledAxisRef, SpelledDim, TensorMapping, DimMapping>;

namespace detail {

template <class... T>
Result<std::variant<T...>> read_alternative(Scanner& scanner, const AttributeHead& head,
                                            const AttributeAliases* aliases, std::size_t start,
                                            std::type_identity<std::variant<T...>> /*which*/) {
  Result<std::variant<T...>> result =
      scanner.error_at(start, "unknown attribute: #sdy." + head.mnemonic);
  const auto read_if_named = [&](auto type) {
    using Value = typename decltype(type)::type;
    if (head.mnemonic != TextForm<Value>::kMnemonic) return false;
    result = read_attribute_body<Value>(scanner, head, aliases);
    return true;
  };
  static_cast<void>((read_if_named(std::type_identity<T>{}) || ...));
  return result;
}

}  // namespace detail

/// Reads `#sdy.mnemonic<...>` or `#sdy<mnemonic...>`, whichever value it is. No alias may come
/// next: its value is whatever its own text reads as.
inline Result<SdyAttribute> read_attribute(Scanner& scanner,
                                           const AttributeAliases* aliases = nullptr) {
  const std::size_t start = scanner.position();
  SHARDY_TRY(const AttributeHead head, read_attribute_head(scanner));
  if (!head.name.empty()) {
    return scanner.error_at(start, "expected '#sdy.', found '#" + head.name + "'");
  }
  return detail::read_alternative(scanner, head, aliases, start,
                                  std::type_identity<SdyAttribute>{});
}

inline Result<SdyAttribute> parse_attribute(std::string_view text) {
  Scanner scanner(text);
  SHARDY_TRY(SdyAttribute attribute, read_attribute(scanner));
  SHARDY_TRY_STATUS(scanner.expect_end());
  return attribute;
}

inline std::string attribute_text(const SdyAttribute& attribute) {
  return std::visit([](const auto& value) { return attribute_text(value); }, attribute);
}

inline std::string attribute_text(const TensorSharding& sharding) {
  return attribute_text(spell(sharding));
}

}  // namespace shardy
