// Rules attached to the ops of a module.
#pragma once

#include <shardy/ir/module.hpp>
#include <shardy/rules/registry.hpp>
#include <shardy/support/inline.hpp>

namespace shardy::rules {

/// Attaches its rule to every op that has one and carries none. Errors: those of
/// Registry::rule_for, before anything is changed. Spec: rules 6.
Status populate_rules(ir::Module& module, const Registry& registry,
                      const RuleOptions& options = {});

/// Detaches all rules that are not custom. Spec: rules 6.
void drop_rules(ir::Module& module);

}  // namespace shardy::rules

#ifdef SHARDY_BODIES
#include <optional>
#include <shardy/ir/sharding_access.hpp>
#include <shardy/ir/walk.hpp>
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
#endif  // SHARDY_BODIES
