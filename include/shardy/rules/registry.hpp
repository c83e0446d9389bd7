// Sharding rules by op: built-in ones, those that embedders register, those attached to an op.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shardy/ir/sharding_access.hpp"
#include "shardy/rules/built_in.hpp"
#include "shardy/rules/op_view.hpp"

namespace shardy::rules {

/// Makes the rule of an embedder's op; nothing if this one has none.
using RuleMaker = std::function<RuleResult(const OpView&, const RuleOptions&)>;

/// Where rules come from. A value: the default one knows the built-in rules.
class Registry {
 public:
  /// Errors: the name has a built-in rule, has none by design, or is registered already.
  Status add(std::string op_name, RuleMaker maker);
  /// The same for custom calls, by the name of what they call.
  Status add_custom_call(std::string target, RuleMaker maker);

  /// The rule attached to the op whatever the options say, else the built-in or registered one.
  ///
  /// Nothing for ops without a rule and for values of dynamic, unranked or tuple type.
  /// Errors: operands or attributes that do not fit the kind, with the place of the op.
  /// Spec: rules 6.
  RuleResult rule_for(const OpView& op, const RuleOptions& options = {}) const;

  /// The rule without a look at the attached one.
  RuleResult make_rule(const OpView& op, const RuleOptions& options = {}) const;

  /// The rule by which explicit reshards are inserted: what the lowering can do by moving pieces
  /// counts as permutation. Spec: partitioning 1.2 (I4).
  RuleResult lowering_rule_for(const OpView& op) const;

  /// False for an op that has neither a rule nor a reason to have none: worth a warning.
  bool knows(const OpView& op) const;

 private:
  using Makers = std::map<std::string, RuleMaker, std::less<>>;

  /// The registered one, or null.
  const RuleMaker* find(const OpView& op) const;

  Makers makers_;   // by op
  Makers targets_;  // by what a custom call calls
};

// -------------------------------------------------------------------------------------------------

inline Status Registry::add(std::string op_name, RuleMaker maker) {
  const ir::OpKind kind = ir::find_op(op_name);
  if (built_in_rule(kind) != nullptr) return fail("op has a built-in sharding rule: " + op_name);
  if (has_no_rule_by_design(kind, op_name))
    return fail("op cannot have a sharding rule: " + op_name);
  const auto made = makers_.try_emplace(std::move(op_name), std::move(maker));
  if (made.second) return {};
  return fail("a sharding rule is registered already for op: " + made.first->first);
}

inline Status Registry::add_custom_call(std::string target, RuleMaker maker) {
  if (knows_target(target)) {
    return fail("custom calls of that name have a built-in sharding rule, or none by design: " +
                target);
  }
  const auto made = targets_.try_emplace(std::move(target), std::move(maker));
  if (made.second) return {};
  return fail("a sharding rule is registered already for custom call: " + made.first->first);
}

inline const RuleMaker* Registry::find(const OpView& op) const {
  const bool is_call = op.kind() == ir::OpKind::CustomCall;
  const Makers& makers = is_call ? targets_ : makers_;
  const auto found = makers.find(is_call ? call_target(op) : op.name());
  return found != makers.end() ? &found->second : nullptr;
}

inline RuleResult Registry::rule_for(const OpView& op, const RuleOptions& options) const {
  if (const auto* attached = op.attribute<OpShardingRule>(ir::kShardingRuleAttr)) {
    return std::optional<OpShardingRule>(*attached);
  }
  return make_rule(op, options);
}

inline RuleResult Registry::make_rule(const OpView& op, const RuleOptions& options) const {
  if (op.num_results() == 0 || !op.has_static_types()) return std::optional<OpShardingRule>();
  const auto at_op = [&](Error error) {
    error = with_prefix("'" + std::string(op.name()) + "' op ", std::move(error));
    error.at = op.module().location_text(op.op());
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

inline bool Registry::knows(const OpView& op) const {
  if (find(op) != nullptr) return true;
  if (op.kind() == ir::OpKind::CustomCall) return knows_target(call_target(op));
  return built_in_rule(op.kind()) != nullptr || has_no_rule_by_design(op.kind(), op.name());
}

namespace detail {

inline OpShardingRule with_permutations(const OpShardingRule& rule) {
  OpShardingRule::Parts parts = rule.parts();
  std::vector<int32_t> merged;
  std::ranges::merge(parts.permutation, parts.need_replication, std::back_inserter(merged));
  parts.permutation = std::move(merged);
  parts.need_replication.clear();
  const Result<OpShardingRule> changed = OpShardingRule::make(std::move(parts));
  SHARDY_ASSERT(changed.has_value());
  return changed ? *changed : rule;
}

}  // namespace detail

inline RuleResult Registry::lowering_rule_for(const OpView& op) const {
  SHARDY_TRY(std::optional<OpShardingRule> rule, rule_for(op));
  const bool moves_pieces =
      op.kind() == ir::OpKind::Concatenate || op.kind() == ir::OpKind::DynamicSlice;
  if (!rule || !moves_pieces || rule->is_custom()) return rule;
  return std::optional<OpShardingRule>(detail::with_permutations(*rule));
}

}  // namespace shardy::rules
