// Bodies of rule_attributes.hpp.
#pragma once

#include <optional>
#include <shardy/ir/module.hpp>
#include <shardy/ir/sharding_access.hpp>
#include <shardy/ir/walk.hpp>
#include <shardy/rules/registry.hpp>
#include <shardy/rules/rule_attributes.hpp>
#include <shardy/support/inline.hpp>
#include <utility>

namespace shardy::rules {

SHARDY_INLINE Status populate_rules(ir::Module& module, const Registry& registry,
                                    const RuleOptions& options) {
  std::vector<std::pair<ir::OpId, OpShardingRule>> found;
  for (const ir::OpId op : ir::pre_order(module)) {
    if (module.attributes(op).contains(ir::kShardingRuleAttr)) continue;
    SHARDY_TRY(std::optional<OpShardingRule> rule, registry.rule_for(OpView(module, op), options));
    if (rule) found.emplace_back(op, *std::move(rule));
  }
  for (auto& [op, rule] : found) module.attributes(op).set(ir::kShardingRuleAttr, std::move(rule));
  return {};
}

SHARDY_INLINE void drop_rules(ir::Module& module) {
  for (const ir::OpId op : ir::pre_order(module)) {
    const auto* rule = module.attribute<OpShardingRule>(op, ir::kShardingRuleAttr);
    if (rule != nullptr && !rule->is_custom()) module.attributes(op).erase(ir::kShardingRuleAttr);
  }
}

}  // namespace shardy::rules
