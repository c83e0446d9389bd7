// Bodies of registry.hpp.
#pragma once

#include <iterator>
#include <optional>
#include <shardy/ir/sharding_access.hpp>
#include <shardy/rules/built_in.hpp>
#include <shardy/rules/detail/library_ops.hpp>
#include <shardy/rules/indexed_lowering.hpp>
#include <shardy/rules/op_view.hpp>
#include <shardy/rules/registry.hpp>
#include <shardy/support/inline.hpp>
#include <string>
#include <utility>
#include <vector>

namespace shardy::rules {

SHARDY_INLINE Status Registry::add(std::string op_name, RuleMaker maker) {
  const ir::OpKind kind = ir::find_op(op_name);
  if (built_in_rule(kind) != nullptr) return fail("op has a built-in sharding rule: " + op_name);
  if (has_no_rule_by_design(kind, op_name))
    return fail("op cannot have a sharding rule: " + op_name);
  const auto made = makers_.try_emplace(std::move(op_name), std::move(maker));
  if (made.second) return {};
  return fail("a sharding rule is registered already for op: " + made.first->first);
}

SHARDY_INLINE Status Registry::add_custom_call(std::string target, RuleMaker maker) {
  if (knows_target(target)) {
    return fail("custom calls of that name have a built-in sharding rule, or none by design: " +
                target);
  }
  const auto made = targets_.try_emplace(std::move(target), std::move(maker));
  if (made.second) return {};
  return fail("a sharding rule is registered already for custom call: " + made.first->first);
}

SHARDY_INLINE const RuleMaker* Registry::find(const OpView& op) const {
  const bool is_call = op.kind() == ir::OpKind::CustomCall;
  const Makers& makers = is_call ? targets_ : makers_;
  const auto found = makers.find(is_call ? call_target(op) : op.name());
  return found != makers.end() ? &found->second : nullptr;
}

SHARDY_INLINE RuleResult Registry::rule_for(const OpView& op, const RuleOptions& options) const {
  if (const auto* attached = op.attribute<OpShardingRule>(ir::kShardingRuleAttr)) {
    return std::optional<OpShardingRule>(*attached);
  }
  return make_rule(op, options);
}

SHARDY_INLINE RuleResult Registry::make_rule(const OpView& op, const RuleOptions& options) const {
  if (op.num_results() == 0 || !op.has_static_types()) return std::optional<OpShardingRule>();
  const auto at_op = [&](Error error) {
    error = with_prefix("'" + std::string(op.name()) + "' op ", std::move(error));
    error.location = op.module().location_text(op.op());
    return error;
  };
  if (const RuleMaker* registered = find(op)) return (*registered)(op, options).map_error(at_op);
  if (const RuleEntry* entry = built_in_rule(op.kind())) {
    if (op.num_operands() >= entry->min_operands) {
      return entry->make(op, options).map_error(at_op);
    }
    return tl::unexpected<Error>(at_op({"expected at least " + std::to_string(entry->min_operands) +
                                            " operands, got: " + std::to_string(op.num_operands()),
                                        {},
                                        {}}));
  }
  return std::optional<OpShardingRule>();
}

SHARDY_INLINE bool Registry::knows(const OpView& op) const {
  if (find(op) != nullptr) return true;
  if (op.kind() == ir::OpKind::CustomCall) return knows_target(call_target(op));
  return built_in_rule(op.kind()) != nullptr || has_no_rule_by_design(op.kind(), op.name());
}

}  // namespace shardy::rules

namespace shardy::rules::detail {

SHARDY_INLINE OpShardingRule with_permutations(const OpShardingRule& rule) {
  OpShardingRule::Parts parts = rule.parts();
  std::vector<int32_t> merged;
  std::ranges::merge(parts.permutation, parts.need_replication, std::back_inserter(merged));
  parts.permutation = std::move(merged);
  parts.need_replication.clear();
  const Result<OpShardingRule> changed = OpShardingRule::make(std::move(parts));
  SHARDY_ASSERT(changed.has_value());
  return changed ? *changed : rule;
}

}  // namespace shardy::rules::detail

namespace shardy::rules {

SHARDY_INLINE RuleResult Registry::lowering_rule_for(const OpView& op) const {
  SHARDY_TRY(std::optional<OpShardingRule> rule, rule_for(op));
  if (rule && rule->is_custom()) return rule;
  if (is_indexed(op.kind()) && op.has_static_types()) return indexed_lowering_rule(op);
  if (!rule) return rule;
  if (op.kind() == ir::OpKind::Convolution) return detail::convolution_lowering_of(op);
  if (op.kind() == ir::OpKind::SelectAndScatter) return detail::select_and_scatter_lowering_of(op);
  if (op.kind() != ir::OpKind::Concatenate) return rule;
  return std::optional<OpShardingRule>(detail::with_permutations(*rule));
}

}  // namespace shardy::rules
