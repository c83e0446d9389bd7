// Sharding rules by op: built-in ones, those that embedders register, those attached to an op.
#pragma once

#include <functional>
#include <map>
#include <shardy/rules/built_in.hpp>
#include <shardy/rules/op_view.hpp>
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

#ifdef SHARDY_HEADER_ONLY
#include <shardy/rules/detail/registry_inl.hpp>
#endif
