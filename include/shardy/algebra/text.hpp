#pragma once

#include <shardy/algebra/propagation_edges.hpp>
#include <shardy/algebra/rule_text.hpp>
#include <shardy/algebra/sharding_text.hpp>
#include <shardy/algebra/text_form.hpp>
#include <string>
#include <string_view>

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

inline std::string attribute_text(const TensorSharding& sharding) {
  return attribute_text(spell(sharding));
}

}  // namespace shardy
