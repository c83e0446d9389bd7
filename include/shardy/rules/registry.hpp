// Sharding rules by op: built-in ones, those that embedders register, those attached to an op.
#pragma once

#include <functional>
#include <map>
#include <shardy/rules/built_in.hpp>
#include <shardy/rules/op_view.hpp>
#include <shardy/support/inline.hpp>
#include <string>

namespace shardy::rules {

/// Makes the rule of an embedder's op; nothing if this one has none.
using RuleMaker = std::function<RuleResult(const OpView&, const RuleOptions&)>;

/// Where rules come from. A value: the default one knows the built-in rules.
class Registry {
 public:
  /// `for_lowering` makes the rule by which the op is partitioned, where its lowering takes pieces
  /// that its rule says it cannot; null: the same one.
  /// Errors: the name has a built-in rule, has none by design, or is registered already.
  Status add(std::string op_name, RuleMaker maker, RuleMaker for_lowering = nullptr);
  /// The same for custom calls, by the name of what they call.
  Status add_custom_call(std::string target, RuleMaker maker, RuleMaker for_lowering = nullptr);
  /// The same for composites, by their name. One with a rule is propagated as a whole; its
  /// decomposition is lowered with the shardings that it got. Spec: partitioning 8.23.
  Status add_composite(std::string name, RuleMaker maker, RuleMaker for_lowering = nullptr);

  /// The rule attached to the op whatever the options say, else the built-in or registered one.
  ///
  /// Nothing for ops without a rule and for values of dynamic, unranked or tuple type.
  /// Errors: operands or attributes that do not fit the kind, with the place of the op.
  /// Spec: rules 6.
  RuleResult rule_for(const OpView& op, const RuleOptions& options = {}) const;

  /// The rule without a look at the attached one.
  RuleResult make_rule(const OpView& op, const RuleOptions& options = {}) const;

  /// The rule by which explicit reshards are inserted and ops are lowered: what the lowering can do
  /// by moving pieces counts as permutation, and ops through which nothing propagates have rules if
  /// they can be partitioned. Spec: partitioning 1.2 (I4).
  RuleResult lowering_rule_for(const OpView& op) const;

  /// Returns whether the embedder gave the op a rule.
  bool has_own(const OpView& op) const { return find(op) != nullptr; }

  /// False for an op that has neither a rule nor a reason to have none: worth a warning.
  bool knows(const OpView& op) const;

 private:
  struct Row {
    RuleMaker make;
    RuleMaker make_for_lowering;  // may be null
  };
  using Rows = std::map<std::string, Row, std::less<>>;

  Status add_row(Rows& rows, std::string_view what, std::string name, Row row);
  /// The registered one, or null.
  const Row* find(const OpView& op) const;

  Rows ops_;         // by name
  Rows targets_;     // by what a custom call calls
  Rows composites_;  // by the name of what they compute
};

// -------------------------------------------------------------------------------------------------

}  // namespace shardy::rules

#ifdef SHARDY_BODIES
#include <iterator>
#include <optional>
#include <shardy/ir/attribute_names.hpp>
#include <shardy/ir/sharding_access.hpp>
#include <shardy/rules/custom_call.hpp>
#include <shardy/rules/detail/library_ops.hpp>
#include <shardy/rules/indexed_lowering.hpp>
#include <shardy/rules/lowering_rules.hpp>
#include <utility>
#include <vector>

namespace shardy::rules::detail {

SHARDY_INLINE Error rule_error(const OpView& op, Error error) {
  error = with_prefix("'" + std::string(op.name()) + "' op ", std::move(error));
  error.location = op.module().location_text(op.op());
  return error;
}

}  // namespace shardy::rules::detail

