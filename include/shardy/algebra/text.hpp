#pragma once

#include <shardy/algebra/propagation_edges.hpp>
#include <shardy/algebra/rule_text.hpp>
#include <shardy/algebra/sharding_text.hpp>
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

#ifdef SHARDY_HEADER_ONLY
#include <shardy/algebra/detail/text_inl.hpp>
#endif
