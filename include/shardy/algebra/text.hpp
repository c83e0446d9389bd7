#pragma once

#include <shardy/algebra/propagation_edges.hpp>
#include <shardy/algebra/rule_text.hpp>
#include <shardy/algebra/sharding_text.hpp>
#include <shardy/support/inline.hpp>
#include <shardy/support/result.hpp>
#include <string>
#include <string_view>

// Text of all values, both ways: `to_string(value)`, `parse_x(text)`. Readers of bigger texts use
// text_form.hpp. Spec: algebra 10.

namespace shardy {

Result<Mesh> parse_mesh(std::string_view text);
Result<SpelledAxisRef> parse_axis_ref(std::string_view text);
Result<SpelledAxisList> parse_axis_list(std::string_view text);
Result<SpelledAxisLists> parse_axis_lists(std::string_view text);
Result<SpelledDim> parse_dim(std::string_view text);
Result<SpelledSharding> parse_sharding(std::string_view text);
Result<SpelledShardings> parse_per_value(std::string_view text);
Result<ManualAxes> parse_manual_axes(std::string_view text);
Result<SpelledAllToAlls> parse_all_to_all_params(std::string_view text);
Result<OpShardingRule> parse_rule(std::string_view text);
Result<OpShardingRuleParts> parse_rule_parts(std::string_view text);
Result<PropagationEdges> parse_propagation_edges(std::string_view text);

/// Returns the text as an attribute by itself: `#sdy.sharding<@mesh, [{"a"}]>`. Spec: algebra 10.3.
std::string attribute_text(const Mesh& mesh);
std::string attribute_text(const SpelledSharding& sharding);
std::string attribute_text(const TensorSharding& sharding);
std::string attribute_text(const OpShardingRule& rule);

}  // namespace shardy

#ifdef SHARDY_BODIES
#include <shardy/algebra/text_form.hpp>

namespace shardy {

SHARDY_INLINE Result<Mesh> parse_mesh(std::string_view text) { return parse_value<Mesh>(text); }
SHARDY_INLINE Result<SpelledAxisRef> parse_axis_ref(std::string_view text) {
  return parse_value<SpelledAxisRef>(text);
}
SHARDY_INLINE Result<SpelledAxisList> parse_axis_list(std::string_view text) {
  return parse_value<SpelledAxisList>(text);
}
SHARDY_INLINE Result<SpelledAxisLists> parse_axis_lists(std::string_view text) {
  return parse_value<SpelledAxisLists>(text);
}
SHARDY_INLINE Result<SpelledDim> parse_dim(std::string_view text) {
  return parse_value<SpelledDim>(text);
}
SHARDY_INLINE Result<SpelledSharding> parse_sharding(std::string_view text) {
  return parse_value<SpelledSharding>(text);
}
SHARDY_INLINE Result<SpelledShardings> parse_per_value(std::string_view text) {
  return parse_value<SpelledShardings>(text);
}
SHARDY_INLINE Result<ManualAxes> parse_manual_axes(std::string_view text) {
  return parse_value<ManualAxes>(text);
}
SHARDY_INLINE Result<SpelledAllToAlls> parse_all_to_all_params(std::string_view text) {
  return parse_value<SpelledAllToAlls>(text);
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
SHARDY_INLINE std::string attribute_text(const SpelledSharding& sharding) {
  return attribute_text<SpelledSharding>(sharding);
}
SHARDY_INLINE std::string attribute_text(const OpShardingRule& rule) {
  return attribute_text<OpShardingRule>(rule);
}
SHARDY_INLINE std::string attribute_text(const TensorSharding& sharding) {
  return attribute_text(spell(sharding));
}

}  // namespace shardy
#endif  // SHARDY_BODIES