namespace shardy::rules {

SHARDY_INLINE Status Registry::add(std::string op_name, RuleMaker maker, RuleMaker for_lowering) {
  const ir::OpKind kind = ir::find_op(op_name);
  if (built_in_rule(kind) != nullptr) return fail("op has a built-in sharding rule: " + op_name);
  if (has_no_rule_by_design(kind)) return fail("op cannot have a sharding rule: " + op_name);
  return add_row(ops_, "op", std::move(op_name), {std::move(maker), std::move(for_lowering)});
}

SHARDY_INLINE Status Registry::add_custom_call(std::string target, RuleMaker maker,
                                               RuleMaker for_lowering) {
  if (knows_target(target)) {
    return fail("custom calls of that name have a built-in sharding rule, or none by design: " +
                target);
  }
  return add_row(targets_, "custom call", std::move(target),
                 {std::move(maker), std::move(for_lowering)});
}

SHARDY_INLINE Status Registry::add_composite(std::string name, RuleMaker maker,
                                             RuleMaker for_lowering) {
  return add_row(composites_, "composite", std::move(name),
                 {std::move(maker), std::move(for_lowering)});
}

SHARDY_INLINE Status Registry::add_row(Rows& rows, std::string_view what, std::string name,
                                       Row row) {
  const auto made = rows.emplace(std::move(name), std::move(row));
  if (made.second) return {};
  return fail("a sharding rule is registered already for " + std::string(what) + ": " +
              made.first->first);
}

SHARDY_INLINE const Registry::Row* Registry::find(const OpView& op) const {
  const auto find_in = [](const Rows& rows, std::string_view name) {
    const auto found = rows.find(name);
    return found != rows.end() ? &found->second : nullptr;
  };
  if (op.kind() == ir::OpKind::CustomCall) return find_in(targets_, call_target(op));
  if (op.kind() == ir::OpKind::Composite && !composites_.empty()) {
    const auto* name = op.attribute<std::string>(ir::attr::kName);
    if (name != nullptr && composites_.contains(*name)) return find_in(composites_, *name);
  }
  return find_in(ops_, op.name());
}

SHARDY_INLINE RuleResult Registry::rule_for(const OpView& op, const RuleOptions& options) const {
  if (const auto* attached = op.attribute<OpShardingRule>(ir::kShardingRuleAttr)) {
    return std::optional<OpShardingRule>(*attached);
  }
  return make_rule(op, options);
}

SHARDY_INLINE RuleResult Registry::make_rule(const OpView& op, const RuleOptions& options) const {
  if (op.num_results() == 0 || !op.has_static_types()) return std::optional<OpShardingRule>();
  const auto at_op = [&](Error error) { return detail::rule_error(op, std::move(error)); };
  if (const Row* registered = find(op)) return registered->make(op, options).map_error(at_op);
  if (const RuleEntry* entry = built_in_rule(op.kind())) {
    if (op.num_operands() >= entry->min_operands) {
      return entry->make(op, options).map_error(at_op);
    }
    return tl::unexpected<Error>(at_op({"expected at least " + std::to_string(entry->min_operands) +
                                            " operands, got: " + std::to_string(op.num_operands()),
                                        {},
                                        {}}));
  }
  if (!options.lowering_rules) return std::optional<OpShardingRule>();
  return lowering_only_rule(op).map_error(at_op);
}

SHARDY_INLINE bool Registry::knows(const OpView& op) const {
  if (find(op) != nullptr) return true;
  if (op.kind() == ir::OpKind::CustomCall) return knows_target(call_target(op));
  return built_in_rule(op.kind()) != nullptr || has_no_rule_by_design(op.kind());
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

/// Each column of the right-hand side is solved alone: the dim that only it and the result have.
SHARDY_INLINE OpShardingRule with_free_columns(const OpShardingRule& rule) {
  OpShardingRule::Parts parts = rule.parts();
  std::erase_if(parts.need_replication, [&](int32_t factor) {
    return !contains_factor(rule.operands()[0], factor) &&
           contains_factor(rule.operands()[1], factor) &&
           contains_factor(rule.results()[0], factor);
  });
  const Result<OpShardingRule> changed = OpShardingRule::make(std::move(parts));
  SHARDY_ASSERT(changed.has_value());
  return changed ? *changed : rule;
}

/// Extends a propagation rule by the abilities of the lowering.
SHARDY_INLINE RuleResult with_lowering(const OpView& op, const OpShardingRule& rule) {
  if (op.kind() == ir::OpKind::Convolution) return convolution_lowering_of(op);
  if (op.kind() == ir::OpKind::SelectAndScatter) return select_and_scatter_lowering_of(op);
  if (op.kind() == ir::OpKind::TriangularSolve) return std::optional(with_free_columns(rule));
  if (op.kind() == ir::OpKind::Sort) return sort_lowering_rule(op, rule);
  const bool is_top_k_call = op.kind() == ir::OpKind::CustomCall && call_target(op) == "mhlo.topk";
  if (op.kind() == ir::OpKind::ChloTopK || is_top_k_call) return ranking_rule(op);
  const bool moves_pieces = op.kind() == ir::OpKind::Concatenate;
  return std::optional<OpShardingRule>(moves_pieces ? with_permutations(rule) : rule);
}

}  // namespace shardy::rules::detail

namespace shardy::rules {

SHARDY_INLINE RuleResult Registry::lowering_rule_for(const OpView& op) const {
  const bool is_usual = op.num_results() != 0 && op.has_static_types();
  const Row* registered = find(op);
  if (is_usual && registered != nullptr && registered->make_for_lowering != nullptr) {
    return registered->make_for_lowering(op, {}).map_error(
        [&](Error error) { return detail::rule_error(op, std::move(error)); });
  }
  // A user's rule of a built-in op changes propagation, not the semantics of the op.
  const auto* attached = op.attribute<OpShardingRule>(ir::kShardingRuleAttr);
  const bool is_foreign = op.kind() == ir::OpKind::CustomCall || op.kind() == ir::OpKind::Unknown;
  if (attached != nullptr && is_foreign) return std::optional(*attached);
  if (is_indexed(op.kind()) && op.has_static_types()) return indexed_lowering_rule(op);
  std::optional<OpShardingRule> rule;
  if (attached != nullptr && !attached->is_custom()) {
    rule = *attached;
  } else {
    SHARDY_TRY(rule, make_rule(op, {.lowering_rules = true}));
  }
  if (rule) return detail::with_lowering(op, *rule);
  return attached != nullptr ? std::optional(*attached) : std::nullopt;
}

}  // namespace shardy::rules
#endif  // SHARDY_BODIES
